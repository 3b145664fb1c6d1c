"""Bad input: one clear sentence per problem, all of them at once, exit code 2, nothing written."""

import pytest
from refusal import refused

from catenary.errors import InputError
from dynamics.spec.case import case_of
from optimise.record.campaign_folder import CampaignFolder
from optimise.spec.jobs import OptimiseJob, campaign_of
from studies.input.compose import compose_job

BRUNI = ("catenary=bruni_2015", "pantograph=bruni_2015")
SLACK_HEIGHTS = "catenary.droppers.contact_wire_heights=[0,-0.024,-0.041,-0.052,0.1,-0.052,-0.041,-0.024,0]"
LENGTHS = ("catenary.droppers.prescribed=lengths", "catenary.droppers.contact_wire_heights=null")

ON_THE_COMMAND_LINE = {
    "unknown key": (["speed_kph=275"], ["speed_kph is not a known key", "did you mean speed_kmh?"]),
    "unknown nested key": (
        ["catenary.contact_wire.tensoin=22e3"],
        ["catenary.contact_wire.tensoin is not a known key", "did you mean catenary.contact_wire.tension?"],
    ),
    "key of a later version": (["wind_speed=20"], ["wind_speed is not a known key"]),
    "hydra's own key": (["hydra.run.dir=elsewhere"], ["hydra.run.dir is not a known key"]),
    "text for a number": (["speed_kmh=fast"], ["speed_kmh must be a number", "5 and 600 km/h", "got 'fast'"]),
    "number for a block": (["contact=3"], ["contact must be a block of keys: stiffness", "got 3"]),
    "text for a switch": (["strict_dt=perhaps"], ["strict_dt must be true or false: got 'perhaps'"]),
    "text for a list": (["catenary.droppers.positions=here"], ["catenary.droppers.positions must be a list"]),
    "a load that no line carries": (
        ["elasticity_force_N=[100,5]"],
        ["elasticity_force_N[1] must be between 10 and 1000 N: got 5 N on the command line"],
    ),
    "no load": (["elasticity_force_N=[]"], ["elasticity_force_N: at least one load must be named"]),
    "no number at all": (["speed_kmh=nan"], ["speed_kmh must be a number"]),
    "fraction for a whole number": (
        ["catenary.mesh.elements_per_bay=6.5"],
        ["catenary.mesh.elements_per_bay must be a whole number between 2 and 40: got 6.5"],
    ),
    "3 kN in the contact wire": (
        ["catenary.contact_wire.tension=3e3"],
        ["catenary.contact_wire.tension must be between 5000 and 60000 N: got 3000 N on the command line"],
    ),
    "droppers out of order": (
        [*BRUNI, "catenary.droppers.positions=[4.5,16,10.25,21.75,27.5,33.25,39,44.75,50.5]"],
        ["positions must increase along the span: dropper 3 stands at 10.25 m, not beyond dropper 2 at 16 m"],
    ),
    "dropper outside the span": (
        [*BRUNI, "catenary.droppers.positions=[4.5,10.25,16,21.75,27.5,33.25,39,44.75,60.5]"],
        ["catenary.droppers.positions[8] must lie between 0.5 and 54.5 m, inside the span: got 60.5 m"],
    ),
    "one height too few": (
        [*BRUNI, "catenary.droppers.contact_wire_heights=[0,0,0]"],
        ["contact_wire_heights must give one height per dropper: 9 positions, 3 heights"],
    ),
    "both interpretations of the droppers": (
        [*BRUNI, "catenary.droppers.lengths=[1,1,1,1,1,1,1,1,1]"],
        ["catenary.droppers.lengths must be left out (or null) where prescribed is 'heights': got 9 values"],
    ),
    "lengths prescribed, heights given": (
        [*BRUNI, "catenary.droppers.prescribed=lengths"],
        [
            "catenary.droppers.contact_wire_heights must be left out (or null) where prescribed is 'lengths'",
            "catenary.droppers.lengths is missing: prescribed is 'lengths', so give one length per dropper, 9 values",
        ],
    ),
    "lengths too few and too long": (
        [*BRUNI, *LENGTHS, "catenary.droppers.lengths=[1.0,9.0]"],
        [
            "catenary.droppers.lengths must give one length per dropper: 9 positions, 2 lengths",
            "catenary.droppers.lengths must lie between 0.05 and 3.5 m: dropper 2 is cut to 9 m",
        ],
    ),
    "heights that slacken a dropper": (
        [*BRUNI, SLACK_HEIGHTS],
        [
            "catenary.droppers.contact_wire_heights[3] = -0.052 m slackens dropper 4 (at 21.75 m) at rest",
            "catenary.droppers.contact_wire_heights[5] = -0.052 m slackens dropper 6 (at 33.25 m) at rest",
            "raise the contact wire there",
        ],
    ),
    "above the wave speed": (
        [*BRUNI, "speed_kmh=480"],
        ["speed_kmh must stay below 90 % of the contact wire's wave speed (414 km/h): got 480 km/h"],
    ),
    "unknown line": (
        ["catenary=bruni2015"],
        [
            "catenary must be one of bruni_2015, c350, double_wire_3kv, en50318_2002, ln2, re330, shinkansen_compound",
            "got 'bruni2015'",
        ],
    ),
    "unknown kind": (
        ["catenary.kind=hanging"],
        ["catenary.kind must be one of simple, stitched, compound: got 'hanging'"],
    ),
    "unknown supply": (["supply=dc"], ["supply must be one of ac, dc_3kv, dc_1_5kv: got 'dc'"]),
    "unknown solver": (["solver=magic"], ["solver must be one of periodic, transient, open_line: got 'magic'"]),
    "both forces": (
        ["mean_force_N=150", "applied_force_N=150"],
        ["give exactly one of mean_force_N and applied_force_N"],
    ),
    "interpolation": (["catenary.description=${oc.env:HOME}"], ["interpolation '${...}' is not allowed"]),
    "a sweep": (["speed_kmh=275,300"], ["speed_kmh must be one value: got '275,300'"]),
    "not key=value": (["speed_kmh"], ["'speed_kmh' is not key=value"]),
    "unknown option": (["--multirun"], ["--multirun is not an option"]),
    "missing file": (["catenary=no_such_line.yaml"], ["catenary file no_such_line.yaml does not exist"]),
}

OPTIMISE_ONLY = {
    "a line given by lengths": (
        [*BRUNI, *LENGTHS, "catenary.droppers.lengths=[1.03,0.909,0.822,0.772,0.754,0.772,0.822,0.909,1.03]"],
        ["the nominal line must prescribe heights to be optimised: bruni_2015 has droppers.prescribed 'lengths'"],
    ),
    "campaign name with a path": (
        ["campaign=../elsewhere"],
        ["campaign must be a plain name", "no path", "got '../elsewhere' on the command line"],
    ),
    "unknown sampler": (["sampler=cmaes"], ["sampler must be one of automatic, cma_es", "did you mean cma_es?"]),
    "unknown objective": (
        ["objectives=[sigma,smoothness]", "sampler=nsga2"],
        ["an objective must be one of sigma, force_range,", "where one is meant: got 'smoothness' on the command line"],
    ),
    "defects that the line cannot have": (
        [
            *("catenary=bruni_2015", "catenary.repeat.spans=4", "design.droppers=[7,11]"),
            "scenarios.defects.broken_dropper=[3,12]",
            "scenarios.defects.cases=[{name: far, defects: [{span: 8, dropper: 1, kind: broken}]}]",
        ],
        [
            "catenary.repeat must be left out with scenarios.defects, which make a period of 6 spans",
            "scenarios.defects.broken_dropper must be 1 to 9, the droppers of span 1: got 12",
            "scenarios.defects.cases[0].defects[0].span must be 1 to 6: got 8",
            "scenarios.defects must name droppers that every design has, 1 to 7 by design.droppers: got 12",
        ],
    ),
    "an objective twice": (
        ["objectives=[uplift,uplift]", "sampler=nsga2", "mean_force_N=150", "applied_force_N=150"],
        [
            "2 problems",
            "objectives: each objective must stand once, uplift stands twice on the command line",
            "give exactly one of mean_force_N and applied_force_N",
        ],
    ),
    "an objective at a condition that is not there": (
        ["objectives=[sigma@320]", "scenarios=speeds", "scenarios.speeds_kmh=[275]"],
        ["1 problem", "objective sigma@320 must be at conditions that scenarios list: they list 275"],
    ),
    "an unknown pantograph of a scenario": (
        ["scenarios.pantographs=[dsa999]"],
        ["1 problem", "scenarios.pantographs must be of articulated, bruni_2015, controlled, dsa250,", "got 'dsa999'"],
    ),
    "two weights for one speed": (
        ["scenarios.speeds_kmh=[275]", "scenarios.speed_weights=[1,2]"],
        ["1 problem", "weights must be one a value of speeds_kmh: 1 values, 2 weights"],
    ),
    "no objective": (["objectives=[]"], ["objectives must list at least 1 value: got 0 on the command line"]),
    "an objective that is not a list": (["objectives=sigma"], ["objectives must be a list: got 'sigma'"]),
    "too many objectives": (
        ["objectives=[sigma,uplift,force_range,statistical_minimum]", "sampler=nsga2"],
        ["objectives must list at most 3 values: got 4"],
    ),
    "a sampler that takes one objective": (
        ["objectives=[sigma,uplift]"],
        [
            "1 problem",
            "objectives must be one for sampler cma_es: got sigma, uplift, use sampler=nsga2 (or nsga3, tpe, qmc,",
        ],
    ),
    "a population without a use": (
        ["sampler=random", "sampler.population=5"],
        ["1 problem", "sampler.population is used by cma_es, nsga2, nsga3", "got 5"],
    ),
    "no trials": (["trials=0"], ["trials must be between 1 and 1000000: got 0 on the command line"]),
    "droppers too close": (
        ["design=spacing", "design.minimum_spacing=15"],
        ["the nominal line must leave room for droppers 1 and 2 (minimum_spacing)"],
    ),
    "droppers that do not stand symmetrically": (
        [*BRUNI, "catenary.droppers.positions=[4.5,10.25,16,21.75,27.5,33.25,39,44.75,51]"],
        ["the droppers of the nominal line must stand symmetrically about mid-span"],
    ),
}


@pytest.mark.parametrize("study", ["simulate", "optimise", "export", "demo"])
@pytest.mark.parametrize("case", ["3 kN in the contact wire", "heights that slacken a dropper", "unknown key"])
def test_every_computing_study_refuses_alike(catenary, folder, listing, study, case):
    arguments, sentences = ON_THE_COMMAND_LINE[case]
    refused(catenary(study, *arguments), sentences)
    assert listing(folder) == {}


@pytest.mark.parametrize("case", ON_THE_COMMAND_LINE)
def test_simulate_says_what_is_wrong_and_writes_nothing(catenary, folder, listing, case):
    arguments, sentences = ON_THE_COMMAND_LINE[case]
    refused(catenary("simulate", *arguments), sentences)
    assert listing(folder) == {}


@pytest.mark.parametrize("case", OPTIMISE_ONLY)
def test_optimise_says_what_is_wrong_and_writes_nothing(catenary, folder, listing, case):
    arguments, sentences = OPTIMISE_ONLY[case]
    refused(catenary("optimise", *arguments), sentences)
    assert listing(folder) == {}


def test_all_problems_are_reported_at_once(catenary, folder, listing):
    ended = catenary(
        "optimise",
        *BRUNI,
        "speed_kph=300",
        "catenary.contact_wire.tension=3e3",
        "catenary.droppers.positions=[4.5,16,10.25,21.75,27.5,33.25,39,44.75,60.5]",
        "pantograph.masses=[7.5,-9,6]",
        "campaign=a/b",
        "sampler=magic",
        "mean_force_N=120",
        "applied_force_N=120",
        "design.minimum_spacing=0",
    )
    sentences = [
        "speed_kph is not a known key",
        "catenary.contact_wire.tension must be between 5000 and 60000 N: got 3000 N",
        "dropper 3 stands at 10.25 m, not beyond dropper 2 at 16 m",
        "catenary.droppers.positions[8] must lie between 0.5 and 54.5 m, inside the span: got 60.5 m",
        "pantograph.masses[1] must be above 0 and at most 200 kg: got -9 kg",
        "campaign must be a plain name",
        "sampler must be one of",
        "give exactly one of mean_force_N and applied_force_N",
        "design.minimum_spacing must be between 0.5 and 20 m: got 0 m",
    ]
    refused(ended, sentences)
    assert f"{len(sentences)} problems" in ended.err
    assert listing(folder) == {}


def test_no_problem_is_made_up_from_another(catenary):
    # with a contact wire of 3 kN the wave speed is unknown, so nothing may be said about the speed
    ended = catenary("simulate", *BRUNI, "catenary.contact_wire.tension=3e3", "speed_kmh=320")
    assert ended.err.count("\n  - ") == 1, ended.err


def test_a_problem_in_a_process_of_its_own_leaves_no_traceback(console, folder, listing):
    refused(
        console("simulate", "catenary.contact_wire.tension=3e3", "speed_kph=1"),
        ["2 problems in the input, nothing was written", "must be between 5000 and 60000 N"],
    )
    assert listing(folder) == {}


def test_a_campaign_is_not_resumed_with_another_configuration(catenary, folder, listing):
    arguments = [*BRUNI, "campaign=held", "speed_kmh=300"]
    job = compose_job("optimise", OptimiseJob, arguments).job
    place = CampaignFolder(folder / "outputs" / "campaigns" / "held")
    place.write_input(campaign_of(job), case_of(job))
    before = listing(folder)
    ended = catenary("optimise", *BRUNI, "campaign=held", "speed_kmh=310")
    refused(ended, ["campaign 'held' must be resumed with the configuration it was started with", "speed_kmh"])
    assert listing(folder) == before


@pytest.mark.parametrize("study", ["simulate", "optimise", "export"])
def test_a_folder_with_other_files_is_not_written_into(catenary, folder, listing, study):
    (folder / "mine").mkdir()
    (folder / "mine" / "thesis.tex").write_text("years of work", encoding="utf-8")
    before = listing(folder)
    refused(catenary(study, "run_dir=mine"), ["run_dir", "must be a new", "mine holds"])
    assert listing(folder) == before


def test_export_names_the_campaigns_that_have_a_design(catenary, folder):
    (folder / "outputs" / "campaigns" / "first").mkdir(parents=True)
    (folder / "outputs" / "campaigns" / "first" / "best_design.yaml").touch()
    refused(catenary("export", "campaign=second"), ["campaign 'second' has no best design", "first"])


def test_status_and_report_of_what_is_not_there(catenary, folder, listing):
    refused(catenary("status", "campaign=none"), ["there is no campaign 'none'"])
    refused(catenary("report", "run_dir=nowhere"), ["run_dir must be a run or campaign folder"])
    assert listing(folder) == {}


def test_an_input_error_survives_the_way_back_from_a_worker():
    import pickle

    error = InputError(["one", "two"])
    assert pickle.loads(pickle.dumps(error)).problems == ["one", "two"]


@pytest.mark.parametrize(
    "typed",
    [
        ("optimise", "cluster=address", "cluster.address=tcp://127.0.0.1:1"),
        ("sweep", "array=speed_bruni", "cluster=address", "cluster.address=tcp://127.0.0.1:1"),
        ("sweep", "cluster=serial", "sweep.axes={speed_kmh:[300,590]}"),
    ],
)
def test_nothing_is_said_to_be_kept_of_what_is_refused(catenary, folder, typed):
    ended = catenary(*typed)
    refused(ended, ["nothing was written"])
    assert ended.out == "" and list(folder.iterdir()) == []

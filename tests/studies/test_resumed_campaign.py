"""A campaign that Python began and that was interrupted is resumed by what its message names."""

import json
import shlex

import pytest
from refusal import refused

import catenary as lines
import optimise
from catenary.errors import InputError
from dynamics.spec.case import case_of
from optimise.entry.campaigns import prepared_campaign
from optimise.record.driver_lock import Interrupted
from optimise.spec.jobs import campaign_of
from optimise.spec.scenarios import ScenariosSpec
from studies import cli
from studies.commands import demo
from studies.commands import optimise as command

HEIGHTS_MM = [0, -5, -8, -9, -10, -9, -8, -5, 0]
KEYS = {"trials": 4, "sampler": "qmc", "seed": 3, "cluster": "serial", "design": {"height_change": 0.02}}
TYPED = ("optimise", "experiment=oc1_heights", "campaign=c", "trials=3", "cluster=serial")


@pytest.fixture
def begun(folder, interrupted):
    """Begin a campaign on a line that has no name in conf, interrupted; the sentence that ends it."""
    line = lines.load_line("re330").with_droppers(heights_mm=HEIGHTS_MM)

    def begin():
        with pytest.raises(Interrupted) as stopped:
            optimise.campaign(line, "dsa380", speed_kmh=280, folder="kept here/mine", campaign="mine", **KEYS)
        return str(stopped.value)

    return begin


def test_the_message_names_the_call_and_a_command_that_resumes(begun, folder, catenary):
    said, typed = begun().splitlines()
    assert "1 of 4 designs" in said and "the same call resumes" in said
    words = shlex.split(typed)
    assert words == ["catenary", "optimise", "resume=kept here/mine"]
    job = command.compose(words[2:]).job
    assert (job.trials, job.seed, job.sampler.kind, job.speed_kmh) == (4, 3, "qmc", 280.0)
    assert job.catenary == lines.load_line("re330").with_droppers(heights_mm=HEIGHTS_MM)
    assert job.design.height_change == 0.02 and job.cluster.kind == "serial"
    prepared = prepared_campaign(job, folder / str(job.run_dir))
    assert prepared.is_resumed and prepared.place.path == folder / "kept here" / "mine"
    shown = catenary("status", "run_dir='kept here/mine'").out
    assert f"resume with: {typed.strip()}" in shown


def test_both_ways_resume_from_what_is_on_record(begun, catenary, monkeypatch):
    from cheap_evaluation import bowl, bowl_until_interrupted

    typed = begun().splitlines()[-1]
    line = lines.load_line("re330").with_droppers(heights_mm=HEIGHTS_MM)
    monkeypatch.setattr("optimise.search.campaign.evaluate_design", bowl)
    keys = {**KEYS, "trials": 3}
    found = optimise.campaign(line, "dsa380", speed_kmh=280, folder="kept here/mine", campaign="mine", **keys)
    assert len(found.result.records) == 3
    monkeypatch.setattr("optimise.search.campaign.evaluate_design", bowl_until_interrupted)
    ended = catenary(*shlex.split(typed)[1:], "trials=5")
    assert ended.code == cli.INTERRUPTED
    assert "3 of 5 designs" in ended.err and ended.err.rstrip().endswith(f"{typed} trials=5")


def test_a_campaign_of_marches_is_resumed_as_one(folder, interrupted, catenary):
    """Its record leaves the method out, and searches have another by default; a best design keeps its method, too."""
    marched = {**KEYS, "sampler": "cma_es", "periodic": {"method": "march"}}
    with pytest.raises(Interrupted):
        optimise.campaign("re330", "dsa380", speed_kmh=280, folder="marched", campaign="mine", **marched)
    job = command.compose(["resume=marched"]).job
    assert job.periodic.method == "march" and prepared_campaign(job, folder / "marched").is_resumed
    unnamed = ["speed_kmh=280", "trials=4", "seed=3", "cluster=serial", "design.height_change=0.02", "campaign=mine"]
    job = command.compose([*unnamed, "run_dir=marched", "periodic.method=march"]).job
    assert (
        job.sampler.kind == "automatic" and prepared_campaign(job, folder / "marched").campaign.sampler.kind == "cma_es"
    )
    with pytest.raises(InputError, match=r"case\.periodic\.method was 'march', now 'operator'"):
        prepared_campaign(command.compose([*unnamed, "run_dir=marched"]).job, folder / "marched")


def test_what_is_typed_goes_before_what_is_on_record(begun):
    begun()
    for compose in (command.compose, demo.compose):
        job = compose(["resume=kept here/mine", "trials=9", "cluster=local"]).job
        assert (job.trials, job.cluster.kind, job.seed) == (9, "local", 3)
    assert campaign_of(job).name == "mine" and case_of(job).speed_kmh == 280.0


def test_what_follows_the_search_is_as_the_first_command_asked(begun, folder):
    """The campaign's input does not hold it; a resumed demo had nine speeds in the place of three."""
    begun()
    status = folder / "kept here" / "mine" / "status.json"
    content = json.loads(status.read_text(encoding="utf-8"))
    content["command"] = (
        "catenary optimise experiment=demo error_estimate=false trust.samples=3 'report.author=A. N. Other' trials=99"
    )
    status.write_text(json.dumps(content), encoding="utf-8")
    job = command.compose(["resume=kept here/mine", "trust.samples=4"]).job
    assert (job.trust.speeds, job.trust.samples, job.error_estimate, job.report.author) == (3, 4, False, "A. N. Other")
    assert (job.trials, job.speed_kmh, job.sampler.kind, job.synchronous) == (4, 280.0, "qmc", False)
    status.write_text("not JSON", encoding="utf-8")
    found = command.compose(["resume=kept here/mine"])
    assert found.job.trust.speeds == 9, "Python keeps no second copy"
    (said,) = found.notes
    assert "kept here/mine was asked to run after its search is not known" in said and "trust.*" in said


@pytest.mark.parametrize("damage", ["missing", "cut", "empty"])
def test_what_follows_the_search_survives_a_damaged_status(catenary, folder, interrupted, damage):
    """The words typed stand in .hydra/ as well, from the beginning of the search, and after every resume."""
    typed = (*TYPED, "trust.speeds=1", "trust.contact_stiffness=[]", "error_estimate=false", "report.author=A. Other")
    assert catenary(*typed).code == cli.INTERRUPTED
    campaign = folder / "outputs" / "campaigns" / "c"
    for _ in range(2):
        content = (campaign / "status.json").read_bytes()
        (campaign / "status.json").unlink()
        if damage != "missing":
            (campaign / "status.json").write_bytes(content[:200] if damage == "cut" else b"{}")
        found = command.compose([f"resume={campaign}", "trust.samples=4"])
        job = found.job
        assert (job.trust.speeds, job.trust.contact_stiffness, job.trust.samples) == (1, (), 4) and not found.notes
        assert not job.error_estimate and job.report.author == "A. Other"
        assert catenary("optimise", f"resume={campaign}").code == cli.INTERRUPTED
    (campaign / "status.json").unlink()
    (campaign / ".hydra" / "overrides.yaml").write_text("a: [", encoding="utf-8")
    ended = catenary("optimise", f"resume={campaign}")
    assert (
        ended.code == cli.INTERRUPTED and "neither its status.json nor .hydra/overrides.yaml" in ended.out + ended.err
    )


def test_a_folder_without_a_campaign_is_refused(catenary, folder):
    ended = catenary("optimise", "resume=nowhere")
    assert ended.code == cli.BAD_INPUT and "nowhere" in ended.err and "nothing was written" in ended.err
    assert not list(folder.iterdir())


WITHOUT_USE = {
    "factor": (["scenarios.std_factor=3"], "scenarios.std_factor must be left out without scenarios.combine=mean_plus"),
    "combine": (["scenarios.combine=worst"], "scenarios.combine must be left out without scenarios, which it combines"),
    "both": (["scenarios.combine=mean_plus_std", "scenarios.std_factor=2"], "scenarios.combine must be left out"),
}


@pytest.mark.parametrize(("asked", "sentence"), WITHOUT_USE.values(), ids=WITHOUT_USE)
def test_an_option_of_scenarios_without_effect_is_refused_but_on_record(
    catenary, folder, interrupted, monkeypatch, asked, sentence
):
    refused(catenary(*TYPED, *asked), ["1 problem", sentence])
    assert not list(folder.iterdir())
    with monkeypatch.context() as earlier:
        earlier.setattr(ScenariosSpec, "unused", lambda *_: ())
        assert catenary(*TYPED, *asked).code == cli.INTERRUPTED
    for again in ((*TYPED, *asked), ("optimise", "resume=outputs/campaigns/c")):
        assert catenary(*again).code == cli.INTERRUPTED, "a record is never refused for it"


def test_an_objective_that_names_another_way_does_not_use_the_factor():
    asked = ["scenarios=speeds", "objectives=[sigma:worst]", "scenarios.std_factor=2"]
    job = command.compose([*TYPED[1:], *asked]).job
    (sentence,) = job.scenarios.unused(job.objectives)
    assert sentence.endswith("an objective such as sigma:mean_plus_std, which alone use it: got 2")


@pytest.mark.parametrize(
    "asked",
    [
        ["scenarios.std_factor=1", "scenarios.combine=mean"],
        ["scenarios=speeds", "scenarios.combine=mean_plus_std", "scenarios.std_factor=2"],
        ["scenarios=speeds", "objectives=[sigma:mean_plus_std]", "scenarios.std_factor=2"],
        ["scenarios.errors.height_sd_mm=2", "scenarios.combine=worst"],
    ],
)
def test_options_of_scenarios_that_are_used_or_usual_are_not_refused(asked):
    job = command.compose([*TYPED[1:], *asked]).job
    assert not [*job.scenarios.unused(job.objectives)]


def test_a_study_whose_points_are_not_kept_says_so(folder, monkeypatch):
    def stop(*_, **__):
        raise Interrupted("3 of 9 points are on record in /tmp/gone")

    monkeypatch.setattr("optimise.entry.studies.fill_sweep", stop)
    with pytest.raises(Interrupted, match="folder=") as ended:
        optimise.sweep("re330", "dsa380", speed_kmh=[250, 300], cluster="serial")
    assert "on record" not in str(ended.value)
    with pytest.raises(Interrupted, match="on record"):
        optimise.sweep("re330", "dsa380", speed_kmh=[250, 300], cluster="serial", folder="kept")

"""Defects as scenarios: which there are, that each is what a run of that line is, and the worst span of all."""

from dataclasses import replace

import numpy as np
import pytest
from cheap_evaluation import campaign_of
from pydantic import ValidationError

from catenary.errors import InputError
from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.spec.repeat import RepeatSpec
from dynamics.results.by_span import figures_by_span, worst_span
from dynamics.spec.case import case_of
from dynamics.spec.mean_force import reference_mean_force
from dynamics.steady_state.continuation import Continuation
from dynamics.steady_state.periodic import solve_periodic
from optimise.entry.job_keys import campaign_job
from optimise.evaluation.case_inputs import case_at
from optimise.evaluation.evaluate import evaluate, evaluate_batch, prepare
from optimise.evaluation.figures import SIGMA, statistics_of
from optimise.evaluation.job import Batch, Job, Setting
from optimise.evaluation.objectives import OBJECTIVES, with_worst_spans
from optimise.evaluation.robust import prepare_scenarios
from optimise.evaluation.scenarios import own_condition, scenario_set
from optimise.search.campaign import run_campaign
from optimise.spec.jobs import campaign_of as search_of
from optimise.spec.scenarios import ScenariosSpec

WINDOW = {"spans_behind": 12, "spans_ahead": 15, "tolerance": 1.0e-3}
SHORT = {"span": 1, "dropper": 2, "kind": "length", "by": -0.02}
THREE = {"spans": 3, "broken_dropper": [2], "cases": [{"name": "short2", "defects": [SHORT]}]}
OF_SPANS = [name for name in OBJECTIVES if name.startswith("worst_span:")]


@pytest.fixture(scope="module")
def bruni(build_case, build_line):
    line = build_line(elements_per_bay=3)
    return build_case(line, 300.0, mean_force_N=reference_mean_force(300.0), periodic=WINDOW)


def around(case, defects, objectives=("sigma",), **content):
    spec = ScenariosSpec.model_validate({"defects": defects, "tolerance": 1e-3, **content})
    found = scenario_set(spec, objectives, case)
    assert found is not None
    return found


def lifted(line):
    heights = np.array(line.droppers.contact_wire_heights) + 0.004 * np.array([0, 0, 1, 0, 0, 0, 1, 0, 0])
    return line.with_changes(droppers={"contact_wire_heights": tuple(heights)})


def test_the_sound_line_comes_first_and_every_defect_has_a_name(bruni):
    found = around(bruni, {**THREE, "weights": [2, 1, 1]}, ("sigma@short2",))
    assert found.labels == ("sound line", "dropper 2 broken", "short2")
    assert found.spec.marks == ("sound", "broken2", "short2")
    assert found.weights.tolist() == [0.5, 0.25, 0.25]
    assert found.in_words == "3 scenarios: sound line, dropper 2 broken and short2 (once in 3 spans)"
    assert own_condition(found.spec, bruni) == "300 km/h, sound line"
    assert [w.repeat and w.repeat.spans for w in found.conditions] == [None, 3, 3]
    four = around(bruni, {"broken_dropper": "each_of_first_four"}, speeds_kmh=[290.0, 300.0])
    assert four.spec.marks == ("290", "300", "sound", "broken1", "broken2", "broken3", "broken4")
    assert len(four.labels) == 10 and four.labels[5] == "300 km/h, sound line"
    assert not ScenariosSpec.model_validate({"defects": {"spans": 4}}).wanted


def test_each_is_every_dropper_of_the_line_that_is_given(bruni):
    given = {"speed_kmh": 300.0, "scenarios": {"defects": {"broken_dropper": "each"}}}
    job = campaign_job("bruni_2015", "bruni_2015", {**given, "objectives": ["worst_span:sigma@broken9"]})
    assert search_of(job).scenarios.defects.broken_dropper == tuple(range(1, 10))
    with pytest.raises(InputError, match="list sound, broken1"):
        campaign_job("bruni_2015", "bruni_2015", {**given, "objectives": ["sigma@broken10"]})


def test_a_design_in_each_scenario_is_the_line_with_that_defect_run_by_itself(bruni):
    """As `catenary simulate` runs it, on the same numerics; a start at the nominal line's states moves its end."""
    names = ("sigma", "worst_span:force_range:worst", "worst_span:sigma@broken2", "worst_span:force_min@sound")
    scenarios = around(bruni, THREE, names)
    line = lifted(bruni.catenary)
    setting = Setting(bruni, scenarios=scenarios)
    cold = evaluate(Job(1, line), setting)
    alone = []
    for repeat in (None, *(w.repeat for w in scenarios.conditions[1:])):
        case = bruni.model_copy(update={"catenary": line.model_copy(update={"repeat": repeat})})
        alone.append(solve_periodic(case))
    sigmas = [one.statistics.contact_force_std_N for one in alone]
    assert cold.scenarios[SIGMA] == pytest.approx(sigmas, rel=1e-9)
    assert min(abs(np.diff(sorted(sigmas)))) > 1e-3 * sigmas[0], "each is another line"
    ranges = [max(s.contact_force_max_N - s.contact_force_min_N for s in figures_by_span(one)) for one in alone[1:]]
    assert cold.objectives["worst_span:force_range:worst"] == pytest.approx(max(ranges), rel=1e-9)
    of_second = max(s.contact_force_std_N for s in figures_by_span(alone[1]))
    assert cold.objectives["worst_span:sigma@broken2"] == pytest.approx(of_second, rel=1e-9)
    assert cold.objectives["worst_span:force_min@sound"] == cold.scenarios["contact_force_min_N"][0]
    # limits at rest are those of the line as designed, whose droppers a defect may leave loose
    assert cold.static_dropper_force_min_N == pytest.approx(periodic_equilibrium(line).dropper_force.min())
    warm = replace(setting, start=prepare_scenarios(scenarios, lambda case: prepare(case, directions=False)))
    assert [w.state.size for w in warm.start.conditions] == [s[0].size for s in warm.start.states]
    assert warm.start.states[1][0].size > warm.start.states[0][0].size
    found = evaluate(Job(1, line), warm)
    assert found.scenarios[SIGMA] == pytest.approx(cold.scenarios[SIGMA], rel=5e-3)
    assert found.to_dict()["scenarios"]["worst_span_contact_force_std_N"][0] == found.scenarios[SIGMA][0]


def test_a_case_without_a_defect_is_the_sound_line(bruni):
    """0.1 % of sigma: the windows end at other spans, far away."""
    window = {"spans_behind": 20, "spans_ahead": 26, "tolerance": 1e-4}
    wide = bruni.model_copy(update={"periodic": bruni.periodic.model_copy(update=window)})
    scenarios = around(wide, {"spans": 3, "cases": [{"name": "nothing", "defects": []}]}, tolerance=1e-4)
    sound, nothing = evaluate(Job(1, wide.catenary), Setting(wide, scenarios=scenarios)).scenarios[SIGMA]
    assert nothing == pytest.approx(sound, rel=1e-3)


def test_lines_cut_wrong_have_their_defects_on_top(bruni):
    """Droppers as a fitter cut them, one of them broken: the line prescribed by these lengths, with the defect."""
    scenarios = around(bruni, {"spans": 2, "broken_dropper": [3]}, errors={"length_sd_mm": 2.0, "samples": 2})
    assert scenarios.labels[2:] == ("dropper 3 broken, errors 1", "dropper 3 broken, errors 2")
    found = evaluate(Job(1, bruni.catenary), Setting(bruni, scenarios=scenarios))
    cut = scenarios.installed(periodic_equilibrium(bruni.catenary), 1).spec
    assert cut.droppers.prescribed == "lengths"
    line = cut.model_copy(update={"repeat": scenarios.conditions[1].repeat})
    alone = solve_periodic(bruni.model_copy(update={"catenary": line}))
    assert found.scenarios[SIGMA][3] == pytest.approx(alone.statistics.contact_force_std_N, rel=2e-3)
    assert found.scenarios[SIGMA][2] != pytest.approx(found.scenarios[SIGMA][3], rel=1e-3)


def test_the_worst_span_is_the_worst_of_the_table_span_by_span(bruni):
    """And on a line of one span the whole: there is no worst one."""
    broken = RepeatSpec.model_validate({"spans": 3, "defects": [{**SHORT, "kind": "broken", "by": None}]})
    case = bruni.model_copy(update={"catenary": bruni.catenary.model_copy(update={"repeat": broken})})
    several, one = solve_periodic(case), solve_periodic(bruni)
    spans, figures = figures_by_span(several), statistics_of(several)[0]
    table = {
        "worst_span:sigma": max(s.contact_force_std_N for s in spans),
        "worst_span:force_max": max(s.contact_force_max_N for s in spans),
        "worst_span:force_min": min(s.contact_force_min_N for s in spans),
        "worst_span:force_range": max(s.contact_force_max_N - s.contact_force_min_N for s in spans),
    }
    assert {name: OBJECTIVES[name].raw(figures) for name in OF_SPANS} == table
    assert table["worst_span:sigma"] > 1.01 * figures[SIGMA]
    assert worst_span(one) is None
    plain = statistics_of(one)[0]
    assert not [name for name in plain if "span" in name]
    whole = [OBJECTIVES[name].raw(plain) for name in OF_SPANS]
    assert whole == [
        plain[SIGMA],
        plain["contact_force_max_N"],
        plain["contact_force_min_N"],
        OBJECTIVES["force_range"].raw(plain),
    ]
    both = with_worst_spans([plain, figures])
    assert [OBJECTIVES[name].raw(both[0]) for name in OF_SPANS] == whole and both[1] == figures
    assert with_worst_spans([plain]) == [plain]


def test_the_worst_span_of_a_march_is_that_of_its_passages(bruni):
    """Two equal spans before the line repeats, marched from rest: close to the one-span line's figures."""
    march = {"spans": 40, "spans_evaluated": 10, "spans_behind": 20, "spans_ahead": 26}
    line = bruni.catenary.model_copy(update={"repeat": RepeatSpec(spans=2)})
    content = {"solver": "transient", "transient": {**bruni.transient.model_dump(), **march}}
    case = type(bruni).model_validate({**bruni.model_dump(), **content, "catenary": line.model_dump()})
    from dynamics.solution import solve

    found = solve(case)
    worst, whole = worst_span(found), found.statistics
    assert worst.worst_span_contact_force_std_N == pytest.approx(whole.contact_force_std_N, rel=0.02)
    assert worst.worst_span_contact_force_max_N == whole.contact_force_max_N
    assert worst.worst_span_contact_force_min_N == whole.contact_force_min_N


@pytest.mark.parametrize("spans", [2, 3])
def test_points_of_a_study_on_a_line_with_a_defect_have_figures_of_the_worst_span(bruni, spans):
    """One after the other, the second from the first one's state, on other damping; as the solver has it by itself."""
    broken = RepeatSpec.model_validate({"spans": spans, "defects": [{"span": 1, "dropper": 2, "kind": "broken"}]})
    case = bruni.model_copy(update={"catenary": bruni.catenary.model_copy(update={"repeat": broken})})
    names = ("speed_kmh", "catenary.damping.alpha")
    jobs = tuple(Job(k, values=v, place=(float(k),)) for k, v in enumerate([(295.0, 0.02), (300.0, 0.03)]))
    points = evaluate_batch(Batch(0, jobs), Setting(case, names=names, policy=Continuation)).outcomes
    assert [point.message for point in points] == ["", ""]
    for job, point in zip(jobs, points, strict=True):
        alone = statistics_of(solve_periodic(case_at(case, names, job.values)))[0]
        assert point.statistics == pytest.approx(alone, rel=2e-2, abs=0.5)
        assert point.sigma_N == pytest.approx(alone[SIGMA], rel=5e-3)
        assert OBJECTIVES["worst_span:sigma"].raw(point.statistics) > point.sigma_N


@pytest.mark.parametrize(
    ("defects", "sentences"),
    [
        ({"broken_dropper": [12]}, ["broken_dropper must be 1 to 9, the droppers of span 1: got 12"]),
        (
            {"spans": 4, "broken_dropper": [1], "cases": [{"name": "x", "defects": [{**SHORT, "span": 5}]}]},
            [r"scenarios.defects.cases\[0\].defects\[0\].span must be 1 to 4: got 5"],
        ),
        (
            {"span": 7, "broken_dropper": [1], "cases": [{"name": "x", "defects": [{**SHORT, "dropper": 10}]}]},
            ["scenarios.defects.span must be 1 to 6", "dropper must be 1 to 9, the droppers of span 1: got 10"],
        ),
    ],
)
def test_defects_that_the_line_cannot_have_are_refused_all_at_once(bruni, defects, sentences):
    with pytest.raises(InputError) as refused:
        around(bruni, defects)
    for sentence in sentences:
        assert refused.match(sentence)
    with pytest.raises(InputError) as refused:
        changes = {"repeat": {"spans": 2}}
        line = bruni.catenary.with_changes(**changes)
        campaign_job(line, "bruni_2015", {"speed_kmh": 300.0, "scenarios": {"defects": defects}})
    for sentence in [*sentences, "catenary.repeat must be left out with scenarios.defects"]:
        assert refused.match(r"(?s).*" + sentence)


def test_a_line_of_two_spans_repeats_after_a_multiple_of_them(bruni):
    two = bruni.catenary.with_changes(
        further_spans=[55.0],
        droppers={
            "positions": [*bruni.catenary.droppers.positions, *(x + 55.0 for x in bruni.catenary.droppers.positions)],
            "contact_wire_heights": bruni.catenary.droppers.contact_wire_heights * 2,
        },
    )
    case = bruni.model_copy(update={"catenary": two})
    with pytest.raises(InputError, match="spans must be a multiple of the 2 spans that the line names: got 3"):
        around(case, {"spans": 3, "broken_dropper": [1]})
    assert len(around(case, {"spans": 4, "span": 2, "broken_dropper": [1]}).labels) == 2


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"scenarios": {"defects": {"broken_dropper": "all"}}}, "must list numbers of droppers, 1 to 40, or be one of"),
        ({"scenarios": {"defects": {"broken_dropper": [0]}}}, "must list numbers of droppers"),
        ({"scenarios": {"defects": {"broken_dropper": [2, 2]}}}, "defects must be distinct"),
        ({"scenarios": {"defects": {**THREE, "weights": [1, 1]}}}, "sound line first: 3 scenarios, 2 weights"),
        ({"scenarios": {"defects": {**THREE, "cases": [{"name": "broken2", "defects": []}]}}}, "must be distinct"),
        (
            {"scenarios": {"trailing": [[]], "defects": {"cases": [{"name": "alone", "defects": []}]}}},
            "names that no other condition has: got alone",
        ),
        ({"scenarios": {"defects": THREE}, "objectives": ["sigma@broken1"]}, "they list sound, broken2, short2"),
        ({"scenarios": {"defects": THREE}, "objectives": ["sigma@sound@broken2"]}, "one condition of a kind"),
        ({"scenarios": {"defects": THREE}, "design": {"kind": "both", "droppers": [1, 9]}}, "1 to 1 by design.dropp"),
        (
            {"scenarios": {"defects": THREE}, "design": {"kind": "both", "span_difference": [0, 4]}},
            "spans must be even with design.span_difference",
        ),
        ({"scenarios": {"defects": {"broken_dropper": "each"}}}, "list numbers where no line is given"),
        ({"objectives": ["worst_span:uplift"]}, "an objective must be one of"),
        ({"objectives": ["worst_span:sigma:worst"]}, "must be worst_span:sigma where there are no scenarios"),
    ],
)
def test_impossible_defects_are_refused(content, sentence):
    with pytest.raises(ValidationError, match=sentence):
        campaign_of(**content)


@pytest.mark.parametrize("name", ["a.b", "2_short", "n" * 33])
def test_a_name_is_refused_with_the_characters_that_it_may_have(bruni, name):
    defects = {"cases": [{"name": name, "defects": [SHORT]}]}
    with pytest.raises(InputError) as refused:
        campaign_job(bruni.catenary, "bruni_2015", {"speed_kmh": 300.0, "scenarios": {"defects": defects}})
    assert refused.match(
        r".*name must be a plain name that begins with a letter: letters, digits, '_' and '-', at most 32, no path: "
        f"got '{name}'"
    )


def test_a_campaign_is_the_same_on_any_number_of_workers(bruni, tmp_path):
    """Bit for bit, by its record: the first designs of a search for the least of the worst span's range."""
    given = {
        "speed_kmh": 300.0,
        "dt": 4e-3,
        "periodic": {"spans_behind": 4, "spans_ahead": 6},
        "trials": 4,
        "synchronous": True,
        "learned_directions": False,
        "sampler": "random",
        "objectives": ["worst_span:force_range:worst"],
        "scenarios": {"defects": {"spans": 2, "broken_dropper": [1, 3]}},
    }
    records = []
    for workers in ({"kind": "serial"}, {"kind": "local", "workers": 2}):
        job = campaign_job(bruni.catenary, "bruni_2015", {**given, "cluster": workers})
        result = run_campaign(search_of(job), case_of(job), tmp_path / workers["kind"])
        records.append([replace(r.outcome, wall_time_s={}) for r in result.records])
    assert records[0] == records[1]
    assert [outcome.message for outcome in records[0] if outcome.sigma_N is None] == []
    for outcome in records[0]:
        ranges = outcome.scenarios["worst_span_contact_force_range_N"]
        assert len(ranges) == 3 and outcome.objectives["worst_span:force_range:worst"] == max(ranges)

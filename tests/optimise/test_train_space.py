"""Gains of a controller as design variables: their box, their figures, their files, and searches that follow them."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from cheap_evaluation import campaign_of, case_of, feasible, first_move, prepare_nothing
from pydantic import ValidationError

from catenary.errors import InputError
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.pantograph import PantographSpec
from optimise.design.train_space import TrainSpace, space_of_case, train_of, with_gains, with_train
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import OutcomeStatus
from optimise.evaluation.scenarios import scenario_set
from optimise.record.campaign_folder import files_beside
from optimise.search.campaign import run_campaign
from optimise.search.result import load_result
from optimise.spec.design import DesignSpec
from optimise.spec.scenarios import ScenariosSpec

PANTOGRAPH = load_pantograph("controlled")
P = {"pid": {"proportional": [0.0, 1.0]}}
ALONE = {"kind": "line", "control": P}
SIGMA = "contact_force_std_N"
GAIN = "pantograph.control.pid.proportional"


def under(pantograph, case):
    return CaseSpec.model_validate({**case.model_dump(), "pantograph": pantograph})


@pytest.fixture(scope="module")
def controlled():
    """Case for what costs nothing to evaluate."""
    return under(PANTOGRAPH, case_of())


@pytest.fixture(scope="module")
def small(build_case):
    """Case whose steady states are quick."""
    window = {"spans_behind": 4, "spans_ahead": 6, "tolerance": 5e-4}
    mesh = {"elements_per_bay": 2, "largest_element_length": 6.0}
    case = build_case("bruni_2015", 275.0, dt=4e-3, mean_force_N=140.0, periodic=window)
    return under(PANTOGRAPH, case.model_copy(update={"catenary": case.catenary.with_changes(mesh=mesh)}))


def space(case, **control):
    return space_of_case(case, DesignSpec.model_validate({"kind": "both", "control": control or P}))


def test_gains_come_behind_the_variables_of_the_line(controlled):
    case = under(with_gains(PANTOGRAPH, (("pid.derivative_filter_s", 0.02),)), controlled)
    wanted = {"proportional": [0.0, 1.0], "derivative": [-0.1, 0.1], "derivative_filter_s": [0.01, 0.11]}
    found = space(case, pid=wanted)
    line = space_of_case(controlled, DesignSpec(kind="both"))
    assert found.variables[:-3] == line.variables and (found.lifts, found.moves) == (line.lifts, line.moves)
    assert [(v.name, v.nominal, v.unit) for v in found.variables[-3:]] == [
        ("control.pid.proportional", 0.5, "1"), ("control.pid.derivative", 0.0, "s"),
        ("control.pid.derivative_filter_s", 0.02, "s"),
    ]  # fmt: skip
    values = np.array([0.3 * v.low + 0.7 * v.high for v in found.variables])
    assert found.spec_of(values) == line.spec_of(values[:-3])
    pid = "pantograph.control.pid"
    assert train_of(found, values) == (
        (f"{pid}.proportional", pytest.approx(0.7)), (f"{pid}.derivative", pytest.approx(0.04)),
        (f"{pid}.derivative_filter_s", pytest.approx(0.08)),
    )  # fmt: skip
    assert train_of(line, values[:-3]) == ()
    np.testing.assert_allclose(found.values_of(found.as_drawn(values))[:-3], values[:-3], atol=1e-9)


def test_gains_alone_leave_the_line_as_it_is(controlled):
    found = space_of_case(controlled, DesignSpec.model_validate(ALONE))
    assert isinstance(found, TrainSpace) and len(found.variables) == 1
    assert found.spec_of([0.2]) == controlled.catenary
    assert with_train(controlled, train_of(found, [0.5])).pantograph.control == PANTOGRAPH.control


@pytest.mark.parametrize(
    ("control", "key", "value"),
    [
        ({"pid": {"proportional": [1.0, 0.0]}}, "pid.proportional", "1 and 0"),
        ({"pid": {}}, "control", "none"),
        ({"pid": {"proportional": [0, 1]}, "feedback": {"effort": [1, 2]}}, "feedback", "pid"),
    ],
)
def test_ranges_that_cannot_be_are_refused(control, key, value):
    with pytest.raises(ValidationError, match=f"(?s){key}.*{value}"):
        DesignSpec.model_validate({"kind": "line", "control": control})


@pytest.mark.parametrize(
    ("pantograph", "control", "words"),
    [
        (load_pantograph("dsa380"), P, "pantograph.control.pid is missing on dsa380"),
        (PANTOGRAPH, {"feedback": {"effort": [0.1, 1.0]}}, "pantograph.control.feedback is missing"),
        (PANTOGRAPH, {"pid": {"proportional": [0.6, 1.0]}}, "design.control.pid.proportional must hold the 0.5"),
        (PANTOGRAPH, {"pid": {"derivative": [0.0, 0.1]}}, "derivative_filter_s must be above 0 s"),
    ],
)  # fmt: skip
def test_a_pantograph_without_such_gains_is_refused(controlled, pantograph, control, words):
    with pytest.raises(InputError, match=words):
        space(under(pantograph, controlled), **control)


def test_a_design_is_evaluated_with_its_own_gains(small):
    """As the case with that pantograph, to the bit, alone and in scenarios; and the gains matter."""
    gains = ((GAIN, 0.9),)
    other = with_train(small, gains)
    by_hand = solve(other).statistics.contact_force_std_N
    found = evaluate(Job(1, small.catenary, train=gains), Setting(small))
    assert found.sigma_N == by_hand
    assert abs(evaluate(Job(1, small.catenary), Setting(small)).sigma_N / by_hand - 1.0) > 0.01
    wanted = ScenariosSpec(contact_stiffness=(5e4, 2e5), tolerance=5e-4)
    around = [scenario_set(wanted, ("sigma",), case) for case in (small, other)]
    answers = [
        evaluate(Job(1, small.catenary, train=own), Setting(case, scenarios=scenarios))
        for case, scenarios, own in zip((small, other), around, (gains, ()), strict=True)
    ]
    assert answers[0].scenarios == answers[1].scenarios
    assert answers[0].scenarios[SIGMA][0] == pytest.approx(by_hand, rel=1e-3)


def test_gains_that_a_controller_does_not_take_fail_that_design_alone(small):
    found = evaluate(Job(1, small.catenary, train=(("pantograph.control.pid.derivative", 0.1),)), Setting(small))
    assert found.status is OutcomeStatus.FAILED and "derivative_filter_s" in found.message


def bowl(task, setting):
    """Lowest at P = 0.8 and a first dropper 0.5 m from its place."""
    gain = dict(task.train).get(GAIN, 0.5)
    return feasible(task, setting, 30.0 + 10.0 * (gain - 0.8) ** 2 + (first_move(task, setting) - 0.5) ** 2)


def run(folder, case, evaluation=bowl, **content):
    return run_campaign(campaign_of(**content), case, folder, evaluate=evaluation, prepare=prepare_nothing)


def read(path):
    return PantographSpec.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def test_a_search_finds_gains_and_stations_and_writes_both(tmp_path, controlled):
    result = run(tmp_path, controlled, trials=150, design={"kind": "spacing", "control": P})
    best = read(tmp_path / "best_design.pantograph.yaml")
    assert best.control.pid.proportional == pytest.approx(0.8, abs=0.1)
    assert best == result.pantograph_of(result.best) and best.provenance["control.pid.proportional"] == "c"
    again = load_result(tmp_path)
    assert again.case_of(again.best).pantograph == best
    assert again.case_of(again.nominal).pantograph == PANTOGRAPH


def test_of_a_front_each_line_has_its_pantograph(tmp_path, controlled):
    content = {"trials": 20, "design": ALONE, "objectives": ["sigma", "uplift"], "sampler": {"kind": "nsga2"}}
    stale = tmp_path / "pareto" / "999.pantograph.yaml"

    def two(task, setting):
        found = bowl(task, setting)
        moved = 50.0 + dict(task.train).get(GAIN, 0.5)
        return replace(found, statistics={**found.statistics, "max_uplift_at_supports_mm": moved})

    result = run(tmp_path, controlled, two, **content)
    stale.write_text("of another design")
    run(tmp_path, controlled, two, **{**content, "trials": 21})
    assert len(result.front) > 1 and not stale.exists()
    result = load_result(tmp_path)
    for record in result.front:
        line = tmp_path / "pareto" / f"{record.number:03d}.yaml"
        assert line.is_file() and read(files_beside(line)["pantograph"]) == result.pantograph_of(record)


def test_no_search_claims_derivatives_by_gains(tmp_path, controlled):
    process = {"sampler": {"kind": "gaussian_process"}, "polish": {"best": 1, "derivatives": "exact"}}
    plain = campaign_of(design={"kind": "both"}, **process)
    own = campaign_of(design={"kind": "both", "control": P}, **process)
    assert plain.searches_by_derivatives and plain.polishes_by_derivatives
    assert not own.searches_by_derivatives and not own.polishes_by_derivatives
    asked = []

    def noted(task, setting):
        asked.append(task.neighbours)
        return bowl(task, setting)

    result = run(tmp_path, controlled, noted, trials=12, design=ALONE, **process)
    assert len(asked) > 12 and not any(asked)  # a polish by differences follows the search
    assert result.pantograph_of(result.best).control.pid.proportional == pytest.approx(0.8, abs=0.02)


def test_a_warm_start_carries_gains_over(tmp_path, controlled):
    earlier = run(tmp_path / "a", controlled, trials=40, design=ALONE)
    later = {"kind": "spacing", "control": {"pid": {"proportional": [0.2, 0.9]}}}
    found = run(tmp_path / "b", controlled, trials=8, warm_start=str(tmp_path / "a"), design=later)
    first = next(record for record in found.records if record.origin is not None)
    assert dict(train_of(found.space, first.values)) == dict(train_of(earlier.space, earlier.best.values))


def test_every_pantograph_of_scenarios_has_the_gains(tmp_path, controlled):
    scenarios = {"pantographs": [load_pantograph("dsa380").model_dump()]}
    with pytest.raises(InputError, match=r"pantograph\.control\.pid is missing on dsa380"):
        run(tmp_path, controlled, design=ALONE, scenarios=scenarios)

"""Distances between pantographs as design variables: their box, their figures, their file, and what is refused."""

import numpy as np
import pytest
import yaml
from cheap_evaluation import campaign_of, case_of, feasible, first_move, prepare_nothing
from pydantic import ValidationError

from catenary.errors import InputError
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.train import TrailingSpec
from optimise.design.neighbours import neighbours_of, trains_near
from optimise.design.train_space import space_of_case, train_of
from optimise.evaluation.evaluate import evaluate, prepare
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import OBJECTIVE
from optimise.evaluation.scenarios import scenario_set
from optimise.search.campaign import run_campaign
from optimise.search.result import load_result
from optimise.spec.design import DesignSpec
from optimise.spec.scenarios import ScenariosSpec

SIGMA = "contact_force_std_N"
SECOND, THIRD = "trailing.distances_m.0", "trailing.distances_m.1"
ALONE = {"kind": "line", "trailing_distances": [[20.0, 60.0]]}


def with_distances(case, *distances):
    return CaseSpec.model_validate({**case.model_dump(), "trailing": {"distances_m": distances}})


@pytest.fixture(scope="module")
def two():
    """Case of two pantographs, for what costs nothing to evaluate."""
    return with_distances(case_of(), 45.0)


@pytest.fixture(scope="module")
def small(build_case):
    """Case of two pantographs whose steady states are quick."""
    window = {"spans_behind": 4, "spans_ahead": 6, "tolerance": 5e-4}
    mesh = {"elements_per_bay": 2, "largest_element_length": 6.0}
    case = build_case("bruni_2015", 200.0, dt=4e-3, mean_force_N=110.0, periodic=window)
    case = case.model_copy(update={"catenary": case.catenary.with_changes(mesh=mesh)})
    return with_distances(case, 60.0)


def space(case, *ranges, kind="both", **more):
    return space_of_case(case, DesignSpec.model_validate({"kind": kind, "trailing_distances": ranges, **more}))


def test_distances_come_behind_the_variables_of_the_line(two):
    case = with_distances(two, 45.0, 100.0)
    found, line = space(case, [30.0, 60.0], [80.0, 120.0]), space_of_case(two, DesignSpec(kind="both"))
    assert found.variables[:-2] == line.variables
    assert [(v.name, v.label, v.low, v.nominal, v.high, v.unit) for v in found.variables[-2:]] == [
        (SECOND, "distance of pantograph 2", 30.0, 45.0, 60.0, "m"),
        (THIRD, "distance of pantograph 3", 80.0, 100.0, 120.0, "m"),
    ]  # fmt: skip
    values = np.array([0.3 * v.low + 0.7 * v.high for v in found.variables])
    assert found.spec_of(values) == line.spec_of(values[:-2])
    assert train_of(found, values) == ((SECOND, pytest.approx(51.0)), (THIRD, pytest.approx(108.0)))
    np.testing.assert_allclose(found.values_of(found.as_drawn(values))[:-2], values[:-2], atol=1e-9)


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ([[60.0, 20.0]], "got 60 and 20"),
        ([[20.0, 60.0], [60.5, 90.0]], "up to 60 m, and from 60.5 m the next"),
        ([[0.5, 60.0]], "from 0.5 m the next"),
        ([[20.0, 2000.0]], "1000"),
    ],
)
def test_ranges_that_cannot_be_are_refused(ranges, words):
    with pytest.raises(ValidationError, match=words):
        DesignSpec.model_validate({"kind": "line", "trailing_distances": ranges})


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ([[50.0, 60.0]], r"trailing_distances must hold the 45 m of trailing\.distances_m: got 50 to 60 m"),
        ([[20.0, 60.0], [80.0, 90.0]], "one range for each of the 1 distances .* got 2"),
    ],
)
def test_ranges_that_are_not_of_the_train_are_refused(two, ranges, words):
    with pytest.raises(InputError, match=words):
        space(two, *ranges)
    with pytest.raises(InputError, match=r"trailing\.distances_m must name the nominal train.* \[40\]: got none"):
        space(case_of(), [20.0, 60.0])


def test_a_design_is_evaluated_with_its_own_train(small, monkeypatch):
    """As the case with that train: from rest to the bit, from the nominal's start to the tolerance, in scenarios."""
    train = ((SECOND, 64.0),)
    other = with_distances(small, 64.0)
    by_hand = solve(other).train_statistics.contact_force_std_N
    found = evaluate(Job(1, small.catenary, train=train), Setting(small))
    assert found.sigma_N == by_hand
    own = evaluate(Job(0, small.catenary), Setting(small)).sigma_N
    assert abs(own / by_hand - 1.0) > 0.02
    start = prepare(small)
    with monkeypatch.context() as without:
        without.setattr("dynamics.steady_state.by_operator.find_poles", lambda *_: pytest.fail("the start has them"))
        near = evaluate(Job(1, small.catenary, train=train), Setting(small, start=start))
    assert near.sigma_N == pytest.approx(by_hand, rel=2e-3)
    wanted = ScenariosSpec(contact_stiffness=(5e4, 2e5), tolerance=5e-4)
    around = [scenario_set(wanted, ("sigma",), case) for case in (small, other)]
    answers = [
        evaluate(Job(1, small.catenary, train=values), Setting(case, scenarios=scenarios))
        for case, scenarios, values in zip((small, other), around, (train, ()), strict=True)
    ]
    assert answers[0].scenarios == answers[1].scenarios


def bowl(task, setting):
    """Lowest at 52 m and a first dropper 0.5 m from its place."""
    distance = dict(task.train).get(SECOND, 45.0)
    return feasible(task, setting, 30.0 + 0.01 * (distance - 52.0) ** 2 + (first_move(task, setting) - 0.5) ** 2)


def run(folder, case, **content):
    return run_campaign(campaign_of(**content), case, folder, evaluate=bowl, prepare=prepare_nothing)


def test_a_search_finds_the_distance_and_writes_it(tmp_path, two):
    process = {"sampler": {"kind": "gaussian_process"}, "polish": {"best": 1}}
    result = run(tmp_path / "a", two, trials=24, design={**ALONE, "kind": "spacing"}, **process)
    best = tmp_path / "a" / "best_design.trailing.yaml"
    train = TrailingSpec.model_validate(yaml.safe_load(best.read_text(encoding="utf-8")))
    assert train.distances_m[0] == pytest.approx(52.0, abs=1.0)
    assert [path.name for path in result.best_files] == ["best_design.yaml", "best_design.trailing.yaml"]
    again = load_result(tmp_path / "a")
    assert again.case_of(again.best).trailing == train and again.case_of(again.nominal).trailing == two.trailing
    later = run(tmp_path / "b", two, trials=8, warm_start=str(tmp_path / "a"), design=ALONE | {"kind": "both"})
    first = next(record for record in later.records if record.origin is not None)
    assert dict(train_of(later.space, first.values)) == {SECOND: train.distances_m[0]}


def test_distances_alone_start_from_those_of_an_earlier_search(tmp_path, two):
    earlier = run(tmp_path / "a", two, trials=12, design=ALONE)
    later = run(tmp_path / "b", two, trials=8, warm_start=str(tmp_path / "a"), design=ALONE)
    given = [record.values for record in later.records if record.origin is not None]
    assert given[0] == earlier.best.values and len(given) == 5


def test_a_train_is_varied_by_the_design_or_by_scenarios(tmp_path, two):
    with pytest.raises(InputError, match=r"scenarios\.trailing must be left out"):
        run(tmp_path, two, design=ALONE, scenarios={"trailing": [[], [45.0]]})
    assert not (tmp_path / "campaign.yaml").exists()


@pytest.mark.parametrize("scenarios", [None, {"speeds_kmh": [230.0, 240.0]}], ids=["one case", "scenarios"])
def test_derivatives_by_distances_come_behind_those_by_droppers(build_case, scenarios):
    """Those by distances against differences of whole evaluations; nothing at rest changes with them."""
    case = build_case("bruni_2015", 230.0, mean_force_N=121.0, periodic={"method": "operator"})
    case = with_distances(case, 80.0)
    found = space(case, [60.0, 100.0])
    conditions = scenarios and scenario_set(ScenariosSpec.model_validate(scenarios), ("sigma",), case)
    setting, values = Setting(case, scenarios=conditions), np.array(found.values_of(case.catenary))

    def outcome(values, **near):
        job = Job(1, found.spec_of(values), train=train_of(found, values), **near)
        return evaluate(job, setting)

    near = {"neighbours": neighbours_of(found, values), "near_trains": trains_near(found, values)}
    slopes = outcome(values, **near).slopes
    assert {len(each) for each in slopes.values()} == {len(found.variables)}
    assert slopes["g_static_dropper_force"][-1] == 0.0 and all(slopes[OBJECTIVE])
    step = np.zeros(len(values))
    step[-1] = 0.001
    high, low = (outcome(values + sign * step).sigma_N for sign in (1.0, -1.0))
    assert slopes[OBJECTIVE][-1] == pytest.approx(40.0 * (high - low) / 0.002, rel=0.01)

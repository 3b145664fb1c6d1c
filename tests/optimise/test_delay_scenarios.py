"""Delays of an actuator as scenarios: which there are, that each is a run with that delay, and a search over gains."""

import pytest
from cheap_evaluation import campaign_of
from pydantic import ValidationError

from catenary.errors import InputError
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import load_pantograph
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.scenarios import own_condition, scenario_set
from optimise.search.campaign import run_campaign
from optimise.search.prepare import prepare_campaign
from optimise.spec.scenarios import ScenariosSpec

SIGMA = "contact_force_std_N"
CONTROL = {"pid": {"proportional": 0.9}, "actuator": {"delay_s": 0.02, "lag_s": 0.02, "limit_N": 60.0}}


def with_control(case, control):
    pantograph = {**load_pantograph("bruni_2015").model_dump(), "control": control}
    return CaseSpec.model_validate({**case.model_dump(), "pantograph": pantograph})


@pytest.fixture(scope="module")
def passive(build_case):
    window = {"spans_behind": 4, "spans_ahead": 6, "tolerance": 5e-4}
    mesh = {"elements_per_bay": 2, "largest_element_length": 6.0}
    case = build_case("bruni_2015", 275.0, dt=4e-3, mean_force_N=140.0, periodic=window)
    return case.model_copy(update={"catenary": case.catenary.with_changes(mesh=mesh)})


@pytest.fixture(scope="module")
def case(passive):
    return with_control(passive, CONTROL)


def around(case, objectives=("sigma",), **content):
    found = scenario_set(ScenariosSpec.model_validate({"tolerance": 5e-4, **content}), objectives, case)
    assert found is not None
    return found


def test_delays_have_names_words_and_weights(case):
    found = around(case, delays_s=[0.0, 0.05], delay_weights=[1, 3], contact_stiffness=[5e4, 2e5])
    assert found.spec.marks == ("contact50", "contact200", "delay0", "delay0.05")
    assert found.labels[1] == "contact 50 kN/m, delay 50 ms"
    assert found.weights.tolist() == pytest.approx([1 / 8, 3 / 8] * 2)
    assert [c.case.pantograph.control.actuator.delay_s for c in found.conditions] == [0.0, 0.05] * 2
    assert own_condition(around(case, delays_s=[0.0]).spec, case) == "275 km/h, delay 20 ms"
    assert "delays_s" not in ScenariosSpec().model_dump() and "delay_weights" not in ScenariosSpec().model_dump()


def test_each_delay_is_a_run_with_that_delay_and_the_worst_counts(case, passive):
    delays = (0.0, 0.1)
    scenarios = around(case, ("sigma:worst", "sigma@delay0.1"), delays_s=delays)
    found = evaluate(Job(1, case.catenary), Setting(case, scenarios=scenarios))
    by_hand = []
    for delay in delays:
        control = {**CONTROL, "actuator": {**CONTROL["actuator"], "delay_s": delay}}
        by_hand.append(solve(with_control(passive, control)).statistics.contact_force_std_N)
    assert found.scenarios[SIGMA] == pytest.approx(by_hand, rel=2e-3)
    assert found.objectives["sigma:worst"] == max(found.scenarios[SIGMA])
    assert found.objectives["sigma@delay0.1"] == found.scenarios[SIGMA][1]
    assert abs(by_hand[1] / by_hand[0] - 1.0) > 0.02


def test_a_pantograph_without_an_actuator_is_refused_before_anything_is_written(passive, tmp_path):
    campaign = campaign_of(design={"kind": "heights"}, scenarios={"delays_s": [0.0, 0.02]})
    with pytest.raises(InputError, match=r"pantograph\.control is missing .*delays_s"):
        prepare_campaign(campaign, passive, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("delays", "words"), [([0.0, 0.0], "distinct"), ([-0.01], "0"), ([2.0], "1")])
def test_delays_that_cannot_be_are_refused(delays, words):
    with pytest.raises(ValidationError, match=f"delays_s(?s:.*){words}"):
        ScenariosSpec.model_validate({"delays_s": delays})


def test_a_search_over_gains_meets_every_delay(case, tmp_path):
    """The worst of both delays is what it minimises; its best is as good by hand in each of them."""
    campaign = campaign_of(
        trials=4, sampler={"kind": "random"}, objectives=["sigma:worst"], learned_directions=False,
        design={"kind": "line", "control": {"pid": {"proportional": [0.0, 1.5]}}},
        scenarios={"delays_s": [0.0, 0.06], "tolerance": 5e-4},
    )  # fmt: skip
    result = run_campaign(campaign, case, tmp_path)
    best = result.best
    assert best.outcome.objectives["sigma:worst"] == min(r.outcome.objectives["sigma:worst"] for r in result.records)
    for delay, sigma in zip((0.0, 0.06), best.outcome.scenarios[SIGMA], strict=True):
        own = result.pantograph_of(best).delayed(delay)
        assert own.control.pid.proportional == best.values[-1]
        alone = solve(case.model_copy(update={"pantograph": own})).statistics.contact_force_std_N
        assert sigma == pytest.approx(alone, rel=3e-3)

"""What designs are judged by: values as computed and as the sampler gets them, and the front of several."""

import dataclasses
import json
from hashlib import sha256

import numpy as np
import pytest
from cheap_evaluation import campaign_of
from pydantic import ValidationError

from dynamics.contact_force.statistics import ContactStatistics
from dynamics.results.by_span import WorstSpan
from optimise.evaluation.objectives import OBJECTIVES, raw_values, sampler_values
from optimise.evaluation.outcome import Outcome, OutcomeStatus, failed
from optimise.record.campaign_folder import CampaignInput, TrialRecord, campaign_sha256
from optimise.search.front import best_of, front_of
from optimise.spec.objective_names import BASES

ALL = tuple(OBJECTIVES)
# of a line that repeats after one span, which is then the worst
VALUES = (20.0, 94.0, 97.0, 60.0, 20.0, 205.0, 111.0, 94.0)


def outcome(number=0, sigma=20.0, uplift=60.0, g=-0.1):
    statistics = {
        "contact_force_std_N": sigma,
        "contact_force_max_N": 205.0,
        "contact_force_min_N": 111.0,
        "contact_force_statistical_min_N": 157.0 - 3.0 * sigma,
        "max_uplift_at_supports_mm": uplift,
    }
    return Outcome(number, OutcomeStatus.OK, "", sigma, {"g_uplift": g, "g_contact_loss": 0.0}, sigma, statistics)


def record(number, sigma, uplift, g=-0.1):
    return TrialRecord(number, (), outcome(number, sigma, uplift, g))


def test_objectives_are_those_of_the_input_and_made_of_existing_statistics():
    assert BASES == ALL
    fields = {field.name for field in dataclasses.fields(ContactStatistics)}
    fields |= {field.name for field in dataclasses.fields(WorstSpan)}
    assert {name for o in OBJECTIVES.values() for name, _ in (*o.terms, *o.scale, *o.one_span)} <= fields


def test_values_as_computed():
    assert raw_values(ALL, outcome()) == VALUES
    assert raw_values(ALL, outcome(g=0.3)) == VALUES, "an infeasible design keeps its numbers"
    assert raw_values(ALL, failed(3, "no convergence")) is None


def test_an_infeasible_design_goes_to_the_sampler_as_the_nominal_line_made_worse_by_its_violations():
    design, nominal = outcome(1, sigma=5.0, uplift=10.0, g=0.5), outcome()
    told = sampler_values(ALL, design, nominal)
    plain = (20.0 * 1.5, 94.0 * 1.5, 157.0 - 3.0 * 20.0 * 1.5, 60.0 * 1.5)
    assert told == pytest.approx((*plain, 20.0 * 1.5, 205.0 * 1.5, 111.0 - 3.0 * 20.0 * 0.5, 94.0 * 1.5))
    for o, value, reference in zip(OBJECTIVES.values(), told, raw_values(ALL, nominal), strict=True):
        assert o.cost(value) > o.cost(reference), f"{o.name} looks better to the sampler than that of the nominal line"


def test_a_design_slack_at_rest_goes_to_the_sampler_without_numbers_of_its_own():
    slack = Outcome(1, OutcomeStatus.STATIC_SLACK, "slack", constraints={"g_static_dropper_force": 1.5})
    assert sampler_values(("sigma", "uplift"), slack, outcome()) == pytest.approx((50.0, 150.0))


def test_a_feasible_design_goes_to_the_sampler_as_it_is():
    assert sampler_values(ALL, outcome(1, sigma=30.0), outcome()) == raw_values(ALL, outcome(1, sigma=30.0))


def dominated(point, others):
    return any((other <= point).all() and (other < point).any() for other in others)


@pytest.mark.parametrize("seed", range(5))
def test_the_front_holds_what_no_other_design_dominates(seed):
    points = np.random.default_rng(seed).integers(0, 12, (60, 2)).astype(float)  # many equal values
    front = front_of([record(k, *p) for k, p in enumerate(points)], ("sigma", "uplift"))
    found = [points[r.number] for r in front]
    assert not any(dominated(p, points) for p in found)
    left_out = [k for k in range(60) if k not in {r.number for r in front}]
    for k in left_out:
        earlier_equal = any((points[r.number] == points[k]).all() and r.number < k for r in front)
        assert dominated(points[k], points) or earlier_equal
    assert [p[0] for p in found] == sorted(p[0] for p in found)


def test_more_is_better_where_an_objective_is_maximised():
    low, high = record(0, sigma=20.0, uplift=60.0), record(1, sigma=10.0, uplift=70.0)
    both = ("uplift", "statistical_minimum")
    assert [r.number for r in front_of([low, high], both)] == [0, 1]
    assert best_of([low, high], ("statistical_minimum",)) is high
    better = record(2, sigma=9.0, uplift=55.0)
    assert front_of([low, high, better], both) == [better]


def test_infeasible_failed_and_running_designs_are_not_on_the_front():
    records = [record(0, 20.0, 60.0), record(1, 1.0, 1.0, g=0.1), TrialRecord(2, (), failed(2, "broken"))]
    assert front_of([*records, TrialRecord(3, (), None)], ("sigma", "uplift")) == records[:1]


def test_with_one_objective_the_front_is_the_best_design_the_earlier_of_equals():
    records = [record(0, 20.0, 60.0), record(1, 18.0, 70.0), record(2, 18.0, 50.0)]
    assert front_of(records, ("sigma",)) == [best_of(records, ("sigma",))] == records[1:2]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"objectives": ["sigma", "speed"]}, "one of sigma, force_range, statistical_minimum, uplift"),
        ({"objectives": ["uplift", "uplift"]}, "each objective must stand once, uplift stands twice"),
        ({"objectives": []}, "at least 1 item"),
        ({"objectives": list(ALL)}, "at most 3 items"),
        ({"objectives": ["sigma", "uplift"]}, "must be one for sampler cma_es: got sigma, uplift, use sampler=nsga2"),
    ],
)
def test_impossible_objectives_are_refused(content, sentence):
    with pytest.raises(ValidationError, match=sentence):
        campaign_of(**content)


@pytest.mark.parametrize("kind", ["nsga2", "nsga3", "tpe", "qmc", "random"])
def test_samplers_for_several_objectives_take_one_as_well(kind):
    assert campaign_of(sampler={"kind": kind}).objectives == ("sigma",)
    assert len(campaign_of(sampler={"kind": kind}, objectives=["uplift", "force_range", "sigma"]).objectives) == 3


def test_a_campaign_that_makes_no_choices_has_the_hash_of_one_from_before_there_were_any(case):
    campaign = campaign_of(trials=1, cluster={"kind": "local"})
    content = CampaignInput(campaign=campaign, case=case).model_dump(mode="json")
    assert content["campaign"].pop("objectives") == ["sigma"]
    for name in ("scenarios", "learned_directions", "polish", "warm_start", "warm_start_designs"):
        content["campaign"].pop(name)
    for name in campaign.design.unsaid:
        content["campaign"]["design"].pop(name)
    assert content["campaign"]["limits"].pop("scenario_change_percent") is None
    assert content["campaign"]["sampler"].pop("derivatives") is None
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    assert campaign_sha256(campaign, case) == sha256(text.encode()).hexdigest()
    assert campaign_sha256(campaign_of(objectives=["uplift"]), case) != campaign_sha256(campaign, case)


def test_a_campaign_without_trains_and_defects_has_the_hash_of_one_from_before_there_were_any(case):
    speeds = {"speeds_kmh": [270.0, 275.0]}
    campaign = campaign_of(trials=1, cluster={"kind": "local"}, scenarios=speeds)
    content = CampaignInput(campaign=campaign, case=case).model_dump(mode="json")
    for name in ("objectives", "learned_directions", "polish", "warm_start", "warm_start_designs"):
        content["campaign"].pop(name)
    for name in campaign.design.unsaid:
        content["campaign"]["design"].pop(name)
    assert content["campaign"]["limits"].pop("scenario_change_percent") is None
    assert content["campaign"]["sampler"].pop("derivatives") is None
    assert content["campaign"]["scenarios"].pop("trailing") == content["campaign"]["scenarios"].pop("trailing_weights")
    content["campaign"]["scenarios"].pop("defects")
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    assert campaign_sha256(campaign, case) == sha256(text.encode()).hexdigest()
    trains = campaign_of(trials=1, cluster={"kind": "local"}, scenarios={**speeds, "trailing": [[], [200.0]]})
    assert campaign_sha256(trains, case) != campaign_sha256(campaign, case)
    defects = campaign_of(trials=1, cluster={"kind": "local"}, scenarios={**speeds, "defects": {"broken_dropper": [1]}})
    assert campaign_sha256(defects, case) != campaign_sha256(campaign, case)
    unused = campaign_of(trials=1, cluster={"kind": "local"}, scenarios={**speeds, "defects": {"spans": 8}})
    assert campaign_sha256(unused, case) == campaign_sha256(campaign, case)

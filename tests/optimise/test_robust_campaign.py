"""Campaigns with scenarios: record, data set, resuming, a front of one statistic at two speeds, NSGA-III."""

import json
import math

import numpy as np
import pytest
import xarray as xr
from cheap_evaluation import bowl, campaign_of, prepare_nothing
from cheap_scenarios import bowl_in_scenarios

from catenary.errors import InputError
from optimise.evaluation.constraints import SCENARIO_SIGMA
from optimise.evaluation.objectives import raw_values
from optimise.search.campaign import load_result, run_campaign
from optimise.search.samplers import reference_divisions

SCENARIOS = {
    "speeds_kmh": [260.0, 290.0, 320.0],
    "speed_weights": [1, 2, 1],
    "errors": {"length_sd_mm": 2, "samples": 4},
}
APART = ["sigma@260", "sigma@320"]


def run(folder, case, evaluate=bowl_in_scenarios, **content):
    content = {"design": {"kind": "heights"}, "scenarios": SCENARIOS, **content}
    return run_campaign(campaign_of(**content), case, folder, evaluate=evaluate, prepare=prepare_nothing)


def test_the_best_design_over_scenarios_is_on_record_with_each_of_them(tmp_path, case):
    result = run(tmp_path, case, trials=60, sampler={"kind": "random"})
    best = result.best.outcome
    assert best.sigma_N == min(r.outcome.sigma_N for r in result.records if r.outcome.feasible)
    weights = np.repeat([1, 2, 1], 4) / 16.0
    assert best.sigma_N == pytest.approx(weights @ best.scenarios["contact_force_std_N"])
    assert load_result(tmp_path).best.outcome == best
    with xr.open_dataset(tmp_path / "trials.nc") as data:
        assert dict(data.sizes)["scenario"] == 12
        assert data["scenario"].values[5] == "290 km/h, errors 2"
        assert data["scenario_weight"].values == pytest.approx(weights)
        row = data["scenario_contact_force_std_N"].sel(trial=result.best.number)
        assert row.values == pytest.approx(best.scenarios["contact_force_std_N"], abs=0.0)
        assert row.attrs["units"] == "N" and row.attrs["long_name"]


def test_a_worst_case_is_another_optimum_than_a_mean(tmp_path, case):
    content = {"trials": 60, "sampler": {"kind": "qmc"}}
    mean = run(tmp_path / "mean", case, **content)
    worst = run(tmp_path / "worst", case, **content, objectives=["sigma:worst"])
    assert worst.records[5].values == mean.records[5].values

    def largest(record):
        return max(record.outcome.scenarios["contact_force_std_N"])

    feasible = [r for r in worst.records if r.outcome.feasible]
    assert worst.best is min(feasible, key=largest)


def test_no_scenario_is_worse_than_the_nominal_line_by_more_than_the_limit(tmp_path, case):
    content = {"trials": 60, "sampler": {"kind": "qmc"}}
    free = run(tmp_path / "free", case, **content)
    held = run(tmp_path / "held", case, **content, limits={"scenario_change_percent": 100.0})

    def worst(record):
        nominal = free.records[0].outcome.scenario_sigma_N
        return max(a / b for a, b in zip(record.outcome.scenario_sigma_N, nominal, strict=True)) - 1.0

    changes = [worst(record) for record in free.records[1:]]
    assert min(changes) < 1.0 < max(changes)
    for record, change in zip(held.records[1:], changes, strict=True):
        assert record.outcome.constraints[SCENARIO_SIGMA] == pytest.approx(change - 1.0)
        assert record.outcome.feasible == (change <= 1.0 and record.outcome.constraints["g_uplift"] <= 0.0)
    assert held.records[0].outcome.constraints[SCENARIO_SIGMA] == pytest.approx(-1.0)
    with xr.open_dataset(tmp_path / "held" / "trials.nc") as data:
        assert data[SCENARIO_SIGMA].values[1:] == pytest.approx(np.array(changes) - 1.0)


def test_a_limit_on_scenarios_belongs_to_the_input_and_its_absence_does_not(tmp_path, case):
    run(tmp_path, case, trials=3)
    with pytest.raises(InputError, match=r"limits\.scenario_change_percent was null, now 0"):
        run(tmp_path, case, trials=3, limits={"scenario_change_percent": 0})


@pytest.mark.parametrize("kind", ["nsga2", "nsga3"])
def test_a_front_of_one_statistic_at_two_speeds(tmp_path, case, kind):
    content = {"objectives": APART, "sampler": {"kind": kind, "population": 20}, "synchronous": True}
    result = run(tmp_path / "a", case, trials=241, **content)
    values = np.array([raw_values(APART, r.outcome) for r in result.front])
    assert len(values) > 3 and (np.diff(values[:, 0]) > 0.0).all() and (np.diff(values[:, 1]) < 0.0).all()
    late = [np.array(raw_values(APART, r.outcome)) for r in result.records[-60:]]
    early = [np.array(raw_values(APART, r.outcome)) for r in result.records[1:61]]
    assert np.mean(late) < np.mean(early) - 1.0, "the search goes towards the front"
    with xr.open_dataset(tmp_path / "a" / "trials.nc") as data:
        assert data["objective_sigma_at_260_N"].attrs["units"] == "N" and "non_dominated" in data
    # the same again, and resumed after half of it
    run(tmp_path / "b", case, trials=60, **content)
    again = run(tmp_path / "b", case, trials=101, **content)
    assert [r.values for r in again.records] == [r.values for r in result.records[:101]]


def test_scenarios_are_what_a_campaign_is_resumed_with(tmp_path, case):
    run(tmp_path / "a", case, trials=3)
    with pytest.raises(InputError, match=r"scenarios\.errors\.samples was 4, now 5"):
        run(tmp_path / "a", case, trials=3, scenarios={**SCENARIOS, "errors": {"length_sd_mm": 2, "samples": 5}})
    run(tmp_path / "b", case, bowl, trials=3, scenarios={})
    assert "scenarios" not in json.dumps([r.outcome.to_dict() for r in load_result(tmp_path / "b").records])


def test_a_combination_that_is_not_a_case_is_refused_before_anything_is_written(tmp_path, case):
    with pytest.raises(InputError, match="scenarios must be possible cases: speed_kmh must stay below 90 %"):
        run(tmp_path / "new", case, scenarios={"speeds_kmh": [300, 590]})
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("population", "objectives"), [(24, 2), (24, 3), (100, 3), (2, 2), (24, 1)])
def test_reference_points_are_as_many_as_designs_or_a_few_less(population, objectives):
    p = reference_divisions(population, objectives)
    points = math.comb(p + objectives - 1, objectives - 1)
    assert points <= max(population, objectives)
    assert objectives == 1 or math.comb(p + objectives, objectives - 1) > population

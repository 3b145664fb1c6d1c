"""A process of harmonics: exact where designs are known, with right derivatives, and quicker than one of sigma."""

from dataclasses import replace

import numpy as np
import pytest
from cheap_evaluation import bowl, campaign_of, prepare_nothing

from optimise.search.campaign import Interrupted, run_campaign
from optimise.search.samplers import searches_by_harmonics
from optimise.surrogate.combination import Combination
from optimise.surrogate.force_process import ForceProcess, blocks_of, correlation, fitted_logs, misfit

PROCESS = {"kind": "gaussian_process"}
WITHOUT_DERIVATIVES = {"kind": "gaussian_process", "derivatives": "none"}
LOGS = np.log([0.8, 0.5, 1.2, 0.9, 0.7, 1e-3])
SHARES = np.array([0.2, 0.5, 0.3])


def force_at(point, scenario=0, pantograph=0):
    """Harmonics of a made-up force: waves through the box, and straight lines."""
    phase = 3.0 * point @ [1.0, 2.0, 1.0, 0.5] + scenario + 0.3 * pantograph
    return 10.0 * np.array([np.cos(phase), np.sin(phase), point[0] - point[1], 0.3 * np.sin(4.0 * point[2])])


def known(count, scenarios=3, pantographs=2):
    points = np.random.default_rng(5).random((count, 4))
    names = [(s, p) for s in range(scenarios) for p in range(pantographs)]
    return points, [{f"{s}.{p}": tuple(force_at(point, s, p)) for s, p in names} for point in points]


def sigma_of(each, scenarios=3, pantographs=2):
    """Of the worst pantograph in each scenario."""
    return [max(np.linalg.norm(each[f"{s}.{p}"]) for p in range(pantographs)) for s in range(scenarios)]


@pytest.mark.parametrize("how", ["mean", "worst", "mean_plus_std"])
def test_known_designs_have_what_they_showed_and_scenarios_are_combined(how):
    points, harmonics = known(40)
    process = ForceProcess(points, harmonics, LOGS, Combination(SHARES, how, 1.5))
    mean, deviation = process.predict(points[:5])
    sigma = np.array([sigma_of(each) for each in harmonics[:5]])
    average = sigma @ SHARES
    wanted = {
        "mean": average,
        "worst": sigma.max(1),
        "mean_plus_std": average + 1.5 * np.sqrt((sigma - average[:, None]) ** 2 @ SHARES),
    }
    assert np.exp(mean) == pytest.approx(wanted[how], rel=2e-3)
    far = process.predict(np.full((1, 4), 3.0))[1][0]
    assert deviation.max() < 5e-3 < 0.05 < far


def test_a_scenario_that_the_objective_is_not_of_has_no_part_in_it():
    points, harmonics = known(30)
    process = ForceProcess(points, harmonics, LOGS, Combination(np.array([0.0, 1.0, 0.0])))
    assert np.exp(process.predict(points[:1])[0][0]) == pytest.approx(sigma_of(harmonics[0])[1], rel=2e-3)


@pytest.mark.parametrize("how", ["mean", "worst"])
def test_derivatives_are_those_of_differences(how):
    points, harmonics = known(30)
    process = ForceProcess(points, harmonics, LOGS, Combination(SHARES, how))
    process = process.with_expected(np.random.default_rng(6).random((2, 4)))
    point, step = np.array([0.3, 0.6, 0.2, 0.8]), 1e-5
    mean, deviation, by_mean, by_deviation = process.slopes(point)
    here = process.predict(point[None])
    assert (mean, deviation) == pytest.approx((here[0][0], here[1][0]), rel=1e-8)
    moved = process.predict(np.vstack([point + step * np.eye(4), point - step * np.eye(4)]))
    assert by_mean == pytest.approx((moved[0][:4] - moved[0][4:]) / (2 * step), rel=1e-4, abs=1e-6)
    assert by_deviation == pytest.approx((moved[1][:4] - moved[1][4:]) / (2 * step), rel=1e-4, abs=1e-6)


def test_the_fit_has_the_derivatives_of_differences_and_finds_what_does_not_matter():
    points, harmonics = known(40, 1, 1)
    values = np.hstack(list(blocks_of(harmonics).values()))
    values, weights = values - values[0], np.array([2.0, 2.0, 1.0, 0.5])
    slope = misfit(LOGS, points, values, weights)[1]
    step = 1e-5 * np.eye(len(LOGS))
    ends = [[misfit(LOGS + sign * row, points, values, weights)[0] for row in step] for sign in (1, -1)]
    assert slope == pytest.approx((np.array(ends[0]) - ends[1]) / 2e-5, rel=1e-3, abs=1e-3)
    lengths = fitted_logs(points, harmonics)[:4]
    assert lengths[1] == lengths.min(), "the force changes most with the second variable"


def test_designs_in_flight_move_no_mean_and_are_known_better_from_then_on():
    points, harmonics = known(30, 1, 1)
    process, new = ForceProcess(points, harmonics, LOGS, Combination(np.ones(1))), np.full((1, 4), 0.45)
    after = process.with_expected(new)
    there = np.array([[0.1, 0.9, 0.3, 0.6]])
    assert after._values.shape[0] == 31 and process._values.shape[0] == 30
    assert after.predict(new)[1][0] < 0.1 * process.predict(new)[1][0]
    mean = [(correlation(there, each._points, each._logs) @ each._weights)[0] for each in (process, after)]
    assert mean[1] == pytest.approx(mean[0], rel=1e-6, abs=1e-6)


def waves(task, setting):
    """Least 5 N where the harmonics of four moves [m] vanish, in a valley that bends; with harmonics if asked for."""
    x, x0 = task.catenary.droppers.positions, setting.case.catenary.droppers.positions
    a, b, c, d = (p - q for p, q in zip(x[:4], x0[:4], strict=True))
    force = 6.0 * np.array([a - 1.0, b + 0.4 * a * a - 0.8, c - np.sin(2.0 * d), d - 1.2])
    sigma = float(np.sqrt(25.0 + force @ force))
    found = bowl(task, setting)
    statistics = {**found.statistics, "contact_force_std_N": sigma}
    shown = {"0.0": (5.0, *force)} if task.harmonics else {}
    shown = {name: tuple(np.append(values, np.zeros(len(values) % 2))) for name, values in shown.items()}
    constraints = dict.fromkeys(found.constraints, -1.0)
    return replace(
        found,
        sigma_N=sigma,
        sampler_value_N=sigma,
        statistics=statistics,
        harmonics=shown,
        constraints=constraints,
    )


def plain_waves(task, setting):
    return waves(replace(task, harmonics=False), setting)


def run(folder, case, evaluate=waves, **content):
    standard = {"design": {"kind": "spacing"}, "sampler": PROCESS, "trials": 24}
    return run_campaign(
        campaign_of(**{**standard, **content}), case, folder, evaluate=evaluate, prepare=prepare_nothing
    )


def designs(result):
    return [(r.number, r.values, r.outcome and r.outcome.sigma_N) for r in result.records]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_search_by_harmonics_goes_through_the_valley_where_one_by_sigma_has_not_come_far(tmp_path, case, seed):
    by_harmonics = run(tmp_path / "harmonics", case, seed=seed)
    by_values = run(tmp_path / "values", case, plain_waves, seed=seed)
    assert all(r.outcome.harmonics for r in by_harmonics.records)
    assert not any(r.outcome.harmonics for r in by_values.records)
    best = [result.best.outcome.sigma_N - 5.0 for result in (by_harmonics, by_values)]
    assert best[0] < 0.05 and best[0] < 0.2 * best[1]


def test_the_same_designs_on_any_number_of_workers_and_after_an_interruption(tmp_path, case):
    serial, calls = run(tmp_path / "serial", case, trials=16), []
    local = run(tmp_path / "local", case, trials=16, cluster={"kind": "local", "workers": 2})
    assert designs(local) == designs(serial)

    def interrupted(task, setting):
        calls.append(task.number)
        if len(calls) == 11:
            raise KeyboardInterrupt
        return waves(task, setting)

    with pytest.raises(Interrupted):
        run(tmp_path / "parts", case, interrupted, trials=16)
    assert designs(run(tmp_path / "parts", case, interrupted, trials=16)) == designs(serial)
    assert len(calls) == 16 + 1  # the one that was in flight


def test_designs_without_harmonics_do_not_end_the_search_and_are_not_proposed_again(tmp_path, case):
    def with_holes(task, setting):
        return waves(replace(task, harmonics=task.number % 4 != 2), setting)

    result = run(tmp_path / "few", case, with_holes)
    assert len({r.values for r in result.records}) == 24
    assert result.best.outcome.sigma_N < 5.5

    # where most have none it is a search by values
    def seldom(task, setting):
        return waves(replace(task, harmonics=task.number == 5), setting)

    assert designs(run(tmp_path / "most", case, seldom)) == designs(run(tmp_path / "values", case, plain_waves))


def test_a_search_that_began_without_harmonics_asks_for_none(tmp_path, case):
    asked = []

    def older(task, setting):
        asked.append(task.harmonics)
        return plain_waves(task, setting)

    run(tmp_path, case, older, trials=8)
    run(tmp_path, case, older, trials=12)
    assert asked == [True] + [False] * 11


def test_a_polish_asks_for_what_it_uses(tmp_path, case):
    asked = {}

    def noted(task, setting):
        asked[task.number] = bool(task.neighbours), task.harmonics
        return waves(task, setting)

    polish = {"best": 1, "iterations": 1, "derivatives": "differences"}
    result = run(tmp_path, case, noted, trials=8, polish=polish)
    polished = {record.number for record in result.records if record.polished}
    assert polished and asked.pop(0) == (True, True), "the nominal line says what the search goes by"
    assert all(asked[number] == (False, number not in polished) for number in asked)


def test_only_objectives_made_of_sigma_are_searched_for_by_harmonics():
    assert searches_by_harmonics(campaign_of(sampler=PROCESS))
    assert not searches_by_harmonics(campaign_of(sampler=PROCESS, objectives=["force_range"]))
    assert searches_by_harmonics(campaign_of(sampler=WITHOUT_DERIVATIVES))
    assert not searches_by_harmonics(campaign_of(sampler={"kind": "cma_es"}))

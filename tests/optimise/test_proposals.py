"""A search by a Gaussian process: it finds known optima, takes derivatives, and repeats itself bit for bit."""

import json
from dataclasses import replace

import numpy as np
import pytest
from cheap_evaluation import bowl, bowl_with_slack_designs, campaign_of, prepare_nothing, uneven_bowl
from pydantic import ValidationError

from optimise.evaluation.outcome import OBJECTIVE, failed
from optimise.search.campaign import Interrupted, run_campaign
from optimise.surrogate.gaussian_process import GaussianProcess, Observations, Scales
from optimise.surrogate.improvement import SearchModel

PROCESS = {"kind": "gaussian_process"}
SPACING = {"kind": "spacing"}
NO_SLOPES = {"kind": "gaussian_process", "derivatives": "none"}


def run(folder, case, evaluate, **content):
    standard = {"design": SPACING, "sampler": PROCESS, "trials": 22}
    return run_campaign(
        campaign_of(**{**standard, **content}), case, folder, evaluate=evaluate, prepare=prepare_nothing
    )


def moves_of(task, setting):
    x, x0 = task.catenary.droppers.positions, setting.case.catenary.droppers.positions
    return np.array([a - b for a, b in zip(x[:4], x0[:4], strict=True)])


def with_figures(task, setting, sigma, slopes, **g):
    """Figures of a function of the moves [m], and its derivatives where neighbours are asked for, of a 6 m range."""
    found = bowl(task, setting)
    constraints = {"g_static_dropper_force": -1.0, "g_contact_loss": 0.0, **g}
    known = {OBJECTIVE: tuple(6.0 * s for s in slopes)} if task.neighbours else {}
    statistics = {**found.statistics, "contact_force_std_N": sigma}
    return replace(
        found, sigma_N=sigma, sampler_value_N=sigma, constraints=constraints, statistics=statistics, slopes=known
    )


def two_wells(task, setting):
    """Wells at -1.6 m and, deeper by 2 N, at +1.6 m of the last move; x1 + x2 <= 0.5 m holds back the first two."""
    a, b, c, d = moves_of(task, setting)
    sigma = 30.0 + 2.0 * ((a - 1.0) ** 2 + (b - 1.0) ** 2 + c**2) + 2.0 * (d * d - 2.56) ** 2 / 2.56 - 0.625 * d
    slopes = 4.0 * (a - 1.0), 4.0 * (b - 1.0), 4.0 * c, 8.0 * d * (d * d - 2.56) / 2.56 - 0.625
    return with_figures(task, setting, float(sigma), slopes, g_uplift=float(a + b - 0.5))


LEAST = 30.0 + 4.0 * 0.75**2 - 1.0


def designs(result):
    return [(r.number, r.values, r.outcome and r.outcome.sigma_N, r.origin) for r in result.records]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_deeper_well_is_found_under_the_limit(tmp_path, case, seed):
    result = run(tmp_path, case, two_wells, seed=seed)
    assert result.best.outcome.feasible and result.best.outcome.sigma_N < LEAST + 0.25
    searched = run(tmp_path / "qmc", case, two_wells, seed=seed, sampler={"kind": "qmc"}, trials=60)
    assert result.best.outcome.sigma_N < searched.best.outcome.sigma_N


def test_designs_of_the_search_have_derivatives_and_these_decide_proposals(tmp_path, case):
    """The first designs are those of the sequence, whatever is known; every later one is another without slopes."""
    by_slopes = run(tmp_path / "with", case, two_wells, trials=9)
    assert all(r.outcome.slopes for r in by_slopes.records)
    by_values = run(tmp_path / "without", case, two_wells, sampler=NO_SLOPES, trials=9)
    assert not any(r.outcome.slopes for r in by_values.records)
    same = [a.values == b.values for a, b in zip(by_slopes.records, by_values.records, strict=True)]
    assert same == [True] * 5 + [False] * 4


def test_the_same_designs_on_any_number_of_workers(tmp_path, case):
    serial = run(tmp_path / "serial", case, bowl, trials=14)
    local = run(tmp_path / "local", case, uneven_bowl, trials=14, cluster={"kind": "local", "workers": 3})
    assert designs(local) == designs(serial)
    assert campaign_of(sampler=PROCESS).reproducible


@pytest.mark.parametrize("stop", [3, 9, 13])
def test_an_interrupted_search_continues_and_evaluates_nothing_twice(tmp_path, case, stop):
    whole, calls = run(tmp_path / "whole", case, two_wells, trials=14), []

    def interrupted(task, setting):
        calls.append(task.number)
        if len(calls) == stop:
            raise KeyboardInterrupt
        return two_wells(task, setting)

    with pytest.raises(Interrupted):
        run(tmp_path / "parts", case, interrupted, trials=14)
    parts = run(tmp_path / "parts", case, interrupted, trials=14)
    assert designs(parts) == designs(whole)
    assert len(calls) == 14 + 1  # the one that was in flight


def test_a_search_in_two_parts_with_a_polish_between_is_the_search_in_one(tmp_path, case):
    polish = {"best": 2, "iterations": 3}
    run(tmp_path / "parts", case, two_wells_with_limits, trials=9, polish=polish)
    parts = run(tmp_path / "parts", case, two_wells, trials=14)
    whole = run(tmp_path / "whole", case, two_wells, trials=14)
    assert [r.values for r in parts.records if not r.polished] == [r.values for r in whole.records]


def test_a_polish_after_it_takes_starts_with_their_derivatives_from_the_record(tmp_path, case):
    calls = []

    def counted(task, setting):
        calls.append(task.catenary.droppers.positions)
        return two_wells_with_limits(task, setting)

    result = run(tmp_path, case, counted, trials=12, polish={"best": 2, "distance": 0.05, "iterations": 30})
    content = json.loads((tmp_path / "basins.json").read_text(encoding="utf-8"))
    assert len(set(calls)) == len(calls) == len(result.records)
    assert result.best.outcome.sigma_N == pytest.approx(LEAST, abs=0.02)
    assert all(p["start_value_as_polished"] == p["start_value"] for p in content["polished"])


def two_wells_with_limits(task, setting):
    found = two_wells(task, setting)
    if not found.slopes:
        return found
    zero = (0.0,) * 4
    limits = {"g_uplift": (6.0, 6.0, 0.0, 0.0), "g_static_dropper_force": zero, "g_contact_loss": zero}
    return replace(found, slopes={**found.slopes, **limits})


def test_designs_without_numbers_do_not_end_the_search(tmp_path, case):
    def with_holes(task, setting):
        return failed(task.number, "no convergence") if task.number % 4 == 2 else bowl_with_slack_designs(task, setting)

    result = run(tmp_path, case, with_holes, trials=20)
    assert len({r.values for r in result.records}) == 20
    assert result.best.outcome.sigma_N < result.nominal.outcome.sigma_N


def test_other_objectives_and_counts_are_searched_by_values(tmp_path, case):
    design = {"kind": "spacing", "droppers": (7, 11)}
    result = run(tmp_path, case, bowl, design=design, objectives=["statistical_minimum"], trials=12)
    counts = [r.values[-1] for r in result.records]
    assert all(count == round(count) for count in counts) and len(set(counts)) > 1
    assert not any(r.outcome.slopes for r in result.records)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"sampler": PROCESS, "trials": 2001}, "at most 2000"),
        ({"sampler": PROCESS, "synchronous": True}, "synchronous must be false"),
        ({"sampler": {"kind": "tpe", "derivatives": "exact"}}, "by gaussian_process only"),
        ({"sampler": PROCESS, "objectives": ["sigma", "uplift"]}, "must be one for sampler gaussian_process"),
    ],
)
def test_what_does_not_go_together_is_refused(content, message):
    with pytest.raises(ValidationError, match=message):
        campaign_of(**content)


def test_what_is_to_be_gained_has_the_derivatives_of_differences():
    rng = np.random.default_rng(3)
    points, none = rng.random((9, 3)), np.empty((0, 3))
    processes = [
        GaussianProcess(
            Observations(points, rng.standard_normal(9), np.empty(0, np.int64), none, np.arange(3)),
            Scales(np.full(3, 0.6)),
        )
        for _ in range(3)
    ]
    # far below all that is known, the improvement comes by its asymptote; without a feasible design limits alone count
    for least in (-0.5, -40.0, None):
        model = SearchModel(processes[0], tuple(processes[1:]), (0.3, -0.8), least)
        point, step = np.array([0.2, 0.7, 0.5]), 1e-6
        gain, slope = model.slope(point)
        assert gain == pytest.approx(float(model.gain(point[None])[0]), rel=1e-12)
        moved = model.gain(np.vstack([point + step * np.eye(3), point - step * np.eye(3)]))
        assert slope == pytest.approx((moved[:3] - moved[3:]) / (2 * step), rel=2e-5)


def test_one_design_in_three_leaves_the_basin_that_the_others_refine(tmp_path, case):
    result = run(tmp_path, case, two_wells, trials=36)
    low, high = (np.array([getattr(v, end) for v in result.space.variables]) for end in ("low", "high"))
    shares = np.array([(np.array(r.values) - low) / (high - low) for r in result.records])
    sigma = np.array([r.outcome.sigma_N if r.outcome.feasible else np.inf for r in result.records])
    away = [np.abs(shares[k] - shares[sigma[: k - 2].argmin()]).max() for k in range(12, 36)]
    bold, others = away[::3], [d for k, d in enumerate(away) if k % 3]
    assert np.median(bold) > 2.0 * np.median(others)

"""One design from its parameters to sigma: time, and agreement with the long transient, random designs."""

import statistics

import numpy as np
import pytest
from scipy.stats import spearmanr

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.spec.line import CatenarySpec
from dynamics.spec.static_status import static_status
from dynamics.spec.status import Status
from dynamics.steady_state.periodic import solve_periodic
from dynamics.steady_state.transient import solve_transient
from optimise.evaluation.evaluate import evaluate, prepare
from optimise.evaluation.job import Job, Setting
from optimise.spec.campaign import LimitsSpec
from studies.commands.optimise import compose

DESIGNS, SEED = 40, 2015
SPACING_SD, HEIGHT_SD, LEAST_SPACING = 0.6, 0.012, 2.0


def random_designs(nominal, count):
    """Lines with droppers moved and heights changed at random, symmetric about mid-span, none slack at rest."""
    rng = np.random.default_rng(SEED)
    x, z = np.array(nominal.droppers.positions), np.array(nominal.droppers.contact_wire_heights)
    half = len(x) // 2
    found, drawn = [], 0
    while len(found) < count:
        drawn += 1
        move, lift = np.zeros(len(x)), rng.normal(0.0, HEIGHT_SD, len(x))
        move[:half] = rng.normal(0.0, SPACING_SD, half)
        move[-half:] = -move[:half][::-1]
        lift[-half:] = lift[:half][::-1]
        line = nominal.model_dump()
        stations = x + move
        around = np.concatenate([[stations[-1] - nominal.span_length], stations])
        if np.diff(around).min() < LEAST_SPACING:
            continue
        line["droppers"] |= {"positions": tuple(stations), "contact_wire_heights": tuple(z + lift)}
        design = CatenarySpec.model_validate(line)
        if static_status(periodic_equilibrium(design)) is Status.OK:
            found.append(design)
    return found, drawn


@pytest.mark.benchmark
@pytest.mark.parametrize("dt", [2.0e-3, 1.0e-3])
@pytest.mark.parametrize("speed", [275, 320])
def test_random_designs(bruni, figure, speed, dt):
    # window and tolerance of a campaign, which are not those of a single run
    case = bruni(speed, dt=dt, periodic=compose([]).job.periodic.model_dump())
    start = prepare(case)
    setting = Setting(case, LimitsSpec(), start=start)
    designs, drawn = random_designs(case.catenary, DESIGNS)
    evaluate(Job(0, case.catenary), setting)
    rounds = [[evaluate(Job(k, d), setting) for k, d in enumerate(designs)] for _ in range(3)]
    wall = [1e3 * min(e.wall_time_s["total"] for e in each) for each in zip(*rounds, strict=True)]
    medians = [1e3 * statistics.median(e.wall_time_s["total"] for e in r) for r in rounds]
    where = f"{DESIGNS} random designs of bruni_2015, {speed} km/h, {1e3 * dt:g} ms"
    figure(
        f"{where}: one design",
        f"median {min(medians):.1f} ms (rounds {', '.join(f'{m:.1f}' for m in medians)}), "
        f"each at its best {min(wall):.1f} to {max(wall):.1f} ms",
        "median <= 50 ms",
    )
    failed = [e.message for e in rounds[0] if e.sigma_N is None]
    figure("  designs drawn; evaluations that failed", f"{drawn}; {len(failed)} {failed or ''}")
    compare(case, (designs, rounds[0], start), figure)


def compare(case, evaluated, figure):
    designs, answers, start = evaluated
    spans, sigma, reference = [], [], []
    for design, answer in zip(designs, answers, strict=True):
        if answer.sigma_N is None:
            continue
        changes = {
            "catenary": design.model_dump(),
            "mean_force_N": None,
            "applied_force_N": answer.applied_force_N,
        }
        spans.append(solve_periodic(case.model_copy(update={"catenary": design}), start).spans_marched)
        long = solve_transient(type(case).model_validate({**case.model_dump(), **changes, "solver": "transient"}))
        if long.statistics is None:
            continue
        sigma.append(answer.sigma_N)
        reference.append(long.statistics.contact_force_std_N)
    error = 100.0 * (np.array(sigma) / np.array(reference) - 1.0)
    rank = float(spearmanr(sigma, reference)[0])
    figure("  spans to the steady state", f"median {statistics.median(spans):.0f}, {min(spans)} to {max(spans)}")
    figure(
        "  sigma by the long transient",
        f"{min(reference):.1f} to {max(reference):.1f} N, {len(sigma)} designs",
    )
    figure(
        "  bias; scatter",
        f"{error.mean():+.3f} %; {error.std():.3f} %, worst {np.abs(error).max():.2f} %",
        "1 %; 1 %",
    )
    figure("  rank correlation", f"{rank:.4f}", ">= 0.99")

"""One design from its parameters to sigma, by the operator and by a march: time, and agreement with references."""

import json
import statistics
import time

import numpy as np
import pytest
from random_lines import random_designs
from reference_designs import CASES, DESIGNS, KEPT, case_at, case_name
from scipy.stats import spearmanr

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.linearised.static_checks import SLACK_FORCE
from dynamics.solution import solve
from dynamics.steady_state.learned_start import learned_start
from studies.commands.optimise import compose

# designs as near to a solved one as one step of a search
NEAR, SPACING_M, HEIGHT_M = 20, 0.1, 0.002
MARCHED = 12
REACH = "0.3 %; 0.4 %; 1.5 %; 0.998"


def timed(case, designs, starts):
    """Solutions of designs from starts, and processor time of each, form-finding included [ms]."""
    solutions, spent = [], []
    for design, start in zip(designs, starts, strict=True):
        begin = time.process_time()
        near = case.model_copy(update={"catenary": design})
        solutions.append(solve(near, start, periodic_equilibrium(design)))
        spent.append(1e3 * (time.process_time() - begin))
    return solutions, spent


def moved(design, rng):
    """A design near another one, symmetric about mid-span, all droppers in tension: others are refused in no time."""
    x, z = np.array(design.droppers.positions), np.array(design.droppers.contact_wire_heights)
    half = len(x) // 2
    while True:
        step, lift = np.zeros(len(x)), rng.normal(0.0, HEIGHT_M, len(x))
        step[:half] = rng.normal(0.0, SPACING_M, half)
        step[-half:], lift[-half:] = -step[:half][::-1], lift[:half][::-1]
        near = design.with_changes(droppers={"positions": tuple(x + step), "contact_wire_heights": tuple(z + lift)})
        if periodic_equilibrium(near).dropper_force.min() > SLACK_FORCE:
            return near


def against(solutions, references):
    """Bias, scatter and largest error in per cent, and rank, of those with a reference; how many these are."""
    known = [(s, r) for s, r in zip(solutions, references, strict=True) if r["sigma_N"] is not None and s.repeats]
    if len(known) < 2:
        return "–", len(known)
    sigma = np.array([s.statistics.contact_force_std_N for s, _ in known])
    reference = np.array([r["sigma_N"] for _, r in known])
    error = 100.0 * (sigma / reference - 1.0)
    rank = spearmanr(sigma, reference)[0]
    return f"{error.mean():+.2f} %; {error.std():.2f} %; {np.abs(error).max():.2f} %; {rank:.4f}", len(known)


@pytest.mark.benchmark
@pytest.mark.parametrize(("line", "pantograph", "speed"), CASES)
def test_operator_and_march(figure, line, pantograph, speed):
    if not KEPT.exists():
        pytest.fail(f"{KEPT.name} is missing: .venv/bin/python tests/benchmarks/reference_designs.py writes it")
    marching = compose([]).job.periodic.model_dump()
    cases = {
        name: case_at(line, pantograph, speed, dt=2.0e-3, periodic={**marching, "method": name})
        for name in ("operator", "march")
    }
    designs, _ = random_designs(cases["march"].catenary, DESIGNS)
    references = json.loads(KEPT.read_text(encoding="utf-8"))["cases"][case_name(line, speed)]
    for design, known in zip(designs, references, strict=True):  # the designs are those of the references
        assert np.allclose(design.droppers.positions, known["positions_m"])
        assert np.allclose(design.droppers.contact_wire_heights, 1e-3 * np.array(known["heights_mm"]), atol=1e-9)
    errors = [100.0 * r["error_N"] / r["sigma_N"] for r in references if r["sigma_N"] is not None]
    figure(
        f"{case_name(line, speed)}: random designs with references; their own errors, median and largest",
        f"{len(errors)} of {DESIGNS}; {np.median(errors):.2f}, {np.max(errors):.1f} %",
    )
    for name, count in (("operator", DESIGNS), ("march", MARCHED)):
        case = cases[name]
        start = learned_start(case)
        timed(case, [case.catenary], [start])
        solutions, spent = timed(case, designs[:count], [start] * count)
        median, most = statistics.median(spent), np.quantile(spent, 0.9)
        figure(
            f"  {name}: one design, from the nominal line's state",
            f"median {median:.0f} ms, 9 in 10 within {most:.0f} ms of processor time",
            "<= 60; <= 200 ms",
        )
        if name == "operator":
            marched = sum(s.method == "march" for s in solutions)
            figure("  designs that the operator left to the march", f"{marched} of {DESIGNS}", "<= 10 %")
            solved = [(d, s.operator_start) for d, s in zip(designs, solutions, strict=True) if s.operator_start][:NEAR]
            rng = np.random.default_rng(1)
            _, near = timed(case, [moved(d, rng) for d, _ in solved], [s for _, s in solved])
            figure(
                "  one near a solved design, droppers in tension", f"median {statistics.median(near):.0f} ms", "25 ms"
            )
        found, known = against(solutions, references[:count])
        figure(f"  {name}: bias; scatter; largest; rank, {known} designs against references", found, REACH)
        hard = [r["least_force_N"] < 10.0 for r in references[:count]]
        for what, wanted in (("10 N and more", False), ("less than 10 N", True)):
            at = [k for k, one in enumerate(hard) if one == wanted]
            found, known = against([solutions[k] for k in at], [references[k] for k in at])
            figure(f"  {name}: {known} designs whose least dropper force at rest is {what}", found, REACH)

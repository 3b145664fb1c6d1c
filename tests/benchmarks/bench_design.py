"""One design from its parameters to sigma, by the operator and by a march: time, and agreement with a fine march."""

import statistics
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input
from dynamics.steady_state.learned_start import learned_start
from studies.commands.optimise import compose

sys.path.insert(0, str(Path(__file__).resolve().parent))
from random_lines import random_designs

DESIGNS, COMPARED = 24, 8
# a march that is off by some hundredths of a per cent: Richardson's rule from steps of 1 and 0.5 ms
FINE_WINDOW = {"spans_behind": 20, "spans_ahead": 26, "tolerance": 1.0e-4, "precision": "double"}
FINE_STEPS, FINE_ELEMENT = (1.0e-3, 5.0e-4), 0.25


def timed(case, designs, start):
    """Solutions of designs from a start, and processor time of each, form-finding included [ms]."""
    solutions, spent = [], []
    for design in designs:
        begin = time.process_time()
        near = case.model_copy(update={"catenary": design})
        solutions.append(solve(near, start, periodic_equilibrium(design)))
        spent.append(1e3 * (time.process_time() - begin))
    return solutions, spent


def fine_sigma(case, design):
    """Standard deviation by a fine march; None where no state repeats."""
    found = []
    for dt in FINE_STEPS:
        line = design.with_changes(mesh={"largest_element_length": FINE_ELEMENT})
        changes = {"catenary": line, "dt": dt, "periodic": case.periodic.model_copy(update=FINE_WINDOW)}
        solution = solve(case.model_copy(update=changes))
        if not solution.repeats:
            return None
        found.append(solution.statistics.contact_force_std_N)
    return found[1] + (found[1] - found[0]) / 3.0


@pytest.mark.benchmark
@pytest.mark.parametrize(
    ("line", "pantograph", "speed"),
    [("bruni_2015", "bruni_2015", 275.0), ("bruni_2015", "bruni_2015", 320.0), ("re330", "dsa380", 300.0)],
)
def test_operator_and_march(figure, line, pantograph, speed):
    marching = compose([]).job.periodic.model_dump()
    held = {"speed_kmh": speed, "mean_force_N": 0.00097 * speed**2 + 70.0, "dt": 2.0e-3}
    march = job_input(CaseSpec, line, pantograph, {**held, "periodic": marching})
    operator = job_input(CaseSpec, line, pantograph, {**held, "periodic": {**marching, "method": "operator"}})
    designs, _ = random_designs(march.catenary, DESIGNS)
    figure(f"{line}, {speed:g} km/h: random designs", f"{DESIGNS}, from the nominal line's state")
    found = {}
    for name, case in (("operator", operator), ("march of a search", march)):
        start = learned_start(case)
        timed(case, [case.catenary], start)
        solutions, spent = found[name] = timed(case, designs, start)
        tenth = np.quantile(spent, 0.9)
        figure(
            f"  {name}: one design",
            f"median {statistics.median(spent):.0f} ms, 9 in 10 within {tenth:.0f} ms of processor time",
            "<= 60; <= 200 ms",
        )
        if name == "operator":
            marched = sum(s.method == "march" for s in solutions)
            figure("  designs that the operator left to the march", f"{marched} of {DESIGNS}", "<= 10 %")
    chosen = [k for k, s in enumerate(found["operator"][0]) if s.method == "operator"][:COMPARED]
    fine = {k: fine_sigma(march, designs[k]) for k in chosen}
    known = [k for k in chosen if fine[k] is not None]
    for name, (solutions, _) in found.items():
        sigma = np.array([solutions[k].statistics.contact_force_std_N for k in known])
        reference = np.array([fine[k] for k in known])
        error = 100.0 * (sigma / reference - 1.0)
        figure(
            f"  {name}: bias; scatter; largest; rank, {len(known)} designs against a fine march",
            f"{error.mean():+.2f} %; {error.std():.2f} %; {np.abs(error).max():.2f} %; "
            f"{spearmanr(sigma, reference)[0]:.4f}",
            "0.3 %; 0.4 %; 1.5 %; 0.998",
        )

"""Exact derivatives of sigma by the heights and stations of all droppers: time beyond sigma itself, and its parts."""

import time

import numpy as np
import pytest

from catenary.linearised.cell import vertical_cell
from dynamics.adjoint.figures import SteadyMotion
from dynamics.adjoint.motions import motion_of
from dynamics.steady_state.periodic import solve_periodic
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.evaluation.slopes import Neighbours, design_slopes
from optimise.spec.campaign import LimitsSpec
from studies.commands.optimise import compose

HEIGHT, STATION = 1.0e-6, 1.0e-5
ROUNDS = 5


def variables_of(line):
    """Lines with one height or one station moved by a small step."""
    found = []
    for key, step in (("contact_wire_heights", HEIGHT), ("positions", STATION)):
        values = getattr(line.droppers, key)
        for k in range(len(values)):
            moved = [v + step * (j == k) for j, v in enumerate(values)]
            found.append((line.with_changes(droppers={key: moved}), step))
    return tuple(found)


@pytest.mark.benchmark
@pytest.mark.parametrize(("line", "pantograph", "speed"), [("bruni_2015", "bruni_2015", 275), ("re330", "dsa380", 300)])
def test_gradient_beyond_sigma(case_of, figure, line, pantograph, speed):
    # window, step and tolerance of a campaign
    job = compose([f"catenary={line}", f"pantograph={pantograph}", f"speed_kmh={speed}"]).job
    case = case_of(f"catenary={line}", f"pantograph={pantograph}", f"speed_kmh={speed}", dt=job.dt,
                   periodic={**job.periodic.model_dump(), "method": "march"})  # fmt: skip
    solution = solve_periodic(case)
    neighbours = variables_of(case.catenary)
    asked = Job(0, case.catenary, neighbours=neighbours)
    found = Outcome(0, OutcomeStatus.OK, sigma_N=1.0, statistics={"max_uplift_at_supports_mm": 50.0})
    setting = Setting(case, LimitsSpec())
    parts = {"sigma": [], "gradient": [], "multipliers": [], "lines": []}

    def spent(name, call):
        begin = time.perf_counter()
        answer = call()
        parts[name].append(1e3 * (time.perf_counter() - begin))
        return answer

    for _ in range(ROUNDS):
        spent("sigma", lambda: solve_periodic(case))
        slopes = spent("gradient", lambda: design_slopes(found, asked, setting, solution)).slopes
        cell = vertical_cell(solution.equilibrium)
        motion = SteadyMotion(case, solution.equilibrium, cell, solution.warm_start)
        spent("multipliers", motion.sigma)
        spent("lines", lambda: Neighbours.of(neighbours, solution.equilibrium))
    best = {name: min(times) for name, times in parts.items()}
    where = f"{line}, {speed} km/h, {len(neighbours)} variables"
    figure(f"{where}: sigma from rest", f"{best['sigma']:.0f} ms")
    figure("  its gradient, beyond sigma", f"{best['gradient']:.0f} ms", "10 ms")
    rest = best["gradient"] - best["multipliers"] - best["lines"]
    figure("  of which multipliers and their sums; lines next to it; the rest",
           f"{best['multipliers']:.0f}; {best['lines']:.0f}; {rest:.0f} ms")  # fmt: skip
    assert np.isfinite(slopes["objective"]).all()


@pytest.mark.benchmark
@pytest.mark.parametrize(
    ("line", "pantograph", "speed"),
    [("bruni_2015", "bruni_2015", 275), ("bruni_2015", "bruni_2015", 320), ("re330", "dsa380", 300)],
)
def test_gradient_of_what_the_operator_finds(case_of, figure, line, pantograph, speed):
    case = case_of(f"catenary={line}", f"pantograph={pantograph}", f"speed_kmh={speed}", dt=2.0e-3,
                   periodic={"method": "operator"})  # fmt: skip
    solution = solve_periodic(case)
    assert solution.method == "operator"
    neighbours = variables_of(case.catenary)
    asked, setting = Job(0, case.catenary, neighbours=neighbours), Setting(case, LimitsSpec())
    found = Outcome(0, OutcomeStatus.OK, sigma_N=1.0, statistics={"max_uplift_at_supports_mm": 50.0})
    parts = {"sigma": [], "gradient": [], "multipliers": [], "lines": []}
    for _ in range(2 * ROUNDS):
        times = [time.process_time()]
        solve_periodic(case, solution.operator_start, solution.equilibrium)
        times.append(time.process_time())
        slopes = design_slopes(found, asked, setting, solution).slopes
        times.append(time.process_time())
        motion_of(solution).sigma()
        times.append(time.process_time())
        Neighbours.of(neighbours, solution.equilibrium)
        times.append(time.process_time())
        for name, spent in zip(parts, np.diff(times), strict=True):
            parts[name].append(1e3 * float(spent))
    best = {name: min(times) for name, times in parts.items()}
    where = f"operator, {line}, {speed} km/h, {len(neighbours)} variables, processor time"
    figure(f"{where}: sigma from its own start", f"{best['sigma']:.0f} ms")
    figure("  its gradient, beyond sigma", f"{best['gradient']:.0f} ms", "10 ms")
    rest = best["gradient"] - best["multipliers"] - best["lines"]
    figure("  of which multipliers; lines next to it; fields, network and the lines' values",
           f"{best['multipliers']:.0f}; {best['lines']:.0f}; {rest:.0f} ms")  # fmt: skip
    assert np.isfinite(slopes["objective"]).all()

"""Steady states of several pantographs: processor time against one, by the operator and by a march, and agreement."""

import statistics
import time

import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.solution import solve

LINES = ("bruni_2015", "bruni_2015", 275), ("bruni_2015", "bruni_2015", 320), ("re330", "dsa380", 275)
TRAINS = (), (50.0,), (100.0,), (200.0,), (400.0,), (100.0, 200.0)
REPEATS = 5


def spent(case, line, start):
    """A solution, and the median of processor times of it, form-finding left out [s]."""
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        found = solve(case, start, line)
        times.append(time.process_time() - began)
    return found, statistics.median(times)


def deviations(found):
    return ", ".join(f"{one.statistics.contact_force_std_N:.2f}" for one in found.pantographs)


@pytest.mark.benchmark
@pytest.mark.parametrize(("line", "pantograph", "speed"), LINES)
def test_trains(case_of, figure, line, pantograph, speed):
    """From the poles of the line; a march in steps of 2 ms comes from rest."""
    base = f"catenary={line}", f"pantograph={pantograph}", f"speed_kmh={speed}", "dt=0.002"
    alone, one = case_of(*base), None
    equilibrium = periodic_equilibrium(alone.catenary)
    start = solve(alone, None, equilibrium).operator_start
    for distances in TRAINS:
        case = case_of(*base, f"trailing.distances_m=[{','.join(map(str, distances))}]")
        found, seconds = spent(case, equilibrium, start)
        assert found.method == "operator", found.message
        one = seconds if one is None else one
        fine = solve(case.with_changes(periodic={"resolution": 2.0}), None, equilibrium)
        began = time.process_time()
        marched = solve(case.with_changes(periodic={"method": "march"}), None, equilibrium)
        march = time.process_time() - began
        where = f"{line}, {speed} km/h, pantographs at {', '.join(f'{d:g}' for d in (0.0, *distances))} m"
        figure(
            f"{where}: operator; against one; march",
            f"{1e3 * seconds:.0f} ms; {seconds / one:.2f} times; {march:.1f} s",
            "1.5 times" if len(distances) == 1 else "",
        )
        figure("  σ: operator; operator twice as fine; march",
               f"{deviations(found)}; {deviations(fine)}; {deviations(marched)} N")  # fmt: skip

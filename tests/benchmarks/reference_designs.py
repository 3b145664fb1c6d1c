"""Reference standard deviations of random designs: ``.venv/bin/python tests/benchmarks/reference_designs.py``.

Forty designs a case (droppers moved by 0.6 m, heights by 12 mm; `random_lines`), each marched until the state repeats
to 1e-4: with steps of 1 and 0.5 ms on elements of 0.5 m in a window of 20 + 26 spans, with 1 ms on elements of 0.25 m,
and with 1 ms in a window of 40 + 52 spans. Steps are extrapolated by Richardson's rule, from the change c between the
two by c / 3; what a finer mesh and a wider window change is added. The error is the sum of these three without their
signs. Results go to `reference_designs.json`, which `bench_design` holds figures against.
"""

import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from random_lines import random_designs

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.case_input import job_input

KEPT = Path(__file__).with_suffix(".json")
DESIGNS = 40
CASES = (("bruni_2015", "bruni_2015", 275.0), ("bruni_2015", "bruni_2015", 320.0), ("re330", "dsa380", 300.0))
MARCH = {"method": "march", "tolerance": 1.0e-4, "precision": "double"}
WINDOW, WIDE = (20, 26), (40, 52)  # spans behind and ahead
# step [s], longest element [m] and window; the last two are for the mesh and the window
RUNS = ((1.0e-3, 0.5, WINDOW), (5.0e-4, 0.5, WINDOW), (1.0e-3, 0.25, WINDOW), (1.0e-3, 0.5, WIDE))


def case_name(line, speed):
    return f"{line}, {speed:g} km/h"


def case_at(line, pantograph, speed, **settings):
    """Case of a line as published, with the mean force that EN 50367 asks for."""
    asked = {"speed_kmh": speed, "mean_force_N": 0.00097 * speed**2 + 70.0}
    return job_input(CaseSpec, line, pantograph, {**asked, **settings})


def sigma(case, design, dt, element, window):
    """Standard deviation of one march [N]; None where no state repeats."""
    line = design.with_changes(mesh={"largest_element_length": element})
    behind, ahead = window
    periodic = case.periodic.model_copy(update={"spans_behind": behind, "spans_ahead": ahead})
    found = solve(case.model_copy(update={"catenary": line, "dt": dt, "periodic": periodic}))
    return found.statistics.contact_force_std_N if found.repeats else None


def extrapolated(found):
    """Standard deviation and its error [N] from those of `RUNS`; None where a state does not repeat."""
    if None in found:
        return None
    coarse, fine, mesh, wide = found
    added = (fine - coarse) / 3.0, mesh - coarse, wide - coarse
    return fine + sum(added), sum(map(abs, added))


def reference(place):
    """One design of a case: its stations, heights, least dropper force at rest, standard deviation and error."""
    (line, pantograph, speed), k = place
    case = case_at(line, pantograph, speed, dt=1.0e-3, periodic=MARCH)
    design = random_designs(case.catenary, k + 1)[0][k]
    found = [sigma(case, design, *run) for run in RUNS]
    value = extrapolated(found)
    return {
        "positions_m": [round(x, 12) for x in design.droppers.positions],
        "heights_mm": [round(1e3 * z, 9) for z in design.droppers.contact_wire_heights],
        "least_force_N": round(float(periodic_equilibrium(design).dropper_force.min()), 2),
        "runs_N": found,
        "sigma_N": None if value is None else value[0],
        "error_N": None if value is None else value[1],
    }


def main():
    places = [(case, k) for case in CASES for k in range(DESIGNS)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = []
        for one in pool.map(reference, places):
            found.append(one)
            print(f"{len(found)} of {len(places)}", end="\r", file=sys.stderr)
    kept = {"command": __doc__.split("``")[1], "date": f"{datetime.now(UTC):%Y-%m-%d}", "runs": RUNS, "cases": {}}
    for k, (line, _, speed) in enumerate(CASES):
        kept["cases"][case_name(line, speed)] = found[DESIGNS * k : DESIGNS * (k + 1)]
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

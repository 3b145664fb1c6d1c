"""PACDIN, table 1: applied forces that give the prescribed mean force, one and two pantographs, and the slow pair.

Source: PACDIN statement of methods, sections 2.2 and 2.4, table 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dynamics.charts.parts import Chart, Curve, Level, Mark, Role
from studies.validation.cases import failure_of, solve_typed
from studies.validation.gates.gates import AppliedForceGate, AppliedForceRow, AppliedForceRun, Dimension, GatesSpec
from studies.validation.rows import Comparison, Reference, Row

if TYPE_CHECKING:
    from dynamics.results.solution import Solution

__all__ = ["AppliedForces", "applied_forces", "compare"]

CLOSE = 0.5  # N: mean forces this close need no further run; what one more correction would leave is 5 % of it
MAX_RUNS = 4


@dataclass(frozen=True)
class AppliedForces:
    """Applied forces that give a mean force.

    Attributes
    ----------
    forces : float array (pantograph,)
        [N]; None where a run failed.
    solution : Solution, optional
        Last run, whose applied and mean forces are within 0.5 N of these.
    failure : str
        Why there is none.
    """

    forces: NDArray[np.float64] | None
    solution: Solution | None = None
    failure: str = ""


def applied_forces(overrides: tuple[str, ...], mean_N: float, start_N: tuple[float, ...]) -> AppliedForces:
    """Applied forces that give every pantograph a mean contact force, from a first guess [N].

    One newton of applied force is 0.95 to 1 N of mean force, since only the spring to the base takes its part: a run's
    lack of mean force is added to its applied force, and repeated while that lack is over 0.5 N.
    """
    forces, failure = np.array(start_N), "the mean contact force could not be held"
    for _ in range(MAX_RUNS):
        typed = [*overrides, f"applied_force_N={forces[0]}"]
        if len(forces) > 1:
            typed.append(f"trailing.applied_forces_N=[{','.join(str(f) for f in forces[1:])}]")
        solution = solve_typed(typed)
        if solution.statistics is None:
            return AppliedForces(None, failure=failure_of(solution))
        statistics = [p.statistics for p in solution.pantographs]
        lack = mean_N - np.array([s.contact_force_mean_N for s in statistics if s is not None])
        forces = forces + lack
        if np.abs(lack).max() <= CLOSE:
            return AppliedForces(forces, solution)
    return AppliedForces(None, failure=failure)


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Compare every applied force of the table with the one that gives the same mean here."""
    gate = gates.applied_force
    rows: list[Row] = []
    points: list[tuple[str, float, float, str]] = []
    for run in gate.runs:
        for dimension in run.dimensions:
            for row in run.rows:
                found = _rows(gate, run, row, dimension)
                rows += found
                for p, one in enumerate(found):
                    if one.value is not None and row.speed_kmh > 100.0:
                        name = f"{run.case}, {dimension}" + (", trailing" if p else "")
                        points.append((name, row.speed_kmh, one.value - float(np.mean(row.printed_N[p])), one.case))
                say(", ".join(f"{one.case}: {one.here_text} N" for one in found))
    return Comparison(
        key="pacdin",
        title="PACDIN, table 1: applied forces that give the prescribed mean force",
        source=gate.source,
        reading=gate.reading,
        rows=tuple(rows),
        charts=(_chart(gate, points),) if points else (),
    )


def _rows(gate: AppliedForceGate, run: AppliedForceRun, row: AppliedForceRow, dimension: Dimension) -> tuple[Row, ...]:
    """Rows of one run, one for every pantograph."""
    which = 1 if dimension == "spatial" else 0  # of the printed forces, the one to start from
    start = tuple(forces[min(which, len(forces) - 1)] for forces in row.printed_N)
    typed = (*gate.overrides, *run.overrides, f"speed_kmh={row.speed_kmh}", f"dimension={dimension}")
    found = applied_forces(typed, row.mean_force_N, start)
    known = {m.pantograph: m.cause for m in row.known_misses if m.dimension == dimension}
    rows = []
    for p, (printed, names) in enumerate(zip(row.printed_N, run.names, strict=True)):
        means = f"mean {row.mean_force_N:.2f} N"
        rows.append(
            Row(
                quantity="applied force",
                case=f"{run.case}, {dimension}, {row.speed_kmh:g} km/h, {names[0].partition(' (')[0]}, {means}"
                if len(run.names) == 1
                else f"{run.case}, {dimension}, {row.speed_kmh:g} km/h, {('leading', 'trailing')[p]}, {means}",
                unit="N",
                here=None if found.forces is None else float(found.forces[p]),
                references=tuple(Reference(n, f"{f:.2f}") for n, f in zip(names, printed, strict=True)),
                allowed=(max(printed) - gate.tolerance_N, min(printed) + gate.tolerance_N),
                known_miss=known.get(p + 1),
                failure=found.failure,
                digits=2,
            )
        )
    return tuple(rows)


STYLES: tuple[tuple[Role, Mark], ...] = (
    ("best", "dots"),
    ("nominal", "rings"),
    ("other", "dots"),
    ("fourth", "rings"),
    ("fifth", "crosses"),
    ("sixth", "crosses"),
)


def _chart(gate: AppliedForceGate, points: list[tuple[str, float, float, str]]) -> Chart:
    """Draw the difference of every applied force to the printed one over speed."""
    curves = []
    for (role, mark), name in zip(STYLES, dict.fromkeys(p[0] for p in points), strict=False):
        x, y, notes = zip(*[p[1:] for p in points if p[0] == name], strict=True)
        curves.append(Curve(name, np.array(x), np.array(y), "km/h", "N", role, mark, tuple(notes)))
    limit = gate.tolerance_N
    return Chart(
        name="applied_forces",
        title="Applied force less the printed one",
        caption="Applied force that gives the prescribed mean force; where the table prints two forces that "
        "are not distinguished, less their mean.",
        x_label="Speed",
        y_label="Difference of the applied force",
        curves=tuple(curves),
        levels=(Level(f"accepted, ± {limit:g} N", limit), Level(f"accepted, ± {limit:g} N", -limit)),
        pick="point",
        height=0.36,
    )

"""Formulations against each other: cables and beams, linearised and with large deformation, in the plane and in space.

Nothing here is gated: these are this program's own numbers. A difference over a limit must have its cause in the file
of gates, or is printed as not explained.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any, Literal, get_args

import numpy as np

from dynamics.charts.parts import Chart, Curve, Mark, Role
from studies.report.drawing.parts import Table
from studies.validation.cases import failure_of, solve_typed
from studies.validation.gates.gates import FormulationsGate, GatesSpec
from studies.validation.rows import Comparison, Reference, Row

__all__ = ["Run", "compare", "difference_rows", "runs_of"]

Pair = Literal["beam", "nonlinear", "spatial", "open_line"]
FIGURES = (
    ("contact_force_std_N", "σ", "N"),
    ("contact_force_mean_N", "mean", "N"),
    ("contact_force_max_N", "maximum", "N"),
    ("contact_force_min_N", "minimum", "N"),
    ("max_uplift_at_supports_mm", "uplift at supports", "mm"),
)
PAIRS: dict[Pair, str] = {
    "beam": "beam against ANCF",
    "nonlinear": "large deformation against linearised",
    "spatial": "in space against the plane",
    "open_line": "open line against steady state",
}


@dataclass(frozen=True)
class Run:
    """One run; each field is one setting in which two runs may differ."""

    speed_kmh: float
    solver: Literal["open_line", "periodic"]
    formulation: Literal["ancf", "beam"]
    kinematics: Literal["linearised", "nonlinear"]
    dimension: Literal["planar", "spatial"]

    @property
    def name(self) -> str:
        """Words for the run, without its speed."""
        kind = "steady state" if self.solver == "periodic" else f"open line, {self.kinematics}"
        return f"{self.formulation.replace('ancf', 'ANCF')}, {self.dimension}, {kind}"

    def other(self, pair: Pair) -> Run | None:
        """Run that this one is laid against: the same but for one thing; None where that is not this run's."""
        if pair == "beam":
            return replace(self, formulation="ancf") if self.formulation == "beam" else None
        if pair == "nonlinear":
            return replace(self, kinematics="linearised") if self.kinematics == "nonlinear" else None
        if pair == "spatial":
            return replace(self, dimension="planar") if self.dimension == "spatial" else None
        return (
            replace(self, solver="periodic") if (self.solver, self.kinematics) == ("open_line", "linearised") else None
        )


def runs_of(gate: FormulationsGate) -> tuple[Run, ...]:
    """Every run: open lines in all eight ways, steady states, which are linearised, in four."""
    ways = list(product(("ancf", "beam"), ("planar", "spatial")))
    found = []
    for speed in gate.applied_force_N:
        found += [Run(speed, "periodic", f, "linearised", d) for f, d in ways]
        found += [Run(speed, "open_line", f, k, d) for k in ("linearised", "nonlinear") for f, d in ways]
    return tuple(found)


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Run every formulation and print figures and differences with their causes."""
    gate = gates.formulations
    figures: dict[Run, dict[str, Any]] = {}
    failures: dict[Run, str] = {}
    spread: dict[Run, float] = {}
    for run in runs_of(gate):
        solution = solve_typed(_typed(gate, run))
        if solution.statistics is None:
            failures[run] = failure_of(solution)
        else:
            figures[run] = asdict(solution.statistics)
            if len(solution.halves) == 2 and solution.halves[0] is not None and solution.halves[1] is not None:
                first, second = (half.contact_force_std_N for half in solution.halves if half is not None)
                spread[run] = 100.0 * (second / first - 1.0)
        text = f"σ {figures[run]['contact_force_std_N']:.2f} N" if run in figures else failures[run]
        say(f"{run.speed_kmh:g} km/h, {run.name}: {text}")
    return Comparison(
        key="formulations",
        title="Formulations against each other",
        source=gate.source,
        reading=gate.reading,
        rows=(*_failed_rows(failures), *difference_rows(gate, figures)),
        charts=tuple(
            _chart(speed, figures) for speed in gate.applied_force_N if any(r.speed_kmh == speed for r in figures)
        ),
        tables=tuple(_table(speed, figures, spread) for speed in gate.applied_force_N),
    )


def _typed(gate: FormulationsGate, run: Run) -> list[str]:
    typed = [
        *gate.overrides,
        f"speed_kmh={run.speed_kmh}",
        f"applied_force_N={gate.applied_force_N[run.speed_kmh]}",
        f"formulation={run.formulation}",
        f"dimension={run.dimension}",
    ]
    if run.solver == "periodic":  # the operator has no elements
        return [*typed, "periodic.method=march"]
    return [*typed, f"kinematics={run.kinematics}", *gate.open_line]


def _failed_rows(failures: dict[Run, str]) -> list[Row]:
    return [Row("σ", f"{run.speed_kmh:g} km/h, {run.name}", "N", None, failure=why) for run, why in failures.items()]


def difference_rows(gate: FormulationsGate, figures: dict[Run, dict[str, Any]]) -> list[Row]:
    """Difference of σ of every pair of runs that differ in one thing [%], with its cause where it needs one."""
    causes = {(c.pair, c.speed_kmh): c.cause for c in gate.causes}
    rows = []
    for pair, run in product(get_args(Pair), figures):
        other = run.other(pair)
        if other is None or other not in figures:
            continue
        here, there = (figures[r]["contact_force_std_N"] for r in (run, other))
        difference = 100.0 * (here / there - 1.0)
        cause = ""
        if abs(difference) > gate.explain_over_percent:
            cause = causes.get((pair, run.speed_kmh), "not explained")
        rows.append(
            Row(
                quantity=f"σ, {PAIRS[pair]}",
                case=f"{run.speed_kmh:g} km/h, {run.name}",
                unit="%",
                here=difference,
                references=(Reference("σ", f"{here:.2f} against {there:.2f} N"),),
                reading=cause,
                digits=2,
            )
        )
    return rows


def _table(speed: float, figures: dict[Run, dict[str, Any]], spread: dict[Run, float]) -> Table:
    rows = []
    for run, found in figures.items():
        if run.speed_kmh == speed:
            numbers = (f"{found[key]:.{2 if key == 'contact_force_std_N' else 1}f}" for key, _, _ in FIGURES)
            rows.append((run.name, *numbers, f"{spread[run]:+.1f}".replace("-", "−") if run in spread else "–"))
    return Table(
        title=f"{speed:g} km/h",
        columns=("run", *(f"{name} [{unit}]" for _, name, unit in FIGURES), "σ, last half against first [%]"),
        rows=tuple(rows),
        align="l" + "r" * (len(FIGURES) + 1),
        caption="Forces below 20 Hz; last column: how far the choice of evaluated spans alone moves σ on an open line.",
    )


def _chart(speed: float, figures: dict[Run, dict[str, Any]]) -> Chart:
    """Draw σ of every run at one speed."""
    runs = [run for run in figures if run.speed_kmh == speed]
    roles: tuple[tuple[str, Role, Mark], ...] = (("planar", "best", "dots"), ("spatial", "nominal", "rings"))
    curves = []
    for dimension, role, mark in roles:
        mine = [
            (k + 1.0, figures[r]["contact_force_std_N"], r.name) for k, r in enumerate(runs) if r.dimension == dimension
        ]
        if mine:
            x, y, notes = zip(*mine, strict=True)
            curves.append(Curve(dimension, np.array(x), np.array(y), "", "N", role, mark, tuple(notes)))
    return Chart(
        name=f"formulations_{speed:g}",
        title=f"σ by formulation, {speed:g} km/h",
        caption="Runs in the order of the table: steady states, open lines linearised, then with large deformation.",
        x_label="Run, in the order of the table",
        y_label="Standard deviation σ",
        curves=tuple(curves),
        x_range=(0.5, len(runs) + 0.5),
        pick="point",
        height=0.32,
    )

"""What was measured on the LN2 under a Faiveley CX, next to a run with assumed data, and that run assumed otherwise.

No gate: a figure within 20 % of the measured one says nothing of the program as long as the assumptions move it as far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from dynamics.charts.parts import Chart, Curve, Level, Stations
from studies.validation.cases import failure_of, solve_typed
from studies.validation.gates.gates import GatesSpec
from studies.validation.gates.ln2 import Assumption, Ln2Gate, MeasuredFigure
from studies.validation.rows import Comparison, Reference, Row

if TYPE_CHECKING:
    from dynamics.results.solution import Solution

__all__ = ["compare", "measured_rows", "spread"]

STD = "contact_force_std_N"


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Print the assumed run next to the line test, and how far σ goes with each assumption."""
    gate = gates.ln2
    base = solve_typed(gate.overrides)
    rows = list(measured_rows(gate, base))
    checks = [_otherwise(gate, one, base, say, f"numerical error: {one.change}") for one in gate.numerical]
    assumed = [_otherwise(gate, one, base, say, one.change) for one in gate.assumptions]
    return Comparison(
        key="ln2",
        title="LN2 under a Faiveley CX: assumed data, no validation",
        source=gate.source,
        reading=gate.reading,
        rows=(*rows, *checks, *assumed),
        charts=() if base.statistics is None else (_force_chart(gate, base),),
        remarks=(spread(gate, assumed),),
    )


def measured_rows(gate: Ln2Gate, base: Solution) -> tuple[Row, ...]:
    """Rows of the figures that were measured, none of which gates."""
    found = _statistics(base)
    return tuple(_measured_row(gate, figure, found.get(figure.statistic), failure_of(base)) for figure in gate.figures)


def spread(gate: Ln2Gate, assumed: Sequence[Row]) -> str:
    """Say between which values σ [N] lies over all assumptions, and how many are beyond the standard's share."""
    (sigma,) = (figure for figure in gate.figures if figure.statistic == STD)
    low, high = _accepted(gate, sigma)
    values = [row.value for row in assumed if row.value is not None]
    if not values:
        return "No run with another assumption gave a figure."
    beyond = sum(not low <= value <= high for value in values)
    return (
        f"One assumption at a time taken otherwise, σ lies between {min(values):.1f} and {max(values):.1f} N; "
        f"{beyond} of {len(values)} are beyond {gate.accepted_percent:g} % of the measured {sigma.measured:.1f} N."
    )


def _measured_row(gate: Ln2Gate, figure: MeasuredFigure, here: float | None, failure: str) -> Row:
    low, high = _accepted(gate, figure)
    said = "" if here is None else f"{_signed(100.0 * (here / figure.measured - 1.0), 1)} % from what was measured"
    return Row(
        quantity=figure.name,
        case="as assumed",
        unit="N",
        here=here,
        references=(
            Reference("measured", f"{figure.measured:.1f} (± {gate.accepted_percent:g} %: {low:.1f} to {high:.1f})"),
            Reference("PantoCat elastic", f"{figure.elastic:.1f}"),
            Reference("damped", f"{figure.damped:.1f}"),
        ),
        reading=said,
        failure=failure,
    )


def _otherwise(gate: Ln2Gate, one: Assumption, base: Solution, say: Callable[[str], None], case: str) -> Row:
    """σ of the run with one thing taken otherwise."""
    solution = solve_typed([*gate.overrides, *one.overrides])
    found, before = _statistics(solution), _statistics(base)
    said = ""
    if found and before:
        change = found[STD] - before[STD]
        said = (
            f"σ {_signed(change, 1)} N ({_signed(100.0 * change / before[STD], 0)} %); "
            f"maximum {found['contact_force_max_N']:.1f}, minimum {found['contact_force_min_N']:.1f} N"
        )
    row = Row("standard deviation σ", case, "N", found.get(STD), reading=said, failure=failure_of(solution), digits=2)
    say(f"{case}: σ {row.here_text} N")
    return row


def _statistics(solution: Solution) -> dict[str, float]:
    return {} if solution.statistics is None else asdict(solution.statistics)


def _signed(value: float, digits: int) -> str:
    """Return the number with its sign; what rounds to nothing has a plus."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def _accepted(gate: Ln2Gate, figure: MeasuredFigure) -> tuple[float, float]:
    share = 0.01 * gate.accepted_percent
    return (1.0 - share) * figure.measured, (1.0 + share) * figure.measured


def _force_chart(gate: Ln2Gate, base: Solution) -> Chart:
    """Draw the force along a span with the extremes that were measured."""
    line, one = base.case.catenary, base.leading
    x, force = one.position[one.evaluated] - one.position[one.evaluated][0], one.contact_force_filtered[one.evaluated]
    extremes = ("contact_force_max_N", "contact_force_min_N")
    return Chart(
        name="ln2_force",
        title="Contact force along a span of the assumed line",
        caption="Filtered at 20 Hz. The measured extremes are of a test whose length and filter are not published.",
        x_label="Station of the pantograph",
        y_label="Contact force, filtered",
        curves=(Curve("assumed line and pantograph", x, force, "m", "N"),),
        stations=(Stations("droppers", np.array(line.droppers.positions), "best"),),
        levels=tuple(Level(f"measured {f.name}", f.measured) for f in gate.figures if f.statistic in extremes),
        x_range=(0.0, line.span_length),
    )

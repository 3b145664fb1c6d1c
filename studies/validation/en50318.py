"""EN 50318:2002: acceptance ranges of a standard's reference case, with what PACDIN and PantoCat found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from dynamics.charts.parts import Chart, Curve, Level
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from studies.validation.cases import case_from, failure_of
from studies.validation.gates.gates import AcceptanceGate, AcceptanceSpeed, Dimension, GatesSpec
from studies.validation.rows import Comparison, Reference, Row

__all__ = ["acceptance_case", "acceptance_chart", "acceptance_rows", "compare"]

NAMES = {
    "contact_force_mean_N": ("mean contact force", "mean"),
    "contact_force_std_N": ("standard deviation σ", "σ"),
    "contact_force_statistical_max_N": ("statistical maximum", "stat. max"),
    "contact_force_statistical_min_N": ("statistical minimum", "stat. min"),
    "contact_force_max_N": ("maximum", "max"),
    "contact_force_min_N": ("minimum", "min"),
    "max_uplift_at_supports_mm": ("largest uplift at supports", "uplift"),
    "contact_loss_percent": ("loss of contact", "loss"),
}


def acceptance_case(
    gate: AcceptanceGate, speed_kmh: float, dimension: Dimension = "planar", more: tuple[str, ...] = ()
) -> CaseSpec:
    """Case of the gate at one speed [km/h]; ``more`` is typed in addition."""
    return case_from([*gate.overrides, *more, f"speed_kmh={speed_kmh}", f"dimension={dimension}"])


def acceptance_rows(
    gate: AcceptanceGate,
    speed: AcceptanceSpeed,
    dimension: Dimension,
    more: tuple[str, ...] = (),
    known: dict[str, str] | None = None,
) -> tuple[Row, ...]:
    """Rows of one speed and dimension; ``known`` has causes by quantity in place of those of the gate."""
    solution = solve(acceptance_case(gate, speed.speed_kmh, dimension, more))
    figures = {} if solution.statistics is None else asdict(solution.statistics)
    rows = []
    for row in speed.rows:
        causes = row.known_miss.get(dimension) if known is None else known.get(row.quantity)
        rows.append(
            Row(
                quantity=NAMES[row.quantity][0],
                case=f"{speed.speed_kmh:g} km/h, {dimension}",
                unit={"N": "N", "mm": "mm", "percent": "%"}[row.quantity.rpartition("_")[2]],
                here=figures.get(row.quantity),
                references=(
                    Reference("PACDIN", "/".join(f"{x:.1f}" for x in row.pacdin)),
                    Reference("PantoCat", f"{row.pantocat:.1f}"),
                ),
                allowed=(row.low, row.high),
                known_miss=causes,
                failure=failure_of(solution),
            )
        )
    return tuple(rows)


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Compare the sixteen figures of the standard's case with their ranges, in every dimension."""
    gate, rows, charts = gates.acceptance, [], []
    for dimension in gate.dimensions:
        for speed in gate.speeds:
            found = acceptance_rows(gate, speed, dimension)
            rows += found
            charts.append(acceptance_chart(speed, found, f"en50318_{dimension}_{speed.speed_kmh:g}"))
            met = sum(row.inside for row in found)
            say(f"EN 50318:2002 at {speed.speed_kmh:g} km/h, {dimension}: {met} of {len(found)} inside")
    return Comparison(
        key="en50318",
        title="EN 50318:2002: PACDIN, table 2, and PantoCat, table 1",
        source=gate.source,
        reading=gate.reading,
        rows=tuple(rows),
        charts=tuple(charts),
    )


def acceptance_chart(speed: AcceptanceSpeed, rows: tuple[Row, ...], name: str) -> Chart:
    """Draw where this program's, PACDIN's and PantoCat's numbers lie within the accepted ranges."""
    drawn = [(k, r, row) for k, (r, row) in enumerate(zip(speed.rows, rows, strict=True)) if r.high > r.low]

    def place(low: float, high: float, value: float) -> float:
        return 100.0 * (value - low) / (high - low)

    x = np.array([float(k + 1) for k, _, _ in drawn])
    pacdin = [(k + 1.0, place(r.low, r.high, v), f"PACDIN {v:g}") for k, r, _ in drawn for v in r.pacdin]
    pantocat = np.array([place(r.low, r.high, r.pantocat) for _, r, _ in drawn])
    curves = [
        Curve(
            "PACDIN",
            np.array([p[0] for p in pacdin]),
            np.array([p[1] for p in pacdin]),
            "",
            "%",
            "nominal",
            "rings",
            tuple(p[2] for p in pacdin),
        ),
        Curve(
            "PantoCat",
            x,
            pantocat,
            "",
            "%",
            "other",
            "crosses",
            tuple(f"{row.quantity}: PantoCat {r.pantocat:g} {row.unit}" for _, r, row in drawn),
        ),
    ]
    ours = [(k + 1.0, place(r.low, r.high, row.value), r, row) for k, r, row in drawn if row.value is not None]
    if ours:
        curves.append(
            Curve(
                "here",
                np.array([o[0] for o in ours]),
                np.array([o[1] for o in ours]),
                "",
                "%",
                "best",
                "dots",
                tuple(f"{row.quantity}: {row.here_text} {row.unit}, {row.allowed_text}" for *_, row in ours),
                tuple(NAMES[r.quantity][1] for _, _, r, _ in ours),
            )
        )
    return Chart(
        name=name,
        title=f"Place within the accepted ranges, {rows[0].case}",
        caption="0 % is the lower, 100 % the upper end of the accepted range of each figure; loss of contact, for "
        "which only zero is accepted, is not drawn. PACDIN prints the uplift of three supports.",
        x_label="Figure, in the order of the standard",
        y_label="Place within the range",
        curves=tuple(curves),
        levels=(Level("ends of the range", 0.0), Level("ends of the range", 100.0)),
        x_range=(0.5, 7.9),
        pick="point",
        height=0.34,
    )

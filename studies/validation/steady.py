"""PACDIN, table 1, by the steady state: mean forces under the printed applied forces, and the static elasticity."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from dynamics.charts.parts import Chart, Curve, Level, Role
from studies.validation.cases import case_from, failure_of, solve_typed
from studies.validation.gates.gates import ElasticityGate, GatesSpec, MeanForceGate
from studies.validation.rows import Comparison, Reference, Row

__all__ = ["compare"]

Figures = dict[tuple[float, str], dict[str, Any]]


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Compare steady means, static elasticity and the later standard's recalled ranges with their references."""
    elasticity = tuple(_elasticity(gates.elasticity))
    say("static elasticity done")
    means, figures = _means(gates.mean_force, say)
    gate = gates.mean_force
    return Comparison(
        key="steady",
        title="Steady state: mean force under the printed applied force, static elasticity",
        source=f"{gate.source}; elasticity: {gates.elasticity.source}; recalled ranges: {gates.beside.source}",
        reading=gate.reading,
        rows=(*means, *elasticity, *_compared(gates, figures)),
        charts=(_chart(gate, means),),
    )


def _elasticity(gate: ElasticityGate) -> Iterator[Row]:
    from catenary.form_finding.equilibrium import periodic_equilibrium
    from catenary.linearised.elasticity import span_mean
    from catenary.storage.dataset import static_table

    mesh = f"catenary.mesh.elements_per_bay={gate.elements_per_bay}"
    line = case_from([f"catenary={gate.catenary}", "pantograph=bruni_2015", mesh]).catenary
    for row in gate.rows:
        found = periodic_equilibrium(line.model_copy(update={"dimension": row.dimension}))
        expected = row.expected_mm_per_N
        share = 0.01 * gate.tolerance_percent
        yield Row(
            quantity="span mean of the static elasticity",
            case=f"{gate.catenary}, {row.dimension}, {row.force_N:g} N, {gate.elements_per_bay} elements a bay",
            unit="mm/N",
            here=1e3 * span_mean(static_table(found, row.force_N)["elasticity"]),
            references=(Reference("derived from PACDIN", f"{expected:.3f}"),),
            allowed=(expected * (1.0 - share), expected * (1.0 + share)),
            digits=4,
        )


def _means(gate: MeanForceGate, say: Callable[[str], None]) -> tuple[tuple[Row, ...], Figures]:
    rows, figures = [], {}
    for row in gate.rows:
        solution = solve_typed(
            [
                f"catenary={gate.catenary}",
                f"pantograph={gate.pantograph}",
                f"contact.stiffness={gate.contact_stiffness}",
                f"speed_kmh={row.speed_kmh}",
                f"applied_force_N={row.applied_force_N}",
                f"dimension={row.dimension}",
            ]
        )
        if solution.statistics is not None:
            figures[row.speed_kmh, row.dimension] = asdict(solution.statistics)
        rows.append(
            Row(
                quantity="mean contact force",
                case=f"{row.speed_kmh:g} km/h, {row.dimension}, applied {row.applied_force_N:.2f} N",
                unit="N",
                here=None if solution.statistics is None else solution.statistics.contact_force_mean_N,
                references=(Reference("prescribed", f"{row.expected_N:.1f}"),),
                allowed=(row.expected_N - gate.tolerance_N, row.expected_N + gate.tolerance_N),
                failure=failure_of(solution),
                digits=2,
            )
        )
        say(f"steady state at {rows[-1].case}: mean {rows[-1].here_text} N")
    return tuple(rows), figures


def _compared(gates: GatesSpec, figures: Figures) -> Iterator[Row]:
    """Recalled ranges: printed, not gated."""
    for row in gates.beside.rows:
        for (speed, dimension), here in figures.items():
            if speed != row.speed_kmh:
                continue
            for name, (low, high) in row.model_dump(exclude={"speed_kmh"}).items():
                yield Row(
                    quantity=name.removesuffix("_N")
                    .replace("_", " ")
                    .replace("0 5Hz", "0–5 Hz")
                    .replace("5 20Hz", "5–20 Hz"),
                    case=f"{speed:g} km/h, {dimension}",
                    unit="N",
                    here=here[name],
                    references=(Reference("recalled", f"{low:.1f} to {high:.1f}"),),
                )


def _chart(gate: MeanForceGate, rows: tuple[Row, ...]) -> Chart:
    """Draw the difference of every mean force to the prescribed one."""
    roles: tuple[tuple[str, Role], ...] = (("planar", "best"), ("spatial", "nominal"))
    curves = []
    for dimension, role in roles:
        pairs = [
            (g.speed_kmh, r.value - g.expected_N, r.case)
            for g, r in zip(gate.rows, rows, strict=True)
            if g.dimension == dimension and r.value is not None
        ]
        if pairs:
            x, y, notes = zip(*pairs, strict=True)
            mark = "dots" if dimension == "planar" else "rings"
            curves.append(Curve(dimension, np.array(x), np.array(y), "km/h", "N", role, mark, notes))
    limit = gate.tolerance_N
    return Chart(
        name="steady_means",
        title="Mean force less the prescribed one",
        caption="Steady state under the applied forces that PACDIN prints.",
        x_label="Speed",
        y_label="Difference of the mean force",
        curves=tuple(curves) or (Curve("none", np.zeros(0), np.zeros(0), "km/h", "N"),),
        levels=(Level(f"accepted, ± {limit:g} N", limit), Level(f"accepted, ± {limit:g} N", -limit)),
        pick="point",
        height=0.3,
    )

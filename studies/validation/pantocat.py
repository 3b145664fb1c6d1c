"""PantoCat: the standard's case by beam elements, and the elasticity by statics and by a creeping pantograph.

Source: PantoCat statement of methods, table 1, section 5.1 and figure 7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.charts.parts import Chart, Curve, Role
from studies.validation.en50318 import acceptance_chart, acceptance_rows
from studies.validation.gates.gates import GatesSpec
from studies.validation.pacdin import applied_forces
from studies.validation.rows import Comparison, Reference, Row

__all__ = ["Creep", "compare", "creeping_elasticity"]


@dataclass(frozen=True)
class Creep:
    """Elasticity along one span by statics and by a slow pantograph.

    Attributes
    ----------
    x : float array (point,)
        Stations from the support [m].
    static, creeping : float array (point,)
        Rise of the contact wire over the force [m/N].
    failure : str
        Why there is none.
    """

    x: NDArray[np.float64]
    static: NDArray[np.float64]
    creeping: NDArray[np.float64]
    failure: str = ""

    @property
    def difference_percent(self) -> float:
        """Largest difference, of the largest static value [%]."""
        return float(100.0 * np.abs(self.creeping - self.static).max() / self.static.max())


def creeping_elasticity(overrides: tuple[str, ...], force_N: float) -> Creep:
    """Rise of the contact point over the contact force of a slow pantograph, with the static curve at that force.

    The run is one whose mean contact force is within 0.5 N of ``force_N`` [N].
    """
    from catenary.linearised.elasticity import static_elasticity
    from catenary.storage.dataset import static_table

    none = np.zeros(0)
    found = applied_forces(overrides, force_N, (force_N,))
    solution = found.solution
    if solution is None:
        return Creep(none, none, none, found.failure)
    case = solution.case
    span, n = case.catenary.period, case.steps_per_period
    begin = int(np.searchsorted(solution.position, case.catenary.station(case.open_line.first_evaluated - 1) + 1e-9))
    cut = slice(begin, begin + n, max(1, n // 220))
    x = solution.position[cut] - case.catenary.station(case.open_line.first_evaluated - 1)
    table = static_table(solution.equilibrium, force_N)
    rest = np.interp(x, table["station"], table["contact_wire_static_height"])
    creeping = (solution.contact_height[cut] - rest) / solution.contact_force[cut]
    static = static_elasticity(solution.equilibrium, np.mod(x, span), force_N)
    return Creep(x, static, creeping)


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Compare the standard's case by beam elements and both elasticities with what PantoCat prints."""
    gate, rows, charts = gates.pantocat, [], []
    for speed in gates.acceptance.speeds:
        prefix = f"{speed.speed_kmh:g} "
        known = {k.removeprefix(prefix): v for k, v in gate.known_misses.items() if k.startswith(prefix)}
        found = acceptance_rows(gates.acceptance, speed, "planar", gate.overrides, known)
        rows += found
        charts.append(acceptance_chart(speed, found, f"pantocat_{speed.speed_kmh:g}"))
        say(f"PantoCat's model at {speed.speed_kmh:g} km/h: {sum(r.inside for r in found)} of {len(found)} inside")
    creeps = []
    for force, limit, printed in zip(
        gate.creep_forces_N, gate.creep_tolerance_percent, gate.creep_printed, strict=True
    ):
        creep = creeping_elasticity(gate.creep_overrides, force)
        row = _creep_row(force, limit, printed, creep)
        creeps.append((force, creep))
        rows.append(row)
        say(f"{row.quantity}, {row.case}: {row.here_text} {row.unit}")
    drawn = [(force, creep) for force, creep in creeps if not creep.failure]
    return Comparison(
        key="pantocat",
        title="PantoCat: table 1 by beam elements, elasticity by statics and by a creeping pantograph",
        source=gate.source,
        reading=gate.reading,
        rows=tuple(rows),
        charts=(*charts, *((_creep_chart(drawn),) if drawn else ())),
    )


def _creep_row(force: float, limit: float | None, printed: str, creep: Creep) -> Row:
    return Row(
        quantity="elasticity at 10 km/h against the static one, largest difference along the span",
        case=f"{force:g} N",
        unit="%",
        here=None if creep.failure else creep.difference_percent,
        references=(Reference("PantoCat", printed),),
        allowed=None if limit is None else (0.0, limit),
        failure=creep.failure,
        digits=2,
    )


def _creep_chart(creeps: list[tuple[float, Creep]]) -> Chart:
    """Draw elasticity along the span, static and creeping, at every force."""
    roles: tuple[tuple[Role, Role], ...] = (("best", "nominal"), ("other", "fourth"))
    curves = []
    for (static, slow), (force, creep) in zip(roles, creeps, strict=False):
        curves.append(Curve(f"static, {force:g} N", creep.x, 1e3 * creep.static, "m", "mm/N", static))
        curves.append(Curve(f"creeping at 10 km/h, {force:g} N", creep.x, 1e3 * creep.creeping, "m", "mm/N", slow))
    return Chart(
        name="elasticity_creeping",
        title="Elasticity along a span",
        caption="Rise of the contact wire under the pantograph over the contact force, with the static curve.",
        x_label="Station along the span",
        y_label="Elasticity",
        curves=tuple(curves),
        height=0.36,
    )

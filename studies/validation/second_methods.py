"""Lines in space, c350, large deformation and the loop with slack against second formulations of the same line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from studies.validation.cases import case_from, failure_of, solve_typed
from studies.validation.gates.gates import GatesSpec
from studies.validation.gates.second_methods import LoopRow, MotionRow, RestQuantity, SecondMethodsGate
from studies.validation.rows import Comparison, Reference, Row

if TYPE_CHECKING:
    from catenary.form_finding.equilibrium import Equilibrium

__all__ = ["at_rest", "compare"]

NAMES = {
    "dropper_force_N": "force of a dropper at rest",
    "dropper_cut_length_mm": "length to which a dropper is cut",
    "arm_force_N": "vertical force of a steady arm",
    "arm_side_force_N": "side force of a steady arm",
    "contact_force_std_N": "standard deviation σ",
    "contact_force_max_N": "largest contact force",
    "max_uplift_at_supports_mm": "largest uplift at supports",
}


def compare(gates: GatesSpec, say: Callable[[str], None]) -> Comparison:
    """Compare forms at rest, contact forces and the loop's steady state with the figures of second methods."""
    gate = gates.second_methods
    rest = tuple(_rest_rows(gate))
    say("lines at rest done")
    rows = [*rest]
    for row in (*gate.in_motion, *gate.loop):
        rows.append(_loop_row(row) if isinstance(row, LoopRow) else _motion_row(row))
        say(f"{row.case}: {rows[-1].here_text} {rows[-1].unit}")
    return Comparison(
        key="second_methods",
        title="Second methods: what no publication gives, by formulations that share no code",
        source=gate.source,
        reading=gate.reading,
        rows=tuple(rows),
    )


def at_rest(eq: Equilibrium, quantity: RestQuantity, at: int) -> float:
    """One figure of a line at rest, by name and number of its dropper or support."""
    if quantity == "dropper_force_N":
        return float(eq.dropper_force[at])
    if quantity == "dropper_cut_length_mm":
        return float(1e3 * eq.dropper_unstretched_length[at])
    return float((eq.steady_arm_force if quantity == "arm_force_N" else eq.steady_arm_side_force)[at])


def _rest_rows(gate: SecondMethodsGate) -> Iterator[Row]:
    from catenary.form_finding.equilibrium import open_line_equilibrium

    found: dict[tuple[str, str], Equilibrium] = {}
    for row in gate.at_rest:
        key = (row.catenary, row.dimension)
        if key not in found:
            # the limit that the second method stands at is that of fine meshes
            mesh = f"catenary.mesh.elements_per_bay={gate.elements_per_bay}"
            typed = [f"catenary={row.catenary}", "pantograph=bruni_2015", f"dimension={row.dimension}", mesh]
            found[key] = open_line_equilibrium(case_from(typed).catenary, gate.spans)
        kind = "dropper" if row.quantity.startswith("dropper") else "support"
        yield Row(
            quantity=NAMES[row.quantity],
            case=f"{row.catenary}, {row.dimension}, {gate.spans} spans, {kind} {row.at + 1}",
            unit=row.quantity.rpartition("_")[2],
            here=at_rest(found[key], row.quantity, row.at),
            references=(Reference("bars", f"{row.expected:.2f}"),),
            allowed=(row.expected - row.tolerance, row.expected + row.tolerance),
            digits=2,
        )


def _motion_row(row: MotionRow) -> Row:
    solution = solve_typed(row.overrides)
    statistics = solution.statistics
    here = None if statistics is None else float(getattr(statistics, row.quantity))
    return _row(row, here, failure_of(solution))


def _loop_row(row: LoopRow) -> Row:
    """Solve the loop's periodic state at once, on influence matrices of the case; the contact's spring is the rig's."""
    from dynamics.contact_force.filters import filter_periodic
    from dynamics.influence.matrices import influence_matrices
    from dynamics.rig.loop.device import lumped_device
    from dynamics.rig.loop.model import model_of
    from dynamics.rig.loop.spec import LoopSettings
    from dynamics.rig.loop.status import LoopStatus
    from dynamics.rig.loop.steady import solve_steady

    case = case_from(row.overrides)
    assert case.applied_force_N is not None
    model = model_of(influence_matrices(case, row.truncation))
    device = lumped_device(case.pantograph, case.applied_force_N, case.contact.stiffness, model.dt)
    state = solve_steady(model, device, LoopSettings())
    force = filter_periodic(state.contact_force, model.dt, 0.0, case.signal.cutoff_hz, case.signal.kind)
    figures = {"contact_force_std_N": force.std(), "contact_force_max_N": force.max()}
    return _row(row, float(figures[row.quantity]) if state.status is LoopStatus.OK else None, state.status.value)


def _row(row: MotionRow, here: float | None, failure: str) -> Row:
    share = 0.01 * row.tolerance_percent
    return Row(
        quantity=NAMES[row.quantity],
        case=row.case,
        unit=row.quantity.rpartition("_")[2],
        here=here,
        references=(Reference(row.method, f"{row.expected:.2f}"),),
        allowed=(row.expected * (1.0 - share), row.expected * (1.0 + share)),
        failure=failure,
        digits=2,
    )

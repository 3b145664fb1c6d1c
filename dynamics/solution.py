"""One door to the solvers: a case in, a `Solution` out, whichever solver the case names."""

from __future__ import annotations

from dataclasses import replace

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.cell import VerticalCell
from dynamics.line_operator.poles.known import KnownPoles
from dynamics.open_line.solve import solve_open_line
from dynamics.pantograph.aerodynamic import Lift, lift_of, pressed_case
from dynamics.results.solution import Solution
from dynamics.results.warm_start import WarmStart
from dynamics.spec.case import CaseSpec
from dynamics.steady_state.periodic import solve_periodic
from dynamics.steady_state.transient import solve_transient

__all__ = ["solve"]


def solve(
    case: CaseSpec,
    start: WarmStart | KnownPoles | None = None,
    equilibrium: Equilibrium | None = None,
    cell: VerticalCell | None = None,
    applied_force: float | None = None,
) -> Solution:
    """Solve a case; never raises for a line that cannot be solved: the status says why.

    Parameters
    ----------
    case : CaseSpec
        Line, pantograph, speed and solver.
    start : WarmStart or KnownPoles, optional
        Where the search for a steady state begins, as `Solution.warm_start` or `Solution.operator_start` of a near
        case; marches begin at rest.
    equilibrium, cell : optional
        The line at rest and its span cell, where they are known; an open line finds its own.
    applied_force : float, optional
        First guess of the applied force of a march, long or on an open line, that holds its mean [N].
    """
    if case.pantograph.aerodynamic:
        lift = lift_of(case)
        guess = None if applied_force is None else applied_force + lift.applied
        return _with_lift(solve(pressed_case(case, lift), start, equilibrium, cell, guess), case, lift)
    if case.on_open_line:
        return solve_open_line(case, applied_force)
    if case.seeks_steady_state:
        return solve_periodic(case, start, equilibrium, cell)
    return solve_transient(case, equilibrium, applied_force)


def _with_lift(solution: Solution, case: CaseSpec, lift: Lift) -> Solution:
    """Count a solution of the `pressed_case` back: applied forces without the lift, masses where it puts them."""
    pantographs = tuple(replace(p, applied_force_N=p.applied_force_N - lift.applied) for p in solution.pantographs)
    kept = solution.histories
    if kept is not None:
        height = kept.mass_height.copy()
        height[..., : len(lift.heights)] += lift.heights
        kept = replace(kept, mass_height=height)
    return replace(solution, case=case, pantographs=pantographs, histories=kept)

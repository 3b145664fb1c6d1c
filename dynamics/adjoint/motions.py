"""The way to a steady state's derivatives: that of the march, or of the operator, by what found it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.cell import vertical_cell
from dynamics.adjoint.by_operator.motion import OperatorMotion
from dynamics.adjoint.figures import SteadyMotion, refusal_of_derivatives
from dynamics.results.solution import Solution
from dynamics.spec.case import CaseSpec

__all__ = ["FirstOrder", "Motion", "motion_of"]


class FirstOrder(Protocol):
    """A figure to first order in whatever line, pantograph and contact are made of."""

    @property
    def refusal(self) -> str | None:
        """Why there are no derivatives; None where there are."""
        ...

    def value(self, case: CaseSpec, equilibrium: Equilibrium) -> float:
        """Value for a case and a line near those that were solved; only differences mean something."""
        ...


class Motion(Protocol):
    """One period of a steady state, from which derivatives of its figures are formed."""

    def sigma(self) -> FirstOrder:
        """Standard deviation of the filtered contact force [N], to first order."""
        ...

    def uplift(self) -> FirstOrder:
        """Largest uplift at the supports [m], to first order."""
        ...

    def force_max(self) -> FirstOrder:
        """Smooth largest filtered contact force [N], to first order."""
        ...

    def force_min(self) -> FirstOrder:
        """Smooth smallest filtered contact force [N], to first order."""
        ...


def motion_of(solution: Solution, near: Sequence[Equilibrium] = ()) -> Motion | None:
    """Motion of a steady state that was found; None where none was, or its case has no exact derivatives.

    Lines ``near`` its own, whose figures are asked for, take less time where they are known from the start.
    """
    case, line = solution.case, solution.equilibrium
    marched = solution.operator_state is None
    if not solution.found_steady_state or refusal_of_derivatives(case, marched) is not None:
        return None
    if solution.operator_state is not None:
        forces = [(float(one.position[0]), one.contact_force) for one in solution.pantographs]
        return OperatorMotion(case, line, solution.operator_state, forces, near)
    assert solution.warm_start is not None
    return SteadyMotion(case, line, vertical_cell(line), solution.warm_start)

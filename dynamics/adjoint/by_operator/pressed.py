"""A figure where the applied force is given, and the mean force follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from catenary.form_finding.equilibrium import Equilibrium
from dynamics.adjoint.by_operator.lagrangian import OperatorLagrangian
from dynamics.pantograph.aerodynamic import lift_of
from dynamics.spec.case import CaseSpec

__all__ = ["PressedFigure"]


@dataclass(frozen=True)
class PressedFigure:
    """A figure to first order, by its own change under the same mean force and by that of the mean force.

    Attributes
    ----------
    figure : OperatorLagrangian
        Under a mean force that is held.
    applied : OperatorLagrangian
        Applied force [N] that goes with that mean force.
    refusal : str or None
        Why there are no derivatives: none.
    """

    figure: OperatorLagrangian
    applied: OperatorLagrangian
    refusal: str | None = None

    def value(self, case: CaseSpec, equilibrium: Equilibrium) -> float:
        """Value for a line found on the same mesh; only differences mean something. NaN where its poles get lost."""
        share = self.figure.by_mean / self.applied.by_mean
        given = case.pressed_N + lift_of(case).applied
        return self.figure.value(case, equilibrium) - share * (self.applied.value(case, equilibrium) - given)

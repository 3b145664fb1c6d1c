"""A figure where the applied forces are given, and the mean forces follow from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from catenary.form_finding.equilibrium import Equilibrium
from dynamics.adjoint.by_operator.lagrangian import OperatorLagrangian
from dynamics.pantograph.aerodynamic import lift_of
from dynamics.spec.case import CaseSpec

__all__ = ["PressedFigure"]


@dataclass(frozen=True)
class PressedFigure:
    """A figure to first order, by its own change under the same mean forces and by that of the mean forces.

    Attributes
    ----------
    figure : OperatorLagrangian
        Under mean forces that are held.
    applied : tuple of OperatorLagrangian
        Applied force [N] of every pantograph that goes with those mean forces.
    refusal : str or None
        Why there are no derivatives: none.
    """

    figure: OperatorLagrangian
    applied: tuple[OperatorLagrangian, ...]
    refusal: str | None = None

    def value(self, case: CaseSpec, equilibrium: Equilibrium) -> float:
        """Value for a line found on the same mesh; only differences mean something. NaN where its poles get lost."""
        shares = np.linalg.solve(np.array([one.by_mean for one in self.applied]).T, self.figure.by_mean)
        lift, total = lift_of(case).applied, self.figure.value(case, equilibrium)
        for share, one, given in zip(shares, self.applied, case.trailing.pressed(case.pressed_N), strict=True):
            total -= float(share) * (one.value(case, equilibrium) - given - lift)
        return total

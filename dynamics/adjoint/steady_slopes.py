"""Figures of a steady state, and static dropper forces, to first order in whatever its case is made of."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.form_finding.equilibrium import EquilibriumStatus
from catenary.form_finding.neighbours import neighbouring_equilibria
from dynamics.adjoint.figures import refusal_of_derivatives
from dynamics.adjoint.motions import motion_of
from dynamics.results.solution import Solution
from dynamics.spec.case import CaseSpec

__all__ = ["FigureSlopes", "SteadySlopes"]


class FigureSlopes(NamedTuple):
    """Derivatives per unit of what differs.

    Of sigma [N], of the largest uplift at the supports [m], of the smooth largest and smallest contact force [N]
    (`dynamics.adjoint.figures`) and of every dropper's static force (dropper,) [N].
    """

    sigma: float
    uplift: float
    force_max: float
    force_min: float
    static: NDArray[np.float64]

    def mean_with(self, other: FigureSlopes) -> FigureSlopes:
        """Mean of these and others, of steps to either side."""
        return FigureSlopes(
            0.5 * (self.sigma + other.sigma),
            0.5 * (self.uplift + other.uplift),
            0.5 * (self.force_max + other.force_max),
            0.5 * (self.force_min + other.force_min),
            0.5 * (self.static + other.static),
        )

    @property
    def known(self) -> bool:
        """Whether all of them are numbers."""
        return all(bool(np.isfinite(x).all()) for x in self)


class SteadySlopes:
    """Derivatives of a steady state that was found, towards cases next to its own.

    Parameters
    ----------
    solution : Solution

    Attributes
    ----------
    message : str
        Why there are none, where multipliers were not found; else it is empty.

    Raises
    ------
    InputError
        If the solution has not found a steady state, or its case lacks exact derivatives.
    """

    def __init__(self, solution: Solution) -> None:
        case, line = solution.case, solution.equilibrium
        refusal = refusal_of_derivatives(case) if solution.method == "difference" else None
        if refusal is not None:
            raise InputError([refusal])
        if not solution.found_steady_state:
            raise InputError([f"derivatives need a steady state that was found: {solution.message or case.solver}"])
        self.solution = solution
        motion = motion_of(solution)
        if motion is None:
            raise InputError([str(refusal_of_derivatives(case, solution.operator_state is None))])
        self._figures = motion.sigma(), motion.uplift(), motion.force_max(), motion.force_min()
        self._here = [figure.value(case, line) for figure in self._figures]
        self.message = "; ".join(dict.fromkeys(f.refusal for f in self._figures if f.refusal is not None))

    def towards(self, near: CaseSpec, step: float) -> FigureSlopes:
        """Derivatives by what differs by ``step``; NaN where the line next to this one does not hang."""
        line = self.solution.equilibrium
        if near.catenary != self.solution.case.catenary:
            (line,) = neighbouring_equilibria(line, [near.catenary], first_order=True)
            if line.status is not EquilibriumStatus.OK:
                none = np.full(line.dropper_force.shape, math.nan)
                return FigureSlopes(math.nan, math.nan, math.nan, math.nan, none)
        values = (figure.value(near, line) for figure in self._figures)
        found = ((value - here) / step for value, here in zip(values, self._here, strict=True))
        sigma, uplift, highest, lowest = found
        static = (line.dropper_force - self.solution.equilibrium.dropper_force) / step
        return FigureSlopes(sigma, uplift, highest, lowest, static)

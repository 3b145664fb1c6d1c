"""Sigma and uplift of a steady state to first order in whatever its case is made of."""

from __future__ import annotations

import math
from typing import NamedTuple

from catenary.errors import InputError
from catenary.form_finding.equilibrium import EquilibriumStatus, periodic_equilibrium
from catenary.linearised.cell import vertical_cell
from dynamics.adjoint.figures import SteadyMotion
from dynamics.results.solution import Solution
from dynamics.spec.case import CaseSpec

__all__ = ["FigureSlopes", "SteadySlopes"]


class FigureSlopes(NamedTuple):
    """Derivatives of sigma [N] and of the largest uplift at the supports [m], per unit of what differs."""

    sigma: float
    uplift: float


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
        case, line, found = solution.case, solution.equilibrium, solution.warm_start
        if found is None:
            raise InputError([f"derivatives need a steady state that was found: {solution.message or case.solver}"])
        self.solution, self._cell = solution, vertical_cell(line)
        motion = SteadyMotion(case, line, self._cell, found)
        self._figures = motion.sigma(), motion.uplift()
        self._here = [figure.value(case, line, self._cell) for figure in self._figures]
        self.message = "; ".join(dict.fromkeys(f.refusal for f in self._figures if f.refusal is not None))

    def towards(self, near: CaseSpec, step: float) -> FigureSlopes:
        """Derivatives by what differs by ``step``; NaN where the line next to this one does not hang."""
        line, cell = self.solution.equilibrium, self._cell
        if near.catenary != self.solution.case.catenary:
            line = periodic_equilibrium(near.catenary, like=line.mesh)
            if line.status is not EquilibriumStatus.OK:
                return FigureSlopes(math.nan, math.nan)
            cell = vertical_cell(line)
        values = (figure.value(near, line, cell) for figure in self._figures)
        return FigureSlopes(*((value - here) / step for value, here in zip(values, self._here, strict=True)))

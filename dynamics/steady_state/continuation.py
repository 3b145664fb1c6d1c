"""Steady states along one parameter: each search starts from the states before it and with what they learnt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.cell import VerticalCell
from dynamics.results.solution import Solution
from dynamics.results.warm_start import SecantBasis, WarmStart
from dynamics.spec.case import CaseSpec
from dynamics.steady_state.periodic import solve_periodic

__all__ = ["Strand"]

PAIRS = 40
# how many of its last steps a state is extrapolated over at most
FARTHEST = 2.0


class Strand:
    """Solves cases in the order of one parameter; what comes out depends on the cases alone.

    A state is extrapolated linearly in the parameter from the last two, and the last secant pairs correct it. A case
    that has no steady state is passed over: the next starts from the last that has one.
    """

    def __init__(self) -> None:
        self._states: list[tuple[float, NDArray[np.float64]]] = []
        self._pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        self._sizes: tuple[tuple[float, float], float] | None = None

    def solve(
        self, case: CaseSpec, place: tuple[float, ...], equilibrium: Equilibrium, cell: VerticalCell | None = None
    ) -> Solution:
        """Find the steady state of a case where the parameter has the one value in ``place``."""
        (at,) = place
        solution = solve_periodic(case, self._start(at), equilibrium, cell)
        found = solution.warm_start
        if found is not None:
            if self._states and found.state.shape != self._states[-1][1].shape:
                self._states, self._pairs = [], []  # the window is another one
            self._states = [*self._states[-1:], (at, found.state)]
            self._pairs = [*self._pairs, *found.pairs][-PAIRS:]
            self._sizes = found.scale, found.gain
        return solution

    def _start(self, at: float) -> WarmStart | None:
        if self._sizes is None:
            return None
        value, state = self._states[-1]
        if len(self._states) == 2:
            before, older = self._states[0]
            steps = (at - value) / (value - before) if value != before else 0.0
            if abs(steps) <= FARTHEST:
                state = state + steps * (state - older)
        basis = None
        if self._pairs:
            states, features = zip(*self._pairs, strict=True)
            basis = SecantBasis(np.array(states), np.array(features))
        return WarmStart(state, *self._sizes, basis)

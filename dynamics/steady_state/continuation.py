"""Continuation of steady states along one parameter: each search starts from the states before it and their secants."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.poles.known import KnownPoles
from dynamics.results.warm_start import SecantBasis, WarmStart

__all__ = ["Continuation"]

PAIRS = 40
# how many of its last steps a state is extrapolated over at most
FARTHEST = 2.0


class Continuation:
    """Starts for cases in the order of one parameter; what comes out depends on the cases alone.

    A state is extrapolated linearly in the parameter from the last two, and the last secant pairs correct it. A case
    that has no steady state is passed over: the next starts from the last that has one.
    """

    def __init__(self) -> None:
        self._states: list[tuple[float, NDArray[np.float64]]] = []
        self._pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        self._sizes: tuple[tuple[float, float], float] | None = None
        self._poles: KnownPoles | None = None

    def start(self, place: tuple[float, ...]) -> WarmStart | KnownPoles | None:
        """Start of the search where the parameter has the one value in ``place``; None to begin at rest."""
        if self._poles is not None or self._sizes is None:
            return self._poles
        (at,) = place
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

    def keep(self, place: tuple[float, ...], found: WarmStart | KnownPoles | None) -> None:
        """Take the steady state of a place and the secant pairs of its search."""
        if isinstance(found, KnownPoles):
            self._poles = found
        if found is None or isinstance(found, KnownPoles):
            return
        if self._states and found.state.shape != self._states[-1][1].shape:
            self._states, self._pairs = [], []  # the window is another one
        if self._pairs and found.pairs and found.pairs[0][1].shape != self._pairs[-1][1].shape:
            self._pairs = []  # the pantographs stand elsewhere, so that features are of other places
        self._states = [*self._states[-1:], (place[0], found.state)]
        self._pairs = [*self._pairs, *found.pairs][-PAIRS:]
        self._sizes = found.scale, found.gain

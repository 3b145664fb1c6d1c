"""Steady states at inputs that differ anyhow: each search starts from the nearest known state, with what was learnt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.poles.known import KnownPoles
from dynamics.results.warm_start import SecantBasis, WarmStart
from dynamics.steady_state.anderson import compress

__all__ = ["NearestStart"]

# states kept, and secant pairs that the basis is made of; raw pairs of unlike cases mislead, their strongest
# combinations do not
STATES, BASIS_SIZE, NEW_PAIRS, FIRST_PAIRS = 32, 48, 40, 8


class NearestStart:
    """Starts for cases whose inputs differ anyhow; what comes out depends on the cases and their order alone.

    The first pairs of a search tell most: they span the directions in which its start was wrong.
    """

    def __init__(self) -> None:
        self._places: list[NDArray[np.float64]] = []
        self._states: list[NDArray[np.float64]] = []
        self._basis: SecantBasis | None = None
        self._pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        self._features = 0
        self._sizes: tuple[tuple[float, float], float] | None = None
        self._poles: KnownPoles | None = None

    def start(self, place: tuple[float, ...]) -> WarmStart | KnownPoles | None:
        """Start of the search where inputs stand at a place of their ranges [-]; None to begin at rest."""
        if self._poles is not None or self._sizes is None:
            return self._poles
        here = np.array(place)
        distances = [float(np.abs(here - known).sum()) for known in self._places]
        return WarmStart(self._states[int(np.argmin(distances))], *self._sizes, self._basis)

    def keep(self, place: tuple[float, ...], found: WarmStart | KnownPoles | None) -> None:
        """Take the steady state of a place and the first secant pairs of its search."""
        if isinstance(found, KnownPoles):
            self._poles = found
        if found is None or isinstance(found, KnownPoles):
            return
        if self._states and found.state.shape != self._states[-1].shape:
            self._places, self._states, self._pairs, self._basis = [], [], [], None  # the window is another one
        features = found.pairs[0][1].size if found.pairs else self._features
        if features != self._features:  # the pantographs stand elsewhere: features are of other places
            self._pairs, self._basis, self._features = [], None, features
        self._places = [*self._places, np.array(place)][-STATES:]
        self._states = [*self._states, found.state][-STATES:]
        self._sizes = self._sizes or (found.scale, found.gain)
        self._learn(found.pairs[:FIRST_PAIRS])

    def _learn(self, pairs: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> None:
        """Put new pairs aside, and together with the basis into a new one when they are many."""
        self._pairs += pairs
        if len(self._pairs) < NEW_PAIRS:
            return
        states, features = (np.array(x) for x in zip(*self._pairs, strict=True))
        if self._basis is not None:
            states = np.vstack([self._basis.state, states])
            features = np.vstack([self._basis.feature, features])
        self._basis, self._pairs = compress(states, features, BASIS_SIZE), []

"""Anderson acceleration of a span-to-span map, with a basis learnt from neighbouring problems.

The map's residual is judged on a short vector of features. Secant pairs (change of the mapped state, change of the
features) span the directions in which the next state is corrected; pairs from neighbouring designs may come first,
since their maps have nearly the same derivative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynamics.results.warm_start import SecantBasis

__all__ = ["Acceleration", "compress"]

MEMORY = 25
TRUSTED = 1.0e-6


def compress(states: NDArray[np.float64], features: NDArray[np.float64], keep: int) -> SecantBasis:
    """Reduce many secant pairs to the ``keep`` strongest combinations of their features."""
    scale = np.linalg.norm(features, axis=1)
    use = scale > 0.0
    states, features = states[use] / scale[use, None], features[use] / scale[use, None]
    left, strength, right = np.linalg.svd(features, full_matrices=False)
    k = min(keep, int((strength > 1e-3 * strength[0]).sum()))
    return SecantBasis((left[:, :k].T @ states) / strength[:k, None], right[:k])


class Acceleration:
    """Proposes the next state of a fixed-point iteration x = g(x)."""

    def __init__(self, basis: SecantBasis | None, plain: int) -> None:
        self.basis, self.plain = basis, plain
        self.states: list[NDArray[np.float64]] = []
        self.features: list[NDArray[np.float64]] = []
        self.last: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        self.count = 0
        # features of all pairs, the basis first, brought to length 1; those lengths; and the products among them
        known = np.zeros((0, 0)) if basis is None else basis.feature
        self._sizes = np.linalg.norm(known, axis=1)
        self._units = known / self._sizes[:, None]
        self._gram = self._units @ self._units.T

    def propose(self, mapped: NDArray[np.float64], feature: NDArray[np.float64]) -> NDArray[np.float64]:
        """Next state, given g(x) and the features of g(x) - x; the first ``plain`` calls return g(x) itself."""
        if self.last is not None:
            self._remember(mapped - self.last[0], feature - self.last[1])
        self.last = mapped, feature
        self.count += 1
        if not len(self._units) or self.count <= self.plain:
            return mapped
        gram = self._gram + TRUSTED**2 * len(self._gram) * np.eye(len(self._gram))
        weight = np.linalg.solve(gram, self._units @ feature) / self._sizes
        first, out = 0, mapped
        if self.basis is not None:
            first = len(self.basis.state)
            out = mapped - weight[:first] @ self.basis.state
        for own, state in zip(weight[first:], self.states, strict=True):
            out = out - own * state
        return out

    def _remember(self, state: NDArray[np.float64], feature: NDArray[np.float64]) -> None:
        """Keep a secant pair, and what its features have in common with those of the others."""
        if len(self.states) == MEMORY:
            del self.states[0], self.features[0]
            oldest = len(self._units) - MEMORY
            self._sizes, self._units = np.delete(self._sizes, oldest), np.delete(self._units, oldest, axis=0)
            self._gram = np.delete(np.delete(self._gram, oldest, axis=0), oldest, axis=1)
        self.states.append(state)
        self.features.append(feature)
        size = float(np.linalg.norm(feature))
        unit = feature / size
        shared = self._units @ unit if len(self._units) else np.zeros(0)
        self._gram = np.block([[self._gram, shared[:, None]], [shared[None, :], np.ones((1, 1))]])
        self._sizes = np.append(self._sizes, size)
        self._units = np.vstack([self._units, unit]) if len(self._units) else unit[None, :]

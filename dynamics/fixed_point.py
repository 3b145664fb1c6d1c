"""Anderson acceleration of a span-to-span map, with a basis learnt from neighbouring problems.

The map's residual is judged on a short vector of features. Secant pairs (change of the mapped state, change of the
features) span the directions in which the next state is corrected; pairs from neighbouring designs may come first,
since their maps have nearly the same derivative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Acceleration", "SecantBasis", "compress"]

MEMORY = 25
TRUSTED = 1.0e-6


@dataclass(frozen=True)
class SecantBasis:
    """Secant pairs with orthonormal features: ``state`` (pair, state), ``feature`` (pair, feature)."""

    state: NDArray[np.float64]
    feature: NDArray[np.float64]


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

    def propose(self, mapped: NDArray[np.float64], feature: NDArray[np.float64]) -> NDArray[np.float64]:
        """Next state, given g(x) and the features of g(x) - x; the first ``plain`` calls return g(x) itself."""
        if self.last is not None:
            self.states.append(mapped - self.last[0])
            self.features.append(feature - self.last[1])
            if len(self.states) > MEMORY:
                del self.states[0], self.features[0]
        self.last = mapped, feature
        self.count += 1
        parts = [] if self.basis is None else [self.basis.feature]
        if self.features:
            own = np.array(self.features)
            parts.append(own)
        if not parts or self.count <= self.plain:
            return mapped
        A = np.vstack(parts)
        size = np.linalg.norm(A, axis=1)
        A = A / size[:, None]
        gram = A @ A.T
        gram[np.diag_indices_from(gram)] += TRUSTED**2 * len(gram)
        weight = np.linalg.solve(gram, A @ feature) / size
        first = 0 if self.basis is None else len(self.basis.state)
        out = mapped.copy()
        if self.basis is not None:
            out -= weight[:first] @ self.basis.state
        for k, state in enumerate(self.states):
            out -= weight[first + k] * state
        return out

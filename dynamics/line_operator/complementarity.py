"""Forces that squeeze slack samples, and tensions that are not negative: a linear complementarity.

Legend: tension = linear + squeeze A; t, d sample and dropper of each unknown, in the order of time; row b of A is the
tension everywhere by a unit squeeze of unknown b, contiguous because a sweep adds such rows.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dynamics.line_operator.kernel import OPTIONS

__all__ = ["assembled", "sweep"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]

SWEEPS = 80
ENOUGH = 1.0e-2  # N


@njit(**OPTIONS)
def assembled(kernels: Singles, by_contact: Singles, which: tuple[Ints, Ints], stiffness: Floats) -> Singles:
    """Tension by squeezes: their own, the line's answer, less what the contact's answer takes away."""
    t, d = which
    out, middle = np.empty((t.size, t.size), np.float32), kernels.shape[2] // 2
    for b in range(t.size):
        for a in range(t.size):
            out[b, a] = stiffness[a] * (kernels[d[b], d[a], middle + t[a] - t[b]] - by_contact[b, a])
        out[b, b] += 1.0
    return out


@njit(**OPTIONS)
def sweep(A: Singles, left_over: Floats, squeeze: Floats) -> bool:
    """Projected Gauss-Seidel in the order of time; ``left_over`` and ``squeeze`` are brought up to date.

    What droppers do depends on what they did before, so that some ten sweeps end it. False where they do not.
    """
    for _ in range(SWEEPS):
        largest = 0.0
        for a in range(squeeze.size):
            new = max(0.0, squeeze[a] - left_over[a] / A[a, a])
            change = new - squeeze[a]
            if change != 0.0:
                squeeze[a] = new
                largest = max(largest, abs(change))
                for b in range(squeeze.size):
                    left_over[b] += A[a, b] * change
        if largest < ENOUGH:
            return True
    return False

"""Forces that squeeze slack samples, and tensions that are not negative: a linear complementarity.

Legend: tension = linear + M squeeze; t, d sample and dropper of each unknown, in the order of time.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve

__all__ = ["active_set", "assembled", "sweep"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SWEEPS, NEWTONS = 60, 30
ENOUGH = 1.0e-3  # N


@njit(cache=True, error_model="numpy")
def assembled(kernels: Floats, by_contact: Floats, which: tuple[Ints, Ints], stiffness: Floats) -> Floats:
    """Tension by squeezes: their own, the line's answer, less what the contact's answer takes away."""
    t, d = which
    out, middle = np.empty((t.size, t.size)), kernels.shape[2] // 2
    for a in range(t.size):
        for b in range(t.size):
            out[a, b] = stiffness[a] * (kernels[d[a], d[b], middle + t[a] - t[b]] - by_contact[a, b])
        out[a, a] += 1.0
    return out


@njit(cache=True, error_model="numpy")
def sweep(M: Floats, left_over: Floats, squeeze: Floats) -> None:
    """Projected Gauss-Seidel in the order of time; ``left_over`` and ``squeeze`` are brought up to date."""
    for _ in range(SWEEPS):
        largest = 0.0
        for a in range(squeeze.size):
            new = max(0.0, squeeze[a] - left_over[a] / M[a, a])
            change = new - squeeze[a]
            if change != 0.0:
                squeeze[a] = new
                largest = max(largest, abs(change))
                for b in range(squeeze.size):
                    left_over[b] += M[b, a] * change
        if largest < ENOUGH:
            break


def active_set(M: Floats, linear: Floats, squeeze: Floats) -> Floats | None:
    """Newton on the set of slack samples; None where it does not settle."""
    active = squeeze > 0.0
    for _ in range(NEWTONS):
        s = np.zeros_like(squeeze)
        if active.any():
            s[active] = lu_solve(lu_factor(M[np.ix_(active, active)]), -linear[active])
        tension = linear + M @ s
        new = np.where(active, s > 0.0, tension < -ENOUGH)
        if (new == active).all():
            return s
        active = new
    return None

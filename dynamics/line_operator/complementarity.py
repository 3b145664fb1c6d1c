"""Forces that squeeze slack samples, and tensions that are not negative: a linear complementarity, matrix-free.

A unit squeeze of dropper e moves the tension of dropper d by k_d K_ed(t - t'), a row of a table that is contiguous in
time, and by what the contact answers, which needs no more numbers than the force has harmonics.

Legend: t, d sample and dropper of each unknown, in the order of time; C stretches by harmonics of the force, P the
harmonics that a squeeze takes away; real and imaginary parts side by side.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dynamics.line_operator.kernel import OPTIONS

__all__ = ["BLOCK", "ENOUGH", "sweep"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]

BLOCK = 8  # samples of one dropper whose changes are passed on together
SWEEPS = 40
ENOUGH = 1.0e-2  # N: a sweep that changes no squeeze by more ends the search
RUNAWAY = 1.0e5  # N: no sweep that settles changes a squeeze by as much
STILL = 0.1  # times that: a change as small is left for the next sweep


@njit(**OPTIONS)
def _product(x: Singles, y: Singles) -> float:
    """Scalar product, in sums side by side that a processor forms at once."""
    total = np.float32(0.0)
    for j in range(x.size):
        total += x[j] * y[j]
    return total


@njit(**OPTIONS)
def _pass_on(tension: Singles, row: Singles, c: Singles, ends: tuple[int, int]) -> None:
    """Add to a dropper's tension what eight changes in a row bring: its own line of the table, shifted and summed."""
    c0, c1, c2, c3, c4, c5, c6, c7 = c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
    for b in range(ends[0], ends[1]):
        tension[b] += (
            (c0 * row[b + 7] + c1 * row[b + 6]) + (c2 * row[b + 5] + c3 * row[b + 4])
            + (c4 * row[b + 3] + c5 * row[b + 2]) + (c6 * row[b + 1] + c7 * row[b])
        )  # fmt: skip


@njit(**OPTIONS)
def sweep(
    kernels: Singles,
    contact: tuple[Singles, Singles],
    which: tuple[Ints, Ints],
    ends: tuple[Ints, Ints],
    stiffness: Singles,
    tension: Singles,
    squeeze: Floats,
    enough: float,
) -> tuple[bool, bool]:
    """Projected Gauss-Seidel in the order of time, which brings tension (dropper, sample) and squeeze up to date.

    What droppers do depends on what they did before, so that some ten sweeps end it. Returns whether they did, and
    whether the squeezes ran away.

    Parameters
    ----------
    kernels : float array (dropper e, dropper d, BLOCK + lag)
        Stretch of d by a unit squeeze of e [m/N], BLOCK zeros before.
    contact : tuple of float arrays (unknown, harmonic)
        C and P.
    which : tuple of int arrays (unknown,)
        t and d, block by block, in each dropper by dropper.
    ends : tuple of int arrays (dropper,)
        First sample of a dropper's tension that is looked at, and the one behind the last.
    stiffness : float array (dropper,)
        [N/m].
    tension : float array (dropper, sample)
        [N]; at samples that are not unknowns it is not kept up.
    squeeze : float array (unknown,)
        [N].
    enough : float
        Largest change of the last sweep [N].
    """
    (C, P), (t, d), (first, end) = contact, which, ends
    middle, count = (kernels.shape[2] + BLOCK - 1) // 2, squeeze.size
    taken, changes = np.zeros(C.shape[1], np.float32), np.zeros(BLOCK, np.float32)
    own = np.empty(count, np.float32)
    for a in range(count):
        own[a] = 1.0 + stiffness[d[a]] * (kernels[d[a], d[a], middle] - _product(C[a], P[a]))
    settled, still = False, STILL * enough
    for _ in range(SWEEPS):
        largest, a = 0.0, 0
        while a < count:
            one, block, start = d[a], t[a] // BLOCK, a
            begin, k, moved = BLOCK * block, stiffness[one], False
            changes[:] = 0.0
            while a < count and d[a] == one and t[a] // BLOCK == block:
                now = tension[one, t[a]] - k * _product(C[a], taken)
                change = np.float32(max(0.0, squeeze[a] - now / own[a]) - squeeze[a])
                if not abs(change) < RUNAWAY:
                    return False, True
                if abs(change) >= still:
                    largest, moved = max(largest, abs(change)), True
                    squeeze[a] += change
                    changes[t[a] - begin] = change
                    for j in range(taken.size):
                        taken[j] += change * P[a, j]
                    for b in range(start, a):
                        tension[one, t[b]] += k * change * kernels[one, one, middle + t[b] - t[a]]
                    tension[one, t[a]] += change * (1.0 + k * kernels[one, one, middle])
                    later = a + 1
                    while later < count and d[later] == one and t[later] // BLOCK == block:
                        tension[one, t[later]] += k * change * kernels[one, one, middle + t[later] - t[a]]
                        later += 1
                a += 1
            if not moved:
                continue
            kept = tension[one, begin : begin + BLOCK].copy()
            for e in range(stiffness.size):
                _pass_on(
                    tension[e],
                    kernels[one, e, middle - begin - BLOCK + 1 :],
                    changes * stiffness[e],
                    (first[e], end[e]),
                )
            tension[one, begin : begin + BLOCK] = kept
        if largest < enough:
            settled = True
            break
    for a in range(count):
        if squeeze[a] < still:
            squeeze[a] = 0.0
        tension[d[a], t[a]] -= stiffness[d[a]] * _product(C[a], taken)
    return settled, False

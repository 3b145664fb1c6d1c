"""Loads that stand for what single spans have other than the window's cell.

With the cell's A, M and K and a span's own A + dA and so on, the march's step (see `dynamics.travelling_window.kernel`)

    (A + dA) w = f + (a + da) - (s + ds),    da = (2/dt) dM v,   ds = dK u,

is that of equal cells under one more load, -(dA w - da + ds), for which w is predicted from the last two steps. What a
dropper that is gone or cut otherwise changes is below a tenth of the diagonal of A, so that this is stable, and of
second order in the step as the march is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.linear_algebra.vector_rows import Rows

__all__ = ["NOTHING", "Terms", "Unlike", "put_loads", "take_loads", "unlike_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Terms = tuple[Ints, Ints, Floats]
"""Where the terms of each row start, their places and values."""


class Unlike(NamedTuple):
    """What differs, as rows of terms, and what is remembered of the places that they read.

    Places that are read: dof and column (place,), mean velocities of the last step and of the one before, velocity at
    the end of the last step [m/s], and what masses and stiffnesses are multiplied by in this step (place,). Rows that
    are loaded: dof and column (row,), and the load of this step [N]. Terms of mass [kg] and stiffness [N/m]: where
    those of each row start, places, values. Factors are gamma, kappa and 2/dt.
    """

    dof: Ints
    column: Ints
    rate: Floats
    before: Floats
    velocity: Floats
    hurried: Floats
    moved: Floats
    row: Ints
    at: Ints
    load: Floats
    mass: Terms
    stiffness: Terms
    factors: tuple[float, float, float]


_NO_TERMS = np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0)
_NO_PLACES = np.zeros(0, np.int64)


def unlike_of(
    read: tuple[Ints, Ints], loaded: tuple[Ints, Ints], terms: tuple[Terms, Terms], factors: tuple[float, float, float]
) -> Unlike:
    """Loads of places that are read, rows that are loaded, and terms of mass and stiffness; at rest so far."""
    places, rows = len(read[0]), len(loaded[0])
    kept = [np.zeros(places) for _ in range(5)]
    return Unlike(*read, kept[0], kept[1], kept[2], kept[3], kept[4], *loaded, np.zeros(rows), *terms, factors)


NOTHING = unlike_of((_NO_PLACES, _NO_PLACES), (_NO_PLACES, _NO_PLACES), (_NO_TERMS, _NO_TERMS), (0.0, 0.0, 0.0))


@kernel(error_model="numpy", fastmath={"contract", "reassoc"})
def _row_of(terms, r, felt):
    """Product of one row."""
    start, place, value = terms
    total = 0.0
    for k in range(start[r], start[r + 1]):
        total += value[k] * felt[place[k]]
    return total


@kernel(error_model="numpy")
def put_loads(s: Rows, u: Rows, unlike: Unlike) -> None:
    """Find the loads of a step and carry them inside s while it is computed."""
    gamma, kappa, scale = unlike.factors
    dof, column, rate, before, velocity = unlike.dof, unlike.column, unlike.rate, unlike.before, unlike.velocity
    for q in range(dof.size):
        predicted = 2.0 * rate[q] - before[q]
        unlike.hurried[q] = gamma * predicted - scale * velocity[q]
        unlike.moved[q] = kappa * predicted + u[dof[q], column[q]]
    for r in range(unlike.row.size):
        unlike.load[r] = _row_of(unlike.mass, r, unlike.hurried) + _row_of(unlike.stiffness, r, unlike.moved)
        s[unlike.row[r], unlike.at[r]] += unlike.load[r]


@kernel(error_model="numpy")
def take_loads(s: Rows, w: Rows, unlike: Unlike) -> None:
    """Take the loads of a step that is done out of s, and remember its velocities."""
    for r in range(unlike.row.size):
        s[unlike.row[r], unlike.at[r]] -= unlike.load[r]
    for q in range(unlike.dof.size):
        unlike.before[q] = unlike.rate[q]
        unlike.rate[q] = w[unlike.dof[q], unlike.column[q]]
        unlike.velocity[q] = 2.0 * unlike.rate[q] - unlike.velocity[q]

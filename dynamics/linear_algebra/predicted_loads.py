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
from dynamics.linear_algebra.row_widths import LANES, row_lanes, widths_apart
from dynamics.linear_algebra.vector_rows import Rows, row_combine

__all__ = ["NOTHING", "Recurring", "Terms", "Unlike", "put_loads", "take_loads", "unlike_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Terms = tuple[Ints, Ints, Rows]
"""Where the terms of each row start, a multiple of `vector_rows.TERMS` apart; places and values."""


class Recurring(NamedTuple):
    """Dofs that stand in several columns, at equal distances: dof, first column and number of columns (place,)."""

    dof: Ints
    first: Ints
    columns: Ints


class Unlike(NamedTuple):
    """What differs, as rows of terms, and what is remembered of the places that they read.

    Arrays (place, column) have one number for each column of a place, ``stride`` columns of the window apart, and are
    filled up to ``lanes`` chunks. ``read``: places that are read, with mean velocities of the last step and of the one
    before, and velocity at the end of the last step [m/s] (place, column). ``felt``: what masses, then what stiffnesses
    are multiplied by in this step (2 places, column). ``loaded``: places that are loaded, with the ``load`` of this
    step [N]. ``terms``: of mass [kg], then of stiffness [N/m], row by row of what is loaded. Factors are gamma, kappa
    and 2/dt.
    """

    read: Recurring
    rate: Floats
    before: Floats
    velocity: Floats
    felt: Floats
    loaded: Recurring
    load: Floats
    terms: Terms
    stride: int
    lanes: int
    factors: tuple[float, float, float]


def unlike_of(
    read: Recurring, loaded: Recurring, terms: Terms, stride: int, factors: tuple[float, float, float]
) -> Unlike:
    """Loads of places that are read, places that are loaded, and terms from one to the other; at rest so far."""
    places, rows, lane = len(read.dof), len(loaded.dof), LANES["float64"]
    width = lane * max(1, -(-int(read.columns.max(initial=1)) // lane))
    rate, before, velocity = (np.zeros((places, width)) for _ in range(3))
    felt, load, lanes = np.zeros((2 * places, width)), np.zeros((rows, width)), row_lanes(width, "float64")
    return Unlike(read, rate, before, velocity, felt, loaded, load, terms, stride, lanes, factors)


_NONE = np.zeros(0, np.int64)
_NO_PLACES, _NO_TERMS = Recurring(_NONE, _NONE, _NONE), (np.zeros(1, np.int64), _NONE, np.zeros(0))
NOTHING = unlike_of(_NO_PLACES, _NO_PLACES, _NO_TERMS, 1, (0.0, 0.0, 0.0))


@widths_apart(error_model="numpy")
def _products(lanes, load, felt, terms):
    """Loads of all rows."""
    start, place, value = terms
    for r in range(load.shape[0]):
        row_combine(lanes, load, r, 0.0, felt, (place, value, start[r], start[r + 1]))


@kernel(error_model="numpy")
def _add(s, places, load, stride, sign):
    """Add loads, times ``sign``, to their rows and columns of s."""
    dof, first, columns = places
    for r in range(dof.size):
        for k in range(columns[r]):
            s[dof[r], first[r] + stride * k] += sign * load[r, k]


@kernel(error_model="numpy")
def put_loads(s: Rows, u: Rows, unlike: Unlike) -> None:
    """Find the loads of a step and carry them inside s while it is computed."""
    gamma, kappa, scale = unlike.factors
    (dof, first, columns), stride = unlike.read, unlike.stride
    rate, before, velocity = unlike.rate.ravel(), unlike.before.ravel(), unlike.velocity.ravel()
    felt = unlike.felt.ravel()
    hurried, moved = felt[: rate.size], felt[rate.size :]
    for j in range(rate.size):
        predicted = 2.0 * rate[j] - before[j]
        hurried[j] = gamma * predicted - scale * velocity[j]
        moved[j] = kappa * predicted
    for q in range(dof.size):
        for k in range(columns[q]):
            unlike.felt[dof.size + q, k] += u[dof[q], first[q] + stride * k]
    _products(unlike.lanes, unlike.load, unlike.felt, unlike.terms)
    _add(s, unlike.loaded, unlike.load, stride, 1.0)


@kernel(error_model="numpy")
def take_loads(s: Rows, w: Rows, unlike: Unlike) -> None:
    """Take the loads of a step that is done out of s, and remember its velocities."""
    (dof, first, columns), stride = unlike.read, unlike.stride
    _add(s, unlike.loaded, unlike.load, stride, -1.0)
    rate, before, velocity = unlike.rate.ravel(), unlike.before.ravel(), unlike.velocity.ravel()
    before[:] = rate
    for q in range(dof.size):
        for k in range(columns[q]):
            unlike.rate[q, k] = w[dof[q], first[q] + stride * k]
    for j in range(rate.size):
        velocity[j] = 2.0 * rate[j] - velocity[j]

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
from dynamics.linear_algebra.vector_rows import TERMS, Rows, row_combine

__all__ = ["NOTHING", "Places", "Terms", "Unlike", "put_loads", "take_loads", "unlike_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Places(NamedTuple):
    """Dofs of a period, each in every column where the window has it.

    Dof, first column and how many columns (place,).
    """

    dof: Ints
    first: Ints
    columns: Ints


class Terms(NamedTuple):
    """Terms of a matrix by rows: number of the row, of the place, mass [kg] and stiffness [N/m]."""

    row: Ints
    place: Ints
    mass: Floats
    stiffness: Floats


class Unlike(NamedTuple):
    """What differs, as rows of terms, and what is remembered of the places that they read.

    Places stand in rows, one number for each of their columns; ``stride`` columns lie from one to the next, and rows
    are filled up to ``lanes`` chunks. ``read`` are places that are read: mean velocities of the last step and of the
    one before, velocity at the end of the last step [m/s]. ``felt``: what masses, then what stiffnesses are multiplied
    by in this step (2 places, column). ``loaded`` are places that are loaded, ``load`` their loads of this step [N].
    ``start``, ``source`` and ``value``: where the terms of each begin, rows of ``felt`` and values. Factors are gamma,
    kappa and 2/dt.
    """

    read: Places
    rate: Floats
    before: Floats
    velocity: Floats
    felt: Floats
    loaded: Places
    load: Floats
    start: Ints
    source: Ints
    value: Floats
    stride: int
    lanes: int
    factors: tuple[float, float, float]


def unlike_of(read: Places, loaded: Places, terms: Terms, stride: int, factors: tuple[float, float, float]) -> Unlike:
    """Loads of places that are read, places that are loaded, and terms from one to the other; at rest so far."""
    places, rows, lane = len(read.dof), len(loaded.dof), LANES["float64"]
    width = lane * max(1, -(-int(read.columns.max(initial=1)) // lane))
    row, index = np.tile(terms.row, 2), np.concatenate([terms.place, places + terms.place])
    value = np.concatenate([terms.mass, terms.stiffness])
    kept = np.flatnonzero(value)
    kept = kept[np.argsort(row[kept], kind="stable")]
    count = np.bincount(row[kept], minlength=rows)
    start = np.concatenate([[0], np.cumsum(-(-count // TERMS) * TERMS)]).astype(np.int64)
    at = np.arange(len(kept)) + np.repeat(start[:-1] - np.cumsum(count) + count, count)
    indices, values = np.zeros(start[-1], np.int64), np.zeros(start[-1])
    indices[at], values[at] = index[kept], value[kept]
    memory = [np.zeros((places, width)) for _ in range(3)]
    felt, load = np.zeros((2 * places, width)), np.zeros((rows, width))
    counts = stride, row_lanes(width, "float64")
    return Unlike(read, memory[0], memory[1], memory[2], felt, loaded, load, start, indices, values, *counts, factors)


_NO_PLACES = Places(*(np.zeros(0, np.int64) for _ in range(3)))
_NO_TERMS = Terms(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
NOTHING = unlike_of(_NO_PLACES, _NO_PLACES, _NO_TERMS, 1, (0.0, 0.0, 0.0))


@widths_apart(error_model="numpy")
def _products(lanes, load, felt, start, index, value):
    """Loads of all rows."""
    for r in range(load.shape[0]):
        row_combine(lanes, load, r, 0.0, felt, (index, value, start[r], start[r + 1]))


@kernel(error_model="numpy")
def _add(s, places, load, stride, sign):
    """Add loads, times ``sign``, to their rows and columns of s."""
    dof, first, count = places
    for r in range(dof.size):
        for k in range(count[r]):
            s[dof[r], first[r] + stride * k] += sign * load[r, k]


@kernel(error_model="numpy")
def put_loads(s: Rows, u: Rows, unlike: Unlike) -> None:
    """Find the loads of a step and carry them inside s while it is computed."""
    gamma, kappa, scale = unlike.factors
    (dof, first, count), stride = unlike.read, unlike.stride
    rate, before, velocity, felt = (
        unlike.rate.ravel(),
        unlike.before.ravel(),
        unlike.velocity.ravel(),
        unlike.felt.ravel(),
    )
    hurried, moved = felt[: rate.size], felt[rate.size :]
    for j in range(rate.size):
        predicted = 2.0 * rate[j] - before[j]
        hurried[j] = gamma * predicted - scale * velocity[j]
        moved[j] = kappa * predicted
    for q in range(dof.size):
        for k in range(count[q]):
            unlike.felt[dof.size + q, k] += u[dof[q], first[q] + stride * k]
    _products(unlike.lanes, unlike.load, unlike.felt, unlike.start, unlike.source, unlike.value)
    _add(s, unlike.loaded, unlike.load, stride, 1.0)


@kernel(error_model="numpy")
def take_loads(s: Rows, w: Rows, unlike: Unlike) -> None:
    """Take the loads of a step that is done out of s, and remember its velocities."""
    (dof, first, count), stride = unlike.read, unlike.stride
    _add(s, unlike.loaded, unlike.load, stride, -1.0)
    rate, before, velocity = unlike.rate.ravel(), unlike.before.ravel(), unlike.velocity.ravel()
    before[:] = rate
    for q in range(dof.size):
        for k in range(count[q]):
            unlike.rate[q, k] = w[dof[q], first[q] + stride * k]
    for j in range(rate.size):
        velocity[j] = 2.0 * rate[j] - velocity[j]

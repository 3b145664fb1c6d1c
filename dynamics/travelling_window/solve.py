"""Compiled linear algebra of a window of identical spans: solve for mean velocities, advance the state.

Symbols as in `dynamics.travelling_window.kernel`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dynamics.linear_algebra.vector_rows import Lanes, Rows, row_advance, row_combine, row_rhs, row_sum
from dynamics.travelling_window.layout import Factor, Product, Scalars

__all__ = ["OPTIONS", "advance", "settle_spans", "share_interface", "solve_spans"]

OPTIONS: Any = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz", "arcp"}}


@njit(**OPTIONS)
def solve_spans(lanes: Lanes, w: Rows, a: Rows, s: Rows, factor: Factor) -> None:
    """Mean velocities of all spans from the right-hand side a - s."""
    ni, n, near, left, right, S_inv, coupling, forward, dinv, backward = factor
    S = w.shape[1] - 1
    none, zero = forward[1], forward[2]
    for j in near:
        row_rhs(lanes, w, j, (a, s), (none, zero, 0, 0))
    for i in range(ni):
        row_rhs(lanes, w, i, (a, s), (none, zero, 0, 0))
        row_sum(lanes, w, i, (left[1], left[2], left[0][i], left[0][i + 1]))
        row_combine(lanes, w, n + i, 0.0, w, (none, zero, 0, 0))
        row_sum(lanes, w, n + i, (right[1], right[2], right[0][i], right[0][i + 1]))
        for c in range(S):
            w[i, c + 1] += w[n + i, c]
    _supports(lanes, w, S_inv, coupling, n, ni)
    share_interface(w, n, ni)
    for i in range(ni, n):
        row_rhs(lanes, w, i, (a, s), (forward[1], forward[2], forward[0][i], forward[0][i + 1]))
    for i in range(n - 1, ni - 1, -1):
        row_combine(lanes, w, i, dinv[i], w, (backward[1], backward[2], backward[0][i], backward[0][i + 1]))


@njit(**OPTIONS)
def _supports(lanes, w, S_inv, coupling, n, ni):
    """Solve the supports: each by itself, then once more with what its neighbours' first answer does to it.

    The rows that hold the interface without the window's last are free to work in until it is shared.
    """
    copied, solved, again, touched, ends = S_inv
    S, at = w.shape[1] - 1, n + ni
    rows, cols, values = coupling
    for i in range(ni):
        row_combine(lanes, w, at + i, 0.0, w, (copied[1], copied[2], copied[0][i], copied[0][i + 1]))
    for i in range(ni):
        row_combine(lanes, w, i, 0.0, w, (solved[1], solved[2], solved[0][i], solved[0][i + 1]))
        left = right = 0.0
        for j in range(ni):
            left += ends[0, i, j] * w[at + j, 0]
            right += ends[1, i, j] * w[at + j, S]
        w[i, 0], w[i, S] = left, right
    for j in touched:
        for c in range(S + 1):
            w[at + j, c] = 0.0
    for k in range(rows.size):
        i, j, t = rows[k], cols[k], values[k]
        for c in range(S):
            w[at + i, c] += t * w[j, c + 1]
            w[at + j, c + 1] += t * w[i, c]
    for i in range(ni):
        left, right = w[i, 0], w[i, S]
        for j in touched:
            left -= ends[0, i, j] * w[at + j, 0]
            right -= ends[1, i, j] * w[at + j, S]
        row_combine(lanes, w, i, 1.0, w, (again[1], again[2], again[0][i], again[0][i + 1]))
        w[i, 0], w[i, S] = left, right


@njit(**OPTIONS)
def share_interface(w: Rows, n: int, ni: int) -> None:
    """Copy the interface rows to where the interiors on both sides read them."""
    S = w.shape[1] - 1
    for i in range(ni):
        for c in range(S):
            w[n + i, c] = w[i, c + 1]
            w[n + ni + i, c] = w[i, c]
        w[n + i, S] = 0.0
        w[n + ni + i, S] = 0.0


@njit(**OPTIONS)
def _from_beyond(w, operator, n, ni):
    """Gather in the last rows of w what the span before does to an interface, and what is not there at the ends."""
    beyond, end_left, end_right = operator[2], operator[3], operator[4]
    S, at = w.shape[1] - 1, n + 2 * ni
    for i in range(ni):
        for c in range(S + 1):
            w[at + i, c] = 0.0
        for j in range(ni):
            w[at + i, 0] -= end_left[i, j] * w[j, 0]
            w[at + i, S] -= end_right[i, j] * w[j, S]
    for k in range(beyond[0].size):
        i, j, value = beyond[0][k], beyond[1][k], beyond[2][k]
        for c in range(S):
            w[at + i, c + 1] += value * w[j, c]


@njit(**OPTIONS)
def advance(
    lanes: Lanes, arrays: tuple[Rows, Rows, Rows, Rows], mass: Product, scalars: Scalars, n: int, ni: int
) -> None:
    """Update all rows of ``arrays`` (u, a, s, w); ``scalars`` are dt, gamma, kappa, the sponge and its row by dof."""
    u, a, s, w = arrays
    rows, order = mass[0], mass[1]
    dt, gam, kap, sponge, kind = scalars
    _from_beyond(w, mass, n, ni)
    factors = (dt, gam, dt / kap, 4.0 / dt)
    for i in order:
        entries = (rows[1], rows[2], rows[0][i], rows[0][i + 1])
        row_advance(lanes, i, kind[i], (u, a, s, w, sponge), factors, entries)


@njit(**OPTIONS)
def settle_spans(
    lanes: Lanes, u: Rows, s: Rows, w: Rows, stiffness: Product, bays: tuple[NDArray[np.int64], NDArray[np.float64]]
) -> None:
    """Make the bays' tensions and the elastic forces s = K u those that go with displacements u; w is worked in.

    ``bays`` are the tensions' dofs and diagonal entries.
    """
    rows = stiffness[0]
    n, ni = u.shape[0], stiffness[3].shape[0]
    w[:n] = u
    for b in bays[0]:
        w[b] = 0.0
    share_interface(w, n, ni)
    for k in range(bays[0].size):
        b = bays[0][k]
        row_combine(lanes, s, b, 0.0, w, (rows[1], rows[2], rows[0][b], rows[0][b + 1]))
        u[b] = s[b] / -bays[1][k]
    for b in bays[0]:
        w[b] = u[b]
    _from_beyond(w, stiffness, n, ni)
    for i in range(n):
        row_combine(lanes, s, i, 0.0, w, (rows[1], rows[2], rows[0][i], rows[0][i + 1]))
    for b in bays[0]:
        s[b] = 0.0

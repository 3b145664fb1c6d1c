"""Compiled linear algebra of a window of identical spans: solve for mean velocities, advance the state.

Symbols as in `dynamics.window_kernel`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dynamics.simd import row_advance, row_combine, row_rhs

__all__ = ["OPTIONS", "advance", "share_interface", "solve_spans"]

OPTIONS: Any = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz", "arcp"}}


@njit(**OPTIONS)
def solve_spans(lanes: Any, w: Any, a: Any, s: Any, factor: Any) -> None:
    """Mean velocities of all spans from the right-hand side a - s."""
    ni, n, near, left, right, S_inv, coupling, forward, dinv, backward = factor
    S = w.shape[1] - 1
    none, zero = forward[1], forward[2]
    for j in near:
        row_rhs(lanes, w, j, (a, s), (none, zero, 0, 0))
    for i in range(ni):
        row_rhs(lanes, w, i, (a, s), (left[1], left[2], left[0][i], left[0][i + 1]))
        row_combine(lanes, w, n + i, 0.0, (right[1], right[2], right[0][i], right[0][i + 1]))
        for c in range(S):
            w[i, c + 1] += w[n + i, c]
    _supports(w, S_inv, coupling, n, ni)
    share_interface(w, n, ni)
    for i in range(ni, n):
        row_rhs(lanes, w, i, (a, s), (forward[1], forward[2], forward[0][i], forward[0][i + 1]))
    for i in range(n - 1, ni - 1, -1):
        row_combine(lanes, w, i, dinv[i], (backward[1], backward[2], backward[0][i], backward[0][i + 1]))


@njit(**OPTIONS)
def _supports(w, S_inv, coupling, n, ni):
    """Solve the supports: each by itself, then once more with what its neighbours' first answer does to it."""
    S = w.shape[1] - 1
    rows, cols, values = coupling
    part, push = np.empty(ni), np.zeros((ni, S + 1))
    touched = np.zeros(ni, np.bool_)
    for c in range(S + 1):
        which = 0 if c == 0 else (2 if c == S else 1)
        for i in range(ni):
            part[i] = w[i, c]
        for i in range(ni):
            total = 0.0
            for j in range(ni):
                total += S_inv[which, i, j] * part[j]
            w[i, c] = total
    for k in range(rows.size):
        i, j, t = rows[k], cols[k], values[k]
        touched[i] = touched[j] = True
        for c in range(S):
            push[i, c] += t * w[j, c + 1]
            push[j, c + 1] += t * w[i, c]
    for j in range(ni):
        if touched[j]:
            for i in range(ni):
                w[i, 0] -= S_inv[0, i, j] * push[j, 0]
                w[i, S] -= S_inv[2, i, j] * push[j, S]
                t = S_inv[1, i, j]
                for c in range(1, S):
                    w[i, c] -= t * push[j, c]


@njit(**OPTIONS)
def share_interface(w: Any, n: int, ni: int) -> None:
    """Copy the interface rows to where the interiors on both sides read them."""
    S = w.shape[1] - 1
    for i in range(ni):
        for c in range(S):
            w[n + i, c] = w[i, c + 1]
            w[n + ni + i, c] = w[i, c]
        w[n + i, S] = 0.0
        w[n + ni + i, S] = 0.0


@njit(**OPTIONS)
def advance(lanes: Any, arrays: Any, mass: Any, scalars: Any, n: int, ni: int) -> None:
    """Update all rows of ``arrays`` (u, a, s, w, extra, sponge).

    The products that the row lists do not hold are gathered in ``extra`` first.
    """
    w, extra = arrays[3], arrays[4]
    M_rows, M_next, M_end_left, M_end_right = mass
    dt, gam, kap = scalars
    S = w.shape[1] - 1
    for i in range(ni):
        for c in range(S + 1):
            extra[i, c] = 0.0
        for k in range(M_next[0][i], M_next[0][i + 1]):
            j, value = M_next[1][k], M_next[2][k]
            for c in range(S):
                extra[i, c + 1] += value * w[j, c]
        for j in range(ni):
            extra[i, 0] -= M_end_left[i, j] * w[j, 0]
            extra[i, S] -= M_end_right[i, j] * w[j, S]
    factors = (dt, gam, dt / kap, 4.0 / dt)
    for i in range(n):
        row_advance(lanes, i, arrays, factors, (M_rows[1], M_rows[2], M_rows[0][i], M_rows[0][i + 1]))

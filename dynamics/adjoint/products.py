"""Compiled products of motion and multipliers over a period: what each entry of an operator does to the figure.

Rows are (dof, step, column); the march's and the multipliers' columns are those of the same spans, the last one of
which has its interface alone.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dynamics.linear_algebra.vector_rows import Rows
from dynamics.travelling_window.layout import Bays, Floats, Ints, Places

__all__ = ["accelerations", "half_steps", "means", "pair_products", "settle_tensions"]

FAST = {"cache": True, "error_model": "numpy", "fastmath": True}


@njit(**FAST)
def accelerations(w: Rows, start: Floats, sponge: tuple[Rows, Ints], dt: float, out: Rows) -> None:
    """Mean accelerations of every step from its mean velocities and the velocities at the period's start."""
    kept, kind = sponge
    dofs, steps, width = w.shape
    v = np.empty(width)
    for i in range(dofs):
        v[:] = start[i]
        for k in range(steps):
            for c in range(width):
                out[i, k, c] = 2.0 / dt * (w[i, k, c] - v[c])
                v[c] = (2.0 * w[i, k, c] - v[c]) * kept[kind[i], c]


@njit(**FAST)
def means(w: Rows, start: Floats, dt: float, out: Rows) -> None:
    """Mean displacements of every step."""
    dofs, steps, width = w.shape
    u = np.empty(width)
    for i in range(dofs):
        u[:] = start[i]
        for k in range(steps):
            for c in range(width):
                out[i, k, c] = u[c] + 0.5 * dt * w[i, k, c]
                u[c] += dt * w[i, k, c]


@njit(**FAST)
def half_steps(mean: Rows, start: Floats, sponge: tuple[Rows, Ints], out: Rows) -> None:
    """Multipliers of every step from their means at the steps' ends, and from those beyond the period."""
    kept, kind = sponge
    dofs, steps, width = mean.shape
    m = np.empty(width)
    for i in range(dofs):
        m[:] = start[i]
        for k in range(steps - 1, -1, -1):
            for c in range(width):
                m[c] = (2.0 * mean[i, k, c] - m[c]) * kept[kind[i], c]
                out[i, k, c] = m[c]


@njit(**FAST)
def pair_products(rows: Ints, columns: Ints, first: Rows, second: Rows, onward: tuple[int, int]) -> Floats:
    """Sums over steps and spans of ``first[i] second[j]`` for pairs of dofs, each in the next span where so said."""
    p, q = onward
    steps, width = first.shape[1], first.shape[2] - 1
    out = np.zeros(rows.size)
    for x in range(rows.size):
        i, j = rows[x], columns[x]
        total = 0.0
        for k in range(steps):
            part = first[i, k, p] * second[j, k, q]
            for c in range(1, width):
                part += first[i, k, c + p] * second[j, k, c + q]
            total += part
        out[x] = total
    return out


@njit(**FAST)
def settle_tensions(rows: Rows, bays: Bays, own: Places, onward: Places) -> None:
    """Make the rows of the bays' tensions those that go with the other rows, which the march does not keep."""
    steps, width = rows.shape[1], rows.shape[2] - 1
    for b in bays.dof:
        rows[b] = 0.0
    for at, (row, column, value) in enumerate((own, onward)):
        for x in range(row.size):
            if row[x] == column[x]:
                continue
            for k in range(steps):
                for c in range(width):
                    rows[row[x], k, c] -= value[x] * rows[column[x], k, c + at]
    for x in range(bays.dof.size):
        for k in range(steps):
            for c in range(width):
                rows[bays.dof[x], k, c] /= bays.diagonal[x]

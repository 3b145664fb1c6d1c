"""Compiled products of motion and multipliers over a period: what each entry of an operator does to the figure.

Rows are (dof, step, column); the march's and the multipliers' columns are those of the same spans, the last one of
which has its interface alone.
"""

from __future__ import annotations

import numpy as np

from catenary.kernels.compiled import kernel
from dynamics.linear_algebra.vector_rows import Rows
from dynamics.travelling_window.layout import Bays, Floats, Ints, Places

__all__ = ["accelerations", "half_steps", "means", "pair_products", "settle_tensions"]

FAST = {"error_model": "numpy", "fastmath": True}
# products that are summed in the precision of the rows
TOGETHER = 256


@kernel(**FAST)
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


@kernel(**FAST)
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


@kernel(**FAST)
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


def pair_products(rows: Ints, columns: Ints, first: Rows, second: Rows, onward: tuple[int, int]) -> Floats:
    """Sums over steps and spans of ``first[i] second[j]`` for pairs of dofs, each in the next span where so said.

    One column of ``first`` stands for no whole cell: it is zero meanwhile, so that a sum runs on over all steps.
    """
    at = 0 if onward[0] else -1
    kept = first[:, :, at].copy()
    first[:, :, at] = 0.0
    flat = first.reshape(len(first), -1), second.reshape(len(second), -1)
    found = _flat_products(rows, columns, *flat, onward[1] - onward[0])
    first[:, :, at] = kept
    return found


@kernel(**FAST)
def _flat_products(rows, columns, first, second, shift):
    """Sums of products of rows, the second one's numbers so many places on."""
    out, size = np.zeros(rows.size), first.shape[1] - shift
    for x in range(rows.size):
        i, j = rows[x], columns[x]
        total = 0.0
        for begin in range(0, size, TOGETHER):
            end = min(begin + TOGETHER, size)
            one, other = first[i, begin:end], second[j, begin + shift : end + shift]
            part = one[0] * other[0]
            for k in range(1, one.size):
                part += one[k] * other[k]
            total += part
        out[x] = total
    return out


@kernel(**FAST)
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

"""Compiled linear algebra of a window of identical spans: solve for mean velocities, advance the state.

Symbols as in `dynamics.travelling_window.kernel`.
"""

from __future__ import annotations

from typing import Any

from catenary.kernels.compiled import kernel
from dynamics.linear_algebra.row_widths import Lanes, widths_apart
from dynamics.linear_algebra.vector_rows import Rows, row_advance, row_combine, row_rhs, row_sum
from dynamics.travelling_window.layout import Bays, Factor, Product, Scalars

__all__ = ["OPTIONS", "advance", "settle_spans", "share_interface", "solve_spans"]

OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp"}}


@widths_apart(**OPTIONS)
def solve_spans(lanes: Lanes, w: Rows, a: Rows, s: Rows, factor: Factor) -> None:
    """Mean velocities of all spans from the right-hand side a - s."""
    ni, n, left, right = factor.ni, factor.n, factor.left, factor.right
    forward, backward, inverse = factor.forward, factor.backward, factor.inverse
    S = w.shape[1] - 1
    none, zero = forward.column, forward.value
    for j in factor.near:
        row_rhs(lanes, w, j, (a, s), (none, zero, 0, 0))
    for i in range(ni):
        row_rhs(lanes, w, i, (a, s), (none, zero, 0, 0))
        row_sum(lanes, w, i, (left.column, left.value, left.start[i], left.start[i + 1]))
        row_combine(lanes, w, n + i, 0.0, w, (none, zero, 0, 0))
        row_sum(lanes, w, n + i, (right.column, right.value, right.start[i], right.start[i + 1]))
        for c in range(S):
            w[i, c + 1] += w[n + i, c]
    _supports(lanes, w, factor.supports, factor.coupling, n, ni)
    share_interface(w, n, ni)
    for i in range(ni, n):
        row_rhs(lanes, w, i, (a, s), (forward.column, forward.value, forward.start[i], forward.start[i + 1]))
    for i in range(n - 1, ni - 1, -1):
        entries = (backward.column, backward.value, backward.start[i], backward.start[i + 1])
        row_combine(lanes, w, i, inverse[i], w, entries)


@kernel(**OPTIONS)
def _supports(lanes, w, supports, coupling, n, ni):
    """Solve the supports: each by itself, then once more with what its neighbours' first answer does to it.

    The rows that hold the interface without the window's last are free to work in until it is shared.
    """
    copied, solved, again, touched, ends = supports
    S, at = w.shape[1] - 1, n + ni
    rows, columns, values = coupling
    for i in range(ni):
        row_combine(lanes, w, at + i, 0.0, w, (copied.column, copied.value, copied.start[i], copied.start[i + 1]))
    for i in range(ni):
        row_combine(lanes, w, i, 0.0, w, (solved.column, solved.value, solved.start[i], solved.start[i + 1]))
        left = right = 0.0
        for j in range(ni):
            left += ends[0, i, j] * w[at + j, 0]
            right += ends[1, i, j] * w[at + j, S]
        w[i, 0], w[i, S] = left, right
    for j in touched:
        for c in range(S + 1):
            w[at + j, c] = 0.0
    for k in range(rows.size):
        i, j, t = rows[k], columns[k], values[k]
        for c in range(S):
            w[at + i, c] += t * w[j, c + 1]
            w[at + j, c + 1] += t * w[i, c]
    for i in range(ni):
        left, right = w[i, 0], w[i, S]
        for j in touched:
            left -= ends[0, i, j] * w[at + j, 0]
            right -= ends[1, i, j] * w[at + j, S]
        row_combine(lanes, w, i, 1.0, w, (again.column, again.value, again.start[i], again.start[i + 1]))
        w[i, 0], w[i, S] = left, right


@kernel(**OPTIONS)
def share_interface(w: Rows, n: int, ni: int) -> None:
    """Copy the interface rows to where the interiors on both sides read them."""
    S = w.shape[1] - 1
    for i in range(ni):
        for c in range(S):
            w[n + i, c] = w[i, c + 1]
            w[n + ni + i, c] = w[i, c]
        w[n + i, S] = 0.0
        w[n + ni + i, S] = 0.0


@kernel(**OPTIONS)
def _from_beyond(w, operator, n, ni):
    """Gather in the last rows of w what the span before does to an interface, and what is not there at the ends."""
    (rows, columns, values), end_left, end_right = operator.beyond, operator.end_left, operator.end_right
    S, at = w.shape[1] - 1, n + 2 * ni
    for i in range(ni):
        for c in range(S + 1):
            w[at + i, c] = 0.0
        for j in range(ni):
            w[at + i, 0] -= end_left[i, j] * w[j, 0]
            w[at + i, S] -= end_right[i, j] * w[j, S]
    for k in range(rows.size):
        i, j, value = rows[k], columns[k], values[k]
        for c in range(S):
            w[at + i, c + 1] += value * w[j, c]


@widths_apart(**OPTIONS)
def advance(
    lanes: Lanes, arrays: tuple[Rows, Rows, Rows, Rows], mass: Product, scalars: Scalars, n: int, ni: int
) -> None:
    """Update all rows of ``arrays`` (u, a, s, w)."""
    u, a, s, w = arrays
    (start, column, value), dt, sponge, kind = mass.rows, scalars.dt, scalars.sponge, scalars.kind
    _from_beyond(w, mass, n, ni)
    factors = (dt, scalars.gamma, dt / scalars.kappa, 4.0 / dt)
    for i in mass.order:
        row_advance(lanes, i, kind[i], (u, a, s, w, sponge), factors, (column, value, start[i], start[i + 1]))


@kernel(**OPTIONS)
def settle_spans(lanes: int, u: Rows, s: Rows, w: Rows, stiffness: Product, bays: Bays) -> None:
    """Make the bays' tensions and the elastic forces s = K u those that go with displacements u; w is worked in."""
    rows = stiffness.rows
    n, ni = u.shape[0], stiffness.end_left.shape[0]
    w[:n] = u
    for b in bays.dof:
        w[b] = 0.0
    share_interface(w, n, ni)
    for k in range(bays.dof.size):
        b = bays.dof[k]
        row_combine(lanes, s, b, 0.0, w, (rows.column, rows.value, rows.start[b], rows.start[b + 1]))
        u[b] = s[b] / -bays.diagonal[k]
    for b in bays.dof:
        w[b] = u[b]
    _from_beyond(w, stiffness, n, ni)
    for i in range(n):
        row_combine(lanes, s, i, 0.0, w, (rows.column, rows.value, rows.start[i], rows.start[i + 1]))
    for b in bays.dof:
        s[b] = 0.0

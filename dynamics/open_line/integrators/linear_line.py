"""HHT-alpha and Newmark on a linearised line: one solution and one product with the mass matrix a step.

The step's equation is M a_n+1 + (1 + alpha) h_n+1 - alpha h_n = 0 with h = C v + K u + e, C = a M + b K + C', and its
effective matrix A = m M + c C' + k K, where m and k hold the shares of C that go with M and K. From the predictor
u*, v*, a_n the correction du meets

    A du = -M a_n - K Y - a M V - C' V - E,     V = (1 + alpha) v* - alpha v_n,   E = (1 + alpha) e - alpha e_n,
                                                Y = (1 + alpha) (u* + b v*) - alpha (u_n + b v_n).

With y = Y / k, K Y is A y - m M y - c C' y, so that

    A (du + y) = M (m y - a V - a_n) + C' (c y - V) - E:

no product with K is formed or carried from step to step. A step reads few vectors once, which is what it takes its time
for: they and the factor are larger than the processor's own cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.linear_algebra.block_ldl import block_solve
from dynamics.linear_algebra.node_rows import add_node_product
from dynamics.open_line.integrators.scheme import ImplicitScheme, Work
from dynamics.open_line.system import CHUNK, State, System

__all__ = ["changed_rows", "correct_predicted", "largest", "move_line", "predict_line", "right_side"]

Floats = NDArray[np.float64]

# rows whose correction is still in the nearest cache when its largest entry is sought
PART = 512
_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


@kernel(**_OPTIONS)
def predict_line(system: System, state: State, scheme: ImplicitScheme, work: Work) -> None:
    """Constant acceleration over the step; m y - a V - a_n with it."""
    dt, alpha, a_m = scheme.dt, scheme.alpha, system.alpha
    half = 0.5 * dt * dt
    by_m = scheme.by_mass + scheme.by_damping * a_m
    by_u, by_v, by_a = _shares_of_y(system, scheme)
    u, v, a, s = state.u, state.v, state.a, work.linear.s
    for i in range(u.size):
        now, gained = v[i], a[i]
        faster = now + dt * gained
        moved = u[i] + dt * now + half * gained
        u[i], v[i] = moved, faster
        y = by_u * moved + by_v * faster + by_a * gained
        s[i] = by_m * y - a_m * (faster + alpha * dt * gained) - gained


@kernel(**_OPTIONS)
def _shares_of_y(system, scheme):
    """Shares of u*, v* and a_n in y, which is formed where it is needed: it would be one vector more to read."""
    by_k = 1.0 / (scheme.by_stiffness + scheme.by_damping * system.beta)
    dt, alpha, b = scheme.dt, scheme.alpha, system.beta
    return by_k, by_k * (b + alpha * dt), by_k * alpha * (b * dt - 0.5 * dt * dt)


@kernel(**_OPTIONS)
def right_side(system: System, state: State, scheme: ImplicitScheme, work: Work) -> None:
    """Fill the vector to solve for, du + y, with its right side."""
    x, e, e_old = work.solved, work.corrections.e, work.weighed.h
    D, alpha = system.damping, scheme.alpha
    by_u, by_v, by_a = _shares_of_y(system, scheme)
    u, v, a = state.u, state.v, state.a
    part = 1.0 + alpha
    if alpha == 0.0:
        x[:] = 0.0
    else:
        for i in range(x.size):
            x[i] = alpha * e_old[i]
    marks = work.corrections.marks
    for chunk in range(marks.size):
        for i in range(chunk * CHUNK, min((chunk + 1) * CHUNK, x.size) if marks[chunk] else 0):
            x[i] -= part * e[i]
    add_node_product(scheme.mass, work.linear.s, x)
    for n in range(system.damping_rows.size):
        i = system.damping_rows[n]
        for k in range(D.ptr[i], D.ptr[i + 1]):
            j = D.idx[k]
            y = by_u * u[j] + by_v * v[j] + by_a * a[j]
            x[i] += D.val[k] * (scheme.by_damping * y - v[j] - alpha * scheme.dt * a[j])


@kernel(**_OPTIONS)
def changed_rows(work: Work) -> tuple[int, int]:
    """Rows from the first to the last one whose local force a correction has changed; they are marked."""
    e, e_new, marks = work.corrections.e, work.corrections.e_new, work.corrections.marks
    first, last = e.size, 0
    for chunk in range(marks.size):
        if not (marks[chunk] or work.corrections.marks_new[chunk]):
            continue
        begin, end, change = chunk * CHUNK, min((chunk + 1) * CHUNK, e.size), 0.0
        for i in range(begin, end):
            change += abs(e[i] - e_new[i])
        if change != 0.0:
            first, last, marks[chunk] = min(first, begin), end, True
    return first, last


@kernel(**_OPTIONS)
def correct_predicted(system: System, state: State, scheme: ImplicitScheme, work: Work) -> float:
    """Solve for the predictor's correction and apply it; returns its largest entry, not a number where one is not."""
    x, n, size = work.solved, work.solved.size, 0.0
    block_solve(scheme.factor, x, 0, n)
    shares = _shares_of_y(system, scheme)
    for first in range(0, n, PART):
        last = min(first + PART, n)
        _correct_part(state, scheme, shares, x, first, last)
        found = largest(x, first, last)
        if found != found:
            return found
        size = max(size, found)
    return size


@kernel(**_OPTIONS)
def _correct_part(state, scheme, shares, x, first, last):
    """Turn du + y into du in some rows and apply it."""
    by_u, by_v, by_a = shares
    gained, pushed = scheme.gamma / (scheme.beta * scheme.dt), 1.0 / (scheme.beta * scheme.dt * scheme.dt)
    u, v, a, du = state.u[first:last], state.v[first:last], state.a[first:last], x[first:last]
    for i in range(du.size):
        at, rate, change = u[i], v[i], a[i]
        part = du[i] - (by_u * at + by_v * rate + by_a * change)
        u[i], v[i], a[i], du[i] = at + part, rate + gained * part, change + pushed * part, part


@kernel(**_OPTIONS)
def largest(x: Floats, first: int, last: int) -> float:
    """Largest magnitude from ``first`` to ``last``, not a number where one is not; four chains of comparisons."""
    rows, a, b, c, d, broken = x[first:last], 0.0, 0.0, 0.0, 0.0, False
    whole = rows.size // 4 * 4
    for i in range(0, whole, 4):
        p, q, r, s = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        a, b, c, d = max(a, abs(p)), max(b, abs(q)), max(c, abs(r)), max(d, abs(s))
        # what is not a number is not the larger one
        broken |= (p != p) | (q != q) | (r != r) | (s != s)
    for i in range(whole, rows.size):
        a = max(a, abs(rows[i]))
        broken |= rows[i] != rows[i]
    return np.nan if broken else max(max(a, b), max(c, d))


@kernel(**_OPTIONS)
def move_line(state: State, scheme: ImplicitScheme, du: Floats, rows: tuple[int, int]) -> None:
    """Apply a later correction ``du`` to the line's motion within its rows."""
    by_v = scheme.gamma / (scheme.beta * scheme.dt)
    by_a = 1.0 / (scheme.beta * scheme.dt * scheme.dt)
    for i in range(rows[0], rows[1]):
        state.u[i] += du[i]
        state.v[i] += by_v * du[i]
        state.a[i] += by_a * du[i]

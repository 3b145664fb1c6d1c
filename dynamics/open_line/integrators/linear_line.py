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

__all__ = ["changed_rows", "correct_predicted", "move_line", "predict_line", "right_side"]

Floats = NDArray[np.float64]

_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


@kernel(**_OPTIONS)
def predict_line(system: System, state: State, scheme: ImplicitScheme, work: Work) -> None:
    """Constant acceleration over the step; y and m y - a V - a_n with it."""
    dt, alpha, a_m, b = scheme.dt, scheme.alpha, system.alpha, system.beta
    half = 0.5 * dt * dt
    by_m = scheme.by_mass + scheme.by_damping * a_m
    by_k = 1.0 / (scheme.by_stiffness + scheme.by_damping * b)
    u, v, a, y, s = state.u, state.v, state.a, work.linear.y, work.linear.s
    for i in range(u.size):
        moved, faster = dt * v[i] + half * a[i], dt * a[i]
        u[i] += moved
        v[i] += faster
        y[i] = by_k * (u[i] + b * v[i] + alpha * (moved + b * faster))
        s[i] = by_m * y[i] - a_m * (v[i] + alpha * faster) - a[i]


@kernel(**_OPTIONS)
def right_side(system: System, state: State, scheme: ImplicitScheme, work: Work) -> None:
    """Fill the vector to solve for, du + y, with its right side."""
    x, y, e, e_old = work.solved, work.linear.y, work.corrections.e, work.weighed.h
    D, alpha = system.damping, scheme.alpha
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
            x[i] += D.val[k] * (scheme.by_damping * y[j] - state.v[j] - alpha * scheme.dt * state.a[j])


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
def correct_predicted(state: State, scheme: ImplicitScheme, work: Work) -> float:
    """Solve for the predictor's correction and apply it; returns its largest entry."""
    x, y, n = work.solved, work.linear.y, work.solved.size
    block_solve(scheme.factor, x, 0, n)
    by_v = scheme.gamma / (scheme.beta * scheme.dt)
    by_a = 1.0 / (scheme.beta * scheme.dt * scheme.dt)
    u, v, a, size, whole = state.u, state.v, state.a, 0.0, True
    for i in range(n):
        du = x[i] - y[i]
        u[i] += du
        v[i] += by_v * du
        a[i] += by_a * du
        size = max(size, abs(du))
        whole &= du == du
    return size if whole else 1.0e300


@kernel(**_OPTIONS)
def move_line(state: State, scheme: ImplicitScheme, du: Floats, rows: tuple[int, int]) -> None:
    """Apply a later correction ``du`` to the line's motion within its rows."""
    by_v = scheme.gamma / (scheme.beta * scheme.dt)
    by_a = 1.0 / (scheme.beta * scheme.dt * scheme.dt)
    for i in range(rows[0], rows[1]):
        state.u[i] += du[i]
        state.v[i] += by_v * du[i]
        state.a[i] += by_a * du[i]

r"""Compiled solution of one span cell under Bloch conditions, frequency by frequency.

At the angle theta = omega dt the time-stepped line (Newmark 1/4-1/2, the bilinear rule) has the dynamic stiffness
D = -W^2 M + i W C + K with W = (2/dt) tan(theta/2), and u(x + L, t + T) = u(x, t) turns the next cell's interface into
exp(-i theta N) times the cell's own.

Legend: ni interface dofs come first; rows of the interior's factor are stored from their first entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["accumulate_contact", "bloch_answers"]

_OPTIONS = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


@njit(**_OPTIONS)
def _factor(D, first, ni, low, diag):
    """L D L^T of the interior, complex symmetric, in place of its envelope."""
    n = D.shape[0]
    for i in range(ni, n):
        for j in range(first[i], i):
            total = D[i, j]
            for k in range(max(first[i], first[j]), j):
                total -= low[i, k] * diag[k] * low[j, k]
            low[i, j] = total / diag[j]
        total = D[i, i]
        for k in range(first[i], i):
            total -= low[i, k] * low[i, k] * diag[k]
        diag[i] = total


@njit(**_OPTIONS)
def _solve(low, diag, first, ni, B):
    """Solve the interior for many right-hand sides, rows of B from ni on."""
    n, m = B.shape
    for i in range(ni, n):
        for j in range(first[i], i):
            t = low[i, j]
            for c in range(m):
                B[i, c] -= t * B[j, c]
    for i in range(ni, n):
        t = 1.0 / diag[i]
        for c in range(m):
            B[i, c] *= t
    for i in range(n - 1, ni - 1, -1):
        for j in range(first[i], i):
            t = low[i, j]
            for c in range(m):
                B[j, c] -= t * B[i, c]


@njit(**_OPTIONS)
def bloch_answers(theta: Any, dt: float, steps: int, cell: Any, rhs: Any, probe: Any) -> Any:
    """Answers probe^T D(theta)^-1 rhs, complex array (theta, probe, load).

    ``cell`` is (M, C, K, M_next, C_next, K_next, first, ni); rhs (dof, load) and probe (dof, probe) are real.
    """
    M, C, K, Mn, Cn, Kn, first, ni = cell
    n, m = rhs.shape
    out = np.empty((theta.size, probe.shape[1], m), np.complex128)
    low = np.zeros((n, n), np.complex128)
    diag = np.zeros(n, np.complex128)
    for t in range(theta.size):
        W = 2.0 / dt * np.tan(0.5 * theta[t])
        phase = np.exp(-1j * theta[t] * steps)
        D = -W * W * M + 1j * W * C + K
        link = -W * W * Mn + 1j * W * Cn + Kn
        right, left = np.zeros((n, ni), np.complex128), np.zeros((ni, n), np.complex128)
        right[ni:, :] = D[ni:, :ni] + phase * link[ni:, :]
        left[:, ni:] = D[:ni, ni:] + np.conj(phase) * link[ni:, :].T
        B = np.zeros((n, m + ni), np.complex128)
        B[:, :m] = rhs
        B[ni:, m:] = right[ni:, :]
        _factor(D, first, ni, low, diag)
        _solve(low, diag, first, ni, B)
        inner, links = np.ascontiguousarray(left[:, ni:]), np.ascontiguousarray(B[ni:, m:])
        S = D[:ni, :ni] - inner @ links
        top = np.linalg.solve(S, B[:ni, :m] - inner @ np.ascontiguousarray(B[ni:, :m]))
        B[ni:, :m] -= links @ top
        B[:ni, :m] = top
        for p in range(probe.shape[1]):
            for c in range(m):
                out[t, p, c] = 0.0
            for i in range(n):
                if probe[i, p] != 0.0:
                    for c in range(m):
                        out[t, p, c] += probe[i, p] * B[i, c]
    return out


@njit(**_OPTIONS)
def accumulate_contact(theta: Any, weight: Any, X: Any, table: Any, I_cc: Any) -> None:
    """Add the contact-to-contact part of some frequencies to I_cc (step, step).

    X (theta, node, node) holds the answers at contact-wire dofs. ``table`` is (at, phi, wrap, steps a span): at and
    phi (step, 4) are the dofs' numbers and weights; wrap (step, 4) is 1 where the dof belongs to the next cell,
    whose answer and load carry the Bloch phase.
    """
    at, phi, wrap, steps = table
    N = at.shape[0]
    nc = X.shape[1]
    Yr, Yi = np.empty((nc, N)), np.empty((nc, N))
    for t in range(theta.size):
        for m in range(N):
            for i in range(nc):
                Yr[i, m] = 0.0
                Yi[i, m] = 0.0
        for m in range(N):
            for k in range(4):
                turn = np.exp(-1j * theta[t] * (m - steps * wrap[m, k])) * phi[m, k] * weight[t]
                j = at[m, k]
                for i in range(nc):
                    y = X[t, i, j] * turn
                    Yr[i, m] += y.real
                    Yi[i, m] += y.imag
        for n in range(N):
            for k in range(4):
                turn = np.exp(1j * theta[t] * (n - steps * wrap[n, k])) * phi[n, k]
                cr, ci = turn.real, turn.imag
                j = at[n, k]
                for m in range(N):
                    I_cc[n, m] += cr * Yr[j, m] - ci * Yi[j, m]

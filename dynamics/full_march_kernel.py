"""Compiled Newmark march of a whole open line, every degree of freedom kept; the yardstick of the window.

The same scheme and symbols as the window's kernel (see there), with one factor of the whole line: rows of L from their
first entry, unit diagonal, D apart. Contact and slack droppers are solved in their own step through columns of A^-1:
the contact's is solved for at every step, the droppers' are tabulated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["march_line"]

_OPTIONS = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}
SWEEPS = 200


@njit(**_OPTIONS)
def _solve(first, start, low, diag, x, begin):  # noqa: ANN001, ANN202
    """Solve in place; entries of x before ``begin`` are zero."""
    n = x.size
    for i in range(begin, n):
        o = start[i] - first[i]
        total = x[i]
        for j in range(max(first[i], begin), i):
            total -= low[o + j] * x[j]
        x[i] = total
    for i in range(n - 1, -1, -1):
        x[i] /= diag[i] if i >= begin else 1.0
    for i in range(n - 1, -1, -1):
        o = start[i] - first[i]
        t = x[i]
        if t != 0.0:
            for j in range(first[i], i):
                x[j] -= low[o + j] * t


@njit(**_OPTIONS)
def _product(ptr, idx, val, x, y):  # noqa: ANN001, ANN202
    """Sparse matrix times vector."""
    for i in range(y.size):
        total = 0.0
        for k in range(ptr[i], ptr[i + 1]):
            total += val[k] * x[idx[k]]
        y[i] = total


@njit(**_OPTIONS)
def march_line(state: Any, factor: Any, mass: Any, stiffness: Any, contact: Any, panto: Any, droppers: Any, scalars: Any) -> Any:
    """March the whole table of contact points; returns contact force [N] and height [m] at the end of each step.

    ``state`` is (u, v, z, z_dot); ``droppers`` (low dof, high dof, static force, columns of A^-1 by dropper, stiffness).
    """
    u, v, zp, vp = state
    first, start, low, diag = factor
    cdof, cphi, z0 = contact
    A_inv, pm, pK, force = panto
    d_low, d_high, F0, col, kd = droppers
    dt, kc = scalars
    n, nd, m = u.size, F0.size, zp.size
    N = z0.size - 1
    out_f, out_z = np.empty(N), np.empty(N)
    a, s, w, g, r = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    _product(mass[0], mass[1], mass[2], v, a)
    a *= 2.0 / dt
    _product(stiffness[0], stiffness[1], stiffness[2], u, s)
    fd, wp = np.zeros(nd), np.empty(m)
    lam = max(0.0, kc * (zp[0] - z0[0] - (cphi[0] * u[cdof[0]]).sum()))
    for step in range(1, N + 1):
        old = lam
        for i in range(n):
            r[i] = a[i] - s[i]
        for k in range(4):
            r[cdof[step - 1, k]] += 0.5 * old * cphi[step - 1, k]
        for d in range(nd):
            r[d_low[d]] += 0.5 * fd[d]
            r[d_high[d]] -= 0.5 * fd[d]
            fd[d] = 0.0
        w[:] = r
        _solve(first, start, low, diag, w, 0)
        g[:] = 0.0
        begin = n
        for k in range(4):
            g[cdof[step, k]] += cphi[step, k]
            begin = min(begin, cdof[step, k])
        _solve(first, start, low, diag, g, begin)
        own = 0.0
        for k in range(4):
            own += cphi[step, k] * g[cdof[step, k]]
        wp[:] = 0.0
        for j in range(m):
            rhs = 2.0 / dt * pm[j] * vp[j]
            for k in range(m):
                rhs -= pK[j, k] * zp[k]
            rhs += (force if j == m - 1 else 0.0) - (0.5 * old if j == 0 else 0.0)
            for i in range(m):
                wp[i] += A_inv[i, j] * rhs
        lam = 0.0
        for _ in range(SWEEPS):
            gap = zp[0] + dt * (wp[0] - 0.5 * A_inv[0, 0] * lam) - z0[step]
            for k in range(4):
                gap -= cphi[step, k] * (u[cdof[step, k]] + dt * w[cdof[step, k]])
            new = max(0.0, lam + (kc * gap - lam) / (1.0 + 0.5 * kc * dt * (own + A_inv[0, 0])))
            move = abs(new - lam)
            for i in range(n):
                w[i] += 0.5 * (new - lam) * g[i]
            lam = new
            for d in range(nd):
                e = u[d_high[d]] - u[d_low[d]] + dt * (w[d_high[d]] - w[d_low[d]])
                pull = F0[d] + kd * e
                if pull < 0.0 or fd[d] > 0.0:
                    here = 1.0 - 0.5 * kd * dt * (col[d, d_high[d]] - col[d, d_low[d]])
                    change = max(0.0, fd[d] - (pull + fd[d]) / here) - fd[d]
                    fd[d] += change
                    for i in range(n):
                        w[i] -= 0.5 * change * col[d, i]
                    move = max(move, abs(change))
            if move < 1e-8:
                break
        for k in range(4):
            r[cdof[step, k]] += 0.5 * lam * cphi[step, k]
        _product(mass[0], mass[1], mass[2], w, g)
        for i in range(n):
            a[i] = 4.0 / dt * g[i] - a[i]
            u[i] += dt * w[i]
        _product(stiffness[0], stiffness[1], stiffness[2], u, s)
        for i in range(m):
            wp[i] -= 0.5 * A_inv[i, 0] * lam
            zp[i] += dt * wp[i]
            vp[i] = 2.0 * wp[i] - vp[i]
        out_f[step - 1] = lam
        out_z[step - 1] = z0[step] + (cphi[step] * u[cdof[step]]).sum()
    return out_f, out_z

"""Compiled Newmark march of a line with droppers and contact as springs, the contact spread over an area.

The scheme and symbols of the window's kernel (see there), with one factor of the whole line: rows of L from their
first entry, unit diagonal, D apart. Contact and slack droppers are solved in their own step through columns of A^-1:
the contact's is solved for at every step, the droppers' are tabulated. The march of whole lines presses at one point
of one element, which is why it does not serve here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["march_line"]

_OPTIONS = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}
SWEEPS = 200


@njit(**_OPTIONS)
def _solve(first, start, low, diag, x, begin):
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
def _product(ptr, idx, val, x, y):
    """Sparse matrix times vector."""
    for i in range(y.size):
        total = 0.0
        for k in range(ptr[i], ptr[i + 1]):
            total += val[k] * x[idx[k]]
        y[i] = total


@njit(**_OPTIONS)
def _free_pantograph(zp, vp, wp, panto, half_old, dt):
    """Mean velocities of the pantograph without the new contact force."""
    A_inv, mass, stiffness, force = panto
    m = zp.size
    wp[:] = 0.0
    for j in range(m):
        rhs = 2.0 / dt * mass[j] * vp[j]
        for k in range(m):
            rhs -= stiffness[j, k] * zp[k]
        rhs += (force if j == m - 1 else 0.0) - (half_old if j == 0 else 0.0)
        for i in range(m):
            wp[i] += A_inv[i, j] * rhs


@njit(**_OPTIONS)
def _forces(u, w, g, fd, head, point, droppers, scalars):
    """Contact and correction forces at the end of a step; w is updated. Returns the contact force [N]."""
    dof, phi, z0 = point
    d_dof, d_weight, F0, col, kd = droppers
    dt, kc, h_comp = scalars
    own = (phi * g[dof]).sum()
    lam = 0.0
    for _ in range(SWEEPS):
        gap = head - dt * h_comp * lam - z0 - (phi * (u[dof] + dt * w[dof])).sum()
        new = max(0.0, lam + (kc * gap - lam) / (1.0 + kc * dt * (0.5 * own + h_comp)))
        move = abs(new - lam)
        w += 0.5 * (new - lam) * g
        lam = new
        for d in range(F0.size):
            e, compliance = 0.0, 0.0
            for k in range(d_dof.shape[1]):
                i = d_dof[d, k]
                e += d_weight[d, k] * (u[i] + dt * w[i])
                compliance += d_weight[d, k] * col[d, i]
            pull = F0[d] + kd * e
            if pull < 0.0 or fd[d] > 0.0:
                here = 1.0 - 0.5 * kd * dt * compliance
                change = max(0.0, fd[d] - (pull + fd[d]) / here) - fd[d]
                fd[d] += change
                w -= 0.5 * change * col[d]
                move = max(move, abs(change))
        if move < 1e-8:
            break
    return lam


@njit(**_OPTIONS)
def _add_loads(r, dof, phi, lam, fd, d_dof, d_weight):
    """Add half of a contact force and of the correction forces."""
    for k in range(dof.size):
        r[dof[k]] += 0.5 * lam * phi[k]
    for d in range(fd.size):
        for k in range(d_dof.shape[1]):
            r[d_dof[d, k]] -= 0.5 * d_weight[d, k] * fd[d]


@njit(**_OPTIONS)
def march_line(state: Any, factor: Any, line: Any, contact: Any, panto: Any, droppers: Any) -> Any:
    """March the whole table of contact points.

    Returns contact force [N], contact height [m] and displacements [m] of the watched dofs at the end of each step.

    ``state`` is (u, v, z, z_dot); ``line`` (mass rows, stiffness rows, dt, contact stiffness, watched dofs);
    ``contact`` (dofs, weights, height at rest by point, any number of dofs); ``panto`` (inverse, masses, stiffness,
    applied force); ``droppers`` (dofs, weights, static force, columns of A^-1 by dropper, stiffness).
    """
    u, v, zp, vp = state
    mass, stiffness, dt, kc, watched = line
    cdof, cphi, z0 = contact
    N = z0.size - 1
    out_f, out_z, out_u = np.empty(N), np.empty(N), np.empty((N, watched.size))
    a, s, w, g = np.empty_like(u), np.empty_like(u), np.empty_like(u), np.empty_like(u)
    _product(mass[0], mass[1], mass[2], v, a)
    a *= 2.0 / dt
    _product(stiffness[0], stiffness[1], stiffness[2], u, s)
    fd, wp = np.zeros(droppers[2].size), np.empty(zp.size)
    lam = max(0.0, kc * (zp[0] - z0[0] - (cphi[0] * u[cdof[0]]).sum()))
    h_comp = 0.5 * panto[0][0, 0]
    for step in range(1, N + 1):
        w[:] = a - s
        _add_loads(w, cdof[step - 1], cphi[step - 1], lam, fd, droppers[0], droppers[1])
        fd[:] = 0.0
        _solve(factor[0], factor[1], factor[2], factor[3], w, 0)
        g[:] = 0.0
        for k in range(cdof.shape[1]):
            g[cdof[step, k]] += cphi[step, k]
        _solve(factor[0], factor[1], factor[2], factor[3], g, cdof[step].min())
        _free_pantograph(zp, vp, wp, panto, 0.5 * lam, dt)
        point = (cdof[step], cphi[step], z0[step])
        lam = _forces(u, w, g, fd, zp[0] + dt * wp[0], point, droppers, (dt, kc, h_comp))
        _product(mass[0], mass[1], mass[2], w, g)
        a[:] = 4.0 / dt * g - a
        u += dt * w
        _product(stiffness[0], stiffness[1], stiffness[2], u, s)
        for i in range(zp.size):
            wp[i] -= 0.5 * panto[0][i, 0] * lam
            zp[i] += dt * wp[i]
            vp[i] = 2.0 * wp[i] - vp[i]
        out_f[step - 1] = lam
        out_z[step - 1] = z0[step] + (cphi[step] * u[cdof[step]]).sum()
        out_u[step - 1] = u[watched]
    return out_f, out_z, out_u

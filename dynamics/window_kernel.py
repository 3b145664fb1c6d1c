r"""Compiled march of a window of identical spans under a moving pantograph, one span of train travel per call.

Newmark (gamma 1/2, beta 1/4) written for the mean velocity of a step, w = (v_n + v_{n+1}) / 2:

    A w = f + a - s,   A = (2/dt) M + C + (dt/2) K,   a = (2/dt) M v_n,   s = K u_n,   f = mean load of the step,
    u_{n+1} = u_n + dt w,   v_{n+1} = 2 w - v_n,   a_{n+1} = (4/dt) M w - a_n,   s_{n+1} = s_n + dt K w.

With C = alpha M + beta K, K w follows from A w and M w, so that one product with M per step is all. All spans share
one factor, so every row operation runs over the spans of the window (the last axis, spans + 1 wide).

Contact and slack droppers enter as forces solved in their own step (projected Gauss-Seidel) through columns of
A^-1, which decay within some metres because A is governed by the mass. While a step is computed, point loads and
what is not Rayleigh damped are carried inside s and taken out again at its end.

Legend: rows 0..ni-1 are interface (support) dofs, the rest the interior; column c is span c, p the pantograph's;
rows n.. of w hold the interface shifted to the span on its left, rows n + ni.. the interface of the span itself
without the window's last; lam contact force; fd correction force of a slack dropper (>= 0, squeezes its ends
together); ed elongation rate of a dropper.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dynamics.simd import row_advance, row_combine, row_rhs

__all__ = ["march_span"]

MAX_SWEEPS = 200
NEAR_SLACK = 2.0
ONE = np.ones(1)
_OPTIONS = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz", "arcp"}}


@njit(**_OPTIONS)
def _point_load(target, dof, weight, amount, p, n):  # noqa: ANN001, ANN202
    """Add a load at a contact-wire point; dofs beyond n belong to the next span's interface."""
    for k in range(4):
        if dof[k] < n:
            target[dof[k], p] += amount * weight[k]
        else:
            target[dof[k] - n, p + 1] += amount * weight[k]


@njit(**_OPTIONS)
def _point_value(source, dof, weight, p, n):  # noqa: ANN001, ANN202
    """Value of a nodal field at a contact-wire point."""
    total = 0.0
    for k in range(4):
        if dof[k] < n:
            total += weight[k] * source[dof[k], p]
        else:
            total += weight[k] * source[dof[k] - n, p + 1]
    return total


@njit(**_OPTIONS)
def _dropper_loads(target, fd, d_low, d_high, amount):  # noqa: ANN001, ANN202
    """Add the correction forces of slack droppers, squeezing their ends together."""
    for d in range(fd.shape[0]):
        for c in range(fd.shape[1]):
            if fd[d, c] > 0.0:
                target[d_low[d], c] += amount * fd[d, c]
                target[d_high[d], c] -= amount * fd[d, c]


@njit(**_OPTIONS)
def _solve(lanes, w, a, s, factor):  # noqa: ANN001, ANN202
    """Mean velocities of all spans from the right-hand side a - s."""
    ni, n, near, left, right, S_inv, coupling, forward, dinv, backward = factor
    S = w.shape[1] - 1
    none, zero = forward[1], forward[2]
    for j in near:
        row_rhs(lanes, w, j, a, s, w, none, zero, 0, 0)
    for i in range(ni):
        row_rhs(lanes, w, i, a, s, w, left[1], left[2], left[0][i], left[0][i + 1])
        row_combine(lanes, w, n + i, 0.0, right[1], right[2], right[0][i], right[0][i + 1])
        for c in range(S):
            w[i, c + 1] += w[n + i, c]
    _supports(w, S_inv, coupling, n, ni)
    _share_interface(w, n, ni)
    for i in range(ni, n):
        row_rhs(lanes, w, i, a, s, w, forward[1], forward[2], i * forward[0], (i + 1) * forward[0])
    for i in range(n - 1, ni - 1, -1):
        row_combine(lanes, w, i, dinv[i], backward[1], backward[2], i * backward[0], (i + 1) * backward[0])


@njit(**_OPTIONS)
def _supports(w, S_inv, coupling, n, ni):  # noqa: ANN001, ANN202
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


@njit(**_OPTIONS)
def _share_interface(w, n, ni):  # noqa: ANN001, ANN202
    """Copy the interface rows to where the interiors on both sides read them."""
    S = w.shape[1] - 1
    for i in range(ni):
        for c in range(S):
            w[n + i, c] = w[i, c + 1]
            w[n + ni + i, c] = w[i, c]
        w[n + i, S] = 0.0
        w[n + ni + i, S] = 0.0


@njit(**_OPTIONS)
def _add_near(w, group, weight, amount, c, near, ni):  # noqa: ANN001, ANN202
    """Add the answer to a point load: a group of columns of A^-1 weighted, its source standing in span c."""
    start, cell, dof, value = near
    S = w.shape[1] - 1
    for t in range(start[group], start[group + 1]):
        where = c + cell[t]
        if where >= 0 and (where < S or (where == S and dof[t] < ni)):
            total = 0.0
            for k in range(weight.size):
                total += weight[k] * value[t, k]
            w[dof[t], where] += amount * total


@njit(**_OPTIONS)
def _near_slack(u, w, ed, droppers, dt, found):  # noqa: ANN001, ANN202
    """Find the droppers whose tension at the end of the step may be lost."""
    d_low, d_high, F0, kd, slack_beta = droppers
    n_found = 0
    for d in range(d_low.size):
        lo, hi = d_low[d], d_high[d]
        for c in range(ed.shape[1]):
            rate = w[hi, c] - w[lo, c]
            e = u[hi, c] - u[lo, c] + dt * rate
            if F0[d] + kd * (e + slack_beta * (2.0 * rate - ed[d, c])) < NEAR_SLACK:
                found[n_found, 0], found[n_found, 1] = d, c
                n_found += 1
    return n_found


@njit(**_OPTIONS)
def _slack_sweep(u, w, ed, fd, found, n_found, droppers, dt, near, G_drop, ni):  # noqa: ANN001, ANN202
    """One projected Gauss-Seidel sweep over the droppers near slack; returns the largest change [N]."""
    d_low, d_high, F0, kd, slack_beta = droppers
    move = 0.0
    for x in range(n_found):
        d, c = found[x, 0], found[x, 1]
        lo, hi = d_low[d], d_high[d]
        rate = w[hi, c] - w[lo, c]
        e = u[hi, c] - u[lo, c] + dt * rate
        pull = F0[d] + kd * (e + slack_beta * (2.0 * rate - ed[d, c]))
        stiff = 1.0 - kd * (0.5 * dt + slack_beta) * G_drop[d]
        new = max(0.0, fd[d, c] - (pull + fd[d, c]) / stiff)
        change = new - fd[d, c]
        if change != 0.0:
            fd[d, c] = new
            _add_near(w, d, ONE, -0.5 * change, c, near, ni)
            move = max(move, abs(change))
    return move


@njit(**_OPTIONS)
def _pantograph_free(zp, vp, wp, panto, half_old, dt):  # noqa: ANN001, ANN202
    """Mean velocities of the pantograph without the new contact force."""
    A_inv, mass, stiffness, force = panto
    m = zp.size
    for i in range(m):
        wp[i] = 0.0
    for j in range(m):
        rhs = 2.0 / dt * mass[j] * vp[j]
        for k in range(m):
            rhs -= stiffness[j, k] * zp[k]
        if j == m - 1:
            rhs += force
        if j == 0:
            rhs -= half_old
        for i in range(m):
            wp[i] += A_inv[i, j] * rhs


@njit(**_OPTIONS)
def _advance(lanes, u, a, s, w, extra, sponge, mass, scalars, n, ni):  # noqa: ANN001, ANN202
    """Update (u, a, s) of all rows; the products that the row lists do not hold are gathered in ``extra`` first."""
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
        row_advance(
            lanes, i, (u, a, s, w, extra, sponge), factors, M_rows[1], M_rows[2], i * M_rows[0], (i + 1) * M_rows[0]
        )


@njit(**_OPTIONS)
def march_span(lanes, state, scratch, operators, contact, panto, droppers, constants, records):  # noqa: ANN001, ANN201
    """March one span of train travel in place; returns the largest number of Gauss-Seidel sweeps of a step.

    Parameters are tuples in the order unpacked below; shapes: u, a, s (n, W); ed, fd (dropper, W - 1); zp, vp
    (mass,); cdof, cphi (step + 1, 4); records by step: force [N], height [m], head [m], uplift (step, W) [m],
    dropper force (step or 1, dropper, W - 1) [N].
    """
    u, a, s, ed, fd, zp, vp = state
    w, extra, found, wp, keep, sponge = scratch
    factor, mass, near_contact, near_dropper, element, G_contact, G_drop = operators
    cdof, cphi, z0 = contact
    d_low, d_high, F0, kd, slack_beta = droppers
    dt, gam, kap, kc, Kx, Cx, sup, sup_c, ends, p, tolerance = constants
    rec_force, rec_height, rec_head, rec_uplift, rec_drop = records
    ni, n = factor[0], factor[1]
    S = u.shape[1] - 1
    end_dof, end_imp = ends
    h_comp = 0.5 * panto[0][0, 0]
    lam = max(0.0, kc * (zp[0] - z0[0] - _point_value(u, cdof[0], cphi[0], p, n)))
    worst = 0
    slack = fd.max() > 0.0
    for step in range(1, z0.size):
        dof, phi = cdof[step], cphi[step]
        old = lam
        _point_load(s, cdof[step - 1], cphi[step - 1], -0.5 * old, p, n)
        if slack:
            _dropper_loads(s, fd, d_low, d_high, -0.5)
        _solve(lanes, w, a, s, factor)
        _point_load(s, cdof[step - 1], cphi[step - 1], 0.5 * old, p, n)
        had = slack
        if had:
            _dropper_loads(s, fd, d_low, d_high, 0.5)
            keep[:] = fd
            fd[:] = 0.0
        _pantograph_free(zp, vp, wp, panto, 0.5 * old, dt)
        head = zp[0] + dt * wp[0]
        n_found = _near_slack(u, w, ed, droppers, dt, found)
        wire = 0.0
        for i in range(4):
            for j in range(4):
                wire += phi[i] * phi[j] * G_contact[step, i, j]
        below = z0[step] + _point_value(u, dof, phi, p, n)
        lam = 0.0
        for sweep in range(MAX_SWEEPS):
            gap = head - dt * h_comp * lam - below - dt * _point_value(w, dof, phi, p, n)
            new = max(0.0, lam + (kc * gap - lam) / (1.0 + kc * dt * (0.5 * wire + h_comp)))
            move = abs(new - lam)
            if new != lam:
                _add_near(w, element[step], phi, 0.5 * (new - lam), p, near_contact, ni)
            lam = new
            if n_found > 0:
                move = max(
                    move, _slack_sweep(u, w, ed, fd, found, n_found, droppers, dt, near_dropper, G_drop, ni)
                )
            worst = max(worst, sweep)
            if move < tolerance or n_found == 0:
                break
        _share_interface(w, n, ni)
        _point_load(s, cdof[step - 1], cphi[step - 1], -0.5 * old, p, n)
        _point_load(s, dof, phi, -0.5 * lam, p, n)
        if had:
            _dropper_loads(s, keep, d_low, d_high, -0.5)
        slack = n_found > 0 and fd.max() > 0.0
        if slack:
            _dropper_loads(s, fd, d_low, d_high, -0.5)
        for c in range(S + 1):
            s[sup, c] += (Cx + 0.5 * dt * Kx) * w[sup, c]
        for k in range(end_dof.size):
            s[end_dof[k], 0] += end_imp[k] * w[end_dof[k], 0]
            s[end_dof[k], S] += end_imp[k] * w[end_dof[k], S]
        _advance(lanes, u, a, s, w, extra, sponge, mass, (dt, gam, kap), n, ni)
        _point_load(s, cdof[step - 1], cphi[step - 1], 0.5 * old, p, n)
        _point_load(s, dof, phi, 0.5 * lam, p, n)
        if had:
            _dropper_loads(s, keep, d_low, d_high, 0.5)
        if slack:
            _dropper_loads(s, fd, d_low, d_high, 0.5)
        for c in range(S + 1):
            s[sup, c] += (0.5 * dt * Kx - Cx) * w[sup, c]
            rec_uplift[step - 1, c] = u[sup_c, c]
        for k in range(end_dof.size):
            s[end_dof[k], 0] -= end_imp[k] * w[end_dof[k], 0]
            s[end_dof[k], S] -= end_imp[k] * w[end_dof[k], S]
        for i in range(zp.size):
            wp[i] -= panto[0][i, 0] * 0.5 * lam
            zp[i] += dt * wp[i]
            vp[i] = 2.0 * wp[i] - vp[i]
        rec_force[step - 1] = lam
        rec_height[step - 1] = z0[step] + _point_value(u, dof, phi, p, n)
        rec_head[step - 1] = zp[0]
        for d in range(d_low.size if slack_beta > 0.0 else 0):
            for c in range(S):
                ed[d, c] = 2.0 * (w[d_high[d], c] - w[d_low[d], c]) - ed[d, c]
        if rec_drop.shape[0] > 1:
            for d in range(d_low.size):
                for c in range(S):
                    rec_drop[step - 1, d, c] = F0[d] + kd * (u[d_high[d], c] - u[d_low[d], c]) + fd[d, c]
    return worst

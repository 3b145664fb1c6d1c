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
together) at the end of a step; fb what takes the damping of a slack dropper out of a step.

A dropper gives up its damping, where that is asked for, in every step at whose beginning it is slack. The dashpot is
then on or off for a whole step and takes energy either way. A law that clips spring and dashpot together, fd =
max(0, -(F0 + k e + k beta e')), rings from step to step on a stiff dropper and grows without bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dynamics.window_solve import OPTIONS, advance, share_interface, solve_spans

__all__ = ["march_span"]

MAX_SWEEPS = 200
NEAR_SLACK = 2.0
ONE = np.ones(1)


@njit(**OPTIONS)
def _point_load(target, dof, weight, amount, p, n):
    """Add a load at a contact-wire point; dofs beyond n belong to the next span's interface."""
    for k in range(4):
        if dof[k] < n:
            target[dof[k], p] += amount * weight[k]
        else:
            target[dof[k] - n, p + 1] += amount * weight[k]


@njit(**OPTIONS)
def _point_value(source, dof, weight, p, n):
    """Value of a nodal field at a contact-wire point."""
    total = 0.0
    for k in range(4):
        if dof[k] < n:
            total += weight[k] * source[dof[k], p]
        else:
            total += weight[k] * source[dof[k] - n, p + 1]
    return total


@njit(**OPTIONS)
def _stretch(field, dof, weight, d, c):
    """Stretch of a dropper in a nodal field."""
    total = 0.0
    for k in range(dof.shape[1]):
        total += weight[d, k] * field[dof[d, k], c]
    return total


@njit(**OPTIONS)
def _dropper_loads(target, fd, dof, weight, amount):
    """Add forces that squeeze the ends of droppers together."""
    for d in range(fd.shape[0]):
        for c in range(fd.shape[1]):
            if fd[d, c] != 0.0:
                for k in range(dof.shape[1]):
                    target[dof[d, k], c] -= amount * weight[d, k] * fd[d, c]


@njit(**OPTIONS)
def _add_near(w, group, weight, amount, c, near, ni):
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


@njit(**OPTIONS)
def _near_slack(u, w, fd_old, droppers, dt, found):
    """Find the droppers that begin the step without their damping or whose tension at its end may be lost."""
    dof, weight, F0, kd, beta = droppers
    n_found = 0
    for d in range(dof.shape[0]):
        for c in range(fd_old.shape[1]):
            e = _stretch(u, dof, weight, d, c) + dt * _stretch(w, dof, weight, d, c)
            if F0[d] + kd * e < NEAR_SLACK or (beta > 0.0 and fd_old[d, c] > 0.0):
                found[n_found, 0], found[n_found, 1] = d, c
                n_found += 1
    return n_found


@njit(**OPTIONS)
def _slack_sweep(u, w, slack, found, n_found, droppers, dt, near, G_drop, ni):
    """One projected Gauss-Seidel sweep over the droppers found; returns the largest change [N].

    Spring and dashpot of a dropper are solved together: fb = -k beta e', and pull + fd = 0 or fd = 0.
    """
    fd, fb, fd_old = slack
    dof, weight, F0, kd, beta = droppers
    move = 0.0
    for x in range(n_found):
        d, c = found[x, 0], found[x, 1]
        dash = kd * beta if fd_old[d, c] > 0.0 else 0.0
        free = 1.0 - dash * G_drop[d]
        before = 0.5 * fd[d, c] + fb[d, c]
        rate = (_stretch(w, dof, weight, d, c) + before * G_drop[d]) / free  # without this dropper's own forces
        pull = F0[d] + kd * (_stretch(u, dof, weight, d, c) + dt * rate)
        fd[d, c] = max(0.0, -pull / (1.0 - 0.5 * dt * kd * G_drop[d] / free))
        fb[d, c] = -dash * (rate - 0.5 * fd[d, c] * G_drop[d] / free)
        change = 0.5 * fd[d, c] + fb[d, c] - before
        if change != 0.0:
            _add_near(w, d, ONE, -change, c, near, ni)
            move = max(move, 2.0 * abs(change))
    return move


@njit(**OPTIONS)
def _pantograph_free(zp, vp, wp, panto, half_old, dt):
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


@njit(**OPTIONS)
def _forces(step, lam, head, state, scratch, operators, inputs):
    """Contact force and correction forces at the end of a step, by projected Gauss-Seidel; w is updated with them.

    Returns the contact force [N] and the number of sweeps.
    """
    u, _, _, fd, _, _ = state
    w, _, found, _, fb, fd_old, _ = scratch
    factor, _, near_contact, near_dropper, element, G_contact, G_drop = operators
    contact, panto, droppers, constants = inputs
    dt, _, _, kc, _, _, _, _, _, p, tolerance = constants
    ni, n = factor[0], factor[1]
    dof, phi = contact[0][step], contact[1][step]
    h_comp = 0.5 * panto[0][0, 0]
    n_found = _near_slack(u, w, fd_old, droppers, dt, found)
    wire = 0.0
    for i in range(4):
        for j in range(4):
            wire += phi[i] * phi[j] * G_contact[step, i, j]
    below = contact[2][step] + _point_value(u, dof, phi, p, n)
    sweeps = 0
    for sweep in range(MAX_SWEEPS):
        sweeps = sweep
        gap = head - dt * h_comp * lam - below - dt * _point_value(w, dof, phi, p, n)
        new = max(0.0, lam + (kc * gap - lam) / (1.0 + kc * dt * (0.5 * wire + h_comp)))
        move = abs(new - lam)
        if new != lam:
            _add_near(w, element[step], phi, 0.5 * (new - lam), p, near_contact, ni)
        lam = new
        if n_found == 0:
            break
        slack = fd, fb, fd_old
        move = max(move, _slack_sweep(u, w, slack, found, n_found, droppers, dt, near_dropper, G_drop, ni))
        if move < tolerance:
            break
    return lam, sweeps


@njit(**OPTIONS)
def _point_forces(s, at, lam, fd, inputs, n, factor):
    """Add half of the contact force at one end of a step and of the correction forces to s, times ``factor``."""
    contact, _, droppers, constants = inputs
    _point_load(s, contact[0][at], contact[1][at], factor * 0.5 * lam, constants[9], n)
    _dropper_loads(s, fd, droppers[0], droppers[1], factor * 0.5)


@njit(**OPTIONS)
def _carry_supports(s, w, constants, before):
    """Carry the messenger supports and the absorbing ends inside s during the update; take them out after it."""
    dt, _, _, _, Kx, Cx, sup, _, ends, _, _ = constants
    S = w.shape[1] - 1
    damping = Cx if before else -Cx
    for c in range(S + 1):
        s[sup, c] += (0.5 * dt * Kx + damping) * w[sup, c]
    sign = 1.0 if before else -1.0
    for k in range(ends[0].size):
        s[ends[0][k], 0] += sign * ends[1][k] * w[ends[0][k], 0]
        s[ends[0][k], S] += sign * ends[1][k] * w[ends[0][k], S]


@njit(**OPTIONS)
def _record(step, lam, state, inputs, records, n):
    """Write down the end of a step."""
    u, _, _, fd, zp, _ = state
    contact, _, droppers, constants = inputs
    d_dof, d_weight, F0, kd, _ = droppers
    rec_force, rec_height, rec_head, rec_uplift, rec_drop = records
    rec_force[step - 1] = lam
    rec_height[step - 1] = contact[2][step] + _point_value(u, contact[0][step], contact[1][step], constants[9], n)
    rec_head[step - 1] = zp[0]
    for c in range(u.shape[1]):
        rec_uplift[step - 1, c] = u[constants[7], c]
    if rec_drop.shape[0] > 1:
        for d in range(fd.shape[0]):
            for c in range(fd.shape[1]):
                rec_drop[step - 1, d, c] = F0[d] + kd * _stretch(u, d_dof, d_weight, d, c) + fd[d, c]


@njit(**OPTIONS)
def march_span(lanes: Any, state: Any, scratch: Any, operators: Any, inputs: Any, records: Any) -> int:
    """March one span of train travel in place; returns the largest number of Gauss-Seidel sweeps of a step.

    Parameters
    ----------
    lanes : tuple
        As many integers as a row has chunks (see `dynamics.simd`).
    state : tuple
        u, a, s (row, column); fd (dropper, span); zp, vp (mass,).
    scratch : tuple
        w, extra, found, wp, fb, fd at the beginning of a step, sponge.
    operators : tuple
        As `dynamics.window.build_window` lays them out.
    inputs : tuple
        contact (dofs, weights, height at rest by step), pantograph (inverse, masses, stiffness, applied force),
        droppers (dofs, weights, static force, stiffness, beta where slack releases damping or 0), constants.
    records : tuple
        By step: force [N], height [m], head [m], uplift (step, column) [m], dropper force (step or 1, dropper, span).
    """
    u, a, s, fd, zp, vp = state
    w, extra, _, wp, fb, fd_old, sponge = scratch
    contact, panto, droppers, constants = inputs
    dt, gam, kap, kc, p = constants[0], constants[1], constants[2], constants[3], constants[9]
    ni, n = operators[0][0], operators[0][1]
    lam = max(0.0, kc * (zp[0] - contact[2][0] - _point_value(u, contact[0][0], contact[1][0], p, n)))
    worst = 0
    for step in range(1, contact[2].size):
        old = lam
        fd_old[:] = fd
        fd[:] = 0.0
        fb[:] = 0.0
        _point_forces(s, step - 1, old, fd_old, inputs, n, -1.0)
        solve_spans(lanes, w, a, s, operators[0])
        _pantograph_free(zp, vp, wp, panto, 0.5 * old, dt)
        lam, sweeps = _forces(step, 0.0, zp[0] + dt * wp[0], state, scratch, operators, inputs)
        worst = max(worst, sweeps)
        share_interface(w, n, ni)
        _point_forces(s, step, lam, fd, inputs, n, -1.0)
        _dropper_loads(s, fb, droppers[0], droppers[1], -1.0)
        _carry_supports(s, w, constants, True)
        advance(lanes, (u, a, s, w, extra, sponge), operators[1], (dt, gam, kap), n, ni)
        _point_forces(s, step - 1, old, fd_old, inputs, n, 1.0)
        _point_forces(s, step, lam, fd, inputs, n, 1.0)
        _dropper_loads(s, fb, droppers[0], droppers[1], 1.0)
        _carry_supports(s, w, constants, False)
        for i in range(zp.size):
            wp[i] -= panto[0][i, 0] * 0.5 * lam
            zp[i] += dt * wp[i]
            vp[i] = 2.0 * wp[i] - vp[i]
        _record(step, lam, state, inputs, records, n)
    return worst

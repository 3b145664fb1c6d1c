r"""Compiled march of a window of identical cells under a moving pantograph, one cell of train travel per call.

A cell is one period of the line: a span, or several of unequal length; here it is called a span throughout.

Newmark (gamma 1/2, beta 1/4) written for the mean velocity of a step, w = (v_n + v_{n+1}) / 2:

    A w = f + a - s,   A = (2/dt) M + C + (dt/2) K,   a = (2/dt) M v_n,   s = K u_n,   f = mean load of the step,
    u_{n+1} = u_n + dt w,   v_{n+1} = 2 w - v_n,   a_{n+1} = (4/dt) M w - a_n,   s_{n+1} = s_n + dt K w.

With C = alpha M + beta K, K w follows from A w and M w, so that one product with M per step is all. All spans share
one factor, so every row operation runs over the spans of the window (the last axis, spans + 1 wide).

Contact and slack droppers enter as forces solved in their own step (projected Gauss-Seidel) through columns of
A^-1, which decay within some metres because A is governed by the mass. While a step is computed, point loads and
what is not Rayleigh damped are carried inside s and taken out again at its end.

Legend: rows 0..ni-1 are interface (support) dofs, the rest the interior; column c is span c, p the leading
pantograph's; q numbers pantographs;
rows n.. of w hold the interface shifted to the span on its left, rows n + ni.. the interface of the span itself
without the window's last; lam contact force; fd correction force of a slack dropper (squeezes its ends together) at
the end of a step, beyond the one that it has at rest where it hangs loose there (their sum is >= 0); fb what takes the
damping of a slack dropper out of a step.

A dropper gives up its damping, where that is asked for, in every step at whose beginning it is slack. The dashpot is
then on or off for a whole step and takes energy either way. A law that clips spring and dashpot together, fd =
max(0, -(F0 + k e + k beta e')), rings from step to step on a stiff dropper and grows without bound.
"""

from __future__ import annotations

from catenary.kernels.compiled import kernel
from catenary.linearised.static_checks import SLACK_FORCE
from dynamics.linear_algebra.predicted_loads import put_loads, take_loads
from dynamics.linear_algebra.vector_rows import Rows
from dynamics.travelling_window.contacts import point_load, point_value
from dynamics.travelling_window.controlled import end_control, held_push
from dynamics.travelling_window.forces import (
    dropper_loads,
    forces_of_step,
    list_squeezed,
    near_slack,
    stretch_of,
    stretches,
)
from dynamics.travelling_window.layout import Constants, Inputs, March, Now, Operators, Records, Squeezed
from dynamics.travelling_window.scratch import Scratch
from dynamics.travelling_window.solve import OPTIONS, advance, share_interface, solve_spans

__all__ = ["carry_supports", "march_span"]


@kernel(**OPTIONS)
def _pantograph_free(zp, vp, wp, pressing, pressed, dt):
    """Mean velocities of a pantograph under an applied and a control force, without the new contact force.

    ``pressing``: the pantographs, the number of this one, and memories of controllers; ``pressed``: the old contact
    forces of all, and their levers.
    """
    (panto, q, memory), (old, lever), strips = pressing, pressed, pressing[0].strips
    A_inv, mass, stiffness, force = panto.inverse, panto.mass, panto.stiffness, panto.applied[q]
    m = zp.size
    for i in range(m):
        wp[i] = 0.0
    for j in range(m):
        rhs = 2.0 / dt * mass[j] * vp[j]
        for k in range(m):
            rhs -= stiffness[j, k] * zp[k]
        rhs += panto.acted[j] * force + held_push(panto.control, memory[q], j)
        for k in range(strips.rides.size):
            half = 0.5 * old[q * strips.rides.size + k]
            rhs -= strips.load[k, j] * half
            if panto.rolls and j == m - 1:
                rhs -= half * lever[q * strips.rides.size + k]
        for i in range(m):
            wp[i] += A_inv[i, j] * rhs


@kernel(**OPTIONS)
def _free_heads(head, zp, wp, rides, lever, dt):
    """Heights of the strips at the step's end, without the new contact forces."""
    for c in range(head.size):
        q, ride = c // rides.size, rides[c % rides.size]
        head[c] = zp[q, ride] + dt * wp[q, ride] + lever[c] * (zp[q, -1] + dt * wp[q, -1])


@kernel(**OPTIONS)
def _first_forces(lam, u, zp, inputs):
    """Contact forces at the beginning of a span."""
    contact, constants, rides = inputs.contact, inputs.constants, inputs.panto.strips.rides
    for c in range(lam.size):
        q, column = c // rides.size, constants.span + contact.column[c, 0]
        lift = point_value(u, contact.dof[c, 0], contact.weight[c, 0], column, u.shape[0])
        head = zp[q, rides[c % rides.size]] + contact.lever[c, 0] * zp[q, -1]
        lam[c] = max(0.0, constants.contact_stiffness * (head - contact.height[c, 0] - lift))


@kernel(**OPTIONS)
def _move_pantographs(zp, vp, wp, panto, lam, lever, dt):
    """Add the new contact forces' share to the pantographs' mean velocities, and move them."""
    r, strips = zp.shape[1] - 1, panto.strips.rides.size
    for q in range(zp.shape[0]):
        for i in range(zp.shape[1]):
            for k in range(strips):
                c = q * strips + k
                wp[q, i] -= panto.answers[k, i] * 0.5 * lam[c]
                if panto.rolls:
                    wp[q, i] -= panto.inverse[i, r] * 0.5 * lam[c] * lever[c]
            zp[q, i] += dt * wp[q, i]
            vp[q, i] = 2.0 * wp[q, i] - vp[q, i]


@kernel(**OPTIONS)
def _point_forces(s, at, lam, squeezed, inputs, n, factor):
    """Add half of the contact forces at one end of a step and of the correction forces to s, times ``factor``."""
    contact, p = inputs.contact, inputs.constants.span
    for q in range(lam.size):
        load, column = factor * 0.5 * lam[q], p + contact.column[q, at]
        point_load(s, contact.dof[q, at], contact.weight[q, at], load, column, n)
    dropper_loads(s, squeezed, inputs.droppers, factor * 0.5)


@kernel(**OPTIONS)
def carry_supports(s: Rows, w: Rows, constants: Constants, before: bool) -> None:
    """Carry the messenger supports and the absorbing ends inside s during the update; take them out after it."""
    dt, Kx, Cx, ends = constants.scalars.dt, constants.support_stiffness, constants.support_damping, constants.ends
    S = w.shape[1] - 1
    damping = Cx if before else -Cx
    for i in constants.support_dof:
        for c in range(S + 1):
            s[i, c] += (0.5 * dt * Kx + damping) * w[i, c]
    sign = 1.0 if before else -1.0
    dof, impedance = ends
    for k in range(dof.size):
        s[dof[k], 0] += sign * impedance[k] * w[dof[k], 0]
        s[dof[k], S] += sign * impedance[k] * w[dof[k], S]


@kernel(**OPTIONS)
def _record(step, lam, state, inputs, records, n):
    """Write down the end of a step."""
    u, fd = state.u, state.fd
    contact, droppers, p = inputs.contact, inputs.droppers, inputs.constants.span
    supports, F0, kd = inputs.constants.support_contact_dof, droppers.force, droppers.stiffness
    uplift, tension = records.uplift, records.dropper
    for q in range(lam.size):
        lift = point_value(u, contact.dof[q, step], contact.weight[q, step], p + contact.column[q, step], n)
        records.force[q, step - 1] = lam[q]
        records.height[q, step - 1] = contact.height[q, step] + lift
    for q in range(records.head.shape[0]):
        records.head[q, step - 1] = state.zp[q, 0]
        records.roll[q, step - 1] = state.zp[q, -1]
        records.pitch[q, step - 1] = state.zp[q, inputs.panto.strips.pitch]
    for k in range(supports.size):
        for c in range(u.shape[1]):
            uplift[step - 1, k, c] = u[supports[k], c]
    every = records.every
    for d in range(fd.shape[0] if every.shape[0] > 0 else 0):
        for c in range(fd.shape[1]):
            pull = F0[d, c] + kd[d, c] * stretch_of(u, droppers, d, c)
            every[step - 1, d, c] = pull + fd[d, c] + droppers.at_rest[d, c]
    for d in range(fd.shape[0]):
        tension[step - 1, d] = F0[d, p] + kd[d, p] * stretch_of(u, droppers, d, p) + fd[d, p] + droppers.at_rest[d, p]


@kernel(**OPTIONS)
def _count_slack(records, step, u, squeezed, droppers, p):
    """Count the step for every dropper that ends it slack; away from the pantograph none is that was not near it.

    One that is squeezed carries what rounding leaves: in single precision up to 0.01 N.
    """
    fd, found, n_found = squeezed
    F0, kd, slack_steps, tension = droppers.force, droppers.stiffness, records.slack_steps, records.dropper
    for x in range(n_found):
        d, c = found[x, 0], found[x, 1]
        pull = F0[d, c] + kd[d, c] * stretch_of(u, droppers, d, c)
        if c != p and (fd[d, c] + droppers.at_rest[d, c] > 0.0 or pull <= SLACK_FORCE):
            slack_steps[d, c] += 1
    for d in range(fd.shape[0]):
        if fd[d, p] + droppers.at_rest[d, p] > 0.0 or tension[step - 1, d] <= SLACK_FORCE:
            slack_steps[d, p] += 1


@kernel(**OPTIONS)
def march_span(
    lanes: int, state: March, scratch: Scratch, operators: Operators, inputs: Inputs, records: Records
) -> int:
    """March a train of equal pantographs over one span, in place; returns the most Gauss-Seidel sweeps of a step.

    Parameters
    ----------
    lanes : int
        How many chunks a row has (see `dynamics.linear_algebra.row_widths`).
    state, scratch, operators, inputs, records : March, Scratch, Operators, Inputs, Records
        As `layout` says; state, scratch and records are written in.
    """
    u, a, s, fd, zp, vp, _ = state
    w, found, wp, fb, fd_old, before = (
        scratch.w, scratch.found, scratch.wp, scratch.fb, scratch.fd_old, scratch.before,
    )  # fmt: skip
    contact, panto, droppers, constants, unlike = inputs
    dt, p = constants.scalars.dt, constants.span
    ni, n, pressed = operators.factor.ni, operators.factor.n, scratch.pressed
    lam, old, head = pressed.force, pressed.before, pressed.head
    _first_forces(lam, u, zp, inputs)
    n_found, worst = list_squeezed(fd, found), 0
    for step in range(1, contact.height.shape[1]):
        n_before = n_found
        old[:] = lam
        before[:n_found] = found[:n_found, :2]
        fd_old[:] = fd
        fd[:] = 0.0
        fb[:] = 0.0
        held = Squeezed(fd_old, before, n_before)
        _point_forces(s, step - 1, old, held, inputs, n, -1.0)
        put_loads(s, u, unlike)
        solve_spans(lanes, w, a, s, operators.factor)
        for q in range(zp.shape[0]):
            _pantograph_free(zp[q], vp[q], wp[q], (panto, q, state.memory), (old, contact.lever[:, step - 1]), dt)
        _free_heads(head, zp, wp, panto.strips.rides, contact.lever[:, step], dt)
        stretches(lanes, scratch.stretch, u, w, droppers, dt)
        n_found = near_slack(scratch.stretch, fd_old, droppers, found)
        worst = max(worst, forces_of_step(lanes, Now(step, n_found), state, scratch, operators, inputs))
        share_interface(w, n, ni)
        now, dashpots = Squeezed(fd, found, n_found), Squeezed(fb, found, n_found)
        _point_forces(s, step, lam, now, inputs, n, -1.0)
        dropper_loads(s, dashpots, droppers, -1.0)
        carry_supports(s, w, constants, True)
        advance(lanes, (u, a, s, w), operators.mass, constants.scalars, n, ni)
        take_loads(s, w, unlike)
        _point_forces(s, step - 1, old, held, inputs, n, 1.0)
        _point_forces(s, step, lam, now, inputs, n, 1.0)
        dropper_loads(s, dashpots, droppers, 1.0)
        carry_supports(s, w, constants, False)
        if records.motion.rows.shape[1] > 0:
            records.motion.rows[:, step - 1] = w[:n]
            records.motion.squeeze[step - 1] = fd
        end_control(inputs.panto.control, state, scratch, inputs, (records.control, step - 1))
        _move_pantographs(zp, vp, wp, panto, lam, contact.lever[:, step], dt)
        if records.motion.rows.shape[1] > 0:
            records.motion.pantograph[step - 1] = wp[0]
        _record(step, lam, state, inputs, records, n)
        _count_slack(records, step, u, now, droppers, p)
    return worst

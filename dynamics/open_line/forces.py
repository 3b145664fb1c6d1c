"""Compiled forces of a whole line: wires, droppers, arms, contacts and pantographs at one moment.

Legend: u, v displacement and velocity of the line; z, zv height and velocity of the masses; s(u) restoring force, zero
at rest; e the *local* force, which a constant effective matrix does not know: s(u) of the non-linear line, or what
slack droppers add to K u; in both cases less the contact force; lam contact force.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from catenary.elements.ancf_cable import cable_force
from catenary.elements.euler_bernoulli import beam_force
from catenary.kernels.compiled import kernel
from dynamics.open_line.contact import add_contacts, on_head
from dynamics.open_line.dropper_forces import dropper_forces, take_off
from dynamics.open_line.system import BEAM, CHUNK, Contacts, Floats, Motion, Pantographs, State, System, Touch

__all__ = ["base_motion", "local_forces", "pantograph_residual"]

_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


@kernel(**_OPTIONS)
def _wire_forces(wires, element, u, out):
    """Add what the wires pull beyond their force at rest."""
    q, f = np.empty((2, 6)), np.empty(12)
    for e in range(wires.l0.size):
        for k in range(12):
            i = wires.dof[e, k]
            q[k // 6, k % 6] = wires.rest[e, k] + (u[i] if i >= 0 else 0.0)
        if element == BEAM:
            beam_force(q, wires.l0[e], wires.EA[e], wires.EI[e], f)
        else:
            cable_force(q, wires.l0[e], wires.EA[e], wires.EI[e], f)
        for k in range(12):
            i = wires.dof[e, k]
            if i >= 0:
                out[i] += f[k] - wires.rest_force[e, k]


@kernel(**_OPTIONS)
def _curved(wires, u, out):
    """Add what the track's curvature changes: tension by moves to the side, and the push of changed tensions."""
    for e in range(wires.shortening.shape[0]):
        longer, way, before, after = 0.0, np.zeros(3), 0.0, 0.0
        for c in range(3):
            a, b = wires.dof[e, c], wires.dof[e, 6 + c]
            rest = wires.rest[e, 6 + c] - wires.rest[e, c]
            way[c] = rest + (u[b] if b >= 0 else 0.0) - (u[a] if a >= 0 else 0.0)
            before += rest * rest
            after += way[c] * way[c]
        for k in range(8):
            i = wires.dof[e, 3 * (k % 4) + 1 + k // 4]
            longer += wires.shortening[e, k] * (u[i] if i >= 0 else 0.0)
        after = np.sqrt(after)
        by_length = wires.EA[e] / wires.l0[e]
        added = by_length * longer
        pull = by_length * (after - np.sqrt(before)) + added
        for k in range(8):
            i = wires.dof[e, 3 * (k % 4) + 1 + k // 4]
            if i >= 0:
                out[i] += pull * wires.shortening[e, k]
        for c in range(3):
            a, b = wires.dof[e, c], wires.dof[e, 6 + c]
            if a >= 0:
                out[a] -= added * way[c] / after
            if b >= 0:
                out[b] += added * way[c] / after


@kernel(**_OPTIONS)
def _arm_forces(arms, springs, u, out):
    """Add what arms and springs pull beyond their force at rest."""
    axis, rest = np.empty(3), np.empty(3)
    for s in range(arms.force.size):
        length, length0 = 0.0, 0.0
        for k in range(3):
            i = arms.dof[s, k]
            rest[k] = arms.rest[s, k]
            axis[k] = rest[k] - (u[i] if i >= 0 else 0.0)
            length += axis[k] * axis[k]
            length0 += rest[k] * rest[k]
        length, length0 = np.sqrt(length), np.sqrt(length0)
        pull = arms.force[s] + arms.stiffness * (length - length0)
        for k in range(3):
            i = arms.dof[s, k]
            if i >= 0:
                out[i] -= pull * axis[k] / length - arms.force[s] * rest[k] / length0
    for s in range(springs.dof.size):
        i = springs.dof[s]
        out[i] += springs.stiffness[s] * u[i]


@kernel(**_OPTIONS)
def _add_gusts(gusts, t, out, marks):
    """Take the loads of gusts off the line's local force."""
    if gusts.dof.size == 0:
        return
    k = min(max(int(t / gusts.step), 0), gusts.speed.shape[0] - 2)
    part = t / gusts.step - k
    for j in range(gusts.dof.size):
        before, after = gusts.speed[k, gusts.station[j]], gusts.speed[k + 1, gusts.station[j]]
        take_off((out, marks), gusts.dof[j], gusts.load[j] * (before + part * (after - before)))


@kernel(**_OPTIONS)
def _clear(out, marks):
    """Empty a force, where it is marked if marks are kept."""
    if marks.size == 0:
        out[:] = 0.0
    for chunk in range(marks.size):
        if marks[chunk]:
            out[chunk * CHUNK : (chunk + 1) * CHUNK] = 0.0
            marks[chunk] = False


@kernel(**_OPTIONS)
def local_forces(system: System, state: State, t: float, moving: Motion, out: Floats, contact: Touch) -> None:
    """Local force e of the line and contact force of every pantograph with every wire at one moment.

    What is ``found`` of the contacts is filled here; a share of 1 goes all the way to the law's force. With marks,
    ``out`` has nothing where none stands.
    """
    u, v, marks = moving.u, moving.v, contact.marks
    _clear(out, marks)
    if system.nonlinear:
        _wire_forces(system.wires, system.element, u, out)
        _curved(system.wires, u, out)
        _arm_forces(system.arms, system.springs, u, out)
    dropper_forces(system.nonlinear, system.droppers, u, v, out, marks)
    _add_gusts(system.gusts, t, out, marks)
    add_contacts(system, state, moving, t, out, contact)


@kernel(**_OPTIONS)
def base_motion(panto: Pantographs, p: int, t: float) -> tuple[float, float, float]:
    """Height [m] and velocity [m/s] of the base of pantograph p, and how much of its applied force acts."""
    share, rate = 1.0, 0.0
    if panto.entering[p]:
        share = (panto.start[p] + panto.speed * t) / panto.entry_length
        rate = panto.speed / panto.entry_length if 0.0 < share < 1.0 else 0.0
        share = min(1.0, max(0.0, share))
    height, velocity = -panto.entry_drop * (1.0 - share), panto.entry_drop * rate
    n = panto.base_time.size
    if n > 1:
        k = min(max(np.searchsorted(panto.base_time, t, side="right") - 1, 0), n - 2)
        slope = (panto.base_height[k + 1] - panto.base_height[k]) / (panto.base_time[k + 1] - panto.base_time[k])
        height += panto.base_height[k] + slope * (t - panto.base_time[k])
        velocity += slope
    return height, velocity, share


@kernel(**_OPTIONS)
def _arms_beyond(panto, force, z, v, applied):
    """Force that accelerates the arms' mass at the working height as theirs is, from the linear force on them.

    ``z``, ``v`` of the apex over its base; symbols as in `dynamics.pantograph.articulated`.
    """
    table, (begin, step, full) = panto.mechanism, (panto.row[0], panto.row[1], panto.row[2])
    at = (z - begin) / step
    k = min(max(int(at), 0), table.shape[0] - 2)
    w = at - k
    G, b, c, f, half, ratio = (
        table[k, 0] + w * (table[k + 1, 0] - table[k, 0]),
        table[k, 1] + w * (table[k + 1, 1] - table[k, 1]),
        table[k, 2] + w * (table[k + 1, 2] - table[k, 2]),
        table[k, 3] + w * (table[k + 1, 3] - table[k, 3]),
        table[k, 4] + w * (table[k + 1, 4] - table[k, 4]),
        table[k, 5] + w * (table[k + 1, 5] - table[k, 5]),
    )
    return ratio * (force + applied * b - G - c * v - half * v * v - f * np.tanh(v / full))


@kernel(**_OPTIONS)
def pantograph_residual(
    panto: Pantographs,
    p: int,
    t: float,
    motion: tuple[Floats, Floats],
    pressed: tuple[Contacts, float],
    out: Floats,
) -> None:
    """Forces on the masses of pantograph p [N]: applied, control, base, springs, dampers and contact.

    ``motion`` is (z, zv), ``pressed`` the contacts and the control force [N].
    """
    (z, zv), (contacts, push_of_control) = motion, pressed
    height, velocity, share = base_motion(panto, p, t)
    m = panto.mass.size
    for i in range(m):
        total = 0.0
        for j in range(m):
            total -= panto.stiffness[i, j] * z[p, j] + panto.damping[i, j] * zv[p, j]
        push = panto.acted[i] * (share * panto.applied[p])
        out[i] = total + (push + panto.base_stiffness[i] * height + panto.base_damping[i] * velocity)
    if panto.control.present:
        for i in range(m):
            out[i] += panto.control.direction[i] * push_of_control
    strips, load = panto.strips.rides.size, panto.strips.load
    wires = contacts.load.size // (z.shape[0] * strips)
    for k in range(strips):
        on_strip = on_head(contacts.load, p * strips + k, wires)
        for i in range(m):
            out[i] -= load[k, i] * on_strip
    if panto.rolls:
        out[m - 1] -= on_head(contacts.moment, p, strips * wires)
    if panto.mechanism.shape[0] > 0:
        above, speed = z[p, m - 1] - height, zv[p, m - 1] - velocity
        lifted = share * panto.applied[p]
        if panto.control.present and panto.control.direction[0] == 0.0:  # at the base: by what lifts the arms
            lifted += push_of_control
        out[m - 1] = _arms_beyond(panto, out[m - 1], above, speed, lifted)

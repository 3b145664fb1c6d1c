"""Compiled forces of a whole line: wires, droppers, arms, contact and pantographs at one moment.

Legend: u, v displacement and velocity of the line; z, zv height and velocity of the masses; s(u) restoring force, zero
at rest; e the *local* force, which a constant effective matrix does not know: s(u) of the non-linear line, or what
slack droppers add to K u; in both cases less the contact force; lam contact force; d penetration; xi in [0, 1] place
on an element; N Hermite shapes, B their derivatives by arc length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from catenary.elements.ancf_cable import cable_force
from catenary.elements.euler_bernoulli import beam_force
from dynamics.open_line.dropper_forces import dropper_forces
from dynamics.open_line.system import BEAM, Floats, Motion, Pantographs, State, System, Touch

__all__ = ["base_motion", "local_forces", "pantograph_residual"]

_OPTIONS: Any = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}
SLOWEST_IMPACT = 1.0e-3  # m/s: a contact that closes slower is elastic
SEARCH = 12  # Newton steps for the contact point


@njit(**_OPTIONS)
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


@njit(**_OPTIONS)
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


@njit(**_OPTIONS)
def _contact_point(wire, u, x, system):
    """Element and xi of the contact wire at station x: on the wire as it is, or as at rest (PACDIN, eq. 7)."""
    e = min(max(np.searchsorted(wire.begin, x, side="right") - 1, 0), wire.begin.size - 1)
    q = np.empty(4)
    xi = 0.5
    for _ in range(SEARCH):
        l0 = wire.l0[e]
        for j in range(4):
            i = wire.dof[e, 3 * j]
            q[j] = wire.rest[e, 3 * j] + (u[i] if system.nonlinear and i >= 0 else 0.0)
        N0, N1, N2, N3 = (1.0 - xi, 0.0, xi, 0.0) if system.element == BEAM else _hermite(xi, l0)
        error = x - (N0 * q[0] + N1 * q[1] + N2 * q[2] + N3 * q[3])
        xi += error / (q[2] - q[0])
        if xi < -1.0e-9 and e > 0:
            e -= 1
            xi += 1.0
        elif xi > 1.0 + 1.0e-9 and e < wire.begin.size - 1:
            e += 1
            xi -= 1.0
        elif abs(error) < 1.0e-11:
            break
    return e, xi


@njit(**_OPTIONS)
def _hermite(xi, l0):
    return (
        1.0 - xi * xi * (3.0 - 2.0 * xi),
        l0 * xi * (1.0 - xi) * (1.0 - xi),
        xi * xi * (3.0 - 2.0 * xi),
        l0 * xi * xi * (xi - 1.0),
    )


@njit(**_OPTIONS)
def _hermite_slope(xi, l0):
    """Derivatives of the shapes by arc length."""
    B0 = 6.0 * xi * (xi - 1.0) / l0
    return B0, 1.0 + xi * (3.0 * xi - 4.0), -B0, xi * (3.0 * xi - 2.0)


@njit(**_OPTIONS)
def _law(law, state, p, d, rate):
    """Force of the contact law at penetration d.

    Lankarani and Nikravesh (PantoCat, eq. 11): hysteresis 3 (1 - e^2) / 4 of the approach speed at impact.
    """
    if d <= 0.0:
        return 0.0
    lam = law.stiffness * (d if law.exponent == 1.0 else d**law.exponent)
    if law.hysteresis > 0.0:
        impact = state.impact[p] if state.force[p] > 0.0 else rate
        if impact > SLOWEST_IMPACT:
            lam = max(0.0, lam * (1.0 + law.hysteresis * rate / impact))
    return lam


@njit(**_OPTIONS)
def _contact_force(system, state, moving, p, t, out, contact):
    """Contact force of pantograph p, taken off ``out``; height of the wire there and approach speed are noted.

    An iteration goes only a share of the way from its last contact force to that of the law.
    """
    u, v, z, zv = moving
    wire, law, panto = system.contact_wire, system.law, system.pantographs
    found, last, share = contact
    x = panto.start[p] + panto.speed * t
    if x < wire.begin[0] or x > wire.end:
        found.height[p] = np.nan
        return 0.0
    here, rate = 0.0, zv[p, 0]
    for k in range(law.offset.size):
        e, xi = _contact_point(wire, u, x + law.offset[k], system)
        N, B = _hermite(xi, wire.l0[e]), _hermite_slope(xi, wire.l0[e])
        for j in range(4):
            i = wire.dof[e, 3 * j + 2]
            q = wire.rest[e, 3 * j + 2] + (u[i] if i >= 0 else 0.0)
            here += law.weight[k] * N[j] * q
            rate -= law.weight[k] * (N[j] * (v[i] if i >= 0 else 0.0) + panto.speed * B[j] * q)
    found.height[p] = here
    found.approach[p] = rate
    lam = last[p] + share * (_law(law, state, p, z[p, 0] - here, rate) - last[p])
    if lam > 0.0:
        _press(system, u, x, lam, out)
    return lam


@njit(**_OPTIONS)
def _press(system, u, x, lam, out):
    """Subtract a contact force at x, spread as the contact is, from the line's local force."""
    wire, law = system.contact_wire, system.law
    for k in range(law.offset.size):
        e, xi = _contact_point(wire, u, x + law.offset[k], system)
        N = _hermite(xi, wire.l0[e])
        for j in range(4):
            i = wire.dof[e, 3 * j + 2]
            if i >= 0:
                out[i] -= law.weight[k] * N[j] * lam


@njit(**_OPTIONS)
def local_forces(system: System, state: State, t: float, moving: Motion, out: Floats, contact: Touch) -> None:
    """Local force e of the line and contact force of every pantograph at one moment.

    What is ``found`` of the contacts is filled here; a share of 1 goes all the way to the law's force.
    """
    u, v, z, _ = moving
    force = contact.found.force
    out[:] = 0.0
    if system.nonlinear:
        _wire_forces(system.wires, system.element, u, out)
        _arm_forces(system.arms, system.springs, u, out)
    dropper_forces(system.nonlinear, system.droppers, u, v, out)
    for p in range(z.shape[0]):
        force[p] = _contact_force(system, state, moving, p, t, out, contact)


@njit(**_OPTIONS)
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


@njit(**_OPTIONS)
def pantograph_residual(
    panto: Pantographs, p: int, t: float, motion: tuple[Floats, Floats], lam: float, out: Floats
) -> None:
    """Forces on the masses of pantograph p [N]: applied, base, springs, dampers and contact; ``motion`` is (z, zv)."""
    z, zv = motion
    height, velocity, share = base_motion(panto, p, t)
    m = panto.mass.size
    for i in range(m):
        total = 0.0
        for j in range(m):
            total -= panto.stiffness[i, j] * z[p, j] + panto.damping[i, j] * zv[p, j]
        out[i] = total
    out[0] -= lam
    out[m - 1] += share * panto.applied[p] + panto.base_stiffness * height + panto.base_damping * velocity

"""Compiled contact of heads with contact wires: every strip with every wire over it, each force its own.

Contact c is that of contact wire c % wires with strip c // wires, of all strips of one pantograph after another; heads
without suspended strips have one, their middle.

Legend: u, v displacement and velocity of the line; z, zv height and velocity of the masses; lam contact force; d
penetration; xi in [0, 1] place on an element; N Hermite shapes, B their derivatives by arc length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from catenary.kernels.compiled import kernel
from dynamics.open_line.contact_space import frame_of, push_in_space, slide_to_point
from dynamics.open_line.dropper_forces import take_off
from dynamics.open_line.system import BEAM, Contacts, Floats, Motion, State, System, Touch

__all__ = ["add_contacts", "contacts_of_head", "height_over", "on_head", "place_in_motion"]

_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}
SLOWEST_IMPACT = 1.0e-3  # m/s: a contact that closes slower is elastic
SEARCH = 12  # Newton steps for the contact point


@kernel(**_OPTIONS)
def _contact_point(wire, w, u, x, system):
    """Element and xi of contact wire w at station x: on the wire as it is, or as at rest (PACDIN, eq. 7)."""
    first, last = wire.first[w], wire.first[w + 1] - 1
    e = min(max(first + np.searchsorted(wire.begin[first : last + 1], x, side="right") - 1, first), last)
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
        if xi < -1.0e-9 and e > first:
            e -= 1
            xi += 1.0
        elif xi > 1.0 + 1.0e-9 and e < last:
            e += 1
            xi -= 1.0
        elif abs(error) < 1.0e-11:
            break
    return e, xi


@kernel(**_OPTIONS)
def _hermite(xi, l0):
    return (
        1.0 - xi * xi * (3.0 - 2.0 * xi),
        l0 * xi * (1.0 - xi) * (1.0 - xi),
        xi * xi * (3.0 - 2.0 * xi),
        l0 * xi * xi * (xi - 1.0),
    )


@kernel(**_OPTIONS)
def _hermite_slope(xi, l0):
    """Derivatives of the shapes by arc length."""
    B0 = 6.0 * xi * (xi - 1.0) / l0
    return B0, 1.0 + xi * (3.0 * xi - 4.0), -B0, xi * (3.0 * xi - 2.0)


@kernel(**_OPTIONS)
def _surface(wire, w, x):
    """Height of the running surface of wire w over the smooth wire at x, and its slope along the track.

    A cubic through neighbouring points of the grid, whose slopes are central differences.
    """
    a, b = wire.surface_first[w], wire.surface_first[w + 1] - 1
    begin = wire.begin[wire.first[w]]
    step = (wire.end[w] - begin) / (b - a)
    k = min(max(a + int((x - begin) / step), a), b - 1)
    s = (x - begin) / step - (k - a)
    y0, y1 = wire.surface[k], wire.surface[k + 1]
    m0 = 0.5 * (y1 - wire.surface[max(k - 1, a)])
    m1 = 0.5 * (wire.surface[min(k + 2, b)] - y0)
    c2, c3 = 3.0 * (y1 - y0) - 2.0 * m0 - m1, 2.0 * (y0 - y1) + m0 + m1
    return y0 + s * (m0 + s * (c2 + s * c3)), (m0 + s * (2.0 * c2 + 3.0 * s * c3)) / step


@kernel(**_OPTIONS)
def _under(wire, law, w, x):
    """Mean height and slope of the running surface of wire w under a contact at x, spread as the contact is."""
    height = slope = 0.0
    for k in range(law.offset.size):
        own, rise = _surface(wire, w, x + law.offset[k])
        height += law.weight[k] * own
        slope += law.weight[k] * rise
    return height, slope


@kernel(**_OPTIONS)
def _law(law, state, c, d, rate):
    """Force of the contact law at penetration d of contact c.

    Lankarani and Nikravesh (PantoCat, eq. 11): hysteresis 3 (1 - e^2) / 4 of the approach speed at impact.
    """
    if d <= 0.0:
        return 0.0
    lam = law.stiffness * (d if law.exponent == 1.0 else d**law.exponent)
    if law.hysteresis > 0.0:
        impact = state.impact[c] if state.force[c] > 0.0 else rate
        if impact > SLOWEST_IMPACT:
            lam = max(0.0, lam * (1.0 + law.hysteresis * rate / impact))
    return lam


@kernel(**_OPTIONS)
def add_contacts(system: System, state: State, moving: Motion, t: float, out: Floats, contact: Touch) -> None:
    """Find the force of every contact and take it off ``out``.

    A head pushes on every wire that it reaches and pulls none.
    """
    force = contact.found.force
    for c in range(force.size):
        force[c] = _contact_force(system, state, moving, c, t, out, contact)


@kernel(**_OPTIONS)
def _contact_force(system, state, moving, c, t, out, contact):
    """Force of contact c, taken off ``out``; height of the wire there and approach speed are noted.

    An iteration goes only a share of the way from its last contact force to that of the law.
    """
    u, v, z, zv = moving
    wire, law, panto = system.contact_wire, system.law, system.pantographs
    found, last, share, _ = contact
    strips, w = panto.strips, c % wire.end.size
    p, k = c // contacts_of_head(system), c // wire.end.size % strips.rides.size
    ride, x = strips.rides[k], panto.start[p] + panto.speed * t + strips.ahead[k]
    found.load[c], found.moment[c], found.place[c] = 0.0, 0.0, np.nan
    if x < wire.begin[wire.first[w]] or x > wire.end[w]:
        found.height[c] = np.nan
        return 0.0
    if law.space.wanted:
        return _force_in_space(system, state, moving, (c, p, ride), x, out, contact)
    here, rate, lever, head = 0.0, zv[p, ride], 0.0, z[p, ride]
    if panto.rolls:
        lever = _lever(system, w, u, x)
        rate += lever * zv[p, -1]
        head += lever * z[p, -1]
    for k in range(law.offset.size):
        e, xi = _contact_point(wire, w, u, x + law.offset[k], system)
        N, B = _hermite(xi, wire.l0[e]), _hermite_slope(xi, wire.l0[e])
        for j in range(4):
            i = wire.dof[e, 3 * j + 2]
            q = wire.rest[e, 3 * j + 2] + (u[i] if i >= 0 else 0.0)
            here += law.weight[k] * N[j] * q
            rate -= law.weight[k] * (N[j] * (v[i] if i >= 0 else 0.0) + panto.speed * B[j] * q)
    if wire.surface.size > 0:
        height, slope = _under(wire, law, w, x)
        here += height
        rate -= panto.speed * slope
    found.height[c], found.approach[c] = here, rate
    lam = last[c] + share * (_law(law, state, c, head - here, rate) - last[c])
    found.load[c], found.moment[c] = lam, lam * lever
    if lam > 0.0:
        _press(system, w, u, x, lam, (out, contact.marks))
    return lam


@kernel(**_OPTIONS)
def _lever(system, w, u, x):
    """Wire's place at rest to the left of the head's middle [m]."""
    wire, panto = system.contact_wire, system.pantographs
    e, xi = _contact_point(wire, w, u, x, system)
    N, y = _hermite(xi, wire.l0[e]), 0.0
    for j in range(4):
        y += N[j] * wire.rest[e, 3 * j + 1]
    return y - np.interp(x, panto.head_x, panto.head_y)


@kernel(**_OPTIONS)
def _sideways(panto, x):
    """Speed to the left of a head's middle that cant or the vehicle moves there [m/s]."""
    k = min(max(np.searchsorted(panto.head_x, x, side="right") - 1, 0), panto.head_x.size - 2)
    way = panto.head_x[k + 1] - panto.head_x[k]
    return panto.speed * (panto.head_y[k + 1] - panto.head_y[k]) / way


@kernel(**_OPTIONS)
def _force_in_space(system, state, moving, which, x, out, contact):
    """Normal force of a contact, found on wire and head in space, taken off ``out`` with its friction.

    ``which`` is its number, that of its pantograph, and the coordinate that is its strip's height.
    """
    u, v, z, zv = moving
    wire, law, panto = system.contact_wire, system.law, system.pantographs
    found, last, share, marks = contact
    (c, p, ride), w = which, which[0] % wire.end.size
    middle = np.array([x, np.interp(x, panto.head_x, panto.head_y), z[p, ride]])
    roll, rolling = (z[p, -1], zv[p, -1]) if panto.rolls else (0.0, 0.0)
    turned = np.interp(x, panto.head_x, panto.head_turned) + roll
    q, shape, point, across = np.empty((2, 6)), np.empty((3, 3)), np.empty(3), np.empty(3)
    e, xi = _contact_point(wire, w, u, x, system)
    start = (e, xi, wire.first[w], wire.first[w + 1] - 1)
    e, xi, s2 = slide_to_point(wire, law.space, u, start, (middle, turned), (q, shape, point, across))
    N, n1, n2 = _hermite(xi, wire.l0[e]), np.empty(3), np.empty(3)
    frame_of(shape[1], n1, n2)
    length, gap, rate, sliding = np.sqrt(n2[0] * n2[0] + n2[2] * n2[2]), 0.0, 0.0, np.empty(3)
    arm_y, arm_z = point[1] - middle[1], point[2] - middle[2]
    head = (panto.speed, _sideways(panto, x) - rolling * arm_z, zv[p, ride] + rolling * arm_y)
    for k in range(3):
        sliding[k] = head[k]
        for j in range(4):
            i = wire.dof[e, 3 * j + k]
            sliding[k] -= N[j] * (v[i] if i >= 0 else 0.0)
        gap += (point[k] - shape[0, k]) * n2[k] / length
        rate += sliding[k] * n2[k] / length
    here = shape[0, 2]
    if wire.surface.size > 0:
        height, slope = _under(wire, law, w, x)
        here += height
        gap -= height * n2[2] / length
        rate -= panto.speed * slope * n2[2] / length
    found.height[c], found.approach[c], found.place[c] = here, rate, s2
    wanted = _law(law, state, c, gap, rate)
    if wanted > 0.0:
        wanted = max(0.0, wanted + law.space.damping * rate)
    lam = last[c] + share * (wanted - last[c])
    if lam <= 0.0:
        return lam
    push = np.empty(3)
    push_in_space(law.space, lam, (shape[1], n1, n2), sliding, push)
    found.load[c], found.moment[c] = push[2], arm_y * push[2] - arm_z * push[1]
    for k in range(3):
        for j in range(4):
            i = wire.dof[e, 3 * j + k]
            if i >= 0:
                take_off((out, marks), i, N[j] * push[k])
    return lam


@kernel(**_OPTIONS)
def _press(system, w, u, x, lam, onto):
    """Subtract a contact force at x of wire w, spread as the contact is, from the line's local force."""
    wire, law = system.contact_wire, system.law
    for k in range(law.offset.size):
        e, xi = _contact_point(wire, w, u, x + law.offset[k], system)
        N = _hermite(xi, wire.l0[e])
        for j in range(4):
            i = wire.dof[e, 3 * j + 2]
            if i >= 0:
                take_off(onto, i, law.weight[k] * N[j] * lam)


@kernel(**_OPTIONS)
def contacts_of_head(system: System) -> int:
    """How many contacts a head may have."""
    return system.pantographs.strips.rides.size * system.contact_wire.end.size


@kernel(**_OPTIONS)
def _lowest(height, first, wires):
    """Contact of the lowest wire over a strip whose contacts begin with ``first``; negative where there is none."""
    found = -1
    for c in range(first, first + wires):
        if height[c] == height[c] and (found < 0 or height[c] <= height[found]):
            found = c
    return found


@kernel(**_OPTIONS)
def place_in_motion(system: System, u: Floats, contacts: Contacts, p: int, x: float) -> float:
    """Place of the lowest wire to the left of the middle of head p at station x, as it has moved there [m]."""
    wire, panto = system.contact_wire, system.pantographs
    c = _lowest(contacts.height, p * contacts_of_head(system), wire.end.size)
    e, xi = _contact_point(wire, max(c, 0) % wire.end.size, u, x, system)
    N, y = _hermite(xi, wire.l0[e]), 0.0
    for j in range(4):
        i = wire.dof[e, 3 * j + 1]
        y += N[j] * (wire.rest[e, 3 * j + 1] + (u[i] if i >= 0 else 0.0))
    return y - np.interp(x, panto.head_x, panto.head_y) if c >= 0 else np.nan


@kernel(**_OPTIONS)
def on_head(force: Floats, p: int, contacts: int) -> float:
    """Force of all wires on the head of pantograph p, which may have so many contacts [N]."""
    total = 0.0
    for c in range(p * contacts, (p + 1) * contacts):
        total += force[c]
    return total


@kernel(**_OPTIONS)
def height_over(system: System, height: Floats, p: int) -> float:
    """Height of the lowest wire over pantograph p, the mean of its strips' [m]; not a number where there is no wire."""
    strips, wires, total = system.pantographs.strips.rides.size, system.contact_wire.end.size, 0.0
    for k in range(p * strips, (p + 1) * strips):
        c = _lowest(height, k * wires, wires)
        total += float(height[c]) if c >= 0 else np.nan
    return total / strips

"""Compiled contact of a head with a wire in space: its point on both, the normal, and friction.

It is the elastic contact that its source couples to ANCF catenaries, eqs 3 to 8.

Legend: r, t, rxx the wire's place and its derivatives by arc length; p the head's point, s2 its place across the head,
a2, a3 the head's directions across and up; d = r - p; n1, n2 the contact frame's directions, not of unit length.
The point is where d has no part along t and n1. t . n1 is zero whatever t is. The frame is singular where the wire runs
across the track.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from catenary.kernels.compiled import kernel
from dynamics.open_line.system import ContactWire, Floats, Space

__all__ = ["contact_jacobian", "frame_of", "place_on_wire", "push_in_space", "slide_to_point"]

_OPTIONS: Any = {"error_model": "numpy"}
SEARCH, CLOSE = 30, 1.0e-12  # Newton steps, and how close they come [m]


@kernel(**_OPTIONS)
def place_on_wire(q: Floats, xi: float, l0: float, out: Floats) -> None:
    """Fill place, slope and curvature (3, 3) of a wire element q (2, 6) at xi."""
    N = (
        1.0 - xi * xi * (3.0 - 2.0 * xi),
        l0 * xi * (1.0 - xi) * (1.0 - xi),
        xi * xi * (3.0 - 2.0 * xi),
        l0 * xi * xi * (xi - 1.0),
    )
    B0 = 6.0 * xi * (xi - 1.0) / l0
    B = (B0, 1.0 + xi * (3.0 * xi - 4.0), -B0, xi * (3.0 * xi - 2.0))
    H0 = (12.0 * xi - 6.0) / (l0 * l0)
    H = (H0, (6.0 * xi - 4.0) / l0, -H0, (6.0 * xi - 2.0) / l0)
    for c in range(3):
        a, b, e, f = q[0, c], q[0, 3 + c], q[1, c], q[1, 3 + c]
        out[0, c] = N[0] * a + N[1] * b + N[2] * e + N[3] * f
        out[1, c] = B[0] * a + B[1] * b + B[2] * e + B[3] * f
        out[2, c] = H[0] * a + H[1] * b + H[2] * e + H[3] * f


@kernel(**_OPTIONS)
def _profile(space, s2):
    """Height of the head's profile at s2, and its slope: a crown, and horns beyond the working range."""
    beyond = max(0.0, abs(s2) - space.half_width)
    side = 1.0 if s2 > 0.0 else -1.0
    height = -0.5 * s2 * s2 / space.crown - 0.5 * beyond * beyond / space.horn
    return height, -s2 / space.crown - side * beyond / space.horn


@kernel(**_OPTIONS)
def frame_of(t: Floats, n1: Floats, n2: Floats) -> None:
    """Fill the contact frame's directions that belong to the wire's slope."""
    n1[0], n1[1], n1[2] = -t[0] * t[1], t[0] * t[0] + t[2] * t[2], -t[1] * t[2]
    n2[0], n2[1], n2[2] = -t[2], 0.0, t[0]


@kernel(**_OPTIONS)
def head_point(space: Space, middle: Floats, turned: float, s2: float, p: Floats, across: Floats) -> None:
    """Fill the head's point at s2 and its derivative by s2, the head turned by an angle about the track's direction."""
    height, slope = _profile(space, s2)
    c, s = np.cos(turned), np.sin(turned)
    p[0] = middle[0]
    p[1] = middle[1] + s2 * c - height * s
    p[2] = middle[2] + s2 * s + height * c
    across[0], across[1], across[2] = 0.0, c - slope * s, s + slope * c


@kernel(**_OPTIONS)
def contact_jacobian(wire: Floats, d: Floats, across: Floats, J: Floats, C: Floats) -> None:
    """Fill the two equations of the contact point and their derivatives by arc length and by s2 (eqs 5 and 7)."""
    t, rxx = wire[1], wire[2]
    n1, n2 = np.empty(3), np.empty(3)
    frame_of(t, n1, n2)
    C[0], C[1] = 0.0, 0.0
    J[:] = 0.0
    turn = (
        -t[1] * rxx[0] - t[0] * rxx[1],
        2.0 * (t[0] * rxx[0] + t[2] * rxx[2]),
        -t[2] * rxx[1] - t[1] * rxx[2],
    )
    for c in range(3):
        C[0] += d[c] * t[c]
        C[1] += d[c] * n1[c]
        J[0, 0] += d[c] * rxx[c] + t[c] * t[c]
        J[0, 1] -= across[c] * t[c]
        J[1, 0] += d[c] * turn[c]
        J[1, 1] -= across[c] * n1[c]


@kernel(**_OPTIONS)
def _gather(wire, u, e, q):
    """Coordinates of element e of the contact wires as they are (2, 6)."""
    for k in range(12):
        i = wire.dof[e, k]
        q[k // 6, k % 6] = wire.rest[e, k] + (u[i] if i >= 0 else 0.0)


@kernel(**_OPTIONS)
def slide_to_point(
    wires: ContactWire,
    space: Space,
    u: Floats,
    start: tuple[int, float, int, int],
    head: tuple[Floats, float],
    found: tuple[Floats, Floats, Floats, Floats],
) -> tuple[int, float, float]:
    """Find the contact point by Newton; returns element, xi and s2, and leaves place (3, 3), point and across.

    ``start`` is (element, xi, first and last element of the wire), ``head`` its middle and its angle, ``found`` is
    (coordinates (2, 6), wire (3, 3), p (3,), across (3,)).
    """
    e, xi, first, last = start
    middle, turned = head
    q, wire, p, across = found
    J, C, d = np.empty((2, 2)), np.empty(2), np.empty(3)
    _gather(wires, u, e, q)
    place_on_wire(q, xi, wires.l0[e], wire)
    s2 = wire[0, 1] - middle[1]
    for _ in range(SEARCH):
        head_point(space, middle, turned, s2, p, across)
        for c in range(3):
            d[c] = wire[0, c] - p[c]
        contact_jacobian(wire, d, across, J, C)
        det = J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0]
        move = (-C[0] * J[1, 1] + C[1] * J[0, 1]) / det
        aside = (-C[1] * J[0, 0] + C[0] * J[1, 0]) / det
        s2 += aside
        xi += move / wires.l0[e]
        if xi < -1.0e-9 and e > first:
            xi = 1.0 + xi * wires.l0[e] / wires.l0[e - 1]
            e -= 1
        elif xi > 1.0 + 1.0e-9 and e < last:
            xi = (xi - 1.0) * wires.l0[e] / wires.l0[e + 1]
            e += 1
        _gather(wires, u, e, q)
        place_on_wire(q, xi, wires.l0[e], wire)
        if abs(move) + abs(aside) < CLOSE:
            break
    head_point(space, middle, turned, s2, p, across)
    return e, xi, s2


@kernel(**_OPTIONS)
def push_in_space(
    space: Space, lam: float, frame: tuple[Floats, Floats, Floats], sliding: Floats, push: Floats
) -> None:
    """Fill the force of the head on the wire: lam along the normal, and friction.

    ``frame`` is (t, n1, n2), ``sliding`` the velocity of the head's point against the wire's.
    """
    t, n1, n2 = frame
    length = np.sqrt(n2[0] * n2[0] + n2[2] * n2[2])
    along = 0.0
    for c in range(3):
        push[c] = lam * n2[c] / length
        along += sliding[c] * n2[c] / length
    if space.friction == 0.0:
        return
    rub = np.empty(3)
    if space.fixed:
        size_t, size_n = np.sqrt((t * t).sum()), np.sqrt((n1 * n1).sum())
        for c in range(3):
            rub[c] = (t[c] / size_t + n1[c] / size_n) / np.sqrt(2.0)
    else:
        speed = space.regular * space.regular
        for c in range(3):
            rub[c] = sliding[c] - along * n2[c] / length
            speed += rub[c] * rub[c]
        rub /= np.sqrt(speed)
    for c in range(3):
        push[c] += space.friction * lam * rub[c]

r"""Compiled answers of a line's network at complex frequencies, with Bloch phase exp(-i omega T).

A bay obeys EI tau w'''' - T tau w'' + rho mu w = 0 with tau = 1 + i omega beta, mu = -omega^2 + i omega alpha, whose
roots r1 (the string's wave) and r2 (the bending boundary layer) give the stiffness of its ends in closed form, for the
symmetric and the antisymmetric half apart: with p = r tanh(r l / 2) (or r coth), force and moment at an end are

    F = a / (p2 - p1) [p1 p2 (r2^2 - r1^2) w + (p2 r1^2 - p1 r2^2) w'],
    M = a / (p2 - p1) [(p2 r1^2 - p1 r2^2) w + (r2^2 - r1^2) w'].

A change N of the tension of a bay that hangs with curvature k loads it by tau N k a metre; its elongation is
[z0' w] - k integral(w), and the integral of w is the sum of the forces at its ends over rho mu.

Legend: S dynamic stiffness, lower triangle, the next period's interface behind the period's own; a = EI tau, t = T tau,
m = rho mu; s0, s1, s2 (a0, a1, a2) force by height, force by slope and moment by slope of the symmetric half (the
antisymmetric one).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.influence.kernel import bloch_solution, bloch_work, load_answers, log_product
from dynamics.line_operator.condensed.parts import Bays, Damping, Points
from dynamics.linear_algebra.complex_numbers import exponential, inverse, root

__all__ = ["OPTIONS", "add_attached", "add_bays", "assemble", "clear", "damped_at", "damped_bays", "network_answers"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]
OPTIONS: Any = {
    "error_model": "numpy",
    "nogil": True,
    "fastmath": {"contract", "nsz", "arcp", "reassoc"},
}


@kernel(**OPTIONS)
def damped_at(omega: complex, damping: Damping) -> tuple[complex, complex, complex, complex]:
    """Frequency, and factors tau of the stiffness of contact wire, droppers and arms."""
    grows = 1j * omega
    return omega, 1.0 + grows * damping.beta, 1.0 + grows * damping.droppers, 1.0 + grows * damping.arms


@kernel(**OPTIONS)
def damped_bays(omega: complex, bays: Bays) -> tuple[Complexes, Complexes]:
    """Factors tau of stiffness [-] and mu of mass [1/s^2] of all bays (bay,)."""
    tau, mu = np.empty((2, bays.length.size), np.complex128)
    for b in range(tau.size):
        tau[b], mu[b] = 1.0 + 1j * omega * bays.beta[b], omega * (1j * bays.alpha[b] - omega)
    return tau, mu


@kernel(**OPTIONS)
def clear(S: Complexes, first: Ints) -> None:
    """Set the envelope of a matrix to zero: interface, rows from ``first`` on, and the next period's interface."""
    for i in range(S.shape[0]):
        if i >= first.size:
            S[i] = 0.0
        else:
            S[i, : S.shape[0] - first.size] = 0.0
            S[i, first[i] : i + 1] = 0.0


@kernel(**OPTIONS)
def _half(R1, R2, p1, p2, a):
    """Stiffness of one half of a bay: force by height, force by slope, moment by slope; R1, R2 are squares."""
    scale = a * inverse(p2 - p1)
    return scale * p1 * p2 * (R2 - R1), scale * (p2 * R1 - p1 * R2), scale * (R2 - R1)


@kernel(**OPTIONS)
def _add(S, i, j, value):
    """Add an entry of a symmetric matrix to its lower triangle."""
    S[max(i, j), min(i, j)] += value


@kernel(**OPTIONS)
def _elongation(bay, slopes, tau, s0, s1, m):
    """Elongation left w + tilt h + right v - tilt g - x + y of a bay: left, tilt, right, and the spring that it has.

    ``bay`` are its length, curvature and compliance, ``slopes`` those at both ends.
    """
    (length, k, compliance), by_m = bay, inverse(m)
    whole, tilt = k * s0 * by_m, k * s1 * by_m
    spring = tau * inverse(compliance + k * k * tau * (length - 2.0 * s0 * by_m) * by_m)
    return -slopes[0] - whole, tilt, slopes[1] - whole, spring


@kernel(**OPTIONS)
def _along(out, pulls, spring):
    """Fill in what a bay's spring does to the places of its ends along the track, in the order of `Bays.entry`."""
    by_left, by_tilt, by_right = pulls
    out[10], out[11], out[12], out[13], out[14] = -by_left, -by_tilt, -by_right, by_tilt, spring
    out[15], out[16], out[17], out[18], out[19], out[20] = by_left, by_tilt, by_right, -by_tilt, -spring, spring


@kernel(**OPTIONS)
def _add_side(S, side, turn, veer, halves, dof, along, pulls, spring):
    """Add a bay's stiffness across the track, and what its spring does between height, side and place along it."""
    (w, h, v, g), (s0, s1, s2, a0, a1, a2) = side, halves
    if w >= 0:
        _add(S, w, w, 0.5 * (s0 + a0))
        _add(S, h, w, -0.5 * (s1 + a1))
        _add(S, g, w, 0.5 * turn * (s1 - a1))
    if v >= 0:
        _add(S, v, v, 0.5 * (s0 + a0))
        _add(S, v, h, 0.5 * turn * (a1 - s1))
        _add(S, g, v, 0.5 * (s1 + a1))
    _add(S, h, h, 0.5 * (s2 + a2))
    _add(S, g, h, 0.5 * turn * (a2 - s2))
    _add(S, g, g, 0.5 * (s2 + a2))
    if w >= 0 and v >= 0:
        _add(S, v, w, turn * (0.5 * (s0 - a0) - spring * veer * veer))
    if along[0] < 0:
        return
    by_left, by_tilt, by_right = pulls
    for at, sense in ((w, -veer), (v, turn * veer)):
        if at >= 0:
            _add(S, at, at, spring * veer * veer)
            _add(S, at, dof[0], sense * by_left)
            _add(S, at, dof[1], sense * by_tilt)
            _add(S, at, dof[2], sense * by_right)
            _add(S, at, dof[3], -sense * by_tilt)
            _add(S, at, along[0], -sense * spring)
            _add(S, at, along[1], sense * spring)


@kernel(**OPTIONS)
def add_bays(S: Complexes, bays: Bays, tau: Complexes, m: Complexes, halves: Complexes) -> None:
    """Add the stiffness between the ends of all bays by their six numbers, s0 to a2 (bay, 6); ``tau``, ``m`` (bay,).

    All of them in one call: a call that takes the arrays of `Bays` costs as much as what a bay adds.
    """
    entries, own = S.reshape(-1), np.empty(bays.entry.shape[1], np.complex128)
    for b in range(bays.length.size):
        s0, s1, s2, a0, a1, a2 = halves[b, 0], halves[b, 1], halves[b, 2], halves[b, 3], halves[b, 4], halves[b, 5]
        count, spring, left, tilt, right = 10, 0.0j, 0.0j, 0.0j, 0.0j
        if bays.along[b, 0] >= 0:
            bay, slopes = (bays.length[b], bays.curvature[b], bays.compliance[b]), (bays.slope[b, 0], bays.slope[b, 1])
            left, tilt, right, spring = _elongation(bay, slopes, tau[b], s0, s1, m[b])
            count = own.size
        by_left, by_tilt, by_right = spring * left, spring * tilt, spring * right
        own[0], own[1] = 0.5 * (s0 + a0) + by_left * left, by_left * tilt - 0.5 * (s1 + a1)
        own[2], own[3] = 0.5 * (s2 + a2) + by_tilt * tilt, 0.5 * (s0 - a0) + by_left * right
        own[4], own[5] = 0.5 * (a1 - s1) + by_tilt * right, 0.5 * (s0 + a0) + by_right * right
        own[6], own[7] = 0.5 * (s1 - a1) - by_left * tilt, 0.5 * (a2 - s2) - by_tilt * tilt
        own[8], own[9] = 0.5 * (s1 + a1) - by_right * tilt, 0.5 * (s2 + a2) + by_tilt * tilt
        _along(own, (by_left, by_tilt, by_right), spring)
        for e in range(count):
            entries[bays.entry[b, e]] += own[e]
        if b < bays.side.shape[0]:
            side = bays.side[b, 0], bays.side[b, 1], bays.side[b, 2], bays.side[b, 3]
            ends = bays.dof[b, 0], bays.dof[b, 1], bays.dof[b, 2], bays.dof[b, 3]
            six, along = (s0, s1, s2, a0, a1, a2), (bays.along[b, 0], bays.along[b, 1])
            _add_side(S, side, bays.turn[b], bays.veer[b], six, ends, along, (by_left, by_tilt, by_right), spring)


@kernel(**OPTIONS)
def _bay_halves(bay, tau, mu, out):
    """Fill in the six numbers of a bay's ends by its length, tension, bending stiffness and mass.

    Returns its own determinant between held ends.
    """
    length, tension, bending, mass = bay
    m, a, t = mass * mu, bending * tau, tension * tau
    both = t + root(t * t - 4.0 * a * m)
    R1, R2 = 2.0 * m * inverse(both), both * inverse(2.0 * a)
    r1, r2, half = root(R1), root(R2), 0.5 * length
    wave = exponential(r1 * half)
    back = inverse(wave)
    sinh, cosh = 0.5 * (wave - back), 0.5 * (wave + back)
    slope, near = sinh * inverse(cosh), exponential(-2.0 * r2 * half)
    near = (1.0 - near) * inverse(1.0 + near)
    p1, p2, q1, q2 = r1 * slope, r2 * near, r1 * inverse(slope), r2 * inverse(near)
    out[0], out[1], out[2] = _half(R1, R2, p1, p2, a)
    out[3], out[4], out[5] = _half(R1, R2, q1, q2, a)
    return (p2 - p1) * cosh * (q2 - q1) * sinh * inverse(r1)


@kernel(**OPTIONS)
def _add_between(S, low, high, k):
    """Add a spring between two dofs."""
    S[low, low] += k
    S[high, high] += k
    _add(S, low, high, -k)


@kernel(**OPTIONS)
def _add_askew(S, low, high, aside, mixed, across):
    """Add what a dropper that hangs askew does across the track."""
    left, right = aside
    if left >= 0:
        S[left, left] += across
        _add(S, low, left, mixed)
        _add(S, high, left, -mixed)
    if right >= 0:
        S[right, right] += across
        _add(S, high, right, mixed)
        _add(S, low, right, -mixed)
    if left >= 0 and right >= 0:
        _add(S, left, right, -across)


@kernel(**OPTIONS)
def add_attached(S: Complexes, points: Points, damped: tuple[complex, complex, complex, complex]) -> None:
    """Add what is attached to the wires; ``damped`` is `damped_at` of the frequency."""
    omega, _, of_dropper, of_arm = damped
    for i in range(points.mass.size):
        slowed = 1j * (points.drag[i] + points.dashpot[i]) - omega * points.mass[i]
        S[i, i] += omega * slowed + of_arm * points.stiffness[i] + points.held[i]
    for d in range(points.dropper.size):
        low, high, own = points.bottom[d], points.top[d], of_dropper - points.loose[d]
        _add_between(S, low, high, own * points.upright[d])
        if d < points.aside.shape[0]:
            ends = points.aside[d, 0], points.aside[d, 1]
            _add_askew(S, low, high, ends, own * points.mixed[d], own * points.across[d])
        if points.swaying[d, 0] >= 0:
            _add_between(S, points.swaying[d, 0], points.swaying[d, 1], of_dropper * points.sway[d])
    for s in range(points.arm.shape[0]):
        _add(S, points.arm[s, 0], points.arm[s, 1], of_arm * points.skew[s])


@kernel(**OPTIONS)
def assemble(S: Complexes, omega: complex, line: tuple[Bays, Points, Ints], damping: Damping) -> complex:
    """Dynamic stiffness at a frequency, on its envelope; returns the logarithm of the bays' own determinants.

    S is zero elsewhere before and after: it is made by `bloch_work`. ``line`` is that of `LineNetwork.arguments`.
    """
    bays, points, first = line
    tau, mu = damped_bays(omega, bays)
    clear(S, first)
    own, halves = np.empty(bays.length.size, np.complex128), np.empty((bays.length.size, 6), np.complex128)
    for b in range(own.size):
        own[b] = _bay_halves((bays.length[b], bays.tension[b], bays.bending[b], bays.mass[b]), tau[b], mu[b], halves[b])
    add_bays(S, bays, tau, bays.mass * mu, halves)
    add_attached(S, points, damped_at(omega, damping))
    return log_product(own)


@kernel(**OPTIONS)
def network_answers(
    omega: Complexes, line: tuple[Bays, Points, Ints], numbers: tuple[int, float, Damping], rhs: Floats
) -> tuple[Complexes, Complexes]:
    """Answers rhs^T D(omega)^-1 rhs (omega, load, load) to loads rhs (dof, load), and log det D (omega,).

    Parameters
    ----------
    omega : complex array (omega,)
        [rad/s].
    line : tuple
        Bays, points, and ``first`` of the network.
    numbers : tuple
        Number of interface dofs; period of time T [s]; damping.
    rhs : float array (dof, load)
    """
    (_, _, first), (ni, T, damping) = line, numbers
    out, logs = np.zeros((omega.size, rhs.shape[1], rhs.shape[1]), np.complex128), np.empty(omega.size, np.complex128)
    work = bloch_work(rhs.shape[0], ni, rhs.shape[1])
    for t in range(omega.size):
        own = assemble(work.S, omega[t], line, damping)
        logs[t] = own + bloch_solution(np.exp(-1j * omega[t] * T), ni, first, rhs, work)
        load_answers(rhs, work, out[t])
    return out, logs

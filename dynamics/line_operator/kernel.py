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
from dynamics.influence.kernel import bloch_solution, bloch_work, load_answers
from dynamics.line_operator.network import Bays, Points

__all__ = ["OPTIONS", "add_attached", "add_ends", "assemble", "network_answers"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]
OPTIONS: Any = {
    "error_model": "numpy",
    "nogil": True,
    "fastmath": {"contract", "nsz", "arcp", "reassoc"},
}


@kernel(**OPTIONS)
def _half(r1, r2, p1, p2, a):
    """Stiffness of one half of a bay: force by height, force by slope, moment by slope."""
    scale = a / (p2 - p1)
    square1, square2 = r1 * r1, r2 * r2
    return scale * p1 * p2 * (square2 - square1), scale * (p2 * square1 - p1 * square2), scale * (square2 - square1)


@kernel(**OPTIONS)
def _add(S, i, j, value):
    """Add an entry of a symmetric matrix to its lower triangle."""
    if i >= j:
        S[i, j] += value
    else:
        S[j, i] += value


@kernel(**OPTIONS)
def _add_tension(S, bays, b, tau, s0, s1, m):
    """Add what the change of a bay's tension does to its ends: a spring along its elongation h."""
    k = bays.curvature[b]
    whole, tilt = k * s0 / m, k * s1 / m
    w, h, v, g = bays.dof[b]
    x, y = bays.along[b]
    dof = (w, h, v, g, x, y)
    stretch = (-bays.slope[b, 0] - whole, tilt, bays.slope[b, 1] - whole, -tilt, -1.0 + 0.0j, 1.0 + 0.0j)
    spring = tau / (bays.compliance[b] + k * k * tau * (bays.length[b] - 2.0 * s0 / m) / m)
    for i in range(6):
        for j in range(6):
            if dof[i] >= dof[j]:
                S[dof[i], dof[j]] += spring * stretch[i] * stretch[j]


@kernel(**OPTIONS)
def add_ends(
    S: Complexes,
    bays: Bays,
    b: int,
    damped: tuple[complex, complex],
    halves: tuple[complex, complex, complex, complex, complex, complex],
) -> None:
    """Add the stiffness between a bay's ends by its six numbers; ``damped`` are tau and m."""
    s0, s1, s2, a0, a1, a2 = halves
    w, h, v, g = bays.dof[b]
    _add(S, w, w, 0.5 * (s0 + a0))
    _add(S, v, v, 0.5 * (s0 + a0))
    _add(S, v, w, 0.5 * (s0 - a0))
    _add(S, h, h, 0.5 * (s2 + a2))
    _add(S, g, g, 0.5 * (s2 + a2))
    _add(S, g, h, 0.5 * (a2 - s2))
    _add(S, w, h, -0.5 * (s1 + a1))
    _add(S, v, g, 0.5 * (s1 + a1))
    _add(S, v, h, 0.5 * (a1 - s1))
    _add(S, w, g, 0.5 * (s1 - a1))
    if bays.along[b, 0] >= 0:
        _add_tension(S, bays, b, damped[0], s0, s1, damped[1])


@kernel(**OPTIONS)
def _add_bay(S, bays, b, tau, mu):
    """Add the stiffness of a bay; returns the logarithm of its own determinant between held ends."""
    m, a, t = bays.mass[b] * mu, bays.bending[b] * tau, bays.tension[b] * tau
    root = np.sqrt(t * t - 4.0 * a * m)
    r1, r2 = np.sqrt(2.0 * m / (t + root)), np.sqrt((t + root) / (2.0 * a))
    half = 0.5 * bays.length[b]
    near = np.exp(-2.0 * r2 * half)
    near = (1.0 - near) / (1.0 + near)
    sinh, cosh = np.sinh(r1 * half), np.cosh(r1 * half)
    p1, p2, q1, q2 = r1 * sinh / cosh, r2 * near, r1 * cosh / sinh, r2 / near
    s0, s1, s2 = _half(r1, r2, p1, p2, a)
    a0, a1, a2 = _half(r1, r2, q1, q2, a)
    add_ends(S, bays, b, (tau, m), (s0, s1, s2, a0, a1, a2))
    return np.log((p2 - p1) * cosh) + np.log((q2 - q1) * sinh / r1)


@kernel(**OPTIONS)
def _add_between(S, low, high, k):
    """Add a spring between two dofs."""
    S[low, low] += k
    S[high, high] += k
    _add(S, low, high, -k)


@kernel(**OPTIONS)
def add_attached(S: Complexes, omega: complex, points: Points, tau: complex, mu: complex) -> None:
    """Add what is attached to the wires."""
    for i in range(points.mass.size):
        S[i, i] += mu * points.mass[i] + tau * points.stiffness[i] + points.held[i] + 1j * omega * points.dashpot[i]
    for d in range(points.dropper.size):
        _add_between(S, points.bottom[d], points.top[d], tau * points.dropper[d])
        if points.swaying[d, 0] >= 0:
            _add_between(S, points.swaying[d, 0], points.swaying[d, 1], tau * points.sway[d])


@kernel(**OPTIONS)
def assemble(S: Complexes, omega: complex, bays: Bays, points: Points, alpha: float, beta: float) -> complex:
    """Dynamic stiffness at a frequency; returns the logarithm of the bays' own determinants."""
    tau, mu = 1.0 + 1j * omega * beta, -omega * omega + 1j * omega * alpha
    S[:, :] = 0.0
    logs = 0.0 + 0.0j
    for b in range(bays.length.size):
        logs += _add_bay(S, bays, b, tau, mu)
    add_attached(S, omega, points, tau, mu)
    return logs


@kernel(**OPTIONS)
def network_answers(
    omega: Complexes, line: tuple[Bays, Points, Ints], numbers: tuple[int, float, float, float], rhs: Floats
) -> tuple[Complexes, Complexes]:
    """Answers rhs^T D(omega)^-1 rhs (omega, load, load) to loads rhs (dof, load), and log det D (omega,).

    Parameters
    ----------
    omega : complex array (omega,)
        [rad/s].
    line : tuple
        Bays, points, and ``first`` of the network.
    numbers : tuple
        Number of interface dofs; period of time T [s], alpha [1/s], beta [s].
    rhs : float array (dof, load)
    """
    (bays, points, first), (ni, T, alpha, beta) = line, numbers
    out, logs = np.zeros((omega.size, rhs.shape[1], rhs.shape[1]), np.complex128), np.empty(omega.size, np.complex128)
    work = bloch_work(rhs.shape[0], ni, rhs.shape[1])
    for t in range(omega.size):
        own = assemble(work.S, omega[t], bays, points, alpha, beta)
        logs[t] = own + bloch_solution(np.exp(-1j * omega[t] * T), ni, first, rhs, work)
        load_answers(rhs, work, out[t])
    return out, logs

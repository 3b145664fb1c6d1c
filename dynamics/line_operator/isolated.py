"""Droppers between endless wires: what a line answers before any wave comes back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.ring import OPTIONS
from dynamics.linear_algebra.complex_numbers import inverse, root

__all__ = ["isolated_slopes", "isolated_stretch"]

Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]


def isolated_stretch(network: LineNetwork, droppers: Ints, omega: Complexes) -> Complexes:
    """Stretch of droppers by forces that squeeze them (omega, dropper) [m/N]; omega below the real axis.

    Of one that hangs loose at rest, with its sign turned, as in `Answers`.
    """
    (low, high), points = _softness(network, droppers, omega), network.points
    springs = points.dropper[droppers], points.loose[droppers], network.damping.droppers
    _stretch(low, high, springs, omega)
    return low


def isolated_slopes(network: LineNetwork, droppers: Ints, omega: Complexes) -> Complexes:
    """That, and its derivatives by a dropper's stiffness, and by mass and drag at both of its ends (6, omega, dropper).

    Those of mass are of the lower and the upper end, and so are those of drag.
    """
    low, high = _softness(network, droppers, omega)
    grows = 1j * omega[:, None]
    soft, own = low + high, 1.0 + grows * network.damping.droppers - network.points.loose[droppers]
    part = 1.0 / (1.0 + network.points.dropper[droppers] * own * soft)
    ends = np.stack([low * part, high * part]) ** 2
    found = np.concatenate([[-soft * part, own * (soft * part) ** 2], grows**2 * ends, grows * ends])
    return found * network.way[droppers]


def _softness(network: LineNetwork, droppers: Ints, omega: Complexes) -> tuple[Complexes, Complexes]:
    """Heights of the droppers' lower and upper ends by forces on the wires there (omega, dropper) [m/N]."""
    bays, points = network.bays, network.points
    above = [int(np.flatnonzero((bays.dof[:, [0, 2]] == top).any(axis=1))[0]) for top in points.top[droppers]]
    # one wire's bays have one tension but for a ten-thousandth
    hung = [
        (float(f"{bays.tension[b]:.3g}"), float(bays.bending[b]), float(f"{bays.mass[b]:.4g}"),
         float(bays.alpha[b]), float(bays.beta[b])) for b in above
    ]  # fmt: skip
    below = *network.wire, network.damping.alpha, network.damping.beta
    wires = sorted({below, *hung})
    at = np.array([(wires.index(below), wires.index(each)) for each in hung]).T.reshape(2, -1)
    ends = np.stack([points.bottom[droppers], points.top[droppers]])
    out = np.empty((2, len(omega), len(droppers)), np.complex128)
    _soften(np.array(wires), at, (points.mass[ends], points.drag[ends]), omega, out)
    return out[0], out[1]


@kernel(**OPTIONS)
def _point_stiffness(wire, omega):
    """Force on a point of an endless wire for its unit height; ``wire`` is T, EI and mass per length, alpha, beta."""
    tau, mu = 1.0 + 1j * omega * wire[4], omega * (1j * wire[3] - omega)
    a, t, m = wire[1] * tau, wire[0] * tau, wire[2] * mu
    both = t + root(t * t - 4.0 * a * m)
    R1, R2 = 2.0 * m * inverse(both), both * inverse(2.0 * a)
    r1, r2 = root(R1), root(R2)
    return 2.0 * a * (R2 - R1) * r1 * r2 * inverse(r2 - r1)


@kernel(**OPTIONS)
def _soften(wires, at, lumped, omega, out):
    """Fill in heights of the lower and upper ends (2, omega, dropper) by wires (wire, 5).

    ``lumped`` are mass and drag there, each (2, dropper).
    """
    stiffness, (mass, drag) = np.empty(wires.shape[0], np.complex128), lumped
    for n in range(omega.size):
        for w in range(stiffness.size):
            stiffness[w] = _point_stiffness(wires[w], omega[n])
        for end in range(2):
            for d in range(mass.shape[1]):
                held = omega[n] * (1j * drag[end, d] - omega[n] * mass[end, d])
                out[end, n, d] = inverse(stiffness[at[end, d]] + held)


@kernel(**OPTIONS)
def _stretch(low, high, springs, omega):
    """Turn heights of both ends (omega, dropper) into stretches, in place of those of the lower end."""
    stiffness, loose, beta = springs
    for n in range(omega.size):
        tau = 1.0 + 1j * omega[n] * beta
        for d in range(stiffness.size):
            soft, way = low[n, d] + high[n, d], 2.0 * loose[d] - 1.0
            low[n, d] = way * soft * inverse(1.0 + stiffness[d] * (tau - loose[d]) * soft)

"""Droppers between endless wires: what a line answers before any wave comes back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.network import LineNetwork

__all__ = ["isolated_slopes", "isolated_stretch"]

Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]


def _point_stiffness(wire: tuple[float, float, float], damped: tuple[Complexes, Complexes]) -> Complexes:
    """Force on a point of an endless wire for its unit height; ``wire`` is tension, EI and mass per length."""
    (T, EI, rho), (tau, mu) = wire, damped
    a, t, m = EI * tau, T * tau, rho * mu
    root = np.sqrt(t * t - 4.0 * a * m)
    r1, r2 = np.sqrt(2.0 * m / (t + root)), np.sqrt((t + root) / (2.0 * a))
    return 2.0 * a * (r2 * r2 - r1 * r1) / (1.0 / r1 - 1.0 / r2)


def isolated_stretch(network: LineNetwork, droppers: Ints, omega: Complexes) -> Complexes:
    """Stretch of droppers by forces that squeeze them (omega, dropper) [m/N]; omega below the real axis."""
    low, high = _softness(network, droppers, omega)
    soft = low + high
    return -soft / (1.0 + network.points.dropper[droppers] * network.damped(omega)[0][:, None] * soft)


def isolated_slopes(network: LineNetwork, droppers: Ints, omega: Complexes) -> Complexes:
    """That, and its derivatives by a dropper's stiffness and the masses at both of its ends (4, omega, dropper)."""
    low, high = _softness(network, droppers, omega)
    tau, mu = (each[:, None] for each in network.damped(omega))
    soft = low + high
    part = 1.0 / (1.0 + network.points.dropper[droppers] * tau * soft)
    return np.stack([-soft * part, tau * (soft * part) ** 2, mu * (low * part) ** 2, mu * (high * part) ** 2])


def _softness(network: LineNetwork, droppers: Ints, omega: Complexes) -> tuple[Complexes, Complexes]:
    """Heights of the droppers' lower and upper ends by forces on the wires there (omega, dropper) [m/N]."""
    bays, points, damped = network.bays, network.points, network.damped(omega)
    contact = _point_stiffness(network.wire, damped)
    found: dict[tuple[float, float, float], Complexes] = {}
    low, high = np.empty((2, len(omega), len(droppers)), np.complex128)
    for k, d in enumerate(droppers):
        above = int(np.flatnonzero((bays.dof[:, [0, 2]] == points.top[d]).any(axis=1))[0])
        # one wire's bays have one tension but for a ten-thousandth
        wire = float(f"{bays.tension[above]:.3g}"), float(bays.bending[above]), float(f"{bays.mass[above]:.4g}")
        if wire not in found:
            found[wire] = _point_stiffness(wire, damped)
        low[:, k] = 1.0 / (contact + damped[1] * points.mass[points.bottom[d]])
        high[:, k] = 1.0 / (found[wire] + damped[1] * points.mass[points.top[d]])
    return low, high

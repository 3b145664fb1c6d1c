"""Droppers between endless wires: what a line answers before any wave comes back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.network import LineNetwork

__all__ = ["isolated_stretch"]

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
    bays, points, damped = network.bays, network.points, network.damped(omega)
    contact = _point_stiffness(network.wire, damped)
    found: dict[tuple[float, float, float], Complexes] = {}
    out = np.empty((len(omega), len(droppers)), np.complex128)
    for k, d in enumerate(droppers):
        above = int(np.flatnonzero((bays.dof[:, [0, 2]] == points.top[d]).any(axis=1))[0])
        # one wire's bays have one tension but for a ten-thousandth
        wire = float(f"{bays.tension[above]:.3g}"), float(bays.bending[above]), float(f"{bays.mass[above]:.4g}")
        if wire not in found:
            found[wire] = _point_stiffness(wire, damped)
        soft = 1.0 / (contact + damped[1] * points.mass[points.bottom[d]])
        soft = soft + 1.0 / (found[wire] + damped[1] * points.mass[points.top[d]])
        out[:, k] = -soft / (1.0 + points.dropper[d] * damped[0] * soft)
    return out

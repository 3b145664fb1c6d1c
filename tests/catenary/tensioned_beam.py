"""Closed form of a periodic tensioned Euler-Bernoulli beam on point supports and under point loads.

H z'' - EI z'''' = q between stations; z, z' and z'' are continuous there. At a station either the height is given,
and the upward reaction follows, or the downward load is given, and the height follows. Each bay is
z = a + b s + c exp(-s / l) + d exp(-(L - s) / l) + q s^2 / (2 H), with l = sqrt(EI / H) the length of its boundary
layers.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

GRAVITY = 9.81


@dataclass(frozen=True)
class Beam:
    """Stations [m] from 0, period [m], horizontal force [N], stiffness [N m^2], weight per length [N/m]."""

    stations: np.ndarray
    period: float
    horizontal: float
    stiffness: float
    weight: float

    def _bay(self, s: float, length: float) -> tuple[np.ndarray, np.ndarray]:
        """Height, slope, curvature and vertical force at ``s`` by the bay's four constants, and their free parts."""
        H, EI, q = self.horizontal, self.stiffness, self.weight
        el = np.sqrt(EI / H)
        c, d = np.exp(-s / el), np.exp(-(length - s) / el)
        rows = np.array([[1, s, c, d], [0, 1, -c / el, d / el], [0, 0, c / el**2, d / el**2], [0, H, 0, 0]])
        return rows, np.array([q * s * s / (2 * H), q * s / H, q / H, q * s])

    def solve(self, height: np.ndarray, load: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Upward reactions [N], heights [m] and the vertical force just after station 0 [N].

        ``height`` holds NaN at the stations where ``load`` [N] is the one given.
        """
        n = len(self.stations)
        bays = np.diff(np.append(self.stations, self.period))
        A, r = np.zeros((4 * n, 4 * n)), np.zeros(4 * n)
        for k in range(n):
            here, before = slice(4 * k, 4 * k + 4), slice(4 * ((k - 1) % n), 4 * ((k - 1) % n) + 4)
            (right, free_right), (left, free_left) = self._bay(0.0, bays[k]), self._bay(bays[k - 1], bays[k - 1])
            A[4 * k : 4 * k + 3, here] += right[:3]
            A[4 * k : 4 * k + 3, before] -= left[:3]
            r[4 * k : 4 * k + 3] = (free_left - free_right)[:3]
            if np.isfinite(height[k]):
                A[4 * k + 3, here], r[4 * k + 3] = right[0], height[k] - free_right[0]
            else:
                A[4 * k + 3, here] += right[3]
                A[4 * k + 3, before] -= left[3]
                r[4 * k + 3] = load[k] - (free_right - free_left)[3]
        scale = np.abs(A).max(axis=0)
        constants = (np.linalg.solve(A / scale, r) / scale).reshape(n, 4)
        reaction, z = np.zeros(n), np.zeros(n)
        after = np.zeros(n)
        for k in range(n):
            (right, free_right), (left, free_left) = self._bay(0.0, bays[k]), self._bay(bays[k - 1], bays[k - 1])
            after[k] = right[3] @ constants[k] + free_right[3]
            reaction[k] = left[3] @ constants[k - 1] + free_left[3] - after[k]
            z[k] = right[0] @ constants[k] + free_right[0]
        return reaction, z, float(after[0])


def hung_wire(wire, stations: np.ndarray, period: float, height: np.ndarray, load: np.ndarray):
    """Reactions [N] and heights [m] of a wire of a line whose tension is named just after station 0.

    The wire is stretched: its weight and its bending stiffness per length of track change with the stretch
    lambda, where EA (lambda^2 - 1) / 2 lambda is the tension. The tension named is that along the wire; its
    horizontal part is what the beam feels.
    """
    T, EA = wire.tension, wire.axial_stiffness
    stretch = brentq(lambda s: EA * 0.5 * (s * s - 1) * s - T, 1.0, 1.1, xtol=1e-15)
    horizontal = T
    for _ in range(10):
        beam = Beam(
            stations,
            period,
            horizontal,
            wire.bending_stiffness * stretch**3,
            wire.mass_per_length * GRAVITY / stretch,
        )
        reaction, z, vertical = beam.solve(height, load)
        horizontal = np.sqrt(T**2 - vertical**2)
    return reaction, z

"""Poles of a line's answers below the real axis, as far as they are known.

Only waves that outrun the train have them: some ten in height, in space as many again across the track, and one a wire
for nearly every harmonic along it. Line by line they move little, and none can cross the real axis where every wave
dies away; so those of one line lead to those of the next. From line to line some rise by several decays a period: so
they are known, and followed, far below where any is felt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.poles.modes import PoleModes, pole_modes

__all__ = ["BOTTOM", "KnownPoles", "highest_felt"]

Complexes = NDArray[np.complexfloating[Any, Any]]

# poles are known up to frequencies [rad/s] whose waves die away within so many decays a period, or are felt by
# harmonics of the contact force beyond so many rad/s
LOWEST_END, DEEP, BEYOND = 190.0, 2.2, 2.0 * np.pi * 40.0
BETWEEN, AT_ONCE = 2.0, 128  # rad/s between frequencies that are tried; as many together
# decays per period: poles are known down to the lowest, and felt down to FELT (weight 1e-6)
BOTTOM, FELT = -9.0, -5.0
SAME = 1.0e-5  # rad/s


@dataclass(frozen=True)
class KnownPoles:
    """Poles of a line below the real axis.

    Attributes
    ----------
    network : LineNetwork
    T : float
        Time of a period [s].
    omega : complex array (pole,)
        [rad/s]; real part 0 to ``highest``, down to `BOTTOM` where they were searched for.
    highest : float
        Real part up to which they were searched for [rad/s].
    """

    network: LineNetwork
    T: float
    omega: Complexes
    highest: float

    @cached_property
    def modes(self) -> PoleModes:
        """How the line moves at every pole, by which those of other lines are recognised."""
        return pole_modes(self.omega, *self.network.arguments(self.T))

    def moved_to(self, other: KnownPoles) -> bool:
        """Whether poles that were followed from these have moved: the same line has the same ones."""
        return bool(np.abs(other.omega - self.omega).max(initial=0.0) > SAME)

    @cached_property
    def felt(self) -> KnownPoles:
        """Those that move a steady state; the others are known for lines on which they have risen."""
        return replace(self, omega=self.omega[self.omega.imag * self.T > FELT])


def highest_felt(network: LineNetwork, T: float, fineness: float = 1.0) -> float:
    """Frequency up to which a line's poles have to be known [rad/s].

    A wave of group velocity c along a wire of its own that outruns the train (v) has its pole (alpha + beta omega^2) /
    (2 (c / v - 1)) below the real axis, and is felt by the force's harmonic omega - kappa v.

    Parameters
    ----------
    network : LineNetwork
    T : float
        Time of a period [s].
    fineness : float
        How many times as deep, and as far beyond, as is enough.
    """
    bays, speed = network.bays, network.period / T
    numbers = np.stack([bays.tension, bays.bending, bays.mass, bays.alpha, bays.beta])
    tension, bending, mass, alpha, beta = np.unique(numbers, axis=1)[:, :, None]
    # the end is mostly among the first frequencies; no wave at the highest ones is felt, where bending makes it fast
    first = 0
    while True:
        omega = LOWEST_END + BETWEEN * np.arange(first, first + AT_ONCE)
        squared = 2.0 * mass * omega**2 / (tension + np.sqrt(tension**2 + 4.0 * bending * mass * omega**2))
        kappa = np.sqrt(squared)
        faster = (tension * kappa + 2.0 * bending * kappa**3) / (mass * omega * speed) - 1.0
        shallow = 0.5 * T * (alpha + beta * omega**2) < fineness * DEEP * faster
        needed = (shallow & (omega - kappa * speed < fineness * BEYOND)).any(axis=0)
        if not needed.all():
            return float(omega[np.argmin(needed)])
        first += AT_ONCE

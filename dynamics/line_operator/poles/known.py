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

__all__ = ["BOTTOM", "HIGHEST", "KnownPoles"]

Complexes = NDArray[np.complexfloating[Any, Any]]

HIGHEST = 190.0  # rad/s: poles of higher frequencies move sigma below 20 Hz by less than 1e-4
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
        [rad/s]; real part 0 to `HIGHEST`, down to `BOTTOM` where they were searched for.
    """

    network: LineNetwork
    T: float
    omega: Complexes

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

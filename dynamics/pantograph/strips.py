"""Strips of a head: where they touch the wire, which coordinate each moves with, and what a force on one loads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Strips", "Touching", "strips_of_one_contact"]

Floats = NDArray[np.float64]
Ints = NDArray[Any]


class Strips(NamedTuple):
    """Strips of a head, each with a contact of its own; a head without suspended strips has one contact, its own.

    ``ahead`` (strip,) of the head's middle along the track [m], the front one first; ``rides`` (strip,) the coordinate
    that is the strip's height; ``load`` (strip, coordinate) what a force of 1 N on a strip, downwards, takes off the
    forces on the coordinates [-]; ``pitch`` the coordinate that is the head's pitch [rad], 0 where it has none.
    """

    ahead: Floats
    rides: Ints
    load: Floats
    pitch: int

    @property
    def suspended(self) -> bool:
        """Whether the strips have their own suspension."""
        return len(self.rides) > 1


def strips_of_one_contact(coordinates: int) -> Strips:
    """A head that touches the wire at its middle, its height being the first of so many coordinates."""
    return Strips(np.zeros(1), np.zeros(1, np.int64), np.eye(1, coordinates), 0)


class Touching(NamedTuple):
    """Contacts of heads at rest: pantograph and strip of each (contact,), and what the strips are."""

    pantograph: Ints
    strip: Ints
    strips: Strips

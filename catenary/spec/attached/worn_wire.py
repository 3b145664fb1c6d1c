"""A contact wire that has lost some of its height to the strips: a round wire of the same section, worn flat."""

from __future__ import annotations

import math

from catenary.spec.attached.wear import worn_round
from catenary.spec.components import WireSpec
from catenary.wires.makes import DENSITY

__all__ = ["round_diameter", "share_lost", "worn_wire"]


def round_diameter(wire: WireSpec) -> float:
    """Diameter of the round wire whose section follows from the mass of a wire, 8890 kg/m^3 [m]."""
    return math.sqrt(4.0 * wire.mass_per_length / (math.pi * DENSITY))


def share_lost(wire: WireSpec, height: float) -> float:
    """Share of the section that is gone with so much of the height: a segment of the circle [-].

    Parameters
    ----------
    wire : WireSpec
        As it was new.
    height : float
        Lost, at most the diameter [m].
    """
    a = math.acos(1.0 - 2.0 * height / round_diameter(wire))
    return (a - 0.5 * math.sin(2.0 * a)) / math.pi


def worn_wire(wire: WireSpec, height: float) -> WireSpec:
    """The same wire under the same tension with so much of its height lost [m]: mass, EA and EI fall.

    Mass and EA fall by the share of the section that is gone, EI to that of what is left, about its own centre.
    """
    lost = share_lost(wire, height)
    left = {"mass_per_length": 1.0 - lost, "axial_stiffness": 1.0 - lost, "bending_stiffness": worn_round(lost).bending}
    return wire.model_copy(update={key: share * getattr(wire, key) for key, share in left.items()})

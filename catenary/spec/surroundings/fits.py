"""What a line must be to stand on a curve, in wind, under ice, or at a temperature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from catenary.spec.surroundings.ice import IceSpec
from catenary.spec.surroundings.temperature import TemperatureSpec
from catenary.spec.surroundings.track import TrackSpec
from catenary.spec.surroundings.wind import WindSpec
from catenary.spec.tension_section import TensionSectionSpec

__all__ = ["Surroundings", "problems_of_surroundings"]


# wires that lines of one kind alone have
ABSENT = {"stitch": "stitched", "auxiliary_wire": "compound"}


class Surroundings(NamedTuple):
    """Track, wind, ice and temperature of a line, each where it has one, and its tension sections."""

    track: TrackSpec | None
    wind: WindSpec | None
    ice: IceSpec | None
    temperature: TemperatureSpec | None
    sections: Sequence[TensionSectionSpec]


def problems_of_surroundings(found: Surroundings, dimension: str, kind: str) -> list[str]:
    """Say what a line of a dimension and kind lacks for its surroundings."""
    problems = []
    if dimension == "planar" and (found.track is not None or found.wind is not None):
        problems.append("track and wind need dimension=spatial: in the plane nothing moves to the side")
    if found.wind is not None:
        lacks = [name for name, own in ABSENT.items() if kind == own and getattr(found.wind, name) is None]
        problems += [f"wind.{name} (diameter, drag_coefficient) is missing: kind is {kind}" for name in lacks]
    if found.temperature is not None:
        problems += found.temperature.problems(found.sections, kind)
    if found.ice is not None:
        lacks = [name for name in found.ice.loads if name in ABSENT and kind != ABSENT[name]]
        problems += [f"ice.{name} must be left out: kind is {kind}" for name in lacks]
        if found.temperature is not None:
            problems.append("ice must be left out with temperature: on wires fixed at both ends it changes tensions")
    return problems

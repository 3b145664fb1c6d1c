"""Gates of curves, wind and the contact in space, from closed forms and limits, as validated input."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from catenary.spec.components import Spec

__all__ = ["SpaceGate"]

Positive = Annotated[float, Field(gt=0.0)]


class SpaceGate(Spec):
    """A line on a curve against taut strings, and the contact sought on wire and head against its limits."""

    source: str
    reading: str = Field(description="what the lines are")
    catenary: str
    pantograph: str
    radius_m: Positive = Field(description="of the curve [m]")
    taut_percent: Positive = Field(description="largest difference from taut strings [%]")
    clothoid_m: Positive = Field(description="largest error of a clothoid's end [m]")
    jacobian: Positive = Field(description="largest difference of the Jacobian from differences [-]")
    planar_N: Positive = Field(description="largest difference of the force of level wire and head from the law [N]")
    friction_W: Positive = Field(description="largest difference of friction's power from its closed form [W]")
    speed_kmh: Positive = Field(description="of the run over zigzags [km/h]")
    applied_force_N: Positive = Field(description="of the run over zigzags [N]")
    zigzag_mm: Positive = Field(description="largest difference of the contact's place from the wire's at rest [mm]")

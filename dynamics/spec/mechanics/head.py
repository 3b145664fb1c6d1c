"""Validated description of a pantograph's head: how it rolls, its strips, and how these are suspended (SI units)."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["HeadSpec", "StripSuspensionSpec"]


class StripSuspensionSpec(Spec):
    """Strips on springs of their own, on a head that pitches about its shaft; each touches the wire where it is.

    The head's mass, the first one of the chain, holds the strips: what carries them has the rest of it.
    """

    strip_mass: Annotated[float, Field(gt=0.0, le=50.0)] = Field(description="of each strip [kg]")
    stiffness: Annotated[float, Field(gt=0.0, le=1.0e6)] = Field(description="under each strip [N/m]")
    damping: Annotated[float, Field(ge=0.0, le=1.0e4)] = Field(default=0.0, description="under each strip [N s/m]")
    pitch_inertia: Annotated[float, Field(gt=0.0, le=50.0)] = Field(
        description="of what carries the strips, about its shaft [kg m2]"
    )
    pitch_stiffness: Annotated[float, Field(ge=0.0, le=1.0e5)] = Field(
        default=0.0, description="against pitch; 0: the strips alone hold it [N m/rad]"
    )
    pitch_damping: Annotated[float, Field(ge=0.0, le=1.0e3)] = Field(default=0.0, description="of pitch [N m s/rad]")
    count: Annotated[int, Field(ge=2, le=4)] = Field(
        default=2, description="strips, strip_spacing from one to the next [-]"
    )


class HeadSpec(Spec):
    """Head that rolls about the track's direction, with two strips, or two to four suspended ones.

    The head's mass is the first one of the chain. Roll is small: the head rises by roll x place under the wire, and
    the wire's place is the one at rest.
    """

    roll_inertia: Annotated[float, Field(gt=0.0, le=50.0)] = Field(description="about the track's direction [kg m2]")
    roll_stiffness: Annotated[float, Field(gt=0.0, le=1.0e6)] = Field(description="against roll [N m/rad]")
    roll_damping: Annotated[float, Field(ge=0.0, le=1.0e4)] = Field(default=0.0, description="of roll [N m s/rad]")
    working_half_width: Annotated[float, Field(ge=0.2, le=1.2)] = Field(
        default=0.4, description="from the head's middle to the end of its working range [m]"
    )
    half_length: Annotated[float, Field(ge=0.3, le=1.2)] = Field(
        default=0.8, description="from the head's middle to the tip of a horn, beyond which the wire is lost [m]"
    )
    strip_spacing: Annotated[float, Field(gt=0.05, le=1.5)] = Field(
        default=0.58, description="between neighbouring strips, along the track [m]"
    )
    shaft_depth: Annotated[float, Field(ge=0.0, le=0.5)] = Field(
        default=0.0, description="of the shaft about which the head pitches, under the strips [m]"
    )
    friction: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=0.0, description="friction coefficient of strips and wire, which loads the front strip more [-]"
    )
    suspension: StripSuspensionSpec | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="of the strips, each a contact of contact.stiffness, with the head's pitch; none: both share the "
        "force of one contact",
    )
    crown_radius: Annotated[float, Field(ge=1.0, le=1.0e6)] = Field(
        default=1.0e6, description="of the strips' profile across the track, for contact.space [m]"
    )
    horn_radius: Annotated[float, Field(ge=0.05, le=1.0e6)] = Field(
        default=0.3, description="of the profile beyond the working range, for contact.space [m]"
    )

    @model_validator(mode="after")
    def _horns_outside(self) -> Self:
        if self.half_length < self.working_half_width:
            raise ValueError(
                f"half_length must reach beyond working_half_width, {self.working_half_width:g} m: got "
                f"{self.half_length:g} m"
            )
        own = self.suspension
        if own is not None and 2.0 * self.friction * self.shaft_depth >= (own.count - 1) * self.strip_spacing:
            raise ValueError(
                "friction x shaft_depth must stay below half of the way from the first strip to the last, or the head "
                f"turns over: got {self.friction:g} x {self.shaft_depth:g} m"
            )
        return self

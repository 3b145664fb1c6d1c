"""Validated description of a pantograph's head that rolls, of its strips, and of a contact with friction in space."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["FrictionSpec", "HeadSpec"]


class HeadSpec(Spec):
    """Head that rolls about the track's direction and has two strips; the head's mass is the first one of the chain.

    Roll is small: the head rises by roll x place under the wire, and the wire's place is the one at rest.
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
        default=0.58, description="between the two strips, along the track [m]"
    )
    strip_stiffness: Annotated[float, Field(gt=0.0, le=1.0e7)] | None = Field(
        default=None, description="suspension of each strip in the head [N/m]; none: the strips are fixed in it"
    )
    shaft_depth: Annotated[float, Field(ge=0.0, le=0.5)] = Field(
        default=0.0, description="of the shaft about which the head pitches, under the strips [m]"
    )
    friction: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=0.0, description="friction coefficient of strips and wire, which loads the rear strip more [-]"
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
        return self


class FrictionSpec(Spec):
    """Contact in space: its point is found on wire and head, it rubs, and its spring has a damper in parallel."""

    friction: Annotated[float, Field(ge=0.0, le=1.0)] = Field(default=0.0, description="friction coefficient [-]")
    regular_speed: Annotated[float, Field(ge=1.0e-4, le=10.0)] = Field(
        default=0.1, description="sliding speed below which friction grows evenly [m/s]"
    )
    damping: Annotated[float, Field(ge=0.0, le=1.0e4)] = Field(
        default=0.0, description="damper along the normal, which never pulls [N s/m]"
    )
    fixed_direction: bool = Field(
        default=False,
        description="friction along the bisector of wire and head, as the ANCF source prints it, instead of against "
        "the sliding velocity; it makes energy where the wire slides the other way",
    )

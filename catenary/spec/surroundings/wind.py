"""Validated description of a wind across the track, and of what it finds to push: widths and drag of the wires."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from catenary.spec.components import Spec

__all__ = ["DragSpec", "TurbulenceSpec", "WindSpec"]


class DragSpec(Spec):
    """What the wind finds of a wire: bare, iced or worn."""

    diameter: Annotated[float, Field(gt=0.0, le=0.2)] = Field(description="width across the wind, with its ice [m]")
    drag_coefficient: Annotated[float, Field(ge=0.0, le=3.0)] = Field(
        default=1.2, description="drag over that of the dynamic pressure on the width [-]"
    )


class TurbulenceSpec(Spec):
    """Gusts along the wind, for an open line in motion."""

    intensity: Annotated[float, Field(gt=0.0, le=0.5)] = Field(
        description="standard deviation of the wind's speed over its mean [-]"
    )
    length_scale: Annotated[float, Field(ge=5.0, le=1000.0)] = Field(
        default=100.0, description="length of gusts along the wind [m]"
    )
    spectrum: Literal["von_karman", "kaimal"] = Field(default="von_karman", description="shape of the spectrum")
    decay: Annotated[float, Field(ge=1.0, le=50.0)] = Field(
        default=10.0, description="of Davenport's coherence along the track [-]"
    )
    seed: Annotated[int, Field(ge=0)] = Field(default=0, description="of the record: one seed, one record")
    station_spacing: Annotated[float, Field(ge=1.0, le=50.0)] = Field(
        default=5.0, description="between stations of the record [m]"
    )
    step: Annotated[float, Field(ge=0.005, le=0.5)] = Field(default=0.05, description="between its samples [s]")


class WindSpec(Spec):
    """Steady wind across the track, level and the same at all wires."""

    speed: Annotated[float, Field(ge=0.0, le=60.0)] = Field(description="mean speed across the track [m/s]")
    blows_to: Literal["left", "right"] = Field(default="left", description="side of the track that it blows to")
    air_density: Annotated[float, Field(ge=0.5, le=2.0)] = Field(default=1.225, description="density of air [kg/m3]")
    contact_wire: DragSpec = Field(description="contact wire")
    messenger_wire: DragSpec = Field(description="messenger wire")
    stitch: DragSpec | None = Field(default=None, description="stitch wire; a line that has one needs it")
    auxiliary_wire: DragSpec | None = Field(
        default=None,
        exclude_if=lambda value: value is None,  # a wind reads as it did
        description="auxiliary wire; a line that has one needs it",
    )
    droppers: DragSpec | None = Field(default=None, description="droppers; none: the wind does not push them")
    aerodynamic_damping: bool = Field(
        default=True,
        description="whether wires that move in the wind are damped by it, sideways twice as much as in height",
    )

    gust_factor: Annotated[float, Field(ge=1.0, le=4.0)] = Field(
        default=1.0,
        exclude_if=lambda value: value == 1.0,  # a wind reads as it did
        description="load of the gust that the contact wire's place is judged in over that of the mean speed [-]",
    )
    largest_place: Annotated[float, Field(gt=0.0, le=1.5)] | None = Field(
        default=None,
        description="farthest that the contact wire may stand from the middle of the head at rest in a gust of this "
        "wind [m]; none: any",
    )
    turbulence: TurbulenceSpec | None = Field(default=None, description="gusts, for an open line; none: steady")

    @property
    def sign(self) -> float:
        """Direction of the wind along y, which is to the left."""
        return 1.0 if self.blows_to == "left" else -1.0

    def gust(self, side: Literal["left", "right"] | None = None) -> WindSpec:
        """The gust as a steady wind, of sqrt(``gust_factor``) times the speed; to a side, or to its own."""
        speed, to = self.speed * self.gust_factor**0.5, side or self.blows_to
        return self.model_copy(update={"speed": speed, "blows_to": to, "gust_factor": 1.0, "turbulence": None})

    def load(self, drag: DragSpec | None) -> float:
        """Load on a wire at rest, to the left positive [N/m]: half of density x speed^2 x drag coefficient x width."""
        if drag is None:
            return 0.0
        return 0.5 * self.sign * self.air_density * drag.drag_coefficient * drag.diameter * self.speed**2

    def slope(self, drag: DragSpec | None) -> float:
        """Slope of a wire's drag by the wind's speed [N s/m2], which damps its motion along the wind."""
        if drag is None:
            return 0.0
        return self.air_density * drag.drag_coefficient * drag.diameter * self.speed

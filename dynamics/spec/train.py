"""Validated description of what runs under a line: contact, pantographs of a train, motion of their base (SI units)."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["BaseMotionSpec", "ContactSpec", "FrictionSpec", "RockingSpec", "TrailingSpec"]

LONGEST_GAP = 0.1  # s, between samples of a base motion: half a period of 5 Hz


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


class ContactSpec(Spec):
    """Penalty contact between head and contact wire; it can be lost."""

    stiffness: Annotated[float, Field(ge=5.0e3, le=5.0e6)] = Field(
        default=50.0e3, description="contact stiffness [N/m]"
    )

    exponent: Annotated[float, Field(ge=1.0, le=2.0)] = Field(
        default=1.0, description="n of the force stiffness x penetration^n (penetration in m); Hertz: 1.5 [-]"
    )
    restitution: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        default=1.0, description="coefficient of restitution; below 1 the force has hysteresis, 1 is elastic [-]"
    )
    space: FrictionSpec | None = Field(
        default=None,
        exclude_if=lambda value: value is None,  # a contact reads as it did
        description="contact found on wire and head in space, with friction; needs kinematics=nonlinear and a spatial "
        "line; none: at the pantograph's station, along the vertical",
    )


class TrailingSpec(Spec):
    """Pantographs behind the first one, of the same type."""

    distances_m: tuple[Annotated[float, Field(gt=0.0, le=1000.0)], ...] = Field(
        default=(), max_length=7, description="distances behind the first pantograph, increasing [m]"
    )
    applied_forces_N: tuple[Annotated[float, Field(ge=10.0, le=600.0)], ...] | None = Field(
        default=None, max_length=7, description="applied force of each [N]; without it that of the first"
    )
    entry_length_m: Annotated[float, Field(gt=0.0, le=500.0)] = Field(
        default=70.0,
        description="distance from the line's first support over which applied force and base of an entering "
        "pantograph rise [m]; only for solver=open_line",
    )
    entry_drop_m: Annotated[float, Field(ge=0.0, le=0.5)] = Field(
        default=0.02,
        description="how much lower the base of an entering pantograph begins [m]; only for solver=open_line",
    )

    def pressed(self, first: float) -> tuple[float, ...]:
        """Applied force of every pantograph, or the mean force in its place, by that of the first [N]."""
        return first, *(self.applied_forces_N or (first,) * len(self.distances_m))

    @model_validator(mode="after")
    def _one_behind_another(self) -> Self:
        if any(b - a < 1.0 for a, b in pairwise((0.0, *self.distances_m))):
            given = ", ".join(f"{d:g}" for d in self.distances_m)
            raise ValueError(
                f"distances_m must increase by at least 1 m from one pantograph to the next, the first included: "
                f"got {given} m"
            )
        if self.applied_forces_N is not None and len(self.applied_forces_N) != len(self.distances_m):
            raise ValueError(
                f"applied_forces_N must give one force per distance: {len(self.distances_m)} distances, "
                f"{len(self.applied_forces_N)} forces"
            )
        return self


class RockingSpec(Spec):
    """Random motion of a body on its springs: that of an oscillator which is shaken evenly at all frequencies."""

    deviation_m: Annotated[float, Field(ge=0.0, le=0.15)] = Field(description="standard deviation [m]")
    frequency_hz: Annotated[float, Field(ge=0.1, le=10.0)] = Field(description="its own frequency [Hz]")
    damping_ratio: Annotated[float, Field(ge=0.01, le=1.0)] = Field(default=0.2, description="of critical damping [-]")


class BaseMotionSpec(Spec):
    """Motion of the pantograph's base, that of the train's roof, as recorded (straight lines between samples) or drawn.

    Heights are those of all pantographs at a time; sideways, those behind the first follow it at the same places of the
    track.
    """

    time_s: tuple[float, ...] = Field(
        default=(), max_length=200_000, description="times from the start of the run [s]; none where it is drawn"
    )
    height_m: tuple[Annotated[float, Field(ge=-0.5, le=0.5)], ...] = Field(
        default=(),
        max_length=200_000,
        description="height of the base over its place on a smooth track, one value a time [m]",
    )
    side_m: tuple[Annotated[float, Field(ge=-0.5, le=0.5)], ...] = Field(
        default=(),
        max_length=200_000,
        exclude_if=lambda value: not value,  # a record reads as it did
        description="place of the head's middle to the left of where cant puts it, one value a time, spatial only [m]",
    )
    drawn_height: RockingSpec | None = Field(
        default=None, exclude_if=lambda value: value is None, description="heights drawn by seed, in place of a record"
    )
    drawn_side: RockingSpec | None = Field(
        default=None, exclude_if=lambda value: value is None, description="side motion drawn by seed, spatial only"
    )
    seed: Annotated[int, Field(ge=0)] = Field(
        default=0, exclude_if=lambda value: value == 0, description="of what is drawn: one seed, one record"
    )

    @property
    def drawn(self) -> bool:
        """Whether it is drawn, and not a record."""
        return self.drawn_height is not None or self.drawn_side is not None

    @property
    def moves_sideways(self) -> bool:
        """Whether the head moves to the side."""
        return bool(self.side_m) or self.drawn_side is not None

    @model_validator(mode="after")
    def _samples_in_order(self) -> Self:
        if self.drawn:
            if self.time_s or self.height_m or self.side_m:
                raise ValueError(
                    "time_s, height_m and side_m must be left out where drawn_height or drawn_side is given"
                )
            return self
        if len(self.time_s) < 2:
            raise ValueError(
                f"time_s must list 2 times or more, or drawn_height or drawn_side be given: got {len(self.time_s)}"
            )
        if not self.height_m and not self.side_m:
            raise ValueError("height_m or side_m is missing: one value a time [m]")
        for name, what in (("height_m", "heights"), ("side_m", "places")):
            values = getattr(self, name)
            if len(values) not in (0, len(self.time_s)):
                raise ValueError(f"{name} must give one value per time: {len(self.time_s)} times, {len(values)} {what}")
        for k, (a, b) in enumerate(pairwise(self.time_s)):
            if b <= a:
                raise ValueError(f"time_s must increase: sample {k + 2} is at {b:g} s, not after {a:g} s")
            if b - a > LONGEST_GAP:
                raise ValueError(
                    f"time_s must have no gap over {LONGEST_GAP:g} s: none between {a:g} and {b:g} s: fill it in, "
                    f"or check that times are in seconds"
                )
        return self

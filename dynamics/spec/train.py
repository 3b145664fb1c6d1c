"""Validated description of what runs under a line: pantographs, contact, base motion (SI units)."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from catenary.spec.components import Spec
from catenary.spec.line import Mark
from dynamics.spec.head import FrictionSpec, HeadSpec

__all__ = ["BaseMotionSpec", "ContactSpec", "PantographSpec", "TrailingSpec"]

LONGEST_GAP = 0.1  # s, between samples of a base motion: half a period of 5 Hz


class PantographSpec(Spec):
    """Lumped-mass pantograph, listed from the head down to the base (any number of masses).

    Spring and damper ``k`` join mass ``k`` to mass ``k + 1``, the last ones join the lowest mass to the base. Springs
    are unstressed with all masses at the contact wire's height at the support; weights are inside the applied
    force, which acts on the lowest mass.
    """

    schema_version: Literal[1] = 1
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")] = Field(description="short name")
    description: str = Field(default="", description="where the data come from")
    masses: tuple[Annotated[float, Field(gt=0.0, le=200.0)], ...] = Field(
        min_length=1, max_length=8, description="masses, head first [kg]"
    )
    stiffnesses: tuple[Annotated[float, Field(ge=0.0, le=1.0e6)], ...] = Field(
        max_length=8, description="springs, head first, the last one to the base [N/m]"
    )
    dampings: tuple[Annotated[float, Field(ge=0.0, le=1.0e5)], ...] = Field(
        max_length=8, description="dampers, head first, the last one to the base [N s/m]"
    )
    head: HeadSpec | None = Field(default=None, description="head that rolls, and its strips; none: it does not")
    provenance: dict[str, Mark] = Field(
        default_factory=dict, max_length=1000, description="where each value comes from"
    )

    @model_serializer(mode="wrap")
    def _head_where_there_is_one(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what the pantograph does not have: it reads as it did."""
        content: dict[str, Any] = handler(self)
        return {k: v for k, v in content.items() if k != "head" or v is not None}

    def __str__(self) -> str:
        """Say the same as the repr: print shows no dump of all keys."""
        return repr(self)

    def __repr__(self) -> str:
        """Name the pantograph and its masses, head first."""
        return f"<pantograph {self.name}: {' + '.join(f'{mass:g}' for mass in self.masses)} kg, head first>"

    @model_validator(mode="after")
    def _one_spring_per_mass(self) -> Self:
        n = len(self.masses)
        if len(self.stiffnesses) != n or len(self.dampings) != n:
            raise ValueError(
                f"stiffnesses and dampings must have one value per mass: {n} masses, "
                f"{len(self.stiffnesses)} stiffnesses, {len(self.dampings)} dampings"
            )
        for k, spring in enumerate(self.stiffnesses[:-1]):
            if spring <= 0.0:
                raise ValueError(
                    f"stiffnesses[{k}], between mass {k + 1} and mass {k + 2}, must be stiffer than 0 N/m: got "
                    f"{spring:g} N/m, and a mass without a spring has no position at rest (only the last one, to the "
                    f"base, may be 0)"
                )
        return self


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
        description="contact found on wire and head in space, with friction; needs kinematics=nonlinear and a spatial "
        "line; none: at the pantograph's station, along the vertical",
    )

    @model_serializer(mode="wrap")
    def _space_where_wanted(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what is not wanted: a contact reads as it did."""
        content: dict[str, Any] = handler(self)
        return {k: v for k, v in content.items() if k != "space" or v is not None}


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
        description="way from the line's first support over which force and base of an entering one rise [m]; an open "
        "line's",
    )
    entry_drop_m: Annotated[float, Field(ge=0.0, le=0.5)] = Field(
        default=0.02, description="how much lower the base of an entering one begins [m]; an open line's"
    )

    @model_validator(mode="after")
    def _one_behind_another(self) -> Self:
        if any(b - a < 1.0 for a, b in pairwise((0.0, *self.distances_m))):
            given = ", ".join(f"{d:g}" for d in self.distances_m)
            raise ValueError(
                f"distances_m must increase by at least 1 m from one pantograph to the next, the first included: "
                f"got {given} m, which puts two at one place"
            )
        if self.applied_forces_N is not None and len(self.applied_forces_N) != len(self.distances_m):
            raise ValueError(
                f"applied_forces_N must give one force per distance: {len(self.distances_m)} distances, "
                f"{len(self.applied_forces_N)} forces"
            )
        return self


class BaseMotionSpec(Spec):
    """Motion of the pantograph's base, that of the train's roof, as a time history (straight lines between samples)."""

    time_s: tuple[float, ...] = Field(
        min_length=2, max_length=200_000, description="times from the start of the run [s]"
    )
    height_m: tuple[Annotated[float, Field(ge=-0.5, le=0.5)], ...] = Field(
        max_length=200_000, description="height of the base over its place on a smooth track, one value a time [m]"
    )

    @model_validator(mode="after")
    def _samples_in_order(self) -> Self:
        if len(self.time_s) != len(self.height_m):
            raise ValueError(
                f"height_m must give one height per time: {len(self.time_s)} times, {len(self.height_m)} heights"
            )
        for k, (a, b) in enumerate(pairwise(self.time_s)):
            if b <= a:
                raise ValueError(f"time_s must increase: sample {k + 2} is at {b:g} s, not after {a:g} s")
            if b - a > LONGEST_GAP:
                raise ValueError(
                    f"time_s must have no gap over {LONGEST_GAP:g} s: none between {a:g} and {b:g} s: fill it in, "
                    f"or check that times are in seconds"
                )
        return self

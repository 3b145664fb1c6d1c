"""Validated description of elements of a line by stations: spring supports, dampers, section insulators (SI)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["NEEDS", "ElementSpec"]

# by kind: what it needs, and what else it may have
NEEDS = {"spring_support": ("stiffness",), "damper": ("damping",), "insulator": ("mass", "length", "bending_stiffness")}
MAY_HAVE = {"spring_support": ("damping", "force", "wire"), "damper": (), "insulator": ()}
UNITS = {
    "stiffness": "N/m",
    "damping": "N s/m",
    "force": "N",
    "mass": "kg",
    "length": "m",
    "bending_stiffness": "N m^2",
}


class ElementSpec(Spec):
    """A spring support, a damper between the wires, or a section insulator.

    A spring support holds a wire in height from the ground, a damper acts on the difference of the heights of contact
    and messenger wire, and a section insulator stands for its length in the contact wire.
    """

    station: Annotated[float, Field(ge=0.0, le=7.2e3)] = Field(
        description="station from the first support, of an insulator's middle [m]"
    )
    kind: Literal["spring_support", "damper", "insulator"] = Field(
        description="spring from the ground to a wire, damper between the wires, or insulator in the contact wire"
    )
    wire: Literal["contact", "messenger"] | None = Field(
        default=None, description="wire that a spring support holds; none: the contact wire"
    )
    stiffness: Annotated[float, Field(ge=0.0, le=1.0e7)] | None = Field(
        default=None, description="of a spring support, in height [N/m]"
    )
    damping: Annotated[float, Field(ge=0.0, le=1.0e6)] | None = Field(
        default=None, description="of a damper, or of a spring support, in height [N s/m]"
    )
    force: Annotated[float, Field(ge=-5.0e3, le=5.0e3)] | None = Field(
        default=None, description="of a spring support on its wire at rest, upwards positive; none: 0 [N]"
    )
    mass: Annotated[float, Field(gt=0.0, le=100.0)] | None = Field(
        default=None, description="of an insulator, that of the wire in its place included [kg]"
    )
    length: Annotated[float, Field(ge=0.2, le=10.0)] | None = Field(default=None, description="of an insulator [m]")
    bending_stiffness: Annotated[float, Field(ge=0.0, le=1.0e5)] | None = Field(
        default=None, description="EI of an insulator [N m^2]"
    )
    section: str | None = Field(
        default=None, description="tension section of the wire; needed where two of them overlap"
    )

    @property
    def carriers(self) -> tuple[Literal["contact", "messenger"], ...]:
        """Wires that it is clamped to."""
        if self.kind == "damper":
            return ("contact", "messenger")
        return (self.wire or "contact",)

    @property
    def clamps(self) -> tuple[float, ...]:
        """Stations of its clamps: both ends of an insulator, or the one of the others [m]."""
        if self.kind == "insulator" and self.length is not None:
            return (self.station - 0.5 * self.length, self.station + 0.5 * self.length)
        return (self.station,)

    @property
    def points(self) -> tuple[tuple[Literal["contact", "messenger"], float], ...]:
        """Wire and station [m] of every point where it is clamped."""
        return tuple((wire, x) for wire in self.carriers for x in self.clamps)

    @model_validator(mode="after")
    def _kind_has_its_values(self) -> Self:
        problems = list(self._misfits())
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _misfits(self) -> Iterator[str]:
        """Name values that are missing, and those that the kind does not have."""
        needed, known = NEEDS[self.kind], (*NEEDS[self.kind], *MAY_HAVE[self.kind])
        for key in needed:
            if getattr(self, key) is None:
                yield f"{key} is missing: an element of kind '{self.kind}' needs it [{UNITS[key]}]"
        for key in (*UNITS, "wire"):
            if key not in known and getattr(self, key) is not None:
                yield f"{key} must be left out of an element of kind '{self.kind}'"
        if self.kind == "damper" and self.damping == 0.0:
            yield "damping must be above 0 N s/m: the damper does nothing"
        if self.kind == "spring_support" and not (self.stiffness or self.damping or self.force):
            yield "stiffness, damping or force must be above 0 N/m, N s/m or N: the spring support does nothing"

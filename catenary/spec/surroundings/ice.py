"""Validated description of ice on the wires."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["IceSpec"]

IceMass = Annotated[float, Field(ge=0.0, le=5.0)]


class IceSpec(Spec):
    """Ice on wires that weights hold: they are heavier and keep their tensions, and droppers stay as they were cut.

    Ice on droppers is left out; the wind meets a wire's width with its ice (`wind`).
    """

    contact_wire: IceMass = Field(default=0.0, description="ice on each contact wire [kg/m]")
    messenger_wire: IceMass = Field(default=0.0, description="ice on each messenger wire [kg/m]")
    auxiliary_wire: IceMass = Field(default=0.0, description="ice on the auxiliary wire [kg/m]")
    stitch: IceMass = Field(default=0.0, description="ice on stitch wires [kg/m]")

    @property
    def loads(self) -> dict[str, float]:
        """Ice by the block of its wire [kg/m], where there is some."""
        return {name: mass for name in type(self).model_fields if (mass := getattr(self, name)) > 0.0}

    @model_validator(mode="after")
    def _some_wire_has_ice(self) -> Self:
        if not self.loads:
            raise ValueError("contact_wire, messenger_wire, auxiliary_wire or stitch must be above 0 kg/m: all are 0")
        return self

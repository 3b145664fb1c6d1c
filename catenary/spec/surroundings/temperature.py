"""Validated description of the temperature of wires that are fixed at both ends and have no tension of their own."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["FixedWire", "TemperatureSpec"]

FixedWire = Literal["contact", "messenger"]
Celsius = Annotated[float, Field(ge=-60.0, le=120.0)]


class TemperatureSpec(Spec):
    """Wires without weights: strung with their tensions at one temperature, they have others at another.

    Droppers are cut for the heights at the temperature of stringing, and supports stay where they are.
    """

    strung_C: Celsius = Field(default=10.0, description="temperature at which the wires have their tensions [C]")
    now_C: Celsius = Field(description="temperature of the wires in the run [C]")
    fixed: tuple[FixedWire, ...] = Field(
        default=("contact", "messenger"), min_length=1, max_length=2, description="wires that are fixed at both ends"
    )
    expansion: Annotated[float, Field(gt=0.0, le=5.0e-5)] = Field(
        default=1.7e-5, description="thermal expansion of these wires, copper and its alloys 1.7e-5 [1/K]"
    )

    @model_validator(mode="after")
    def _each_wire_once(self) -> Self:
        if len(set(self.fixed)) < len(self.fixed):
            raise ValueError(f"fixed must list each wire once: got {', '.join(self.fixed)}")
        return self

    @property
    def strain(self) -> float:
        """What an unstretched length grows by, of itself, from stringing to now [-]."""
        return self.expansion * (self.now_C - self.strung_C)

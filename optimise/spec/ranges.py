"""Validated description of the range of one input: what sweeps and sensitivity studies vary (SI units)."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["MOST_POINTS", "RangeSpec", "SpreadSpec"]

MOST_POINTS = 200_000


class SpreadSpec(Spec):
    """Range of one input, every value of which is equally likely."""

    low: float = Field(description="least value, in the unit of the input")
    high: float = Field(description="greatest value, in the unit of the input")
    spacing: Literal["linear", "log"] = Field(default="linear", description="even in the value or in its logarithm")

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.high <= self.low:
            raise ValueError(f"high must be greater than low: got {self.low:g} to {self.high:g}")
        if self.spacing == "log" and self.low <= 0.0:
            raise ValueError(f"low must be above 0 where spacing is log: got {self.low:g}")
        return self

    def value(self, share: float) -> float:
        """Value at a share of the range [-], 0 at its low and 1 at its high end."""
        if self.spacing == "log":
            return float(self.low * (self.high / self.low) ** share)
        return float(self.low + share * (self.high - self.low))

    def share(self, value: float) -> float:
        """Share of the range [-] at which a value lies, below 0 or above 1 where it lies outside."""
        if self.spacing == "log":
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def slope(self, value: float) -> float:
        """What the input changes by per share of the range, at a value: a derivative times this is one by the share."""
        return value * math.log(self.high / self.low) if self.spacing == "log" else self.high - self.low


class RangeSpec(SpreadSpec):
    """Evenly spaced values of one input, both ends included."""

    number: Annotated[int, Field(ge=2, le=1000)] = Field(description="number of values")

    @property
    def values(self) -> tuple[float, ...]:
        """Values, rounded to twelve digits so that 0.1 is 0.1."""
        import numpy as np  # help needs none

        space = np.geomspace if self.spacing == "log" else np.linspace
        return tuple(float(f"{v:.12g}") for v in space(self.low, self.high, self.number))

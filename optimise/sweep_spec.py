"""Validated description of a sweep: which inputs are varied over which values, and where it runs (SI units)."""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from catenary.spec import Spec
from optimise.spec import ClusterSpec

__all__ = ["MOST_POINTS", "RangeSpec", "SweepAxesSpec", "SweepSpec"]

MOST_POINTS = 200_000


class RangeSpec(Spec):
    """Evenly spaced values of one input, both ends included."""

    low: float = Field(description="first value, in the unit of the input")
    high: float = Field(description="last value, in the unit of the input")
    number: Annotated[int, Field(ge=2, le=1000)] = Field(description="number of values")
    spacing: Literal["linear", "log"] = Field(default="linear", description="even in the value or in its logarithm")

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.high <= self.low:
            raise ValueError(f"high must be greater than low: got {self.low:g} to {self.high:g}")
        if self.spacing == "log" and self.low <= 0.0:
            raise ValueError(f"low must be above 0 where spacing is log: got {self.low:g}")
        return self

    @property
    def values(self) -> tuple[float, ...]:
        """Values, rounded to twelve digits so that 0.1 is 0.1."""
        space = np.geomspace if self.spacing == "log" else np.linspace
        return tuple(float(f"{v:.12g}") for v in space(self.low, self.high, self.number))


AxisValues = Annotated[tuple[float, ...], Field(min_length=1, max_length=1000)]


class SweepAxesSpec(Spec):
    """The labelled array that a sweep fills."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")] = Field(
        default="sweep", description="name of the sweep and of its folder: letters, digits, '_', '-' and '.', no path"
    )
    axes: dict[str, AxisValues | RangeSpec] = Field(
        min_length=1,
        max_length=6,
        description="values by the dotted path of the input, listed or as a range (low, high, number, spacing); an "
        "item of a list by its number from 0, as pantograph.masses.0",
    )

    @model_validator(mode="after")
    def _values_are_told_apart(self) -> Self:
        problems = []
        for name, values in self.values.items():
            if any(b <= a for a, b in pairwise(values)):
                problems.append(f"axes must have increasing values: those of {name} do not increase")
        count = prod(self.shape)
        if count > MOST_POINTS:
            problems.append(f"axes must span at most {MOST_POINTS} points: got {count}")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def values(self) -> dict[str, tuple[float, ...]]:
        """Values of every axis."""
        return {name: a.values if isinstance(a, RangeSpec) else a for name, a in self.axes.items()}

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of every axis."""
        return tuple(len(values) for values in self.values.values())


class SweepSpec(Spec):
    """A sweep: the array, and where its points are evaluated."""

    schema_version: Literal[1] = 1
    sweep: SweepAxesSpec
    cluster: ClusterSpec = ClusterSpec()

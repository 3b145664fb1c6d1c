"""Validated description of a sweep: which inputs are varied over which values, and where it runs (SI units)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import prod
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, TypeAdapter, ValidatorFunctionWrapHandler, WrapValidator, model_validator

from catenary.spec.components import Spec
from optimise.spec.campaign import ClusterSpec
from optimise.spec.ranges import MOST_POINTS, RangeSpec

__all__ = ["Everywhere", "SweepAxesSpec", "SweepSpec"]

Everywhere: TypeAlias = Literal["everywhere"]

ListedValues = Annotated[tuple[float, ...], Field(min_length=1, max_length=1000)]
LISTED: TypeAdapter[tuple[float, ...]] = TypeAdapter(ListedValues, config={"allow_inf_nan": False})


def _by_its_form(given: object, handler: ValidatorFunctionWrapHandler) -> Any:
    """Read a list as values and a block as a range, so that an error in one is not also reported for the other."""
    if isinstance(given, RangeSpec):
        return given
    if isinstance(given, Mapping):
        return RangeSpec.model_validate(given)
    if isinstance(given, list | tuple):
        return LISTED.validate_python(given)
    raise ValueError(f"must be a list, as [250,300], or a range, as {{low:250,high:300,number:6}}: got {given}")


AxisValues = Annotated[RangeSpec | ListedValues, WrapValidator(_by_its_form)]


class SweepAxesSpec(Spec):
    """The labelled array that a sweep fills."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")] = Field(
        default="sweep", description="name of the sweep and of its folder: letters, digits, '_', '-' and '.', no path"
    )
    axes: dict[str, AxisValues] = Field(
        min_length=1,
        max_length=6,
        description="values by the dotted path of the input, listed or as a range (low, high, number, spacing); an "
        "item of a list by its number from 0, as pantograph.masses.0",
    )

    @model_validator(mode="after")
    def _values_are_distinct(self) -> Self:
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

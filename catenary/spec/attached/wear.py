"""Validated description of a worn stretch of contact wire, and what is left of a round wire that is worn flat (SI)."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple, Self

from pydantic import AliasChoices, Field, model_validator

from catenary.spec.components import Spec

__all__ = ["MOST_WORN", "WearSpec", "Worn", "worn_round"]

# share of the section that may be gone [-]
MOST_WORN = 0.5


class WearSpec(Spec):
    """A stretch of the contact wire that has lost a share of its section, tension and dropper lengths kept.

    It goes ``from`` a station ``to`` another, as in a line's tables; records call them ``begin`` and ``end``.
    """

    begin: Annotated[float, Field(ge=0.0, le=7.2e3)] = Field(
        validation_alias=AliasChoices("from"),
        description="station at which it begins, from the first support [m]",
    )
    end: Annotated[float, Field(ge=0.0, le=7.2e3)] = Field(
        validation_alias=AliasChoices("to"), description="station at which it ends, from the first support [m]"
    )
    area: Annotated[float, Field(gt=0.0, le=MOST_WORN)] = Field(description="share of the section that is gone [-]")
    depth: Annotated[float, Field(ge=0.0, le=0.01)] | None = Field(
        default=None,
        description="how far the running surface lies higher; none: as on a round wire of the same section [m]",
    )
    section: str | None = Field(default=None, description="tension section of the wire; needed where there are several")

    @model_validator(mode="before")
    @classmethod
    def _as_in_tables(cls, given: object) -> object:
        """Names of a line's tables for those of records, in the input itself: what is wrong is looked for there."""
        if not isinstance(given, dict):
            return given
        names = {"begin": "from", "end": "to"}
        for old, new in names.items():
            if old in given and new in given:
                raise ValueError(f"{new} must be left out where {old} is given, another name for it")
        for old, new in names.items():
            if old in given:
                given[new] = given.pop(old)
        return given

    @model_validator(mode="after")
    def _end_is_beyond(self) -> Self:
        if self.end <= self.begin:
            raise ValueError(f"to must be beyond from, {self.begin:g} m: got {self.end:g} m")
        return self


class Worn(NamedTuple):
    """What is left of a round wire that is worn flat: share of EI, and depth of the flat over the diameter [-]."""

    bending: float
    depth: float


def worn_round(area: float) -> Worn:
    """Take a segment off a circle: the second moment of what is left, about its own centre, and the segment's height.

    With the half angle a of the segment, seen from the centre of a circle of radius 1: the segment has the area
    a - sin 2a / 2, the first moment 2/3 sin^3 a and the second moment (a - sin 4a / 4) / 4 about the diameter.

    Parameters
    ----------
    area : float
        Share of the section that is gone [-].
    """
    from scipy.optimize import brentq

    a = float(brentq(lambda a: a - 0.5 * math.sin(2.0 * a) - area * math.pi, 0.0, math.pi, xtol=1.0e-14))
    left = math.pi * (1.0 - area)
    first = 2.0 / 3.0 * math.sin(a) ** 3
    second = 0.25 * math.pi - 0.25 * (a - 0.25 * math.sin(4.0 * a))
    return Worn((second - first**2 / left) / (0.25 * math.pi), 0.5 * (1.0 - math.cos(a)))

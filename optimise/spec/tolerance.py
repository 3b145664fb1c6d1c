"""Validated wish for the tolerance of dropper lengths: how much sigma may rise, how far to look, how to check it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from catenary.spec.components import Spec

__all__ = ["LengthToleranceSpec"]


class LengthToleranceSpec(Spec):
    """By how much each dropper's length may be wrong, alone, before sigma rises by a share."""

    rise_percent: Annotated[float, Field(gt=0.0, le=100.0)] | None = Field(
        default=5.0,
        description="rise of sigma that the tolerance of a dropper's length allows [%]; null: none is sought",
    )
    largest_mm: Annotated[float, Field(ge=1.0, le=50.0)] = Field(
        default=20.0, description="largest error of a length that is tried [mm]"
    )
    samples: Annotated[int, Field(ge=0, le=1000)] = Field(
        default=20, description="lines with all droppers wrong within their tolerances, and as many within half of them"
    )
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(default=1, description="seed of their errors")

"""Validated wish for a correction list: what a line must hold once droppers are cut again."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from catenary.spec.components import Spec

__all__ = ["CorrectionLimitsSpec", "SurveySpec"]

Sigma = Annotated[float, Field(gt=0.0, le=500.0)]


class CorrectionLimitsSpec(Spec):
    """Limits that the corrected line must meet; without any, sigma may exceed the design's by 2 %."""

    sigma_N: Sigma | None = Field(
        default=None,
        description="standard deviation of the filtered contact force over the evaluated spans [N]; where no limit is "
        "given, 1.02 times the design's",
    )
    worst_span_sigma_N: Sigma | None = Field(
        default=None, description="standard deviation within each evaluated span [N]; null: not held"
    )
    uplift_mm: Annotated[float, Field(gt=0.0, le=500.0)] | None = Field(
        default=None, description="uplift at the supports of the evaluated spans [mm]; null: not held"
    )


class SurveySpec(Spec):
    """How well heights were measured and droppers cut, and from what error on a dropper counts as wrong."""

    nominal_height_m: Annotated[float, Field(ge=-10.0, le=10.0)] = Field(
        default=0.0,
        description="height in the table of the line's nominal contact wire [m]; 0: heights are relative to it",
    )
    accuracy_mm: Annotated[float, Field(ge=0.01, le=100.0)] = Field(
        default=1.0, description="standard deviation of a measured height [mm]"
    )
    spread_mm: Annotated[float, Field(ge=0.1, le=500.0)] = Field(
        default=20.0, description="standard deviation of the errors of cut lengths that is expected [mm]"
    )
    tolerance_mm: Annotated[float, Field(ge=0.0, le=500.0)] = Field(
        default=5.0,
        description="error of a length from which on a dropper counts as wrong, if twice its uncertainty too [mm]",
    )

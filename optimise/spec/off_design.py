"""Validated conditions off the design point, and the tolerance of dropper lengths (SI)."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from catenary.spec.components import Spec

__all__ = ["LengthToleranceSpec", "OffDesignSpec"]


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


class OffDesignSpec(Spec):
    """Conditions under which the best design is compared with the nominal line, each with its numerical error."""

    speeds: Annotated[int, Field(ge=1, le=41)] = Field(default=9, description="speeds, evenly spaced, the own included")
    speed_band_percent: Annotated[float, Field(ge=0.0, le=30.0)] = Field(
        default=10.0, description="how far the speeds go, either way from the own [%]"
    )
    contact_stiffness: tuple[Annotated[float, Field(ge=5.0e3, le=5.0e6)], ...] = Field(
        default=(50.0e3, 200.0e3), max_length=10, description="contact stiffnesses [N/m]"
    )
    damping_factors: tuple[Annotated[float, Field(ge=0.0, le=10.0)], ...] = Field(
        default=(0.5, 2.0),
        max_length=10,
        description="factors of the line's Rayleigh damping, alpha and beta alike [-]",
    )
    height_errors_mm: tuple[Annotated[float, Field(gt=0.0, le=50.0)], ...] = Field(
        default=(2.0, 5.0),
        max_length=10,
        description="standard deviations of independent height errors at the droppers [mm]; "
        "a dropper that they leave loose carries nothing, and the line runs with it",
    )
    length_errors_mm: tuple[Annotated[float, Field(gt=0.0, le=50.0)], ...] = Field(
        default=(3.0,),
        max_length=10,
        description="standard deviations of independent errors of the lengths to which droppers are cut [mm]",
    )
    samples: Annotated[int, Field(ge=0, le=200)] = Field(default=10, description="lines for each standard deviation")
    other_dimension: bool = Field(default=True, description="also in space where the search was planar, or the reverse")
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(
        default=2, description="seed of the errors; not that of scenarios.errors: the search has not seen these lines"
    )
    length_tolerance: LengthToleranceSpec = LengthToleranceSpec()

    @model_validator(mode="after")
    def _own_speed_is_one_of_them(self) -> Self:
        if self.speeds % 2 == 0:
            raise ValueError(f"trust.speeds must be odd, so that the own speed is one of them: got {self.speeds}")
        return self

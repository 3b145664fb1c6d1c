"""Gates of figures that a second formulation gives, as validated input."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from catenary.spec.components import Spec

__all__ = ["LoopRow", "MotionRow", "RestRow", "SecondMethodsGate"]

Positive = Annotated[float, Field(gt=0.0)]
RestQuantity = Literal["dropper_force_N", "dropper_cut_length_mm", "arm_force_N", "arm_side_force_N"]


class RestRow(Spec):
    """One figure of an open line at rest."""

    catenary: str
    dimension: Literal["planar", "spatial"]
    quantity: RestQuantity
    at: Annotated[int, Field(ge=0)] = Field(description="which dropper or support, the line's first one being 0 [-]")
    expected: float = Field(description="of the second method, in the quantity's unit")
    tolerance: Positive = Field(description="largest difference, in the quantity's unit")


class MotionRow(Spec):
    """One statistic of a run."""

    case: str = Field(description="what the page calls it")
    method: str = Field(description="second method that gave the expected figure")
    overrides: tuple[str, ...] = Field(description="input of the run as typed after `catenary simulate`")
    quantity: str = Field(description="name of the statistic, unit included, as in summary.json")
    expected: float = Field(description="of the second method, in the statistic's unit")
    tolerance_percent: Positive = Field(description="largest difference, of what is expected [%]")


class LoopRow(MotionRow):
    """One statistic of the state that the hardware loop converges to, every harmonic kept."""

    truncation: Positive = Field(description="truncation error of the influence matrices, relative [-]")


class SecondMethodsGate(Spec):
    """Figures of this program and of second formulations that share no code with it."""

    source: str
    reading: str = Field(description="what the second methods share with the program")
    spans: Annotated[int, Field(ge=2)] = Field(description="spans of the lines at rest [-]")
    elements_per_bay: Annotated[int, Field(ge=2)] = Field(description="mesh of the lines at rest [-]")
    at_rest: tuple[RestRow, ...]
    in_motion: tuple[MotionRow, ...]
    loop: tuple[LoopRow, ...]

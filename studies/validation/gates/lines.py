"""Gates of lines by stations whose figures other runs of the program give exactly or nearly so, as validated input."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from catenary.spec.components import Spec
from catenary.spec.running_surface.surface import IrregularitySpec

__all__ = ["IrregularGate", "LinesGate"]

Positive = Annotated[float, Field(gt=0.0)]


class IrregularGate(Spec):
    """Lines with contact wires that are not smooth, whose figures are printed and not gated."""

    spectrum: IrregularitySpec
    lines: Annotated[int, Field(ge=1, le=200)] = Field(description="number of lines, one seed each [-]")
    dt: Positive = Field(description="time step [s]")
    published: str = Field(description="what a publication says of the share, in words")


class LinesGate(Spec):
    """Two tension sections that overlap by three spans, against one section, a mirror image, and halves of a wire."""

    source: str
    reading: str = Field(description="what the lines are")
    catenary: str
    pantograph: str
    elements_per_bay: Annotated[int, Field(ge=2)] = Field(description="mesh of the lines [-]")
    speed_kmh: Positive = Field(description="of the runs in motion [km/h]")
    applied_force_N: Positive = Field(description="applied force [N]")
    dt: Positive = Field(description="time step of the runs in motion [s]")
    creeping_kmh: Positive = Field(description="speed of the run over an overlap and over its mirror image [km/h]")
    moving_kmh: Positive = Field(description="speed of one from either side, whose difference is printed alone [km/h]")
    creeping_dt: Positive = Field(description="their time step [s]")
    raised_mm: Positive = Field(description="height of one support, which makes an overlap unlike its image [mm]")
    untouched_percent: Positive = Field(description="largest difference of σ before the second wire is touched [%]")
    mirrored_percent: Positive = Field(
        description="largest difference of forces over an overlap and over its image passed the other way, of the "
        "applied force [%]"
    )
    either_way_percent: Positive = Field(
        description="largest difference of forces over one overlap passed from either side, of the applied force [%]"
    )
    halves_percent: Positive = Field(description="largest difference of σ of one wire and of its two halves [%]")
    irregular: IrregularGate

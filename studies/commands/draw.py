"""Draw a line at rest, elevation and plan: wires, droppers with lengths, supports with stations and stagger, defects.

catenary draw catenary=re330 file=re330.dxf             one span of a line of the library, for a drawing office
catenary draw catenary=km12.yaml file=km12.svg          all of a line by stations, for a browser
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from catenary.errors import InputError
from catenary.spec.components import Spec
from catenary.spec.line import CatenarySpec
from studies.input.compose import Composed, compose_job

__all__ = ["JOB", "DrawJob", "compose", "run"]


class DrawJob(Spec):
    """A line, and the file that it is drawn in."""

    catenary: CatenarySpec
    file: str | None = Field(default=None, description="DXF or SVG file to write")
    heights: Annotated[float, Field(ge=0.1, le=100.0)] = Field(
        default=5.0, description="by what heights are exaggerated in the elevation [-]"
    )
    sides: Annotated[float, Field(ge=0.1, le=1000.0)] = Field(
        default=20.0, description="by what offsets from the track are exaggerated in the plan [-]"
    )
    overwrite: bool = Field(default=False, description="whether an existing file may be replaced")


JOB = DrawJob


def compose(overrides: list[str]) -> Composed[DrawJob]:
    """Resolve and validate the input."""
    return compose_job("draw", JOB, overrides)


def run(composed: Composed[DrawJob]) -> int:
    """Find the line at rest, draw it, and say where."""
    from catenary.drawing.files import SUFFIXES, write_drawing
    from catenary.drawing.line_sheet import line_sheet
    from catenary.form_finding.equilibrium import EquilibriumStatus
    from dynamics.refusals import refuse_slack_line
    from studies.ended import FAILED

    job = composed.job
    if job.file is None or Path(job.file).suffix.lower() not in SUFFIXES:
        raise InputError([f"file must end in {' or '.join(SUFFIXES)}: got {job.file or 'nothing'}"])
    path = Path(job.file)
    if path.exists() and not job.overwrite:
        raise InputError([f"file {path} exists already: give another name or overwrite=true"])
    rest = refuse_slack_line(job.catenary)
    if rest.status is not EquilibriumStatus.OK:
        print(f"The line has no shape at rest: {rest.status.value}.")
        return FAILED
    write_drawing(path, line_sheet(job.catenary, rest, job.heights, job.sides))
    print(f"Wrote {path}: {job.catenary.one_period}, {job.catenary.in_words}.")
    return 0

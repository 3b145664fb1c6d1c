"""Write an open line as an FMU of FMI 2.0 for co-simulation, for whoever simulates the vehicle.

catenary fmu catenary=re330 speed_kmh=275 file=re330.fmu
catenary fmu catenary=bruni_2015 speed_kmh=320 dt=1e-3 open_line.spans=20 file=line.fmu

It takes a contact force and gives the height of the contact wire at the pantograph, droppers going slack; speed, first
station and the force at the start are parameters. It needs neither Python nor this program where it is run.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from catenary.errors import InputError
from dynamics.spec.case import CaseSpec
from studies.input.compose import Composed, compose_job

__all__ = ["JOB", "FmuJob", "compose", "run"]


class FmuJob(CaseSpec):
    """An open line, and the FMU that is written of it."""

    file: str | None = Field(default=None, description="FMU to write")
    overwrite: bool = Field(default=False, description="whether an existing file may be replaced")

    @model_validator(mode="after")
    def _an_open_line(self) -> Self:
        if not self.on_open_line:
            raise ValueError(f"solver must be open_line, for an FMU is one of an open line: got {self.solver}")
        return self


JOB = FmuJob


def compose(overrides: list[str]) -> Composed[FmuJob]:
    """Resolve and validate the input."""
    return compose_job("fmu", JOB, overrides)


def run(composed: Composed[FmuJob]) -> int:
    """Form the line, write its FMU, and say what it holds; 1 when a solver or the compiler failed."""
    from dynamics.line_fmu.pack import refuse_unfit_line, write_line_fmu
    from dynamics.refusals import refuse_slack_line
    from dynamics.spec.case import case_of

    job = composed.job
    if job.file is None or Path(job.file).suffix.lower() != ".fmu":
        raise InputError([f"file must end in .fmu: got {job.file or 'nothing'}"])
    path, case = Path(job.file), case_of(job)
    if path.exists() and not job.overwrite:
        raise InputError([f"file {path} exists already: give another name or overwrite=true"])
    refuse_unfit_line(case)
    refuse_slack_line(case.catenary)
    try:
        made = write_line_fmu(case, path)
    except ValueError as error:
        print(f"No FMU was written: {error}", file=sys.stderr)
        return 1
    print(
        f"Wrote {path}: {case.catenary.name} at {case.speed_kmh:g} km/h, steps of {1e3 * case.dt:.6g} ms, "
        f"{made.dofs} degrees of freedom, {1e-6 * made.size:.1f} MB"
    )
    return 0

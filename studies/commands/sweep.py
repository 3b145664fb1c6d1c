"""Compute contact-force statistics over an array of inputs: damping, contact stiffness, speed, or any number.

catenary sweep array=damping_stiffness_bruni
catenary sweep "sweep.axes={contact.stiffness:[50e3,100e3,200e3],speed_kmh:[250,275,300]}" sweep.name=mine
catenary sweep "sweep.axes={speed_kmh:{low:160,high:360,number:21}}"

What is varied must be given, as array=NAME or sweep.axes={...}; cost=true says how long it takes, and runs nothing.
The sweep's folder has a stable name: the same command resumes after Ctrl-C or a power cut. Where the reference mean
force is held, each speed holds its own.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from catenary.errors import InputError
from catenary.storage.configuration import group_options
from dynamics.spec.case import case_of
from optimise.entry.varied_inputs import refuse_bad_axes
from optimise.spec.jobs import SweepJob
from studies.commands.parameter_study import ParameterStudy, run_parameter_study
from studies.input.compose import Composed, compose_job
from studies.writing.run_folder import OUTPUTS, asked_folder
from studies.writing.sweep_ends import end_text

if TYPE_CHECKING:
    from optimise.parameter_study.sweep_result import Index, SweepResult

__all__ = ["JOB", "compose", "run"]

JOB = SweepJob
ASKED = ("array",)  # a sweep of many points starts on no default
NOT_COUNTED: dict[bool | str, str] = {
    True: "Not counted: the errors of the lowest and highest, up to four points refined (error_estimate=false: none).",
    "everywhere": "Not counted: every point refined, half a minute of a processor each (error_estimate=true: four).",
    "open line": "Not counted: numerical errors, three marches more a point refined (error_estimate=false: none).",
    False: "",
}


def compose(overrides: list[str]) -> Composed[SweepJob]:
    """Resolve and validate the input; refuse a sweep of nothing, and by name axes that are not numeric inputs."""
    composed = compose_job("sweep", JOB, overrides)
    if not any(text.lstrip("+").startswith(("array=", "sweep.axes=", "sweep.axes.", "sweep=")) for text in overrides):
        raise InputError(
            [
                f"sweep.axes is missing: say what is varied, as array={'|'.join(group_options('array'))} or "
                '"sweep.axes={speed_kmh:[280,300,320]}"; cost=true says how long it takes, and runs nothing'
            ]
        )
    refuse_bad_axes(composed.job)
    return composed


def run(composed: Composed[SweepJob]) -> int:
    """Fill the array, draw and report; 75 when interrupted."""
    from optimise.parameter_study.sweep import SweepFolder, fill_sweep
    from optimise.parameter_study.sweep_result import SweepInput
    from studies.report import write_report

    job = composed.job
    path = asked_folder(job.run_dir, OUTPUTS / "sweeps" / job.sweep.name)
    study = ParameterStudy(
        given=SweepInput(sweep=job.sweep, case=case_of(job)),
        place=SweepFolder(path),
        varied=" x ".join(f"{len(values)} {name}" for name, values in job.sweep.values.items()),
        fill=partial(fill_sweep, error_estimate=job.error_estimate),
        report=partial(write_report, "sweep"),
        closing=_closing,
        files="report.html, result.nc, figures/",
        not_counted=NOT_COUNTED["open line" if job.on_open_line and job.error_estimate else job.error_estimate],
    )
    return run_parameter_study(composed, study)


def _closing(result: SweepResult) -> list[str]:
    """Lowest and highest standard deviation with their errors, in words."""

    def at(index: Index) -> str:
        return ", ".join(f"{n}={v[i]:g}" for (n, v), i in zip(result.sweep.values.items(), index, strict=True))

    return [f"{end.word} standard deviation {end_text(end, at)}" for end in result.ends() or ()]

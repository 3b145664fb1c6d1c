"""Measure which inputs the contact force is sensitive to: shares of the variance, screening, derivatives.

catenary sensitivity inputs=twelve_bruni
catenary sensitivity inputs=twelve_bruni sensitivity.methods=[morris,local] sensitivity.name=screening
catenary sensitivity inputs=twelve_bruni sensitivity.methods=[gradient] sensitivity.name=gradient
catenary sensitivity "sensitivity.inputs={speed_kmh:{low:250,high:300},contact.stiffness:{low:50e3,high:200e3}}"

Every value of a range is equally likely, and inputs are independent. The study's folder has a stable name: the same
command resumes after Ctrl-C or a power cut. Where the reference mean force is held, each speed holds its own.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dynamics.spec.case import case_of
from optimise.entry.varied_inputs import refuse_bad_inputs
from optimise.spec.jobs import SensitivityJob
from studies.commands.parameter_study import ParameterStudy, run_parameter_study
from studies.input.compose import Composed, compose_job
from studies.writing.run_folder import OUTPUTS, asked_folder

if TYPE_CHECKING:
    from optimise.parameter_study.sensitivity_result import SensitivityResult

__all__ = ["JOB", "compose", "run"]

JOB = SensitivityJob


def compose(overrides: list[str]) -> Composed[SensitivityJob]:
    """Resolve and validate the input; refuse by name inputs that are not numbers of the case."""
    composed = compose_job("sensitivity", JOB, overrides)
    refuse_bad_inputs(composed.job)
    return composed


def run(composed: Composed[SensitivityJob]) -> int:
    """Evaluate the points, form the indices, draw and report; 75 when interrupted."""
    from optimise.parameter_study.sensitivity import SensitivityFolder, fill_sensitivity
    from optimise.parameter_study.sensitivity_result import SensitivityInput
    from studies.report import write_report

    job, wanted = composed.job, composed.job.sensitivity
    path = asked_folder(job.run_dir, OUTPUTS / "sensitivity" / wanted.name)
    study = ParameterStudy(
        given=SensitivityInput(sensitivity=wanted, case=case_of(job)),
        place=SensitivityFolder(path),
        varied=f"{', '.join(wanted.methods)}, {len(wanted.inputs)} inputs, {wanted.points} points",
        fill=fill_sensitivity,
        report=partial(write_report, "sensitivity"),
        closing=_closing,
        files="report.html, indices.csv, result.nc, figures/",
    )
    return run_parameter_study(composed, study)


def _closing(result: SensitivityResult) -> list[str]:
    """Inputs on which the standard deviation depends most, by each method, in words."""
    from studies.report.sections.sensitivity.words import console_lines  # help needs none of what it loads

    return console_lines(result)

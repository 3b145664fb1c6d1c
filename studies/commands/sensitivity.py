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
    import numpy as np  # help needs none

    from dynamics.charts.numbers import with_error
    from optimise.evaluation.case_inputs import value_at
    from optimise.parameter_study.sensitivity_indices import CHECK_MISSED

    names = result.plan.names
    lines = []
    if result.sobol is not None and np.isfinite(result.sobol.total[0]).all():
        order = np.argsort(-result.sobol.total[0])[:3]
        most = ", ".join(f"{names[i]} {100.0 * result.sobol.total[0, i]:.0f} %" for i in order)
        lines.append(f"share of the variance of sigma that stays while all others are known (total index): {most}")
    if result.morris is not None and np.isfinite(result.morris.mean_absolute[0]).all():
        order = np.argsort(-result.morris.mean_absolute[0])[:3]
        most = ", ".join(f"{names[i]} {result.morris.mean_absolute[0, i]:.2f} N" for i in order)
        lines.append(f"mean elementary effect on sigma over the range: {most}")
    if (g := result.gradient) is not None and g.known[0].any():
        per_range = [r.slope(value_at(result.case, name)) for name, r in result.spec.inputs.items()]
        scaled, error = g.derivative[0] * per_range, g.error[0] * np.abs(per_range)
        certain = g.known[0] & (np.abs(scaled) > error)
        order = [i for i in np.argsort(-np.where(certain, np.abs(scaled), -1.0))[:3] if certain[i]]
        most = ", ".join(f"{names[i]} {with_error(scaled[i], error[i], 2, signed=True)} N" for i in order)
        lines.append(f"exact derivative of sigma times the range: {most or 'none exceeds its error'}")
        if g.missed:
            change = f"a small step down them changes sigma by {g.computed:.2g} N, they predict {g.expected:.2g} N"
            lines.append(f"{change}, {CHECK_MISSED}")
    elif g is not None:
        lines.append(f"no exact derivative of sigma is known: {g.message or 'in shorter windows they are others'}")
    for name, figures in (("base samples", result.sobol), ("trajectories", result.morris)):
        if figures is not None and figures.left_out:
            lines.append(f"{figures.left_out} of {figures.groups} {name} are left out: a point of each has no figures")
    return lines

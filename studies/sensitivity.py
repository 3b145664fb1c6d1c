"""Which inputs the contact force is sensitive to: shares of the variance, screening, local derivatives.

catenary sensitivity inputs=twelve_bruni
catenary sensitivity inputs=twelve_bruni sensitivity.methods=[morris,local] sensitivity.name=screening
catenary sensitivity "sensitivity.inputs={speed_kmh:{low:250,high:300},contact.stiffness:{low:50e3,high:200e3}}"

Every value of a range is equally likely, and inputs are independent. The study's folder has a stable name: the same
command goes on after Ctrl-C or a power cut. Where the reference mean force is held, each speed holds its own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from catenary.errors import InputError
from studies.compose import Composed, compose_job, typed_command
from studies.input_paths import path_problems
from studies.run_folder import OUTPUTS, RunFolder
from studies.sensitivity_job import SensitivityJob
from studies.spec import case_of
from studies.sweep import progress_words

if TYPE_CHECKING:
    from optimise.sensitivity import SensitivityResult

__all__ = ["JOB", "compose", "run"]

JOB = SensitivityJob


def compose(overrides: list[str]) -> Composed[SensitivityJob]:
    """Resolve and validate the input; inputs that are no numbers of the case are refused by name."""
    composed = compose_job("sensitivity", JOB, overrides)
    inputs = composed.job.sensitivity.inputs.items()
    problems = [p for name, r in inputs for p in path_problems("sensitivity.inputs", name, (r.low, r.high))]
    if problems:
        raise InputError(problems)
    return composed


def run(composed: Composed[SensitivityJob]) -> int:
    """Evaluate the points, form the indices, draw and report; 75 when interrupted."""
    from optimise.cost import cost_lines, strands_cost
    from optimise.one_driver import Interrupted
    from optimise.sensitivity import SensitivityFolder, SensitivityInput, refuse_bad_samples, run_sensitivity
    from optimise.sensitivity_design import sample_strands
    from optimise.sensitivity_spec import SensitivitySpec
    from optimise.strand_points import evaluate_samples
    from studies.optimise import ProgressLine
    from studies.report import write_sensitivity_report

    job = composed.job
    case = case_of(job)
    spec = SensitivitySpec(sensitivity=job.sensitivity, cluster=job.cluster)
    path = Path(job.run_dir) if job.run_dir else OUTPUTS / "sensitivity" / job.sensitivity.name
    plan = refuse_bad_samples(case, job.sensitivity)
    if job.cost:
        cost = strands_cost(sample_strands(plan, job.sensitivity), evaluate_samples, (case, plan.names))
        print("\n".join(cost_lines(cost, job.cluster)))
        return 0
    given = SensitivityInput(sensitivity=job.sensitivity, case=case)
    SensitivityFolder(path).refuse_other(given, job.sensitivity.name)
    print(_headline(job, path), flush=True)
    line = ProgressLine()
    try:
        result = run_sensitivity(spec, case, path, progress=lambda p: line.write(progress_words(p)))
    except Interrupted as stop:
        line.end()
        print(f"{stop}:\n  {typed_command('sensitivity', composed.overrides)}", file=sys.stderr)
        return stop.exit_code
    line.end()
    folder = RunFolder(path, "sensitivity", composed)
    write_sensitivity_report(path)
    for sentence in _closing(result):
        folder.say(sentence)
    folder.say(f"Written to {path}/ (report.html, indices.csv, result.nc, figures/)")
    return 0 if len(result.failed) < len(result.points) else 1


def _headline(job: SensitivityJob, path: Path) -> str:
    spec = job.sensitivity
    return (
        f"Sensitivity study {spec.name}: {', '.join(spec.methods)}, {len(spec.inputs)} inputs, {spec.points} points of "
        f"{job.catenary.name} with {job.pantograph.name}, {job.solver}, kept in {path}/; the same command goes on "
        f"after an interruption."
    )


def _closing(result: SensitivityResult) -> list[str]:
    """What the standard deviation depends on most, by each method, and what failed, in words."""
    names = result.plan.names
    lines = []
    if result.sobol is not None and np.isfinite(result.sobol.total[0]).all():
        order = np.argsort(-result.sobol.total[0])[:3]
        most = ", ".join(f"{names[i]} {100.0 * result.sobol.total[0, i]:.0f} %" for i in order)
        lines.append(f"share of the variance of sigma that stays without it (total index): {most}")
    if result.morris is not None and np.isfinite(result.morris.mean_absolute[0]).all():
        order = np.argsort(-result.morris.mean_absolute[0])[:3]
        most = ", ".join(f"{names[i]} {result.morris.mean_absolute[0, i]:.2f} N" for i in order)
        lines.append(f"mean elementary effect on sigma over the range: {most}")
    for name, figures in (("base samples", result.sobol), ("trajectories", result.morris)):
        if figures is not None and figures.left_out:
            lines.append(f"{figures.left_out} of {figures.groups} {name} are left out: a point of each has no figures")
    if result.failed:
        reasons = {p.message or p.status for p in result.failed.values()}
        lines.append(f"{len(result.failed)} points have no figures: {'; '.join(sorted(reasons)[:3])}")
    return lines

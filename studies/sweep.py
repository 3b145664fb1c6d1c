"""Statistics of the contact force over an array of inputs: damping, contact stiffness, speed, or any other number.

catenary sweep array=damping_stiffness_bruni
catenary sweep "sweep.axes={contact.stiffness:[50e3,100e3,200e3],speed_kmh:[250,275,300]}" sweep.name=mine
catenary sweep "sweep.axes={speed_kmh:{low:160,high:360,number:21}}"

The sweep's folder has a stable name: the same command goes on after Ctrl-C or a power cut. Where the reference mean
force is held, each speed holds its own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from catenary.errors import InputError
from studies.compose import Composed, compose_job, typed_command
from studies.input_paths import path_problems
from studies.run_folder import OUTPUTS, RunFolder
from studies.spec import case_of
from studies.sweep_job import SweepJob

if TYPE_CHECKING:
    from optimise.strand_run import PointsProgress
    from optimise.sweep import SweepResult

__all__ = ["JOB", "compose", "progress_words", "run"]

JOB = SweepJob


def compose(overrides: list[str]) -> Composed[SweepJob]:
    """Resolve and validate the input; axes that are no numeric input are refused by name."""
    composed = compose_job("sweep", JOB, overrides)
    problems = [
        p for name, values in composed.job.sweep.values.items() for p in path_problems("sweep.axes", name, values)
    ]
    if problems:
        raise InputError(problems)
    return composed


def run(composed: Composed[SweepJob]) -> int:
    """Fill the array, draw and report; 75 when interrupted."""
    from optimise.cost import cost_lines, strands_cost
    from optimise.one_driver import Interrupted
    from optimise.strand_points import evaluate_strand
    from optimise.sweep import SweepFolder, SweepInput, run_sweep
    from optimise.sweep_points import refuse_bad_points, strands
    from optimise.sweep_spec import SweepSpec
    from studies.optimise import ProgressLine
    from studies.report import write_sweep_report

    job = composed.job
    case = case_of(job)
    spec = SweepSpec(sweep=job.sweep, cluster=job.cluster)
    path = Path(job.run_dir) if job.run_dir else OUTPUTS / "sweeps" / job.sweep.name
    refuse_bad_points(case, job.sweep)
    if job.cost:
        cost = strands_cost(strands(job.sweep), evaluate_strand, (case, tuple(job.sweep.values)))
        print("\n".join(cost_lines(cost, job.cluster)))
        return 0
    SweepFolder(path).refuse_other(SweepInput(sweep=job.sweep, case=case), job.sweep.name)
    print(_headline(job, path), flush=True)
    line = ProgressLine()
    try:
        result = run_sweep(spec, case, path, progress=lambda p: line.write(progress_words(p)))
    except Interrupted as stop:
        line.end()
        print(f"{stop}:\n  {typed_command('sweep', composed.overrides)}", file=sys.stderr)
        return stop.exit_code
    line.end()
    folder = RunFolder(path, "sweep", composed)
    write_sweep_report(path)
    for sentence in _closing(result):
        folder.say(sentence)
    folder.say(f"Written to {path}/ (report.html, result.nc, figures/)")
    return 0 if result.failed < len(result.points) else 1


def _headline(job: SweepJob, path: Path) -> str:
    axes = " x ".join(f"{len(v)} {name}" for name, v in job.sweep.values.items())
    return (
        f"Sweep {job.sweep.name}: {axes} of {job.catenary.name} with {job.pantograph.name}, {job.solver}, "
        f"kept in {path}/; the same command goes on after an interruption."
    )


def progress_words(p: PointsProgress) -> str:
    """Points done and failed, and the time left."""
    left = "-"
    if p.time_left_s is not None:
        minutes, seconds = divmod(round(p.time_left_s), 60)
        left = f"{minutes}:{seconds:02d}"
    return f"{p.done}/{p.points} points | {p.failed} failed | time left {left}"


def _closing(result: SweepResult) -> list[str]:
    """Lowest and highest standard deviation, and what failed, in words."""
    names = list(result.sweep.values)
    found = {
        index: point.statistics["contact_force_std_N"] for index, point in result.points.items() if point.statistics
    }
    lines = []
    for word, pick in (("lowest", min), ("highest", max)) if found else ():
        index = pick(found, key=found.__getitem__)
        at = ", ".join(f"{n}={result.sweep.values[n][i]:g}" for n, i in zip(names, index, strict=True))
        lines.append(f"{word} standard deviation {found[index]:.2f} N at {at}")
    if result.failed:
        reasons = {p.message or p.status for p in result.points.values() if not p.statistics}
        lines.append(f"{result.failed} points have no figures: {'; '.join(sorted(reasons)[:3])}")
    return lines

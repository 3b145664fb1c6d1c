"""Run a sweep or a sensitivity study: check, evaluate, draw and report it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studies.input.compose import Composed, typed_command
from studies.writing.run_folder import RunFolder

if TYPE_CHECKING:
    from optimise.evaluation.outcome import Outcome
    from optimise.parameter_study.run import PreparedStudy
    from optimise.record.parameter_study_folder import ParameterStudyFolder, ParameterStudyInput
    from optimise.spec.cluster import ClusterSpec
    from optimise.spec.jobs import ParameterStudyJob

__all__ = ["ParameterStudy", "run_parameter_study"]


@dataclass(frozen=True)
class ParameterStudy:
    """Settings in which the two kinds of study differ.

    Attributes
    ----------
    given : PointsInput
        What decides its numbers.
    place : PointsFolder
        Where it is kept.
    varied : str
        What is varied, for the line that it begins with.
    fill : callable
        Evaluates what is missing of a prepared study and writes the results; takes ``progress`` and ``command``.
    report : callable
        Draws the page of a folder.
    closing : callable
        What came out, in sentences.
    files : str
        What is written, by name.
    not_counted : str
        What of its cost is not estimated beforehand, as a sentence; empty where there is nothing.
    """

    given: ParameterStudyInput
    place: ParameterStudyFolder
    varied: str
    fill: Callable[..., Any]
    report: Callable[[Path], Path]
    closing: Callable[[Any], list[str]]
    files: str
    not_counted: str = ""


def run_parameter_study(composed: Composed[ParameterStudyJob], study: ParameterStudy) -> int:
    """Evaluate the points, draw and report, or estimate the cost alone; 75 when interrupted."""
    from catenary.storage.end_request import end_request_interrupts
    from optimise.parameter_study.run import prepare_study
    from optimise.record.driver_lock import Interrupted

    job, given, place = composed.job, study.given, study.place
    command = typed_command(place.study, composed.overrides)
    if job.cost:
        return _show_cost(study, job.cluster, command)
    prepared = prepare_study(place, given, job.cluster)  # before it is said that anything is kept
    print(
        f"{place.study.capitalize()} {given.name}: {study.varied} of {job.catenary.name} with {job.pantograph.name}, "
        f"{job.solver}, kept in {place.path}/; the same command resumes after an interruption.",
        flush=True,
    )
    try:
        with end_request_interrupts():
            return _fill_and_report(composed, study, prepared, command)
    except Interrupted as stop:
        print(f"{stop}:\n  {command}", file=sys.stderr)
    except KeyboardInterrupt:
        print(
            f"{place.study} '{given.name}' was interrupted: every point that was evaluated is on record in "
            f"{place.path}, points, results or report are missing; the same command resumes from there:\n  {command}",
            file=sys.stderr,
        )
    return Interrupted.exit_code


def _fill_and_report(
    composed: Composed[ParameterStudyJob], study: ParameterStudy, prepared: PreparedStudy, command: str
) -> int:
    from optimise.entry.progress_line import ProgressLine
    from optimise.parameter_study.progress import points_line
    from optimise.parameter_study.sweep_axes import unmoved_text
    from studies.report.sections.tables import marched_text

    line, place = ProgressLine(), study.place
    try:
        result = study.fill(prepared, progress=lambda p: line.write(points_line(p)), command=command)
    finally:
        line.end()
    folder = RunFolder(place.path, place.study, composed)
    study.report(place.path)
    broken = [point for point in result.points.values() if not point.statistics]
    points = result.points.values()
    idle = unmoved_text(study.given.case, study.given.names, points)
    for sentence in filter(None, [*study.closing(result), *_reasons(broken), marched_text(points), idle]):
        folder.say(sentence)
    folder.say(f"Wrote to {place.path}/ ({study.files})")
    return 0 if len(broken) < len(result.points) else 1


def _show_cost(study: ParameterStudy, cluster: ClusterSpec, command: str) -> int:
    """Print the cost of the study before anything is submitted; 75 when interrupted."""
    from optimise.afterwards.cost import cost_lines, points_cost
    from optimise.evaluation.evaluate import evaluate_batch
    from optimise.record.driver_lock import Interrupted

    given = study.given
    given.refuse_bad_points()
    print("Measuring a few points on one core of this machine.", flush=True)
    try:
        cost = points_cost(given.batches, given.setting, evaluate_batch)
    except Interrupted as stop:
        print(f"{stop}:\n  {command}", file=sys.stderr)
        return stop.exit_code
    print("\n".join(cost_lines(cost, cluster, [study.not_counted] if study.not_counted else [])))
    return 0


def _reasons(broken: Collection[Outcome]) -> list[str]:
    reasons = sorted({point.reason for point in broken})
    return [f"{len(broken)} points have no figures: {'; '.join(reasons[:3])}"] if broken else []

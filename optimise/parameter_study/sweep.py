"""A sweep from its first point to its last: record, interruption and resuming."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Unpack

import numpy as np

from catenary.storage.end_request import end_request_interrupts
from dynamics.spec.case import CaseSpec
from optimise.executors import NoWorkersError, interruption
from optimise.parameter_study.progress import ParameterStudyProgress
from optimise.parameter_study.run import Fill, PreparedStudy, fill_record, prepare_study
from optimise.parameter_study.sweep_result import SweepInput, SweepResult
from optimise.record.driver_lock import Interrupted, driver_lock
from optimise.record.parameter_study_folder import ParameterStudyFolder, ParameterStudyInput
from optimise.record.status_file import StudyState
from optimise.spec.campaign import ClusterSpec
from optimise.spec.sweep import Everywhere, SweepSpec

__all__ = ["SweepFolder", "fill_sweep", "load_sweep", "run_sweep"]


@dataclass(frozen=True)
class SweepFolder(ParameterStudyFolder):
    """Stable names inside a sweep's folder."""

    study: ClassVar[str] = "sweep"

    @property
    def assured_json(self) -> Path:
        """Points that were refined, with the errors of their standard deviations."""
        return self.path / "assured.json"


def run_sweep(
    spec: SweepSpec, case: CaseSpec, folder: Path, *, error_estimate: bool | Everywhere = False, **how: Unpack[Fill]
) -> SweepResult:
    """Fill the array of a sweep, or what is missing of it, as `fill_record` does, and write it.

    With ``error_estimate`` the points that the lowest and highest standard deviation rest on are refined after that,
    each with its numerical error; 'everywhere' does so to all points.
    """
    given = SweepInput(sweep=spec.sweep, case=case)
    prepared = prepare_study(SweepFolder(Path(folder)), given, spec.cluster)
    return fill_sweep(prepared, error_estimate=error_estimate, **how)


def fill_sweep(
    prepared: PreparedStudy, *, error_estimate: bool | Everywhere = False, **how: Unpack[Fill]
) -> SweepResult:
    """Fill the array of a sweep that `prepare_study` has checked, as `run_sweep` does."""
    from optimise.parameter_study.dataset import write_sweep

    fill_record(prepared, how)
    place = SweepFolder(prepared.place.path)
    result = _result(place, prepared.given)
    write_sweep(result, place.result_nc)
    everywhere = error_estimate == "everywhere"
    if not error_estimate or (result.assured and not everywhere):
        return result
    result = _with_errors(place, result, prepared.cluster, how, everywhere)
    write_sweep(result, place.result_nc)
    return result


def _with_errors(
    place: SweepFolder, result: SweepResult, cluster: ClusterSpec, how: Fill, everywhere: bool
) -> SweepResult:
    """Refine what the verdict rests on, under the lock of the folder's driver."""
    from optimise.parameter_study.assured_points import assure_points

    name, points, begin = result.sweep.name, len(result.points), time.monotonic()

    def progress(done: int, of: int) -> None:
        if "progress" in how:
            counts = ParameterStudyProgress(
                study=place.study, name=name, state=StudyState.REFINING, points=points, done=points,
                failed=result.failed, refined=done, to_refine=of, refining_s=time.monotonic() - begin,
            )  # fmt: skip
            how["progress"](counts)

    try:
        with driver_lock(place.lock, f"{place.study} '{name}'", cluster.driver_silence_s), end_request_interrupts():
            return assure_points(result, cluster, place.assured_json, progress, everywhere=everywhere)
    except (KeyboardInterrupt, NoWorkersError) as stop:
        left = (
            f"{place.study} '{name}' was interrupted; all of its {points} points are on record in {place.path}, "
            "but the numerical errors that error_estimate asks for are not complete"
        )
        raise Interrupted(interruption(stop, left)) from stop


def load_sweep(folder: Path) -> SweepResult:
    """Sweep of a folder as it is on record.

    Raises
    ------
    InputError
        If the folder holds no sweep.
    """
    place = SweepFolder(Path(folder))
    return _result(place, place.read_input(SweepInput))


def _result(place: SweepFolder, given: ParameterStudyInput) -> SweepResult:
    from optimise.parameter_study.assured_points import read_assured

    assert isinstance(given, SweepInput)
    found, places = place.read(given), list(np.ndindex(given.sweep.shape))
    points = {places[number]: point for number, point in found.items()}
    return read_assured(SweepResult(place.path, given.sweep, given.case, points), place.assured_json)

"""A sweep from its first strand to its last: record, interruption and resuming."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Unpack

from dynamics.spec.case import CaseSpec
from optimise.parameter_study.run import Fill, fill_record
from optimise.parameter_study.sweep_result import SweepInput, SweepResult
from optimise.record.points_folder import StrandFolder
from optimise.spec.sweep import SweepSpec

__all__ = ["SweepFolder", "load_sweep", "run_sweep"]


@dataclass(frozen=True)
class SweepFolder(StrandFolder):
    """Stable names inside a sweep's folder."""

    study: ClassVar[str] = "sweep"


def run_sweep(spec: SweepSpec, case: CaseSpec, folder: Path, **how: Unpack[Fill]) -> SweepResult:
    """Fill the array of a sweep, or what is missing of it, as `fill_record` does, and write it."""
    from optimise.parameter_study.points_dataset import write_sweep

    place, given = SweepFolder(Path(folder)), SweepInput(sweep=spec.sweep, case=case)
    fill_record(place, given, spec.cluster, how)
    result = _result(place, given)
    write_sweep(result, place.result_nc)
    return result


def load_sweep(folder: Path) -> SweepResult:
    """Sweep of a folder as it is on record.

    Raises
    ------
    InputError
        If the folder holds no sweep.
    """
    place = SweepFolder(Path(folder))
    return _result(place, place.read_input(SweepInput))


def _result(place: SweepFolder, given: SweepInput) -> SweepResult:
    done, points = place.read(given), {}
    for task in given.strands:
        if task.number in done:
            points.update(zip(task.indices, done[task.number].points, strict=True))
    return SweepResult(place.path, given.sweep, given.case, points)

"""A sweep from its first strand to its last: record, interruption and resuming."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import yaml

from catenary.errors import InputError
from catenary.spec import Spec
from dynamics.spec import CaseSpec
from optimise.strand_points import PointResult, StrandResult, evaluate_strand
from optimise.strand_record import StrandFolder
from optimise.strand_run import PointsProgress, StrandWork, fill_record
from optimise.sweep_points import refuse_bad_points, strands
from optimise.sweep_spec import SweepAxesSpec, SweepSpec

__all__ = ["SweepFolder", "SweepInput", "SweepResult", "load_sweep", "run_sweep"]


class SweepInput(Spec):
    """Everything that decides the numbers of a sweep."""

    sweep: SweepAxesSpec
    case: CaseSpec


@dataclass(frozen=True)
class SweepResult:
    """A filled array: the input and the result of every point by its index; a point not evaluated yet is missing."""

    path: Path
    sweep: SweepAxesSpec
    case: CaseSpec
    points: dict[tuple[int, ...], PointResult]

    def figures(self, name: str) -> np.ndarray:
        """One statistic over all points, NaN where there is none."""
        found = np.full(self.sweep.shape, np.nan)
        for index, point in self.points.items():
            found[index] = point.statistics.get(name, np.nan)
        return found

    @property
    def failed(self) -> int:
        """Points without figures."""
        return sum(not p.statistics for p in self.points.values())


@dataclass(frozen=True)
class SweepFolder(StrandFolder):
    """Stable names inside a sweep's folder."""

    study: ClassVar[str] = "sweep"


def run_sweep(
    spec: SweepSpec,
    case: CaseSpec,
    folder: Path,
    *,
    progress: Callable[[PointsProgress], None] | None = None,
    evaluate: Callable[..., StrandResult] = evaluate_strand,
) -> SweepResult:
    """Fill the array of a sweep, or what is missing of it.

    Parameters
    ----------
    spec : SweepSpec
        Axes, and where the points are evaluated.
    case : CaseSpec
        What all points share.
    folder : Path
        The sweep's folder; made if it is missing, gone on with if it holds this sweep.
    progress : callable, optional
        Called in the driver after each strand and about twice a second.
    evaluate : callable
        Picklable function of a strand and (case, names of the axes).

    Raises
    ------
    InputError
        If a point is no possible case, the folder holds another sweep, or a driver works on it.
    Interrupted
        After Ctrl-C or a request to end; every finished strand is on record.
    """
    refuse_bad_points(case, spec.sweep)
    place, given = SweepFolder(Path(folder)), SweepInput(sweep=spec.sweep, case=case)
    setting = (case, tuple(spec.sweep.values))
    work = StrandWork(strands(spec.sweep), evaluate, setting, spec.cluster, progress)
    fill_record(place, given, spec.sweep.name, work)
    return _write(place, given)


def load_sweep(folder: Path) -> SweepResult:
    """Sweep of a folder as it is on record.

    Raises
    ------
    InputError
        If the folder holds no sweep.
    """
    place = SweepFolder(Path(folder))
    try:
        content = yaml.safe_load(place.input_yaml.read_text(encoding="utf-8"))
        given = SweepInput.model_validate({name: content[name] for name in ("sweep", "case")})
    except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        raise InputError([f"{place.input_yaml} must be a readable sweep: {str(error).splitlines()[0]}"]) from error
    return _result(place, given)


def _result(place: SweepFolder, given: SweepInput) -> SweepResult:
    done, points = place.read(), {}
    for task in strands(given.sweep):
        if task.number in done:
            points.update(zip(task.indices, done[task.number].points, strict=True))
    return SweepResult(place.path, given.sweep, given.case, points)


def _write(place: SweepFolder, given: SweepInput) -> SweepResult:
    from optimise.dataset import write_sweep

    result = _result(place, given)
    write_sweep(result, place.result_nc)
    return result

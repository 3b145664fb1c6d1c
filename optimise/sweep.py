"""A sweep from its first strand to its last: record, interruption and resuming."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from catenary.errors import InputError
from catenary.files import write_text_atomic, writing
from catenary.record import commit, config_sha256, versions
from catenary.spec import Spec
from dynamics.spec import CaseSpec
from optimise.checked_lines import append_whole, checked_line, parsed_line
from optimise.evaluate import Evaluation
from optimise.executors import NoWorkersError, open_executor, refuse_impossible
from optimise.one_driver import Interrupted, driver_lock, end_request_interrupts
from optimise.spec import ClusterSpec
from optimise.sweep_points import PointResult, StrandResult, StrandTask, evaluate_strand, refuse_bad_points, strands
from optimise.sweep_spec import SweepAxesSpec, SweepSpec

__all__ = [
    "SweepFolder",
    "SweepInput",
    "SweepProgress",
    "SweepResult",
    "load_sweep",
    "run_sweep",
]

SECONDS_BETWEEN_LOOKS = 0.5


class SweepInput(Spec):
    """Everything that decides the numbers of a sweep."""

    sweep: SweepAxesSpec
    case: CaseSpec


@dataclass(frozen=True)
class SweepProgress:
    """Points wanted, done and failed so far, and time left [s], None before it is known."""

    points: int
    done: int
    failed: int
    time_left_s: float | None


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
class SweepFolder:
    """Stable names inside a sweep's folder."""

    path: Path

    @property
    def sweep_yaml(self) -> Path:
        """Configuration, hash and versions."""
        return self.path / "sweep.yaml"

    @property
    def record(self) -> Path:
        """One line per finished strand."""
        return self.path / "points.jsonl"

    @property
    def result_nc(self) -> Path:
        """The filled array."""
        return self.path / "result.nc"

    @property
    def lock(self) -> Path:
        """File that the running driver holds locked."""
        return self.path / ".driver.lock"

    def refuse_other(self, given: SweepInput) -> None:
        """Refuse a folder that holds another sweep, or files of something else."""
        if self.sweep_yaml.is_file():
            content = yaml.safe_load(self.sweep_yaml.read_text(encoding="utf-8"))
            held = str(content.get("config_sha256", "")) if isinstance(content, dict) else ""
            if held != config_sha256(given):
                raise InputError(
                    [
                        f"sweep '{given.sweep.name}' must be resumed with the configuration it was started with: "
                        f"{self.sweep_yaml} has hash {held[:12]}, this one {config_sha256(given)[:12]}; use another "
                        f"sweep.name"
                    ]
                )
        elif self.path.exists() and (not self.path.is_dir() or set(self.path.iterdir()) - {self.lock}):
            raise InputError([f"run_dir must be a new, empty or sweep folder: {self.path} holds other files"])

    def write_input(self, given: SweepInput) -> None:
        """Write the configuration, its hash and versions."""
        content = {
            "schema_version": 1,
            "config_sha256": config_sha256(given),
            "commit": commit(),
            "versions": versions(),
            **given.model_dump(mode="json"),
        }
        write_text_atomic(self.sweep_yaml, yaml.safe_dump(content, sort_keys=False, allow_unicode=True))

    def read(self, mend: bool = False) -> dict[int, StrandResult]:
        """Strands on record; a line that was cut short at the end is left out, and with ``mend`` removed.

        Raises
        ------
        InputError
            If a line before the last cannot be read.
        """
        if not self.record.is_file():
            return {}
        whole: dict[int, StrandResult] = {}
        position, unreadable = 0, None
        with open(self.record, "rb") as handle:
            for number, line in enumerate(handle, start=1):
                content = parsed_line(line)
                if unreadable is not None:
                    raise InputError([f"{self.record} must hold the strands that were written: line {unreadable} "
                                      "cannot be read; restore the file"])  # fmt: skip
                if content is None:
                    unreadable = number
                    continue
                result = StrandResult.from_dict(content)
                whole[result.number] = result
                position += len(line)
        if mend and position < self.record.stat().st_size:
            with writing(self.record):
                os.truncate(self.record, position)
        return whole

    def append(self, result: StrandResult) -> None:
        """Put a strand on record, on the disk before this returns."""
        append_whole(self.record, checked_line(result.to_dict()))


def run_sweep(
    spec: SweepSpec,
    case: CaseSpec,
    folder: Path,
    *,
    progress: Callable[[SweepProgress], None] | None = None,
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
    place.refuse_other(given)
    refuse_impossible(spec.cluster)
    with driver_lock(place.lock, f"sweep '{spec.sweep.name}'", spec.cluster.driver_silence_s):
        place.refuse_other(given)
        if not place.sweep_yaml.is_file():
            place.write_input(given)
        done = place.read(mend=True)
        tasks = strands(spec.sweep)
        try:
            with end_request_interrupts():
                missing = [t for t in tasks if t.number not in done]
                for result in _evaluated(place, spec, case, missing, evaluate, progress):
                    place.append(result)
        except (KeyboardInterrupt, NoWorkersError) as stop:
            found = len(place.read())
            reason = f"{stop}: " if isinstance(stop, NoWorkersError) else ""
            raise Interrupted(
                f"{reason}sweep '{spec.sweep.name}' was interrupted after {found} of {len(tasks)} strands; all of them "
                f"are on record in {place.path}; the same command goes on from there"
            ) from stop
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
        content = yaml.safe_load(place.sweep_yaml.read_text(encoding="utf-8"))
        given = SweepInput.model_validate({name: content[name] for name in ("sweep", "case")})
    except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        raise InputError([f"{place.sweep_yaml} must be a readable sweep: {str(error).splitlines()[0]}"]) from error
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


def _evaluated(
    place: SweepFolder, spec: SweepSpec, case: CaseSpec, tasks: list[StrandTask], evaluate: Any, progress: Any
) -> Iterator[StrandResult]:
    """Results of strands as they come."""
    if not tasks:
        return
    total = int(np.prod(spec.sweep.shape))
    done, failures, begin = total - sum(len(task.indices) for task in tasks), 0, time.monotonic()
    first, waiting, under_way = done, list(reversed(tasks)), {}
    setting = (case, tuple(spec.sweep.values))
    cluster = _for_strands(spec.cluster, max(len(task.indices) for task in tasks))
    with open_executor(cluster, evaluate, setting, folder=place.path) as executor:
        while waiting or under_way:
            while waiting and len(under_way) < executor.capacity:
                task = waiting.pop()
                under_way[task.number] = task
                executor.submit(task)
            found = executor.next_completed(SECONDS_BETWEEN_LOOKS)
            if found is not None and found.number in under_way:
                result = _whole(found, under_way.pop(found.number))
                yield result
                done += len(result.points)
                failures += sum(not p.statistics for p in result.points)
            if progress is not None:
                rate = (done - first) / max(1e-9, time.monotonic() - begin)
                progress(SweepProgress(total, done, failures, (total - done) / rate if rate > 0.0 else None))


def _for_strands(cluster: ClusterSpec, length: int) -> ClusterSpec:
    """Cluster whose time limit is that of a strand; the one given is that of a point."""
    return cluster.model_copy(update={"time_limit_s": cluster.time_limit_s * length})


def _whole(found: StrandResult | Evaluation, task: StrandTask) -> StrandResult:
    """Result of a strand; one whose worker died has failed at each of its points, with the reason."""
    if isinstance(found, StrandResult):
        return StrandResult(found.number, tuple(_sound(point) for point in found.points))
    return StrandResult(task.number, tuple(PointResult("failed", found.message) for _ in task.indices))


def _sound(point: PointResult) -> PointResult:
    """Result of a point as it may go on record: with numbers that are not finite it has none, with the reason."""
    numbers = {**point.statistics, "applied_force_N": point.applied_force_N}
    wrong = [(name, value) for name, value in numbers.items() if value is not None and not math.isfinite(value)]
    if not wrong:
        return point
    return PointResult("failed", f"the evaluation must give finite numbers: {wrong[0][0]} is {wrong[0][1]}")

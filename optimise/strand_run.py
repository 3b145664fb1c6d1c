"""Strands of points given to workers, put on record as they come back, gone on with after an interruption."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from catenary.spec import Spec
from optimise.evaluate import Evaluation
from optimise.executors import NoWorkersError, open_executor, refuse_impossible
from optimise.one_driver import Interrupted, driver_lock, end_request_interrupts
from optimise.spec import ClusterSpec
from optimise.strand_points import PointResult, StrandResult, StrandTask
from optimise.strand_record import StrandFolder

__all__ = ["PointsProgress", "StrandWork", "fill_record"]

SECONDS_BETWEEN_LOOKS = 0.5


@dataclass(frozen=True)
class PointsProgress:
    """Points wanted, done and failed so far, and time left [s], None before it is known."""

    points: int
    done: int
    failed: int
    time_left_s: float | None


@dataclass(frozen=True)
class StrandWork:
    """All strands of a study and what evaluates them.

    Attributes
    ----------
    tasks : list of StrandTask
        Every strand, on record or not.
    evaluate : callable
        Picklable function of a strand and the setting.
    setting
        What every strand shares, sent to each worker once.
    cluster : ClusterSpec
        Where; its time limit is that of a point.
    progress : callable, optional
        Called in the driver after each strand and about twice a second.
    """

    tasks: list[StrandTask]
    evaluate: Callable[..., StrandResult]
    setting: Any
    cluster: ClusterSpec
    progress: Callable[[PointsProgress], None] | None = None


def fill_record(place: StrandFolder, given: Spec, name: str, work: StrandWork) -> None:
    """Evaluate the strands that are not on record yet, each put on the disk before the next is told.

    Raises
    ------
    InputError
        If the folder holds another study, a driver works on it, or the cluster cannot be.
    Interrupted
        After Ctrl-C, a request to end or the loss of all workers; every finished strand is on record.
    """
    place.refuse_other(given, name)
    refuse_impossible(work.cluster)
    with driver_lock(place.lock, f"{place.study} '{name}'", work.cluster.driver_silence_s):
        place.refuse_other(given, name)
        if not place.input_yaml.is_file():
            place.write_input(given)
        done = place.read(mend=True)
        missing = [task for task in work.tasks if task.number not in done]
        try:
            with end_request_interrupts():
                for result in _evaluated(place, work, missing):
                    place.append(result)
        except (KeyboardInterrupt, NoWorkersError) as stop:
            found = len(place.read())
            reason = f"{stop}: " if isinstance(stop, NoWorkersError) else ""
            raise Interrupted(
                f"{reason}{place.study} '{name}' was interrupted after {found} of {len(work.tasks)} strands; all of "
                f"them are on record in {place.path}; the same command goes on from there"
            ) from stop


def _evaluated(place: StrandFolder, work: StrandWork, tasks: list[StrandTask]) -> Iterator[StrandResult]:
    """Results of strands as they come."""
    if not tasks:
        return
    total = sum(len(task.indices) for task in work.tasks)
    done, failures, begin = total - sum(len(task.indices) for task in tasks), 0, time.monotonic()
    first, waiting, under_way = done, list(reversed(tasks)), {}
    cluster = _for_strands(work.cluster, max(len(task.indices) for task in tasks))
    with open_executor(cluster, work.evaluate, work.setting, folder=place.path) as executor:
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
            if work.progress is not None:
                rate = (done - first) / max(1e-9, time.monotonic() - begin)
                work.progress(PointsProgress(total, done, failures, (total - done) / rate if rate > 0.0 else None))


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

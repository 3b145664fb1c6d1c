"""Strands of points given to workers, put on record as they come back, gone on with after an interruption."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import closing
from typing import TypedDict

from dynamics.spec.case import CaseSpec
from optimise.end_request import end_request_interrupts
from optimise.evaluation.batch_task import EvaluateStrand, PointResult, StrandResult, StrandTask
from optimise.evaluation.outcome import Outcome
from optimise.executors import NoWorkersError, going_on, open_executor, refuse_impossible
from optimise.parameter_study.progress import PointsProgress, PointsStatusWriter
from optimise.record.driver_lock import Interrupted, driver_lock
from optimise.record.growing_record import ChangedRecordError
from optimise.record.points_folder import StrandFolder, StrandInput
from optimise.record.record_damage import take_up_strands
from optimise.spec.campaign import ClusterSpec

__all__ = ["Fill", "fill_record"]

SECONDS_BETWEEN_LOOKS = 0.5


class Fill(TypedDict, total=False):
    """How a record is filled.

    Attributes
    ----------
    progress : callable
        Called in the driver after each strand and about twice a second.
    evaluate : callable
        Picklable function of a strand and the setting of its study, in place of the study's own.
    command : str
        Command line that goes on with the study, for those who ask how it stands.
    """

    progress: Callable[[PointsProgress], None]
    evaluate: EvaluateStrand
    command: str


def fill_record(place: StrandFolder, given: StrandInput, cluster: ClusterSpec, how: Fill) -> None:
    """Evaluate the strands that are not on record yet, each put on the disk before the next is told.

    Parameters
    ----------
    place : StrandFolder
        The study's folder; made if it is missing, gone on with if it holds this study.
    given : StrandInput
        The study.
    cluster : ClusterSpec
        Where; its time limit is that of a point.
    how : Fill
        Who is told, and by what.

    Raises
    ------
    InputError
        If a point is no possible case, the folder holds another study, a driver works on it, or the cluster cannot be.
    Interrupted
        After Ctrl-C, a request to end or the loss of all workers; every finished strand is on record.
    """
    tasks = given.checked_strands()
    place.refuse_other(given)
    refuse_impossible(cluster)
    with driver_lock(place.lock, f"{place.study} '{given.name}'", cluster.driver_silence_s):
        place.refuse_other(given)
        if not place.input_yaml.is_file():
            place.write_input(given)
        done, record = take_up_strands(place, given)
        missing = [task for task in tasks if task.number not in done]
        begun = PointsProgress(place.study, given.name, "running", given.points, command=how.get("command", ""))
        status = PointsStatusWriter(place, begun.with_results(done.values()))
        results = _evaluated(place, missing, how.get("evaluate", given.evaluate), given.setting, cluster)
        try:
            with end_request_interrupts(), closing(results):
                for result in results:
                    record.check()
                    if result is not None:
                        record.append(result)
                    progress = status.ended(result)
                    if "progress" in how:
                        how["progress"](progress)
                record.check()
        except (KeyboardInterrupt, NoWorkersError, ChangedRecordError) as stop:
            if not place.input_yaml.is_file():
                place.write_input(given)
            status.write("interrupted")
            reason = "" if isinstance(stop, KeyboardInterrupt) else f"{stop}: "
            raise Interrupted(
                f"{reason}{place.study} '{given.name}' was interrupted; {status.current.done} of {given.points} points "
                f"are on record in {place.path}; {going_on(stop)}"
            ) from stop
        status.write("finished")


def _evaluated(
    place: StrandFolder,
    tasks: list[StrandTask],
    evaluate: EvaluateStrand,
    setting: tuple[CaseSpec, tuple[str, ...]],
    cluster: ClusterSpec,
) -> Generator[StrandResult | None]:
    """Results of strands as they come; None after a look that found none."""
    if not tasks:
        return
    waiting, under_way = list(reversed(tasks)), {}
    for_strands = _for_strands(cluster, max(len(task.indices) for task in tasks))
    with open_executor(for_strands, evaluate, setting, folder=place.path) as executor:
        while waiting or under_way:
            while waiting and len(under_way) < executor.capacity:
                task = waiting.pop()
                under_way[task.number] = task
                executor.submit(task)
            found = executor.next_completed(SECONDS_BETWEEN_LOOKS)
            task = None if found is None else under_way.pop(found.number, None)
            yield None if found is None or task is None else _whole(found, task)


def _for_strands(cluster: ClusterSpec, length: int) -> ClusterSpec:
    """Cluster whose time limit is that of a strand; the one given is that of a point."""
    return cluster.model_copy(update={"time_limit_s": cluster.time_limit_s * length})


def _whole(found: StrandResult | Outcome, task: StrandTask) -> StrandResult:
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

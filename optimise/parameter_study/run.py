"""Give batches of points to workers, record them as they come back, resume after an interruption."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TypedDict

from catenary.storage.end_request import end_request_interrupts
from dynamics.refusals import refuse_unusable_pantograph
from optimise.evaluation.job import Batch
from optimise.evaluation.outcome import BatchOutcome, Outcome, OutcomeStatus, sound
from optimise.executors import Evaluate, NoWorkersError, completed, interruption, open_executor, refuse_impossible
from optimise.parameter_study.progress import ParameterStudyProgress
from optimise.record.driver_lock import Interrupted, driver_lock
from optimise.record.growing_record import ChangedRecordError, say
from optimise.record.parameter_study_folder import ParameterStudyFolder, ParameterStudyInput
from optimise.record.record_damage import take_up
from optimise.record.status_file import StatusWriter, StudyState
from optimise.spec.campaign import ClusterSpec

__all__ = ["Fill", "PreparedStudy", "fill_record", "prepare_study"]


class Fill(TypedDict, total=False):
    """How a record is filled.

    Attributes
    ----------
    progress : callable
        Called in the driver after each batch and about twice a second.
    evaluate : callable
        Picklable function of a batch and the setting of its study, in place of `evaluate_batch`.
    command : str
        Command line that resumes the study, for `catenary status`.
    again : str
        What resumes it, in the words of an interruption; the same command unless given.
    """

    progress: Callable[[ParameterStudyProgress], None]
    evaluate: Evaluate
    command: str
    again: str


@dataclass(frozen=True)
class PreparedStudy:
    """A study whose points are possible cases, in a folder that it may have; nothing is written yet.

    Attributes
    ----------
    place : PointsFolder
        Its folder, new or its own.
    given : PointsInput
        The study.
    cluster : ClusterSpec
        Where points are evaluated; its time limit is that of a point.
    """

    place: ParameterStudyFolder
    given: ParameterStudyInput
    cluster: ClusterSpec


def prepare_study(place: ParameterStudyFolder, given: ParameterStudyInput, cluster: ClusterSpec) -> PreparedStudy:
    """Check a study once.

    Raises
    ------
    InputError
        If a point is not a valid case, the folder holds another study, or the cluster cannot be.
    """
    given.refuse_bad_points()
    refuse_unusable_pantograph(given.case)
    place.refuse_other(given)
    refuse_impossible(cluster)
    return PreparedStudy(place, given, cluster)


def fill_record(prepared: PreparedStudy, how: Fill) -> None:
    """Evaluate the batches that are not on record yet, each written to disk before the next is reported.

    Makes the folder if it is missing, resumes if it holds this study. A batch with a point that ended in an error, a
    time limit or the death of its worker is evaluated again, for it may have been the machine's; a point whose solver
    says why it has no figures, or whose values do not go together, stays.

    Raises
    ------
    InputError
        If another driver works on the folder, or its record is damaged.
    Interrupted
        After Ctrl-C, a request to end or the loss of all workers; every finished batch is on record.
    """
    place, given, cluster = prepared.place, prepared.given, prepared.cluster
    with driver_lock(place.lock, f"{place.study} '{given.name}'", cluster.driver_silence_s):
        place.refuse_other(given)  # another driver may have started meanwhile
        place.restore_input(given)
        done, record = take_up(place.batches(given), place.status_json)
        known = {batch.number: batch for batch in done}  # what came out of one that was evaluated again stands last
        again = {number for number, batch in known.items() if any(map(_failed, batch.outcomes))}
        missing = [batch for batch in given.batches if batch.number not in known or batch.number in again]
        if again:
            count = sum(_failed(outcome) for number in again for outcome in known[number].outcomes)
            say(f"{place.study} '{given.name}': evaluates again what failed, {count} of {given.points} points")
        state = ParameterStudyProgress(
            study=place.study, name=given.name, points=given.points, command=how.get("command", "")
        ).with_points(outcome for number in known.keys() - again for outcome in known[number].outcomes)
        status = StatusWriter(place.status_json, state)
        status.write(StudyState.RUNNING)
        outcomes = _evaluated(prepared, missing, how.get("evaluate"))
        try:
            with end_request_interrupts(), closing(outcomes):
                for found in outcomes:
                    record.check()
                    counts = status.current
                    if found is not None:
                        found = _or_known(found, known.get(found.number))
                        record.append(found)
                        counts = counts.with_points(found.outcomes)
                    progress = status.update(counts)
                    if "progress" in how:
                        how["progress"](progress)
                record.check()
        except (KeyboardInterrupt, NoWorkersError, ChangedRecordError) as stop:
            place.restore_input(given)
            status.write(StudyState.INTERRUPTED)
            done = f"{status.current.done} of {given.points} points are on record in {place.path}"
            left = f"{place.study} '{given.name}' was interrupted; {done}"
            raise Interrupted(interruption(stop, left, how.get("again", "the same command"))) from stop
        place.restore_input(given)
        status.write(StudyState.FINISHED)


def _failed(outcome: Outcome) -> bool:
    """Whether a point may have figures where it is evaluated again."""
    return outcome.status is OutcomeStatus.FAILED


def _or_known(found: BatchOutcome, known: BatchOutcome | None) -> BatchOutcome:
    """What came out of a batch, and of its points that have failed this time alone what is known of them."""
    if known is None:
        return found
    pairs = zip(found.outcomes, known.outcomes, strict=True)
    return replace(found, outcomes=tuple(old if _failed(new) else new for new, old in pairs))


def _evaluated(
    prepared: PreparedStudy, batches: list[Batch], evaluate: Evaluate | None
) -> Generator[BatchOutcome | None]:
    """Outcomes of batches as they come; None after a look that found none."""
    if not batches:
        return
    if evaluate is None:
        from optimise.evaluation.evaluate import evaluate_batch as evaluate
    # the time limit that is given is that of a point
    limit = prepared.cluster.time_limit_s * max(batch.size for batch in batches)
    cluster = prepared.cluster.model_copy(update={"time_limit_s": limit})
    with open_executor(cluster, evaluate, prepared.given.setting, folder=prepared.place.path) as executor:
        for found in completed(executor, batches):
            yield None if found is None else replace(found, outcomes=tuple(map(sound, found.outcomes)))

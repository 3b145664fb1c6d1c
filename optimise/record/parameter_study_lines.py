"""The record of points: one line for each batch, as it came back from its worker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from optimise.evaluation.figures import SIGMA
from optimise.evaluation.job import Batch, Job
from optimise.evaluation.outcome import BatchOutcome, Outcome, OutcomeStatus
from optimise.evaluation.record_types import Length, Number, Numbers, Stored, refuse_other_types
from optimise.record.lines_record import LinesRecord, OtherStudyError

__all__ = ["points_record"]

# Keys of a line, and what a point holds in addition to its status and wall time; records keep the old key of a batch.
BATCH, POINTS = "strand", "points"
FIGURES = ("message", "statistics", "applied_force_N", "static_dropper_force_min_N")


class PointContent(Stored):
    """A point, as its line holds it."""

    status: str
    message: str
    statistics: Numbers
    applied_force_N: Number | None
    static_dropper_force_min_N: Number | None
    wall_time_s: Number
    slopes: Annotated[dict[str, Annotated[list[Number], Length]], Length] | None = None


class BatchContent(Stored):
    """A line without its checksum."""

    strand: int
    points: Annotated[list[PointContent], Length]
    line: int = 1
    study: str = ""


def points_record(path: Path, study: str, name: str, batches: Iterable[Batch]) -> LinesRecord[BatchOutcome]:
    """Record of the points of a study with these batches; see `LinesRecord`."""
    wanted = {batch.number: batch for batch in batches}

    def read(content: Mapping[str, Any]) -> BatchOutcome:
        refuse_other_types(BatchContent, content)
        batch, points = wanted.get(content[BATCH]), content[POINTS]
        if batch is None or batch.size != len(points):
            raise OtherStudyError
        return BatchOutcome(batch.number, tuple(map(_outcome, batch.jobs, points)))

    return LinesRecord(
        path, study, name, "points", "points", read, _content,
        evaluations=lambda found: len(found.outcomes), number=lambda found: found.number,
    )  # fmt: skip


def _content(found: BatchOutcome) -> dict[str, Any]:
    """A batch as JSON types; derivatives stand only where they were formed."""
    points = [
        {"status": outcome.status.on_point} | {name: getattr(outcome, name) for name in FIGURES}
        | {"wall_time_s": outcome.seconds} | ({"slopes": outcome.slopes} if outcome.slopes else {})
        for outcome in found.outcomes
    ]  # fmt: skip
    return {BATCH: found.number, POINTS: points}


def _outcome(job: Job, content: Mapping[str, Any]) -> Outcome:
    """Outcome of a point from what `_content` gave."""
    figures, seconds = {name: content[name] for name in FIGURES}, content["wall_time_s"]
    sigma = figures["statistics"].get(SIGMA)
    status = OutcomeStatus(content["status"])
    slopes = {name: tuple(values) for name, values in (content.get("slopes") or {}).items()}
    return Outcome(job.number, status, sigma_N=sigma, wall_time_s={"total": seconds}, slopes=slopes, **figures)

"""The lines of a record of points: a batch each, whole or damaged, of this study or of another one, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from optimise.evaluation.figures import SIGMA
from optimise.evaluation.job import Batch, Job
from optimise.evaluation.outcome import BatchOutcome, Outcome, OutcomeStatus
from optimise.record.growing_record import DamagedRecordError, GrowingRecord
from optimise.record.json_lines import checked_line, fits_one, holds_another, is_torn, parsed_line

__all__ = ["PointsLines", "PointsWriter", "points_line", "read_lines"]

# Keys of a line, the first and its points, and what a point holds beside its status and wall time.
BATCH, POINTS = "strand", "points"
FIGURES = ("message", "statistics", "applied_force_N", "static_dropper_force_min_N")
START = b'{"strand":'
# Number of the line and the beginning of its study's hash; records from before there were any have neither.
LINE, STUDY = "line", "study"
HASH_DIGITS = 12


@dataclass
class PointsLines:
    """What of a record can be read.

    Attributes
    ----------
    results : dict
        Batches by number.
    count, size : int
        Lines up to the first that cannot be read, and their bytes.
    tail : int
        Bytes of one line at the end that was not written whole, as a kill leaves it.
    damage : str
        What is wrong elsewhere; empty where nothing is.
    """

    results: dict[int, BatchOutcome] = field(default_factory=dict)
    count: int = 0
    size: int = 0
    tail: int = 0
    damage: str = ""

    @property
    def torn(self) -> int:
        """Points that the line at the end may have held, those of the longest batch."""
        return max((len(result.outcomes) for result in self.results.values()), default=0) if self.tail else 0

    @property
    def points(self) -> int:
        """Points of the batches."""
        return sum(len(result.outcomes) for result in self.results.values())

    def refuse_damage(self, record: Path) -> None:
        """Refuse what a kill does not explain."""
        if self.damage:
            raise DamagedRecordError(f"{record} must hold the points that were written: {self.damage}", self.size)

    def written_anew(self, study: str) -> bytes:
        """Lines of what can be read."""
        lines = enumerate(self.results.values(), start=1)
        return b"".join(points_line(result, number, study) for number, result in lines)


class PointsWriter:
    """Record of a study to which its driver appends.

    Parameters
    ----------
    path : Path
    lines : int
        Lines that it holds.
    study : str
        Hash of the study's configuration.
    """

    def __init__(self, path: Path, lines: int, study: str) -> None:
        self._file, self._lines, self._study = GrowingRecord(path), lines, study

    def append(self, result: BatchOutcome) -> None:
        """Put a batch on record; see `GrowingRecord.append`."""
        self._lines += 1
        self._file.append(points_line(result, self._lines, self._study))

    def check(self) -> None:
        """Look whether the record is still what was written; see `GrowingRecord.check`."""
        self._file.check()


def points_line(result: BatchOutcome, number: int, study: str) -> bytes:
    """Line of a record.

    Parameters
    ----------
    result : BatchOutcome
    number : int
        Number of the line, from 1.
    study : str
        Hash of the study's configuration.
    """
    points = [_content(outcome) for outcome in result.outcomes]
    return checked_line({BATCH: result.number, POINTS: points, LINE: number, STUDY: study[:HASH_DIGITS]})


def _content(outcome: Outcome) -> dict[str, Any]:
    """A point as JSON types."""
    figures = {name: getattr(outcome, name) for name in FIGURES}
    return {"status": outcome.status.on_point, **figures, "wall_time_s": outcome.seconds}


def _outcome(job: Job, content: Mapping[str, Any]) -> Outcome:
    """Outcome of a point from what `_content` gave."""
    figures, seconds = {name: content[name] for name in FIGURES}, content["wall_time_s"]
    sigma = figures["statistics"].get(SIGMA)
    status = OutcomeStatus(content["status"])
    return Outcome(job.number, status, sigma_N=sigma, wall_time_s={"total": seconds}, **figures)


def read_lines(path: Path, batches: Iterable[Batch], study: str) -> PointsLines:
    """Batches on record; every whole line of this study is among them, whatever stands beside it.

    Parameters
    ----------
    path : Path
        The record; where there is none it holds nothing.
    batches : iterable of Batch
        Those of the study.
    study : str
        Hash of its configuration; empty where it is not known.
    """
    found, sizes, torn = PointsLines(), [], False
    wanted = {batch.number: batch for batch in batches}
    for number, line in _numbered(path):
        if torn:  # something stands behind it
            found.damage, torn = found.damage or f"line {number - 1} cannot be read", False
        result, wrong = _batch(line, number, wanted, study)
        if result is None or wrong:
            small = not holds_another(line) and fits_one(len(line), sizes)
            torn = not found.damage and result is None and (is_torn(line, START) or small)
            found.tail = len(line) if torn else 0
            found.damage = found.damage or ("" if torn else wrong)
        elif not found.damage:
            found.count, found.size = number, found.size + len(line)
            sizes.append(len(line))
        if result is not None:
            found.results[result.number] = result
    found.tail = found.tail if torn else 0
    return found


def _batch(line: bytes, number: int, wanted: Mapping[int, Batch], study: str) -> tuple[BatchOutcome | None, str]:
    """Batch of a line, None where it is none of the study, and what is wrong with the line."""
    content = parsed_line(line)
    if content is None:
        return None, f"line {number} cannot be read"
    try:
        batch, points = wanted.get(int(content[BATCH])), list(content[POINTS])
        other = content.get(STUDY, "") not in ("", study[:HASH_DIGITS]) and study != ""
        if batch is None or other or batch.size != len(points):
            return None, f"line {number} is of another study"
        outcomes = (_outcome(job, point) for job, point in zip(batch.jobs, points, strict=True))
        result = BatchOutcome(batch.number, tuple(outcomes))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        return None, f"line {number} is whole but no batch of points ({error})"
    if content.get(LINE, number) != number:
        return result, f"lines before line {number} are missing, doubled or in another order"
    return result, ""


def _numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    if path.is_file():
        with open(path, "rb") as handle:
            yield from enumerate(handle, start=1)

"""The lines of a record of strands: each whole or damaged, of this study or of another one, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from optimise.evaluation.batch_task import StrandResult, StrandTask
from optimise.record.growing_record import DamagedRecordError, GrowingRecord
from optimise.record.json_lines import checked_line, fits_one, holds_another, is_torn, parsed_line

__all__ = ["StrandLines", "StrandWriter", "read_lines", "strand_line"]

START = b'{"strand":'
# Number of the line and the beginning of its study's hash; records from before there were any have neither.
LINE, STUDY = "line", "study"
HASH_DIGITS = 12


@dataclass
class StrandLines:
    """What of a record can be read.

    Attributes
    ----------
    results : dict
        Strands by number.
    count, size : int
        Lines up to the first that cannot be read, and their bytes.
    tail : int
        Bytes of one line at the end that was not written whole, as a kill leaves it.
    damage : str
        What is wrong elsewhere; empty where nothing is.
    """

    results: dict[int, StrandResult] = field(default_factory=dict)
    count: int = 0
    size: int = 0
    tail: int = 0
    damage: str = ""

    @property
    def torn(self) -> int:
        """Points that the line at the end may have held, that of the longest strand."""
        return max((len(result.points) for result in self.results.values()), default=0) if self.tail else 0

    @property
    def points(self) -> int:
        """Points of the strands."""
        return sum(len(result.points) for result in self.results.values())

    def refuse_damage(self, record: Path) -> None:
        """Refuse what a kill does not explain."""
        if self.damage:
            raise DamagedRecordError(f"{record} must hold the strands that were written: {self.damage}", self.size)

    def written_anew(self, study: str) -> bytes:
        """Lines of what can be read."""
        lines = enumerate(self.results.values(), start=1)
        return b"".join(strand_line(result, number, study) for number, result in lines)


class StrandWriter:
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

    def append(self, result: StrandResult) -> None:
        """Put a strand on record; see `GrowingRecord.append`."""
        self._lines += 1
        self._file.append(strand_line(result, self._lines, self._study))

    def check(self) -> None:
        """Look whether the record is still what was written; see `GrowingRecord.check`."""
        self._file.check()


def strand_line(result: StrandResult, number: int, study: str) -> bytes:
    """Line of a record.

    Parameters
    ----------
    result : StrandResult
    number : int
        Number of the line, from 1.
    study : str
        Hash of the study's configuration.
    """
    return checked_line({**result.to_dict(), LINE: number, STUDY: study[:HASH_DIGITS]})


def read_lines(path: Path, tasks: Iterable[StrandTask] | None = None, study: str = "") -> StrandLines:
    """Strands on record; every whole line of this study is among them, whatever stands beside it.

    Parameters
    ----------
    path : Path
        The record; where there is none it holds nothing.
    tasks : iterable of StrandTask, optional
        Strands of the study, where it is known what these are.
    study : str
        Hash of its configuration; empty where it is not known.
    """
    found, sizes, torn = StrandLines(), [], False
    wanted = None if tasks is None else {task.number: len(task.indices) for task in tasks}
    for number, line in _numbered(path):
        if torn:  # something stands behind it
            found.damage, torn = found.damage or f"line {number - 1} cannot be read", False
        result, wrong = _strand(line, number, wanted, study)
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


def _strand(line: bytes, number: int, wanted: dict[int, int] | None, study: str) -> tuple[StrandResult | None, str]:
    """Strand of a line, None where it is none of the study, and what is wrong with the line."""
    content = parsed_line(line)
    if content is None:
        return None, f"line {number} cannot be read"
    try:
        result = StrandResult.from_dict(content)
    except (KeyError, TypeError, ValueError) as error:
        return None, f"line {number} is whole but no strand ({error})"
    other = content.get(STUDY, "") not in ("", study[:HASH_DIGITS]) and study != ""
    if other or (wanted is not None and wanted.get(result.number) != len(result.points)):
        return None, f"line {number} is of another study"
    if content.get(LINE, number) != number:
        return result, f"lines before line {number} are missing, doubled or in another order"
    return result, ""


def _numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    if path.is_file():
        with open(path, "rb") as handle:
            yield from enumerate(handle, start=1)

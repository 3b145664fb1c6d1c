"""A record of JSON lines, one for each unit of work: written whole or not at all, numbered, of one study.

The one driver appends; a kill leaves at most the beginning of one line, which is left out. Whatever else is not what
was written is damage, which is named.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from catenary.storage.user_file import refuse_irregular
from optimise.record.growing_record import DamagedRecordError, GrowingRecord
from optimise.record.json_lines import checked_line, fits_one, holds_another, is_torn, parsed_line
from optimise.record.status_file import counted, refuse_short_record

__all__ = ["Lines", "LinesRecord", "LinesWriter", "OtherStudyError", "collection_paused"]

Unit = TypeVar("Unit")
Content = dict[str, Any]

START = b'{"'
# Number of the line and the beginning of its study's hash; records from before there were any have neither.
LINE, STUDY = "line", "study"
HASH_DIGITS = 12
MOST_BYTES = 2**40


class OtherStudyError(Exception):
    """A line that is whole belongs to another study."""


@dataclass
class Lines(Generic[Unit]):
    """What of a record can be read.

    Attributes
    ----------
    units : list
        Units in order, up to the first line that is not right.
    behind : list
        Those of whole lines of the study behind that one.
    size : int
        Bytes up to that line.
    tail : int
        Bytes at the end that are the beginning, or the holes, of one line that was not written whole.
    damage : str
        What is wrong elsewhere; empty where nothing is.
    """

    units: list[Unit] = field(default_factory=list)
    behind: list[Unit] = field(default_factory=list)
    size: int = 0
    tail: int = 0
    damage: str = ""


@dataclass(frozen=True)
class LinesRecord(Generic[Unit]):
    """Where a record is, and what its lines hold.

    Attributes
    ----------
    path : Path
        The record; empty if the file does not exist.
    study : str
        Hash of the study's configuration; empty where it is not known.
    name : str
        Name of the study; empty where it is not known.
    what, counts : str
        What the lines hold, and what is counted, in the plural.
    read : callable
        Unit of a line's content; raises an OtherStudyError for one of another study, an AttributeError, KeyError,
        TypeError or ValueError where it is not a unit.
    write : callable
        Content of a unit's line.
    evaluations : callable
        Evaluations that a unit holds.
    number : callable, optional
        Number of a unit where each stands by itself, so that whole ones behind damage are used, too.
    order : callable, optional
        Makes what takes one unit after the other and raises a ValueError for one that cannot follow those before it.
    """

    path: Path
    study: str
    name: str
    what: str
    counts: str
    read: Callable[[Content], Unit]
    write: Callable[[Unit], Content]
    evaluations: Callable[[Unit], int]
    number: Callable[[Unit], int] | None = None
    order: Callable[[], Callable[[Unit], None]] | None = None

    def lines(self) -> Lines[Unit]:
        """What can be read, whatever other lines hold."""
        with collection_paused():
            return self._lines()

    def checked(self, status: Path) -> Lines[Unit]:
        """What can be read, which must be all that was written except one line at the end.

        Raises
        ------
        DamagedRecordError
            If it is damaged elsewhere, or holds fewer evaluations than `status.json` counts.
        """
        wanted = counted(status, self.name)  # before the record, which a running driver writes first
        found = self.lines()
        if found.damage:
            raise DamagedRecordError(f"{self.path} must hold the {self.what} that were written: {found.damage}")
        torn = max(map(self.evaluations, found.units), default=0) if found.tail else 0
        refuse_short_record(self.path, self.count(found.units), wanted, torn)
        return found

    def count(self, units: Sequence[Unit]) -> int:
        """Evaluations that units hold; one that was evaluated again counts once."""
        number = self.number
        once = units if number is None else {number(unit): unit for unit in units}.values()
        return sum(map(self.evaluations, once))

    def left(self, found: Lines[Unit]) -> list[Unit]:
        """Units that are kept where a record is damaged."""
        if self.number is None:
            return found.units
        return list({self.number(unit): unit for unit in [*found.units, *found.behind]}.values())

    def line(self, unit: Unit, number: int) -> bytes:
        """Line of a unit with its number, from 1."""
        study = {STUDY: self.study[:HASH_DIGITS]} if self.study else {}
        return checked_line({**self.write(unit), LINE: number, **study})

    def _lines(self) -> Lines[Unit]:
        found: Lines[Unit] = Lines()
        sizes: list[int] = []
        dark: list[bytes] = []
        first, follows = "", self.order() if self.order is not None else None
        for number, line in _numbered(self.path):
            content = parsed_line(line)
            if content is None:
                first = first or f"line {number} cannot be read"
                dark.append(line)
                continue
            unit, wrong = self._unit(content, number)
            if unit is not None and follows is not None and not (found.damage or first or wrong):
                wrong = _disorder(follows, unit, number)
            found.damage = found.damage or first or wrong
            if unit is not None:
                (found.behind if found.damage else found.units).append(unit)
            if not found.damage:
                sizes.append(len(line))
        found.size = sum(sizes)
        if dark and not found.damage:  # they are all at the end
            size = sum(map(len, dark))
            killed = len(dark) == 1 and is_torn(dark[0], START)
            one = killed or (fits_one(size, sizes) and not any(map(holds_another, dark)))
            found.tail, found.damage = (size, "") if one else (0, first)
        return found

    def _unit(self, content: Content, number: int) -> tuple[Unit | None, str]:
        """Unit of a line, None if it is not of the study, and what is wrong with the line."""
        try:
            if self.study and content.get(STUDY, "") not in ("", self.study[:HASH_DIGITS]):
                raise OtherStudyError
            unit = self.read(content)
        except OtherStudyError:
            return None, f"line {number} is of another study"
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            return None, f"line {number} is whole but does not hold {self.what} ({error})"
        if content.get(LINE, number) != number:
            return unit, f"lines before line {number} are missing, doubled or in another order"
        return unit, ""


class LinesWriter(Generic[Unit]):
    """Record to which the driver of a study appends, behind so many lines."""

    def __init__(self, record: LinesRecord[Unit], lines: int) -> None:
        self._record, self._lines = record, lines
        self._file = GrowingRecord(record.path)

    def append(self, unit: Unit) -> None:
        """Record a unit; see `GrowingRecord.append`."""
        self._lines += 1
        self._file.append(self._record.line(unit, self._lines))

    def check(self) -> None:
        """Check that the record is still what was written; see `GrowingRecord.check`."""
        self._file.check()


@contextlib.contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the garbage collector in a block that makes many lasting objects."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _disorder(follows: Callable[[Unit], None], unit: Unit, number: int) -> str:
    """Reason why a unit cannot follow those before it; empty where it can."""
    try:
        follows(unit)
    except ValueError as error:
        return f"line {number} is whole but does not follow those before it ({error})"
    return ""


def _numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    if not path.exists():
        return
    refuse_irregular(path, "the record", MOST_BYTES)
    with open(path, "rb") as handle:
        yield from enumerate(handle, start=1)

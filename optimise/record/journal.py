"""The record of a campaign: an Optuna journal with one writer, whole transactions and a checksum on every line.

The file is Optuna's own format, one operation a line, and any reader of Optuna journals opens it. What is
added: the driver is the only writer, so operations are gathered in memory and reach the file together, in one
write and one fsync, when `commit` ends the transaction with a mark. A kill leaves at most the beginning of one
transaction behind the last whole one: it is left out, and the file as it was is kept under another name. Anything
else is damage, which is named.
"""

from __future__ import annotations

import contextlib
import gc
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from catenary.storage.user_file import refuse_irregular
from optimise.record.growing_record import DamagedRecordError, GrowingRecord, kept_aside, say
from optimise.record.json_lines import checked_line, fits_one, is_torn, is_whole, parsed_line
from optimise.record.operations import CREATE_TRIAL, SET_STUDY_USER_ATTR, SET_TRIAL_STATE_VALUES, StoredStudy, replayed

__all__ = ["DriverJournal", "collection_paused", "holds_trials"]

# Marks are attributes of the only study: the number of the transaction. Beside it stands, as entries that Optuna passes
# over, the CRC-32 of its operations, by which lines are missed that were taken out or written twice,
MARK = "transactions"
OPERATIONS = "operations_crc32"
# and the beginning of the configuration's hash, by which a journal is told from that of another campaign.
STUDY, HASH_DIGITS = "config_sha256", 12
START = b'{"op_code":'
BEGINNING = 100
MOST_BYTES = 2**40
CODE = re.compile(rb'\{"op_code":(\d+),')


class DriverJournal:
    """Journal file with one writer.

    Parameters
    ----------
    path : Path
        Journal file; it is made by the first commit.
    read_only : bool
        Read up to the last whole transaction and never write.
    study : str
        Hash of the configuration of the campaign whose journal it must be; empty where any will do.
    wanted : tuple of bytes, optional
        What the lines begin with, somewhere in their first hundred characters, whose content is wanted, each by
        itself; of other operations only the code is given.

    Attributes
    ----------
    operations : list of dict
        What the file held when it was opened.
    size : int
        Bytes of its whole transactions.
    torn : int
        Trials whose end may stand in a transaction behind these, which was not written whole: one or none.

    Raises
    ------
    DamagedRecordError
        If the file is not what was written, but for the beginning of one transaction at its end.
    """

    def __init__(
        self, path: Path, read_only: bool = False, wanted: tuple[bytes, ...] | None = None, study: str = ""
    ) -> None:
        self._path, self._study = path, study[:HASH_DIGITS]
        with collection_paused():
            found = _read(path, wanted)
        if study and found.study not in ("", self._study):
            found.size = 0
            raise found.damage("they are those of another campaign")
        self.operations, self._transactions = found.whole, found.transactions
        self.size, self.torn = found.size, int(found.tail > 0)
        self._lines: list[bytes] = []
        if not read_only and found.tail:
            kept = kept_aside(path, path.read_bytes()[: found.size])
            say(
                f"{path} ended in {found.tail} bytes of a transaction that was not whole, as a kill leaves them: left "
                f"out; the file as it was is kept as {kept.name}"
            )
        self._file = None if read_only else GrowingRecord(path)

    def study(self) -> StoredStudy:
        """Study that the operations lead to.

        Raises
        ------
        DamagedRecordError
            If they do not follow from each other.
        """
        try:
            return replayed(self.operations)
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise DamagedRecordError(
                f"{self._path} must hold the operations that were written: they do not follow from each other, as "
                "where lines are missing or doubled"
            ) from error

    @property
    def ended(self) -> int:
        """Trials that had ended when it was opened, those of a polish among them."""
        return sum(operation["op_code"] == SET_TRIAL_STATE_VALUES for operation in self.operations)

    def append(self, operations: Iterable[dict[str, Any]]) -> None:
        """Take operations into the current transaction."""
        if self._file is None:
            raise RuntimeError(f"{self._path} must be written by the driver of its campaign only")
        self._lines += [checked_line(operation) for operation in operations]

    def commit(self) -> None:
        """End the transaction: its operations and a mark reach the disk together.

        What a full disk took of them is cut off again; a WriteError then ends the driver. A ChangedRecordError does,
        too, where another hand changed the file; with it everything is on record.
        """
        if not self._lines:
            return
        self._transactions += 1
        mark = {"op_code": SET_STUDY_USER_ATTR, "worker_id": "driver", "study_id": 0}
        mark |= {"user_attr": {MARK: self._transactions}, OPERATIONS: f"{zlib.crc32(b''.join(self._lines)):08x}"}
        self.append([mark | {STUDY: self._study} if self._study else mark])
        content = b"".join(self._lines)
        self._lines.clear()
        assert self._file is not None
        self._file.append(content)

    def check(self) -> None:
        """Look whether the file is still what was written; see `GrowingRecord.check`."""
        if self._file is not None:
            self._file.check()


@contextlib.contextmanager
def collection_paused() -> Iterator[None]:
    """Block that makes many objects that stay; the garbage collector would look at all of them over and over."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def holds_trials(path: Path) -> bool:
    """Whether a journal has the beginning of a trial, or a line that cannot be read, which is another's to refuse."""
    return any(operation is None or operation["op_code"] == CREATE_TRIAL for _, operation in _lines(path, ()))


@dataclass
class _Reading:
    """What of a journal can be read: whole transactions, the bytes that they take, and what is behind them."""

    path: Path
    whole: list[dict[str, Any]] = field(default_factory=list)
    transactions: int = 0
    size: int = 0
    sizes: list[int] = field(default_factory=list)
    tail: int = 0
    study: str = ""

    def take(self, operations: list[dict[str, Any]], count: int, size: int) -> None:
        """Take a transaction."""
        self.whole += operations
        self.transactions, self.size = count, self.size + size
        self.sizes.append(size)

    def damage(self, what: str) -> DamagedRecordError:
        """Error that names the damage and carries how far the journal is whole."""
        return DamagedRecordError(f"{self.path} must hold the operations that were written: {what}", self.size)

    def may_be_one(self, pending: list[dict[str, Any]]) -> bool:
        """Whether operations without a mark may belong to one transaction: it ends where it ends a trial."""
        codes = [operation["op_code"] for operation in pending]
        ends = codes.count(SET_TRIAL_STATE_VALUES)
        begun_before = self.transactions > 1  # the nominal line alone begins and ends in one
        return not ends or (ends == 1 == codes[::-1].index(SET_TRIAL_STATE_VALUES) + 1
                            and not (begun_before and CREATE_TRIAL in codes))  # fmt: skip


def _read(path: Path, wanted: tuple[bytes, ...] | None) -> _Reading:
    """Whole transactions of a journal; what stands behind them may be the beginning, or holes, of one more.

    A power cut may leave the last transaction with holes; more than one transaction, or a hole before, is damage.
    Transactions are counted on, so that one whose mark is damaged is missed by the next one.
    """
    found = _Reading(path)
    pending: list[dict[str, Any]] = []
    unreadable: int | None = None
    number = size = dark = crc = 0
    line, ended = b"", False
    for number, (line, operation) in enumerate(_lines(path, wanted), start=1):
        size += len(line)
        if ended:
            raise found.damage(_line(unreadable or number))
        if operation is None:
            unreadable, dark = unreadable or number, dark + len(line)
            continue
        count = operation.get("user_attr", {}).get(MARK) if operation["op_code"] == SET_STUDY_USER_ATTR else None
        pending.append(operation)
        if count is None:
            crc = zlib.crc32(line, crc)
            continue
        if count != found.transactions + 1:
            raise found.damage(_line(unreadable) if unreadable else f"transactions are missing before line {number}")
        if unreadable is not None:
            ended = True
            continue
        if operation.get(OPERATIONS, f"{crc:08x}") != f"{crc:08x}":
            raise found.damage(f"lines before line {number} are missing, doubled or in another order")
        found.study = operation.get(STUDY, found.study)
        found.take(pending, count, size)
        pending, size, crc = [], 0, 0
    killed = unreadable is None or (unreadable == number and is_torn(line, START))
    one = (killed or fits_one(dark, found.sizes[1:])) and found.may_be_one(pending)
    if size and not (one or ended):  # what ends with the next mark is one transaction
        raise found.damage(_line(unreadable) if unreadable else f"its last marks are missing, up to line {number}")
    found.tail = size
    return found


def _line(number: int) -> str:
    return f"line {number} cannot be read"


def _lines(path: Path, wanted: tuple[bytes, ...] | None) -> Iterator[tuple[bytes, dict[str, Any] | None]]:
    """Each line and its operation, None where it is not what was written."""
    if not path.exists():
        return
    refuse_irregular(path, "the record", MOST_BYTES)
    with open(path, "rb") as handle:
        for line in handle:
            code = CODE.match(line)
            head = line[:BEGINNING]
            asked = wanted is None or any(mark in head for mark in wanted)
            if code is None or asked or int(code[1]) == SET_STUDY_USER_ATTR:
                yield line, parsed_line(line)
            else:
                yield line, {"op_code": int(code[1])} if is_whole(line) else None

"""The record of a campaign: an Optuna journal with one writer, whole transactions and a checksum on every line.

The file is Optuna's own format, one operation a line, and any reader of Optuna journals opens it. What is
added: the driver is the only writer, so operations are gathered in memory and reach the file together, in one
write and one fsync, when `commit` ends the transaction with a mark. After a kill the file is cut behind its last
whole transaction: an operation of the driver is in the record whole or not at all.
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from catenary.errors import InputError
from catenary.files import writing
from optimise.checked_lines import append_whole, checked_line, is_whole, parsed_line
from optimise.operations import CREATE_TRIAL, SET_STUDY_USER_ATTR

__all__ = ["DriverJournal", "collection_paused", "holds_trials"]

# Marks are attributes of the only study.
MARK = "transactions"
BEGINNING = 100
CODE = re.compile(rb'\{"op_code":(\d+),')


class DriverJournal:
    """Journal file with one writer.

    Parameters
    ----------
    path : Path
        Journal file; it is made by the first commit.
    read_only : bool
        Read up to the last whole transaction and never write.
    wanted : tuple of bytes, optional
        What the lines begin with, somewhere in their first hundred characters, whose content is wanted, each by
        itself; of other operations only the code is given.

    Attributes
    ----------
    operations : list of dict
        What the file held when it was opened.

    Raises
    ------
    InputError
        If a line before the last whole transaction is not what was written.
    """

    def __init__(self, path: Path, read_only: bool = False, wanted: tuple[bytes, ...] | None = None) -> None:
        self._path = path
        self._read_only = read_only
        with collection_paused():
            self.operations, self._transactions, size = _whole_transactions(path, wanted)
        self._lines: list[bytes] = []
        if not read_only and path.exists() and path.stat().st_size > size:
            with writing(path):
                os.truncate(path, size)

    def append(self, operations: Iterable[dict[str, Any]]) -> None:
        """Take operations into the current transaction."""
        if self._read_only:
            raise RuntimeError(f"{self._path} must be written by the driver of its campaign only")
        self._lines += [checked_line(operation) for operation in operations]

    def commit(self) -> None:
        """End the transaction: its operations and a mark reach the disk together.

        What a full disk took of them is cut off again; a WriteError then ends the driver.
        """
        if not self._lines:
            return
        self._transactions += 1
        mark = {"op_code": SET_STUDY_USER_ATTR, "worker_id": "driver", "study_id": 0}
        self.append([{**mark, "user_attr": {MARK: self._transactions}}])
        append_whole(self._path, b"".join(self._lines))
        self._lines.clear()


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
    return any(operation is None or operation["op_code"] == CREATE_TRIAL for _, _, operation in _lines(path, ()))


def _whole_transactions(path: Path, wanted: tuple[bytes, ...] | None) -> tuple[list[dict[str, Any]], int, int]:
    """Operations up to the end of the last whole transaction, number of transactions, and the bytes they take.

    A power cut may leave the last transaction with holes; a hole before it is damage. Transactions are counted on, so
    that one whose mark is damaged is missed by the next one.
    """
    whole: list[dict[str, Any]] = []
    pending: list[dict[str, Any]] = []
    transactions = size = 0
    unreadable: int | None = None
    ended = False
    for number, position, operation in _lines(path, wanted):
        if ended:
            raise InputError([_damage(path, unreadable or number)])
        if operation is None:
            unreadable = unreadable or number
            continue
        pending.append(operation)
        count = operation.get("user_attr", {}).get(MARK) if operation["op_code"] == SET_STUDY_USER_ATTR else None
        if count is None:
            continue
        if count != transactions + 1:
            raise InputError([_damage(path, unreadable or number)])
        if unreadable is not None:
            ended = True
            continue
        whole += pending
        pending.clear()
        transactions, size = count, position
    return whole, transactions, size


def _lines(path: Path, wanted: tuple[bytes, ...] | None) -> Iterator[tuple[int, int, dict[str, Any] | None]]:
    """Number of each line, the byte behind it, and its operation, None where it is not what was written."""
    if not path.exists():
        return
    position = 0
    with open(path, "rb") as handle:
        for number, line in enumerate(handle, start=1):
            position += len(line)
            code = CODE.match(line)
            head = line[:BEGINNING]
            asked = wanted is None or any(mark in head for mark in wanted)
            if code is None or asked or int(code[1]) == SET_STUDY_USER_ATTR:
                yield number, position, parsed_line(line)
            else:
                yield number, position, {"op_code": int(code[1])} if is_whole(line) else None


def _damage(path: Path, line: int) -> str:
    return f"{path} must hold the operations that were written: line {line} cannot be read; restore the file"

"""The record of a campaign: an Optuna journal with one writer, whole transactions and a checksum on every line.

The file is Optuna's own format, one operation a line, and any reader of Optuna journals opens it. What is
added: the driver is the only writer, so operations are gathered in memory and reach the file together, in one
write and one fsync, when `commit` ends the transaction with a mark. After a kill the file is cut behind its last
whole transaction: an operation of the driver is in the record whole or not at all.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from catenary.errors import InputError
from catenary.files import writing
from optimise.checked_lines import checked_line, has_checksum, parsed_line
from optimise.operations import SET_STUDY_USER_ATTR

__all__ = ["DriverJournal"]

# Marks are attributes of the only study.
MARK = "transactions"


class DriverJournal:
    """Journal file with one writer.

    Parameters
    ----------
    path : Path
        Journal file; it is made by the first commit.
    read_only : bool
        Read up to the last whole transaction and never write.

    Attributes
    ----------
    operations : list of dict
        What the file held when it was opened.

    Raises
    ------
    InputError
        If a line before the last whole transaction is not what was written.
    """

    def __init__(self, path: Path, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self.operations, self._transactions, size = _whole_transactions(path)
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
        content = b"".join(self._lines)
        with writing(self._path):
            size = self._path.stat().st_size if self._path.exists() else 0
            try:
                # without a buffer, so that closing does not try once more to write what did not fit
                with open(self._path, "ab", buffering=0) as handle:
                    if handle.write(content) != len(content):
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                    os.fsync(handle.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    os.truncate(self._path, size)
                raise
        self._lines.clear()


def _whole_transactions(path: Path) -> tuple[list[dict[str, Any]], int, int]:
    """Operations up to the end of the last whole transaction, number of transactions, and the bytes they take.

    Transactions are counted on, so a transaction that lost its mark is missed by the next one.
    """
    whole: list[dict[str, Any]] = []
    pending: list[dict[str, Any]] = []
    transactions = size = 0
    unreadable: int | None = None
    for number, position, operation in _lines(path):
        if operation is None:
            unreadable = unreadable or number
            continue
        pending.append(operation)
        count = operation.get("user_attr", {}).get(MARK) if operation.get("op_code") == SET_STUDY_USER_ATTR else None
        if count is None:
            continue
        if unreadable is not None or count != transactions + 1:
            raise InputError([_damage(path, unreadable or number)])
        whole += pending
        pending.clear()
        transactions, size = count, position
    return whole, transactions, size


def _lines(path: Path) -> Iterator[tuple[int, int, dict[str, Any] | None]]:
    """Number of each line, the byte behind it, and its operation, None where it is not what was written."""
    if not path.exists():
        return
    position, checked = 0, False
    with open(path, "rb") as handle:
        for number, line in enumerate(handle, start=1):
            position += len(line)
            checked = checked or has_checksum(line)  # a journal that an early version began has none at first
            yield number, position, parsed_line(line, checked)


def _damage(path: Path, line: int) -> str:
    return f"{path.name} must hold the operations that were written: line {line} cannot be read; restore the file"

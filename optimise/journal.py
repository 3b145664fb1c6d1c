"""The record of a campaign: an Optuna journal with one writer and whole transactions.

The file is Optuna's own format, one operation a line, and any reader of Optuna journals opens it. What is
added: the driver is the only writer, so operations are handed to the storage from memory and reach the file
together, in one write and one fsync, when `commit` ends the transaction with a mark. After a kill the file is
cut behind its last mark: an operation of the driver is in the record whole or not at all.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from optuna.storages.journal import BaseJournalBackend

from catenary.errors import InputError
from catenary.files import writing

__all__ = ["DriverJournal"]

# Optuna's code for the operation that sets an attribute of a study; marks are attributes of the only study.
SET_STUDY_USER_ATTR = 2
MARK = "transactions"


class DriverJournal(BaseJournalBackend):
    """Journal file with one writer.

    Parameters
    ----------
    path : Path
        Journal file; it is made by the first commit.
    read_only : bool
        Read up to the last whole transaction and never write.

    Raises
    ------
    InputError
        If a line before the last mark cannot be read.
    """

    def __init__(self, path: Path, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self._unread, self._transactions, size = _whole_transactions(path)
        self._first_unread = 0
        self._lines: list[str] = []
        if not read_only and path.exists() and path.stat().st_size > size:
            os.truncate(path, size)

    def read_logs(self, log_number_from: int) -> Iterable[dict[str, Any]]:
        """Operations from a number on; the storage reads each one once."""
        del self._unread[: log_number_from - self._first_unread]
        self._first_unread = log_number_from
        return list(self._unread)

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Take operations into the current transaction."""
        if self._read_only:
            raise RuntimeError(f"{self._path} must be written by the driver of its campaign only")
        lines = [json.dumps(log, separators=(",", ":"), allow_nan=False) for log in logs]
        self._lines += lines
        self._unread += logs

    def commit(self) -> None:
        """End the transaction: its operations and a mark reach the disk together.

        What a full disk took of them is cut off again; a WriteError then ends the driver.
        """
        if not self._lines:
            return
        self._transactions += 1
        mark = {"op_code": SET_STUDY_USER_ATTR, "worker_id": "driver", "study_id": 0}
        self.append_logs([{**mark, "user_attr": {MARK: self._transactions}}])
        content = ("\n".join(self._lines) + "\n").encode("utf-8")
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
    """Operations up to the last mark, number of transactions, and the bytes they take."""
    if not path.exists():
        return [], 0, 0
    whole: list[dict[str, Any]] = []
    pending: list[dict[str, Any]] = []
    transactions = size = position = 0
    unreadable: int | None = None
    with open(path, "rb") as handle:
        for number, line in enumerate(handle, start=1):
            position += len(line)
            log = _parsed(line)
            if log is None:
                unreadable = unreadable or number
                continue
            pending.append(log)
            if MARK in log.get("user_attr", {}):
                if unreadable is not None:
                    raise InputError(
                        [
                            f"{path.name} must hold one operation a line: line {unreadable} cannot be "
                            f"read; restore the file"
                        ]
                    )
                whole += pending
                pending.clear()
                transactions, size = log["user_attr"][MARK], position
    return whole, transactions, size


def _parsed(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        log = json.loads(line)
    except ValueError:
        return None
    return log if isinstance(log, dict) else None

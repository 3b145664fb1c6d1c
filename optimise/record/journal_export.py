"""`journal.log`: the trials of a campaign as an Optuna journal, which Optuna and its dashboard open.

It is written by Optuna's own storage and made from the record, which does not need it: while designs are searched
every ten seconds, for the trials up to the first that is in flight, and for all of them when the search ends.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import BaseJournalBackend
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial

from catenary.storage.end_request import held_back
from catenary.storage.files import write_bytes_atomic
from optimise.record.growing_record import append_whole

__all__ = ["JournalExport"]

SECONDS_BETWEEN_WRITES = 10.0


class JournalExport:
    """An Optuna journal of a study that grows behind a record; ``trial`` gives each by its number."""

    def __init__(
        self, path: Path, name: str, directions: Sequence[StudyDirection], trial: Callable[[int], FrozenTrial]
    ) -> None:
        self._path, self._name, self._directions, self._trial = path, name, directions, trial
        self._written = 0
        self._size = -1  # of the file; if something else changed it, it is written again
        self._due = time.monotonic() + SECONDS_BETWEEN_WRITES

    @property
    def due(self) -> bool:
        """Whether to update the file while its driver is running."""
        return time.monotonic() >= self._due

    def write(self, count: int) -> None:
        """Bring the file up to a number of trials, which does not fall."""
        size = -1
        with contextlib.suppress(OSError):
            size = self._path.stat().st_size
        lines = _Lines()
        study = optuna.create_study(
            storage=JournalStorage(lines), study_name=self._name, directions=list(self._directions)
        )
        if size < 0 or size != self._size:
            self._written = 0
        else:
            lines.taken()  # the study stands in the file
        for number in range(self._written, count):
            study.add_trial(self._trial(number))
        content = lines.taken()
        with held_back():
            if not self._written:
                write_bytes_atomic(self._path, content)
            elif content:
                append_whole(self._path, content)
        self._written, self._size = count, self._path.stat().st_size
        self._due = time.monotonic() + SECONDS_BETWEEN_WRITES


class _Lines(BaseJournalBackend):
    """Operations of Optuna's journal storage, in memory and as lines of its file."""

    def __init__(self) -> None:
        self._logs: list[dict[str, Any]] = []
        self._lines: list[str] = []

    def read_logs(self, log_number_from: int) -> Iterable[dict[str, Any]]:
        """Operations from a number on."""
        return self._logs[log_number_from:]

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Take operations."""
        self._logs += logs
        self._lines += [json.dumps(log, separators=(",", ":")) + "\n" for log in logs]

    def taken(self) -> bytes:
        """Lines since this was last asked."""
        lines, self._lines = self._lines, []
        return "".join(lines).encode()

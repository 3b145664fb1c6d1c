"""State of a study, and `status.json` of a folder: counts that other programs read while its driver runs."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, TypeVar

from catenary.errors import InputError
from catenary.storage.files import read_json, write_json_atomic
from optimise.record.driver_lock import process_lives
from optimise.record.growing_record import DamagedRecordError, kept_aside, say, was_set_aside

__all__ = [
    "StatusWriter",
    "StudyProgress",
    "StudyState",
    "counted",
    "read_sound_status",
    "read_status_file",
    "refuse_lost_record",
    "refuse_short_record",
    "still_at_work",
    "write_status",
]

SCHEMA_VERSION = 1
SECONDS_BETWEEN_WRITES = 1.0
# evaluations on record: of the search or the points, and of a polish
COUNTS = ("done", "polished")
TIMES = ("rate_per_s", "time_left_s", "wall_time_s")
CHECKSUM = "crc32"


class StudyState(StrEnum):
    """State of a campaign, a sweep or a sensitivity study, as `status.json` names it; each has a sentence."""

    RUNNING = "running"
    REFINING = "refining"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"
    FAILED = "failed"
    FINISHED = "finished"

    @property
    def sentence(self) -> str:
        """What the state means."""
        return SENTENCES[self]


SENTENCES = {
    StudyState.RUNNING: "its driver is running",
    StudyState.REFINING: "its driver estimates errors",
    StudyState.INTERRUPTED: "its driver was interrupted",
    StudyState.STOPPED: "its driver is gone",
    StudyState.FAILED: "its nominal line cannot be evaluated",
    StudyState.FINISHED: "nothing is left to evaluate",
}


@dataclass(frozen=True, kw_only=True)
class StudyProgress(ABC):
    """Counts of a study.

    Attributes
    ----------
    name : str
    state : StudyState
    done, failed : int
        Evaluations done (failed ones included) and failed, those of earlier runs included.
    rate_per_s, time_left_s : float, optional
        Evaluations per second in this run and time left [s], None before they are known.
    command : str
        Command line that resumes it; empty where it is not known.
    wall_time_s : float
        Wall time of its driver, earlier runs included [s].
    """

    name: str
    state: StudyState = StudyState.RUNNING
    done: int = 0
    failed: int = 0
    rate_per_s: float | None = None
    time_left_s: float | None = None
    command: str = ""
    wall_time_s: float = 0.0

    @property
    @abstractmethod
    def to_do(self) -> int | None:
        """Evaluations that are left; None where that is not known."""


Progress = TypeVar("Progress", bound=StudyProgress)


class StatusWriter(Generic[Progress]):
    """Keeps `status.json` at most one second old, starting from the record, and names its owner."""

    def __init__(self, path: Path, recorded: Progress) -> None:
        self._path, self._written = path, -1e9
        self._begin, self._done_before, self._spent_before = time.monotonic(), recorded.done, _spent(path)
        self.current = recorded

    def update(self, counts: Progress) -> Progress:
        """Take counts, with rate and time left; the file is written if it is due."""
        spent = time.monotonic() - self._begin
        rate = (counts.done - self._done_before) / max(1e-9, spent)
        if rate > 0.0:
            left = None if counts.to_do is None else counts.to_do / rate
            counts = replace(counts, rate_per_s=rate, time_left_s=left)
        self.current = counts
        if time.monotonic() - self._written >= SECONDS_BETWEEN_WRITES:
            self._write()
        return self.current

    def write(self, state: StudyState) -> None:
        """Write the file at once with a new state."""
        self.current = replace(self.current, state=state)
        self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        self.current = replace(self.current, wall_time_s=self._spent_before + self._written - self._begin)
        driver = {"process": os.getpid(), "host": socket.gethostname(), "updated": datetime.now(UTC).isoformat()}
        content = {"schema_version": SCHEMA_VERSION, **asdict(self.current), **driver}
        try:
            write_status(self._path, content)
        except IsADirectoryError:  # another hand put a folder there
            say(f"{self._path} must be a file: it is a folder, kept as {kept_aside(self._path, b'').name}")
            write_status(self._path, content)


def _spent(path: Path) -> float:
    """Wall time of earlier runs [s]; a file that cannot be read is written again."""
    try:
        return float(read_status_file(path).get("wall_time_s", 0.0))
    except (InputError, TypeError, ValueError):
        return 0.0


def write_status(path: Path, content: Mapping[str, Any]) -> None:
    """Write the file with its checksum."""
    write_json_atomic(path, {**content, CHECKSUM: _checksum(content)})


def read_status_file(path: Path, name: str = "") -> dict[str, Any]:
    """Content of the file; empty if it does not exist.

    Parameters
    ----------
    name : str
        Name of the study that it must be about; empty where any will do.

    Raises
    ------
    InputError
        If the file is not what a driver wrote.
    """
    try:
        content = read_json(path)
        if not isinstance(content, dict) or content.get("state") not in list(StudyState):
            raise ValueError("it is not a mapping with a state")
        found = _checksum(content)
        if content.pop(CHECKSUM, found) != found:
            raise ValueError("it was changed")
        for key in COUNTS:
            if isinstance(content.get(key, 0), bool) or not isinstance(content.get(key, 0), int):
                raise ValueError(f"{key} is not a whole number")
        for key in TIMES:
            if isinstance(content.get(key), bool | str | list | dict):
                raise ValueError(f"{key} is not a number")
        if name and str(content.get("name", name)) != name:
            raise ValueError(f"it is about '{content['name']}', not about '{name}'")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        advice = "the command that started the study keeps it under another name and writes it again"
        raise InputError([f"{path} must be JSON as a driver wrote it: {error}; {advice}"]) from error
    return content


def read_sound_status(path: Path) -> dict[str, Any]:
    """Content of the file; empty if it is missing or damaged: the record next to it holds everything needed."""
    try:
        return read_status_file(path)
    except InputError:
        return {}


def counted(path: Path, name: str = "") -> int:
    """Evaluations that the file counts, those of a polish among them; none where it cannot be read."""
    with contextlib.suppress(InputError):  # a status that cannot be read is written again
        written = read_status_file(path, name)
        return sum(max(0, written.get(key, 0)) for key in COUNTS)
    return 0


def refuse_lost_record(record: Path, status: Path, results: Path) -> None:
    """Refuse an empty record if the files next to it show that it had evaluations.

    Parameters
    ----------
    status, results : Path
        `status.json` and the data set that is made of the record.

    Raises
    ------
    InputError
        If evaluations are lost: a restart would repeat them all without saying so.
    """
    # read before the record, which a running driver writes first
    done, made = counted(status), results.is_file() and not was_set_aside(record)
    if (made or done) and not (record.is_file() and record.stat().st_size):
        evidence = f"{status.name} counts {done}" if done else f"{results.name} is in the same folder"
        how = "is empty" if record.exists() else "is missing"
        raise InputError(
            [
                f"{record} must hold what was evaluated ({evidence}): it {how}; restore the file, or remove "
                f"{record.parent} to start again"
            ]
        )


def refuse_short_record(record: Path, done: int, wanted: int, torn: int = 0) -> None:
    """Refuse a record with fewer evaluations than its status counted: its end is lost.

    Parameters
    ----------
    wanted : int
        Those that `status.json` counted before the record was read; a driver writes it behind the record.
    torn : int
        Evaluations that a unit at its end, which was not written whole, may have held.

    Raises
    ------
    DamagedRecordError
        With both numbers.
    """
    if done + torn < wanted:
        raise DamagedRecordError(
            f"{record} must hold what was evaluated (status.json counts {wanted}): it holds {done}"
        )


def _checksum(content: Mapping[str, Any]) -> str:
    """CRC-32 of the content but for the checksum itself."""
    text = json.dumps({key: content[key] for key in content if key != CHECKSUM}, sort_keys=True)
    return f"{zlib.crc32(text.encode()):08x}"


def still_at_work(path: Path) -> bool:
    """Whether the process that wrote the file is alive: after its last evaluation it writes results and report."""
    try:
        written = read_status_file(path)
    except InputError:
        return False
    process = written.get("process")
    here = written.get("host", socket.gethostname()) == socket.gethostname()
    return here and isinstance(process, int) and process > 0 and process_lives(process)

"""`status.json` of a folder whose driver is at work: counts that others read while it runs."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from catenary.errors import InputError
from catenary.storage.files import read_json, write_json_atomic
from optimise.record.driver_lock import process_lives
from optimise.record.growing_record import DamagedRecordError, was_set_aside

__all__ = [
    "StatusFile",
    "counted",
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
CHECKSUM = "crc32"


class StatusFile:
    """Keeps the file at most one second old, and says whose it is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written = -1e9

    def write(self, content: Mapping[str, Any], at_once: bool = False) -> None:
        """Write the file if it is due, or at once."""
        if not at_once and time.monotonic() - self._written < SECONDS_BETWEEN_WRITES:
            return
        self._written = time.monotonic()
        driver = {"process": os.getpid(), "host": socket.gethostname(), "updated": datetime.now(UTC).isoformat()}
        write_status(self._path, {"schema_version": SCHEMA_VERSION, **content, **driver})


def write_status(path: Path, content: Mapping[str, Any]) -> None:
    """Write the file with its checksum."""
    write_json_atomic(path, {**content, CHECKSUM: _checksum(content)})


def read_status_file(path: Path, name: str = "") -> dict[str, Any]:
    """Content of the file; nothing where there is none.

    Parameters
    ----------
    path : Path
    name : str
        Name of the study that it must be about; empty where any will do.

    Raises
    ------
    InputError
        If the file is not what a driver wrote.
    """
    try:
        content = read_json(path)
        if not isinstance(content, dict) or not isinstance(content.get("state"), str):
            raise ValueError("it is no mapping with a state")
        found = _checksum(content)
        if content.pop(CHECKSUM, found) != found:
            raise ValueError("it was changed")
        for key in COUNTS:
            if isinstance(content.get(key, 0), bool) or not isinstance(content.get(key, 0), int):
                raise ValueError(f"{key} is no whole number")
        if name and str(content.get("name", name)) != name:
            raise ValueError(f"it is about '{content['name']}', not about '{name}'")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        advice = "the command that began the study keeps it under another name and writes it anew"
        raise InputError([f"{path} must be JSON as a driver wrote it: {error}; {advice}"]) from error
    return content


def counted(path: Path, name: str = "") -> int:
    """Evaluations that the file counts, those of a polish among them; none where it cannot be read."""
    with contextlib.suppress(InputError):  # a status that cannot be read is written anew
        written = read_status_file(path, name)
        return sum(max(0, written.get(key, 0)) for key in COUNTS)
    return 0


def refuse_lost_record(record: Path, holds_any: Callable[[Path], bool], status: Path, results: Path) -> None:
    """Refuse a record without anything where what stands beside it says that there was something.

    Parameters
    ----------
    record : Path
        Record of what was evaluated.
    holds_any : callable
        Whether a record holds the beginning of anything.
    status, results : Path
        `status.json` and the data set that is made of the record.

    Raises
    ------
    InputError
        If evaluations are lost: beginning anew would pay for all of them again without a word.
    """
    # read before the record, which a driver at work writes first
    done, made = counted(status), results.is_file() and not was_set_aside(record)
    if (made or done) and not (record.is_file() and holds_any(record)):
        beside = f"{status.name} counts {done}" if done else f"{results.name} stands beside it"
        how = "holds nothing" if record.exists() else "is missing"
        raise InputError(
            [
                f"{record} must hold what was evaluated ({beside}): it {how}; restore the file, or remove "
                f"{record.parent} to begin anew"
            ]
        )


def refuse_short_record(record: Path, done: int, wanted: int, size: int = 0, torn: int = 0) -> None:
    """Refuse a record with fewer evaluations than the status beside it counted: its end is lost.

    Parameters
    ----------
    record : Path
        Record of what was evaluated.
    done : int
        Evaluations on record.
    wanted : int
        Those that `status.json` counted before the record was read; a driver writes it behind the record.
    size : int
        Bytes of the record that can be read.
    torn : int
        Evaluations that a unit at its end, which was not written whole, may have held.

    Raises
    ------
    DamagedRecordError
        With both numbers.
    """
    if done + torn < wanted:
        raise DamagedRecordError(
            f"{record} must hold what was evaluated (status.json counts {wanted}): it holds {done}", size
        )


def _checksum(content: Mapping[str, Any]) -> str:
    """CRC-32 of the content but for the checksum itself."""
    text = json.dumps({key: content[key] for key in content if key != CHECKSUM}, sort_keys=True)
    return f"{zlib.crc32(text.encode()):08x}"


def still_at_work(path: Path) -> bool:
    """Whether the process that wrote the file is alive: behind its last evaluation it makes results and report."""
    try:
        written = read_status_file(path)
    except InputError:
        return False
    process = written.get("process")
    here = written.get("host", socket.gethostname()) == socket.gethostname()
    return here and isinstance(process, int) and process > 0 and process_lives(process)

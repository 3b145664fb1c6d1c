"""`status.json` of a folder whose driver is at work: counts that others read while it runs."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from catenary.errors import InputError
from catenary.files import write_json_atomic
from optimise.one_driver import process_lives

__all__ = ["StatusFile", "read_status_file", "refuse_lost_record", "still_at_work"]

SCHEMA_VERSION = 1
SECONDS_BETWEEN_WRITES = 1.0


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
        write_json_atomic(self._path, {"schema_version": SCHEMA_VERSION, **content, **driver})


def read_status_file(path: Path) -> dict[str, Any]:
    """Content of the file; nothing where there is none.

    Raises
    ------
    InputError
        If the file is no JSON.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError([f"{path} must be JSON: {error}; remove it, it is written anew on resuming"]) from error
    return content if isinstance(content, dict) else {}


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
    done, made = 0, results.is_file()
    with contextlib.suppress(InputError):  # a status that cannot be read is written anew
        done = read_status_file(status).get("done", 0)
    if (made or done) and not (record.is_file() and holds_any(record)):
        beside = f"{status.name} counts {done}" if done else f"{results.name} stands beside it"
        how = "holds nothing" if record.exists() else "is missing"
        raise InputError(
            [
                f"{record} must hold what was evaluated ({beside}): it {how}; restore the file, or remove "
                f"{record.parent} to begin anew"
            ]
        )


def still_at_work(path: Path) -> bool:
    """Whether the process that wrote the file is alive: behind its last evaluation it makes results and report."""
    written = read_status_file(path)
    process = written.get("process")
    here = written.get("host", socket.gethostname()) == socket.gethostname()
    return here and isinstance(process, int) and process > 0 and process_lives(process)

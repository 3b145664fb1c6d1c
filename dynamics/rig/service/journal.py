"""The record of a test, on disk step by step: a process that is killed loses nothing that it had done.

A journal is one line of JSON (what the test was), then fixed binary records, each handed to the system at once.
"""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.storage.files import parsed_json, writing
from catenary.storage.user_file import read_user_bytes

__all__ = ["COLUMNS", "RECORD", "Journal", "read_journal"]

# name -> unit, meaning
COLUMNS: dict[str, tuple[str, str]] = {
    "step": ("1", "step of the test, counted from 0"),
    "mark": ("1", "1 the force is a substitute, 2 on the way to the safe height, 4 the model held the predicted force"),
    "arrival": ("s", "arrival of the force, or when a substitute was taken, since the first one"),
    "device_time": ("s", "the device's own clock when it measured the force"),
    "force_received": ("N", "force as the device sent it, compressive positive; not a number where none came"),
    "force": ("N", "force that the model took"),
    "model_height": ("m", "height that the model gave; not a number where it was not asked"),
    "height": ("m", "height that was sent"),
    "height_reached": ("m", "height that the device had reached when it measured the force"),
    "round_trip": ("s", "round trip of the step before, measured by the device"),
    "service_time": ("s", "from the arrival of the force to the answer"),
}
# of a test of days
MOST_BYTES = 2**33
RECORD = np.dtype([(name, "<u4" if name in ("step", "mark") else "<f8") for name in COLUMNS])


class Journal:
    """Journal of one test, growing by one record a step."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        with writing(path):
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
            line = json.dumps({"schema_version": 1, "record_bytes": RECORD.itemsize, **about}, allow_nan=False)
            os.write(self._file, line.encode("utf-8") + b"\n")
        self._path = path
        self._record = np.zeros(1, RECORD)
        self._row = self._record[0]

    def add(self, values: tuple[float, ...]) -> None:
        """Write the record of one step, its values in the order of `COLUMNS`."""
        self._record[0] = values
        with writing(self._path):
            if os.write(self._file, self._record.tobytes()) < RECORD.itemsize:  # the disk took the first part of it
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        """End the journal, with everything on the disk itself."""
        try:
            with writing(self._path):
                os.fsync(self._file)
        finally:
            os.close(self._file)


def read_journal(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    """Read a journal: what the test was, and its columns; a record that was cut short is left out.

    Raises
    ------
    InputError
        If the file is not a journal.
    """
    content = read_user_bytes(Path(path), "journal", MOST_BYTES)
    line, _, rest = content.partition(b"\n")
    try:
        about = parsed_json(line)
        assert about["record_bytes"] == RECORD.itemsize
    except (ValueError, KeyError, TypeError, AssertionError):
        raise InputError([f"{path} is not the journal of a rig test of this version"]) from None
    records = np.frombuffer(rest, RECORD, count=len(rest) // RECORD.itemsize)
    return about, {name: records[name].astype(np.float64) for name in COLUMNS}

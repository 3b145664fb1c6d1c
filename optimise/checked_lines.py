"""Lines of a record, each with a checksum: a line that was changed on the disk is told from one that was written.

A line is a JSON object whose last entry is the CRC-32 of what stands before that entry. Readers of JSON lines, Optuna
among them, take it for one more entry and pass over it. A changed digit would else be a number like any other.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from catenary.files import writing

__all__ = ["append_whole", "checked_line", "holds_another", "is_whole", "parsed_line"]

BEFORE, AFTER = b',"crc32":"', b'"}\n'
DIGITS = 8
TAIL = len(BEFORE) + DIGITS + len(AFTER)


def checked_line(content: Mapping[str, Any]) -> bytes:
    """One line of a record, from a mapping that is not empty; a number that is not finite is refused."""
    body = json.dumps(content, separators=(",", ":"), allow_nan=False).encode("utf-8")[:-1]
    return body + BEFORE + _checksum(body) + AFTER


def is_whole(line: bytes) -> bool:
    """Whether a line, its end included, is what was written."""
    checksum = line[-TAIL + len(BEFORE) : -len(AFTER)]
    return line[-TAIL:].startswith(BEFORE) and line.endswith(AFTER) and checksum == _checksum(line[:-TAIL])


def holds_another(line: bytes) -> bool:
    """Whether something stands behind the checksum of a line: the end of the line was damaged, not its writing cut."""
    place = line.find(BEFORE)  # in a text the quotes would be escaped
    return 0 <= place < len(line) - TAIL


def parsed_line(line: bytes) -> dict[str, Any] | None:
    """Content of a line without its checksum; None where it is cut short or not what was written."""
    if not is_whole(line):
        return None
    content = json.loads(line.decode("utf-8"))  # text is read faster than bytes, whose encoding is looked for
    del content["crc32"]
    return content


def append_whole(path: Path, content: bytes) -> None:
    """Append to a record, on the disk before this returns; what a full disk took of it is cut off again.

    Raises
    ------
    WriteError
        If the disk or the folder does not take it.
    """
    with writing(path):
        size = path.stat().st_size if path.exists() else 0
        try:
            # without a buffer, so that closing does not try once more to write what did not fit
            with open(path, "ab", buffering=0) as handle:
                if handle.write(content) != len(content):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(handle.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                os.truncate(path, size)
            raise


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)

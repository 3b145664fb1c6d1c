"""Lines of a record, each with a checksum: a line that was changed on the disk is told from one that was written.

A line is a JSON object whose last entry is the CRC-32 of what stands before that entry. Readers of JSON lines, Optuna
among them, take it for one more entry and pass over it. A changed digit would else be a number like any other.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

__all__ = ["checked_line", "has_checksum", "parsed_line"]

BEFORE, AFTER = b',"crc32":"', b'"}\n'
DIGITS = 8
TAIL = len(BEFORE) + DIGITS + len(AFTER)


def checked_line(content: Mapping[str, Any]) -> bytes:
    """One line of a record, from a mapping that is not empty; a number that is not finite is refused."""
    body = json.dumps(content, separators=(",", ":"), allow_nan=False).encode("utf-8")[:-1]
    return body + BEFORE + _checksum(body) + AFTER


def has_checksum(line: bytes) -> bool:
    """Whether a line ends as a checked one does."""
    return line[-TAIL:].startswith(BEFORE) and line.endswith(AFTER)


def parsed_line(line: bytes, checked: bool) -> dict[str, Any] | None:
    """Content of a line without its checksum; None where it is cut short or not what was written.

    Parameters
    ----------
    line : bytes
        The line, its end included.
    checked : bool
        Whether it must have a checksum; records of early versions have none.
    """
    if not line.endswith(b"\n"):
        return None
    if checked and not (has_checksum(line) and line[-TAIL + len(BEFORE) : -len(AFTER)] == _checksum(line[:-TAIL])):
        return None
    try:
        content = json.loads(line.decode("utf-8"))  # text is read faster than bytes, whose encoding is looked for
    except ValueError:
        return None
    if not isinstance(content, dict):
        return None
    content.pop("crc32", None)
    return content


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)

"""Lines of a record, each with a checksum: they distinguish a line changed on disk from one that was written.

A line is a JSON object whose last entry is the CRC-32 of what stands before that entry. Readers of JSON lines, Optuna
among them, take it for one more entry and pass over it. A changed digit would else be a number like any other.
"""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import from_json

__all__ = ["checked_line", "fits_one", "holds_another", "is_torn", "is_whole", "parsed_line"]

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
    """Whether something follows the checksum of a line: its end was damaged, not cut while it was written."""
    place = line.find(BEFORE)  # in a text the quotes would be escaped
    return 0 <= place < len(line) - TAIL


def parsed_line(line: bytes) -> dict[str, Any] | None:
    """Content of a line without its checksum; None where it is cut short or not what was written."""
    if not is_whole(line):
        return None
    try:
        content = _parsed(line)
        del content["crc32"]
    except (ValueError, KeyError, TypeError, RecursionError):  # a checksum that fits, on what no driver writes
        return None
    return content


def _parsed(line: bytes) -> Any:
    """Parse JSON, three times as fast as `json` does; half a character of a file name it alone takes."""
    try:
        return from_json(line)
    except ValueError:
        return json.loads(line.decode("utf-8"))


def is_torn(line: bytes, start: bytes) -> bool:
    """Whether a line is the beginning of one that was being written when its driver was killed."""
    is_start = (
        line[: len(start)] == start[: len(line)] and min(line, default=32) >= 32
    )  # JSON has no control characters
    return is_start and not line.endswith(b"\n") and not holds_another(line)


def fits_one(size: int, sizes: Sequence[int]) -> bool:
    """Whether bytes at the end of a record are too few for two of the units that stand before them.

    A power cut may leave holes in what was written last, which is one unit: behind more bytes stands other damage.

    Parameters
    ----------
    size : int
        Bytes that cannot be read.
    sizes : sequence of int
        Bytes of each unit on record, in order.
    """
    return any(sizes[1:]) and size < min(a + b for a, b in itertools.pairwise(sizes))


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)

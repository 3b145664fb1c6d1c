"""State that the server and its emergency stop share: a page of memory of two processes."""

from __future__ import annotations

import mmap
import os
import socket
import struct
import tempfile
import zlib
from dataclasses import dataclass

__all__ = ["SHARED_BYTES", "Course", "SharedCourse", "shared_file"]

STATES = ("waiting", "running", "stopping", "ended")
_BODY = struct.Struct("<QQIIIdIH")
_CHECK = struct.Struct("<I")
_SLOT, _FIRST = 64, 64
SHARED_BYTES = _FIRST + 2 * _SLOT


@dataclass(frozen=True)
class Course:
    """Phase of a test.

    Attributes
    ----------
    state : str
        Of the session.
    session, step : int
        Number of the session; step that is answered next.
    height : float
        Height that was sent last, or is about to be [m].
    client : tuple of str and int, optional
        IPv4 address of the device.
    beat_ns : int
        Monotonic time at which the server said so [ns].
    """

    state: str
    session: int
    step: int
    height: float
    client: tuple[str, int] | None
    beat_ns: int


def shared_file() -> int:
    """Descriptor of a nameless file for a `SharedCourse`, in memory where the system has that."""
    if hasattr(os, "memfd_create"):
        found = os.memfd_create("rig_course")
    else:
        with tempfile.TemporaryFile() as file:
            found = os.dup(file.fileno())
    os.ftruncate(found, SHARED_BYTES)
    return found


class SharedCourse:
    """A test's course, written by the server before every answer and read by the emergency stop.

    Two slots take turns, each with its number and a checksum, so that a writer that is stopped in the middle of one
    leaves the other.
    """

    def __init__(self, file: int) -> None:
        self._memory = mmap.mmap(file, SHARED_BYTES)
        self._count = 0

    def write(self, course: Course) -> None:
        """Set the phase of the test."""
        self._count += 1
        host, port = course.client or ("0.0.0.0", 0)
        state = STATES.index(course.state)
        body = _BODY.pack(
            self._count, course.beat_ns, state, course.session, course.step, course.height, _number(host), port
        )
        at = _FIRST + _SLOT * (self._count % 2)
        self._memory[at : at + _BODY.size + _CHECK.size] = body + _CHECK.pack(zlib.crc32(body))

    def read(self) -> Course | None:
        """Phase of the test; None before the server has set it."""
        newest, found = 0, None
        for at in (_FIRST, _FIRST + _SLOT):
            body = bytes(self._memory[at : at + _BODY.size])
            (check,) = _CHECK.unpack_from(self._memory, at + _BODY.size)
            count, beat, state, session, step, height, host, port = _BODY.unpack(body)
            if check == zlib.crc32(body) and count > newest and state < len(STATES):
                client = (socket.inet_ntoa(struct.pack(">I", host)), port) if port else None
                newest, found = count, Course(STATES[state], session, step, height, client, beat)
        return found

    @property
    def taken_over(self) -> bool:
        """Whether the emergency stop sends the heights from now on."""
        return self._memory[0] == 1

    def take_over(self) -> None:
        """Stop the server from sending heights, for good."""
        self._memory[0] = 1

    def close(self) -> None:
        """Release the memory."""
        self._memory.close()


def _number(host: str) -> int:
    return int(struct.unpack(">I", socket.inet_aton(host))[0])

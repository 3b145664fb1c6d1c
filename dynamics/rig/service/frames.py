"""The frames that server and device exchange: fixed, packed, with sequence number, time stamp and checksum.

60 bytes, little-endian, the same for both ways (docs/reference/rig-service.md):

    magic 4s | version u8 | kind u8 | status u16 | session u32 | sequence u32 | time u64 [ns] | value f64 |
    second f64 | third f64 | steps u32 | step u32 [ns] | CRC-32 of the bytes before u32
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum

__all__ = ["FRAME_BYTES", "VERSION", "Frame", "Kind", "Mark", "Reason", "Refusal", "pack", "unpack"]

MAGIC = b"CRIG"
VERSION = 1
_BODY = struct.Struct("<4sBBHIIQdddII")
_CHECK = struct.Struct("<I")
FRAME_BYTES = _BODY.size + _CHECK.size


class Kind(IntEnum):
    """Kind of a frame; the comments say what value, second and third hold."""

    HELLO = 1  # device: a test is wanted; steps and step as the device believes, 0 to take the server's
    WELCOME = (
        2  # server: session, steps a span, step; value: steps of the test; second: delay that it counts on [steps]
    )
    FORCE = 3  # device: measured force [N], height reached [m], last round trip [s]
    HEIGHT = 4  # server: height to send [m], force that the model took [N], time that the step took [s]
    REFUSAL = 5  # server: status says why
    STOP = 6  # device: emergency stop
    FAREWELL = 7  # server: the test is over, status says why


class Mark(IntEnum):
    """Bits of a HEIGHT's status."""

    SUBSTITUTED = 1
    STOPPING = 2
    PREDICTED = 4


class Refusal(IntEnum):
    """Why a HELLO is refused."""

    BUSY = 1
    OTHER_STEPS = 2
    OTHER_STEP = 3
    OVER = 4


class Reason(IntEnum):
    """Reason for the end of a test."""

    DONE = 0
    STOP_ASKED = 1
    SILENT = 2
    FORCE = 3
    HEIGHT_LIMIT = 4
    SPEED_LIMIT = 5
    RATE = 6
    INTERRUPTED = 7
    GAP = 8
    RECORD = 9
    EMERGENCY = 10
    SUBSTITUTES = 11
    HELD_UP = 12
    EMERGENCY_LOST = 13


@dataclass(frozen=True)
class Frame:
    """One frame; ``status`` is a set of marks, a refusal or a reason, by kind."""

    kind: Kind
    session: int = 0
    sequence: int = 0
    time_ns: int = 0
    value: float = 0.0
    second: float = 0.0
    third: float = 0.0
    status: int = 0
    steps: int = 0
    step_ns: int = 0


def pack(frame: Frame) -> bytes:
    """Bytes of a frame, checksum at the end."""
    f = frame
    body = _BODY.pack(
        MAGIC,
        VERSION,
        f.kind,
        f.status,
        f.session,
        f.sequence,
        f.time_ns,
        f.value,
        f.second,
        f.third,
        f.steps,
        f.step_ns,
    )
    return body + _CHECK.pack(zlib.crc32(body))


def unpack(data: bytes) -> Frame | str:
    """Frame of received bytes, or what is wrong with them: 'foreign' or 'broken'."""
    if len(data) != FRAME_BYTES or data[:4] != MAGIC or data[4] != VERSION:
        return "foreign"
    if _CHECK.unpack_from(data, _BODY.size)[0] != zlib.crc32(data[: _BODY.size]):
        return "broken"
    _, _, kind, status, session, sequence, time_ns, value, second, third, steps, step_ns = _BODY.unpack_from(data)
    try:
        known = Kind(kind)
    except ValueError:
        return "foreign"
    return Frame(known, session, sequence, time_ns, value, second, third, status, steps, step_ns)

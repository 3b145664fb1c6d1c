"""One driver at a time in a folder, and a request to end that stops it as Ctrl-C does."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from catenary.errors import InputError
from catenary.storage.files import parsed_json, writing
from catenary.storage.user_file import read_user_bytes, refuse_irregular

__all__ = [
    "SILENCE_S",
    "Holder",
    "Interrupted",
    "driver_lives",
    "driver_lock",
    "process_lives",
    "read_holder",
]

SILENCE_S = 300.0
LONGEST_BEAT_S = 15.0
MOST_BYTES = 10_000


class Interrupted(Exception):  # noqa: N818 - it is not an error
    """The work was stopped by hand; the message says how to resume."""

    exit_code = 75


@dataclass(frozen=True)
class Holder:
    """Driver that holds a folder: machine, process, and a mark that no other driver has."""

    host: str
    process: int
    mark: str


@contextlib.contextmanager
def driver_lock(lock: Path, what: str, silence_s: float = SILENCE_S) -> Iterator[None]:
    """Hold a folder against a second driver; the system releases it however this process ends.

    On a file system that machines share, the system may not know of a driver elsewhere. So the file also says who
    holds it and is touched now and then: a driver on another machine that has been silent for long is taken for dead.
    One that wakes up after that ends at once, without writing anything more.

    Parameters
    ----------
    lock : Path
        File in the folder that is held locked.
    what : str
        What the folder holds, as the subject of the message.
    silence_s : float
        Time without a sign of life after which a driver on another machine has died [s].

    Raises
    ------
    InputError
        If another process holds the lock.
    """
    own = Holder(socket.gethostname(), os.getpid(), uuid.uuid4().hex)
    with contextlib.ExitStack() as stack:
        with writing(lock):
            lock.parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(lock):
                refuse_irregular(lock, "the lock", MOST_BYTES)
            _take(stack, lock, what, silence_s)
            _write(lock, own)
        ended = threading.Event()
        beat = threading.Thread(target=_beat, args=(lock, own, silence_s, ended), daemon=True)
        beat.start()
        try:
            yield
        finally:
            ended.set()
            beat.join()
            with contextlib.suppress(OSError):
                if read_holder(lock) == own:
                    os.truncate(lock, 0)  # a driver elsewhere need not wait for a silence


def read_holder(lock: Path) -> Holder | None:
    """Driver that holds a lock, or died with it; None where the last one has ended in order."""
    try:
        content = parsed_json(read_user_bytes(lock, "lock", MOST_BYTES))
        return Holder(str(content["host"]), int(content["process"]), str(content["mark"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def driver_lives(lock: Path, silence_s: float = SILENCE_S) -> bool:
    """Whether the driver that holds a lock is alive, as far as its process here, or its sign of life, says."""
    holder = read_holder(lock)
    if holder is None:
        return False
    if holder.host == socket.gethostname():
        return process_lives(holder.process)
    try:
        return time.time() - lock.stat().st_mtime < silence_s
    except OSError:
        return False


def process_lives(process: int) -> bool:
    """Whether a process of this machine is alive."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _take(stack: contextlib.ExitStack, lock: Path, what: str, silence_s: float) -> None:
    """Lock the file, or refuse."""
    handle = stack.enter_context(lock.open("ab"))
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        locked = True
    except OSError:
        locked = False
    holder = read_holder(lock)
    elsewhere = holder if holder is not None and holder.host != socket.gethostname() else None
    silent = _silence(lock) if elsewhere else 0.0
    if elsewhere and silent < silence_s:
        raise InputError(
            [
                f"{what} must have one driver: process {elsewhere.process} on {elsewhere.host} is running in "
                f"{lock.parent}, last sign of life {silent:.0f} s ago; wait for it (after {silence_s:g} s of silence "
                "it counts as dead)"
            ]
        )
    if locked:
        return
    if not elsewhere:
        raise InputError([f"{what} must have one driver: another process is running in {lock.parent}; wait for it"])
    # the file server still holds the lock of a machine that has died: another file takes the place of this one
    fresh = lock.with_name(f"{lock.name}.{os.getpid()}")
    handle = stack.enter_context(fresh.open("ab"))
    fcntl.flock(handle, fcntl.LOCK_EX)
    os.replace(fresh, lock)


def _silence(lock: Path) -> float:
    """Time since the last sign of life by the clock of the file system, which all machines share [s]."""
    now = lock.with_name(f"{lock.name}.{os.getpid()}.now")
    try:
        now.touch()
        return now.stat().st_mtime - lock.stat().st_mtime
    finally:
        now.unlink(missing_ok=True)


def _write(lock: Path, holder: Holder) -> None:
    with open(lock, "r+b") as handle:
        handle.truncate()
        handle.write(_content(holder))


def _content(holder: Holder) -> bytes:
    return json.dumps(asdict(holder)).encode()


def _taken_over(lock: Path, own: Holder) -> bool:
    """Whether another driver has written into the lock.

    A file that cannot be read says nothing of it: where the folder was deleted, the driver looks to its record, and
    where the process has too many open files for a moment, the next look tells.
    """
    try:
        return read_user_bytes(lock, "lock", MOST_BYTES) != _content(own)
    except (OSError, InputError):
        return False


def _beat(lock: Path, own: Holder, silence_s: float, ended: threading.Event) -> None:
    """Give signs of life; end the process when another driver has declared this one dead."""
    while not ended.wait(min(LONGEST_BEAT_S, silence_s / 10.0)):
        if _taken_over(lock, own):
            print(f"Another driver now owns {lock.parent}; this one ends.", file=sys.stderr, flush=True)
            os._exit(Interrupted.exit_code)
        with contextlib.suppress(OSError):
            os.utime(lock)

"""One driver at a time in a folder, and a request to end that stops it as Ctrl-C does."""

from __future__ import annotations

import contextlib
import fcntl
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from catenary.errors import InputError
from catenary.files import writing

__all__ = ["Interrupted", "driver_lock", "end_request_interrupts"]


class Interrupted(Exception):  # noqa: N818 - it is no error
    """The work was stopped by hand; its message says how to go on."""

    exit_code = 75


@contextlib.contextmanager
def driver_lock(lock: Path, what: str) -> Iterator[None]:
    """Hold a folder against a second driver; the system lets go of it however this process ends.

    Parameters
    ----------
    lock : Path
        File in the folder that is held locked.
    what : str
        What the folder holds, as the subject of the message.

    Raises
    ------
    InputError
        If another process holds the lock.
    """
    with contextlib.ExitStack() as stack:
        with writing(lock):
            lock.parent.mkdir(parents=True, exist_ok=True)
            handle = stack.enter_context(open(lock, "ab"))
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(
                [f"{what} must have one driver: another process is at work in {lock.parent}; wait for it"]
            ) from error
        yield


@contextlib.contextmanager
def end_request_interrupts() -> Iterator[None]:
    """Treat a request to end the process (SIGTERM, as batch systems send) like Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

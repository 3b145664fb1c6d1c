"""A request to end, by Ctrl-C or SIGTERM: heard at any moment, obeyed where nothing is half done.

It comes as a KeyboardInterrupt between any two instructions. Where that would leave something half done, a write or
the start of a worker, it is held back until that is over. Where a library swallows it, or makes another error of it,
it is still known that it came: whoever waits for evaluations obeys it then, and no later error is the program's own.
"""

from __future__ import annotations

import contextlib
import logging
import math
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType

__all__ = ["asked_to_end", "end_request_interrupts", "held_back", "let_nothing_more_in", "listen", "obey"]

REQUESTS = (signal.SIGINT, signal.SIGTERM)
# a terminal and a batch system may both ask, and keys are hit twice: requests so close are one [s]
ONE_REQUEST_S = 2.0
# what loops of threads say there of calls that were interrupted
TALKATIVE = ("asyncio", "tornado.application", "tornado.general")


@dataclass
class _Requests:
    """What came, since when, and how many blocks hold it back."""

    listening: bool = False
    first: float | None = None
    last: float = -math.inf
    due: bool = False
    held: int = 0

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Take a request; the system calls this in the main thread."""
        now = time.monotonic()
        if now - self.last < ONE_REQUEST_S:
            return
        if self.first is None:
            self.first = now
            _say_nothing_of_what_is_cut_off()
        self.last, self.due = now, True
        if not self.held:
            self.obey()

    def obey(self) -> None:
        """Raise what ends the work."""
        self.due = False
        raise KeyboardInterrupt

    def forget(self) -> None:
        """Be as before the first request."""
        self.listening, self.first, self.last, self.due, self.held = False, None, -math.inf, False, 0


_requests = _Requests()


def asked_to_end() -> bool:
    """Whether a request to end has come, whatever became of it."""
    return _requests.first is not None


def obey() -> None:
    """Raise KeyboardInterrupt if a request to end has come: here nothing is half done."""
    if asked_to_end() and not _requests.held:
        _requests.obey()


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Block that a request to end does not enter; what came meanwhile is obeyed behind it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _requests.held += 1
    try:
        yield
    finally:
        _requests.held -= 1
    if _requests.due and not _requests.held:
        _requests.obey()


@contextlib.contextmanager
def end_request_interrupts() -> Iterator[None]:
    """Treat a request to end the process (SIGTERM, as batch systems send) like Ctrl-C; within another, nothing new."""
    if _requests.listening or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in REQUESTS}
    loggers = {name: logging.getLogger(name).disabled for name in TALKATIVE}
    hooks = sys.unraisablehook, threading.excepthook
    try:
        listen()
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for name, disabled in loggers.items():
            logging.getLogger(name).disabled = disabled
        sys.unraisablehook, threading.excepthook = hooks
        _requests.forget()


def listen() -> None:
    """Take requests from now on; Ctrl-C is left alone where a shell that began this in the background ignores it."""
    _requests.listening = True
    for number in REQUESTS:
        if number != signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _requests.hear)


def let_nothing_more_in() -> None:
    """Ignore requests from now on: the process has done what it will do, and its exit code stands."""
    for number in REQUESTS:
        signal.signal(number, signal.SIG_IGN)


def _say_nothing_of_what_is_cut_off() -> None:
    """Silence threads and loops whose only news, from now on, are calls that the request cut off."""
    sys.unraisablehook = threading.excepthook = lambda _: None
    for name in TALKATIVE:
        logging.getLogger(name).disabled = True

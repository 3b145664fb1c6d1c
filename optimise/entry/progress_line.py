"""Progress of long work on one line of a terminal."""

from __future__ import annotations

import contextlib
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from optimise.search.progress import Progress

__all__ = ["ProgressLine"]


SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_TICKS = 1.0


class ProgressLine:
    """Progress on one line: rewritten in a terminal, printed now and then elsewhere.

    Parameters
    ----------
    stream : text stream, optional
        Where; not given: standard output.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stdout if stream is None else stream
        self._terminal = self._stream.isatty()
        self._width = 0
        self._printed = -SECONDS_BETWEEN_LINES
        self._last = ""

    def show(self, progress: Progress) -> None:
        """Show the state of a campaign."""
        from optimise.search.progress import progress_line

        self.write(progress_line(progress))

    def write(self, text: str) -> None:
        """Show a line in the place of the last one."""
        self._last = text
        if self._terminal:
            shown = text[: shutil.get_terminal_size().columns - 1]  # a longer one would not be rewritten as a whole
            print("\r" + shown.ljust(self._width), end="", flush=True, file=self._stream)
            self._width = len(shown)
        elif time.monotonic() - self._printed > SECONDS_BETWEEN_LINES:
            self._printed = time.monotonic()
            print(self._last, flush=True, file=self._stream)
            self._last = ""

    @contextlib.contextmanager
    def doing(self, what: str) -> Iterator[None]:
        """Show what runs and for how long already; elsewhere than in a terminal, one line when it begins."""
        if not self._terminal:
            print(what, flush=True, file=self._stream)
            yield
            return
        from optimise.search.progress import clock

        begin, over = time.monotonic(), threading.Event()

        def write() -> None:
            self.write(f"{what} | {clock(time.monotonic() - begin)}")

        def tick() -> None:
            while not over.wait(SECONDS_BETWEEN_TICKS):
                write()

        write()
        ticking = threading.Thread(target=tick, daemon=True)
        ticking.start()
        try:
            yield
        finally:
            over.set()
            ticking.join()
            write()

    def end(self) -> None:
        """Leave the last state on a line of its own; nothing where none is shown."""
        if self._last:
            print("" if self._terminal else self._last, flush=True, file=self._stream)
        self._last, self._width = "", 0

"""Progress of long work on one line of a terminal."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from optimise.search.progress import Progress

__all__ = ["ProgressLine"]


SECONDS_BETWEEN_LINES = 10.0


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
            print("\r" + self._last.ljust(self._width), end="", flush=True, file=self._stream)
            self._width = len(self._last)
        elif time.monotonic() - self._printed > SECONDS_BETWEEN_LINES:
            self._printed = time.monotonic()
            print(self._last, flush=True, file=self._stream)
            self._last = ""

    def end(self) -> None:
        """Leave the last state on a line of its own."""
        if self._terminal or self._last:
            print("" if self._terminal else self._last, flush=True, file=self._stream)

"""Passes on to the user that workers compile kernels, which is what a first run waits for."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from catenary.kernels.kernel_cache import COMPILING

__all__ = ["CompilingWorkers"]

# several workers compile at once, and each speaks as often as this
SECONDS_BETWEEN_SENTENCES = 9.0


class CompilingWorkers:
    """Sentences of workers that compile, heard in a thread of Dask's and passed on in the driver's.

    Parameters
    ----------
    say : callable
        Takes a sentence for the user.
    clock : callable
        Time [s].
    """

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._say, self._clock = say, clock
        self._heard: deque[str] = deque(maxlen=100)
        self._said: float | None = None

    def hear(self, event: tuple[float, str]) -> None:
        """Take a sentence of a worker as Dask hands it over, with its time."""
        self._heard.append(event[1])

    def pass_on(self) -> bool:
        """Say what is new, first that kernels are compiled once; whether any worker has spoken since the last call."""
        spoke = bool(self._heard)
        while self._heard:
            self._pass_on(self._heard.popleft())
        return spoke

    def _pass_on(self, sentence: str) -> None:
        now = self._clock()
        if self._said is None:
            sentence = COMPILING  # the first kernels are compiled before a worker can speak
        elif sentence == COMPILING or now - self._said < SECONDS_BETWEEN_SENTENCES:
            return
        self._said = now
        self._say(sentence)

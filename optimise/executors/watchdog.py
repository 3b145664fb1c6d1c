"""Detects unresponsive workers; requests replacements, restarts the cluster, then gives up."""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from collections.abc import Callable
from enum import Enum

from optimise.spec.cluster import WatchdogSpec

__all__ = ["ENOUGH_ERRORS", "EqualErrors", "Step", "Watchdog"]

KEPT_TIMES = 501
# errors of one kind without a result in between, after which one more adds nothing
ENOUGH_ERRORS = 5


class Step(Enum):
    """Steps taken against a silence, in this order."""

    ASK_AGAIN = "ask again"
    RESTART = "restart"
    GIVE_UP = "give up"


class Watchdog:
    """Times since the last sign of life.

    A silence is the longest of ``silence_s`` and ``medians`` times the median time of an evaluation. Each further one
    brings the next step. While there are workers, they are restarted only when a hanging evaluation would have reached
    its time limit: that ends it, and the record names it.

    Parameters
    ----------
    spec : WatchdogSpec
    time_limit : float
        Longest time that an evaluation can keep its worker [s].
    wait : float
        How long workers may take to come, at the beginning and after each step [s].
    clock : callable
        Time [s].
    """

    def __init__(
        self, spec: WatchdogSpec, time_limit: float, wait: float = 0.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._spec = spec
        self._limit = time_limit if math.isfinite(time_limit) else 0.0
        self._clock = clock
        self._times: deque[float] = deque(maxlen=KEPT_TIMES)
        self._since = self._gone_since = self._stepped = clock()
        self._wait, self._waiting = wait, wait
        self._steps: list[Step] = list(Step)

    @property
    def silence(self) -> float:
        """Time without a finished evaluation that is a silence [s]."""
        median = statistics.median(self._times) if self._times else 0.0
        return max(self._spec.silence_s, self._spec.medians * median)

    @property
    def answered(self) -> bool:
        """Whether any evaluation has come back yet."""
        return bool(self._times)

    def finished(self, seconds: float | None = None) -> None:
        """Take a sign of life: an evaluation that came back after a time [s], or one that met its time limit."""
        if seconds is not None:
            self._times.append(seconds)
        self._since = self._clock()
        self._steps = list(Step)

    def look(self, tasks: int, workers: int, queued: bool = True) -> tuple[Step, str] | None:
        """Next step with its reason, when it is due.

        Parameters
        ----------
        tasks : int
            Tasks in flight or waiting.
        workers : int
            Workers that are there.
        queued : bool
            Whether they have been asked for, and may wait in a queue; False when even that has failed.
        """
        now = self._clock()
        if workers:
            if self._waiting:  # they have come from the queue of a batch system, where none was silent
                self._since = now
            self._gone_since, self._waiting = now, 0.0
        if not tasks:
            self._since = now
            return None
        if not workers:
            patience = max(self._spec.no_workers_s, self._waiting if queued else 0.0)
            if now - max(self._gone_since, self._stepped) < patience:
                return None
            return self._next(now, f"there has been no worker for {now - self._gone_since:.0f} s")
        quiet = now - max(self._since, self._stepped)
        # a worker alive may be within an evaluation that hangs, which its time limit ends
        due = self.silence + (self._limit if self._steps[0] is not Step.ASK_AGAIN else 0.0)
        if quiet < due:
            return None
        return self._next(now, f"no evaluation has come back for {now - self._since:.0f} s")

    def stepped(self) -> None:
        """Begin to wait for what the last step gives."""
        self._stepped = self._clock()

    def _next(self, now: float, reason: str) -> tuple[Step, str]:
        step = self._steps.pop(0) if len(self._steps) > 1 else Step.GIVE_UP
        self._stepped, self._waiting = now, self._wait
        return step, reason


class EqualErrors:
    """Errors of one kind in a row that no evaluation raised."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kind, self._at, self._count = "", -math.inf, 0

    def took(self, error: BaseException, since: float) -> int:
        """Take an error; how many of its kind there were in a row, 0 when it belongs to the one before.

        Parameters
        ----------
        since : float
            When the call that ended with it was sent [s]: what was in flight at one error may end with it as well.
        """
        if since < self._at:
            return 0
        self._count = self._count + 1 if type(error).__name__ == self._kind else 1
        self._kind, self._at = type(error).__name__, self._clock()
        return self._count

    def enough(self) -> bool:
        """Whether more of the same cannot be expected to end otherwise."""
        return self._count >= ENOUGH_ERRORS

    def over(self) -> None:
        """Take a result: what was wrong is over."""
        self._count = 0

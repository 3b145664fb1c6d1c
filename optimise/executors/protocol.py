"""What an executor is to the driver of a campaign, a sweep or any other set of jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from optimise.evaluation.job import Work

__all__ = ["MEMORY_CURE", "Evaluate", "Executor", "NoWorkersError", "interruption"]

# a job, or a batch, and what all share, to its outcome, which carries its number
Evaluate = Callable[[Any, Any], Any]

# what to do when evaluations lack memory
MEMORY_CURE = "take fewer workers (cluster.workers), give each more memory, or make the runs smaller (spans, elements)"


class NoWorkersError(Exception):
    """Workers cannot start, or return nothing; the record stays, and the work can be resumed.

    Parameters
    ----------
    change : str
        What has to change before workers can start; empty where waiting may suffice.
    """

    exit_code = 75

    def __init__(self, reason: str, change: str = "") -> None:
        super().__init__(reason)
        self.change = change


def interruption(
    stop: BaseException, left: str, again: str = "the same command", does: str = "resumes from there"
) -> str:
    """Sentence on interrupted work: the reason if nobody requested it, what is on record, and what does the rest."""
    reason = "" if isinstance(stop, KeyboardInterrupt) else f"{stop}: "
    change = stop.change if isinstance(stop, NoWorkersError) else ""
    way = f"with {change}, {again.replace('the same', 'this')}" if change else again
    return f"{reason}{left}; {way} {does}"


class Executor(Protocol):
    """What evaluates jobs, or batches of them."""

    @property
    def capacity(self) -> int:
        """Pieces of work that keep it busy."""
        ...

    def submit(self, work: Work) -> None:
        """Take a job or a batch."""
        ...

    def next_completed(self, timeout: float) -> Any:
        """Outcome of a finished one; None when none finishes within a time [s]."""
        ...

    def close(self) -> None:
        """End without waiting for what is running."""
        ...

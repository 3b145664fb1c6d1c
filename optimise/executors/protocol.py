"""What an executor is to the driver of a campaign, a sweep or any other set of tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

__all__ = ["Evaluate", "Executor", "NoWorkersError", "TaskLike"]

# a task and what all tasks share, to its result, which carries the task's number
Evaluate = Callable[[Any, Any], Any]


class NoWorkersError(Exception):
    """Workers cannot be had, or give nothing; what is on record stays, and can be gone on with."""

    exit_code = 75


class TaskLike(Protocol):
    """What is evaluated: anything that can be pickled and has a number of its own."""

    @property
    def number(self) -> int:
        """Number by which its result is known."""
        ...


class Executor(Protocol):
    """What evaluates tasks."""

    @property
    def capacity(self) -> int:
        """Tasks that keep it busy."""
        ...

    def submit(self, task: Any) -> None:
        """Take a task."""
        ...

    def next_completed(self, timeout: float) -> Any:
        """Result of a task that is done; None when there is none within a time [s]."""
        ...

    def close(self) -> None:
        """End without waiting for what is running."""
        ...

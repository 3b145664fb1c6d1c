"""Evaluation in the driver itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from optimise.end_request import obey
from optimise.evaluation.job import Work
from optimise.executors.processors import Processors, processor_type
from optimise.executors.protocol import Evaluate

__all__ = ["SerialExecutor"]


class SerialExecutor:
    """Evaluation in the driver, one job or batch at a time."""

    capacity = 1

    def __init__(self, evaluate: Evaluate, setting: object, folder: Path | None, say: Callable[[str], None]) -> None:
        self._evaluate = evaluate
        self._setting = setting
        self._waiting: deque[Work] = deque()
        self._processors = Processors(folder, say)

    def submit(self, work: Work) -> None:
        """Take a job or a batch."""
        self._waiting.append(work)

    def next_completed(self, timeout: float) -> Any:
        """Evaluate what has waited longest; None if there is none."""
        if not self._waiting:
            return None
        obey()
        self._processors.took_part(processor_type())
        found = self._evaluate(self._waiting.popleft(), self._setting)
        obey()  # an evaluation that was cut off may come back as one that failed
        return found

    def close(self) -> None:
        """Forget what is waiting."""
        self._waiting.clear()

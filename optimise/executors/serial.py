"""Evaluation in the driver itself."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from catenary.errors import lacks_memory
from catenary.storage.end_request import obey
from optimise.evaluation.job import Work
from optimise.executors.processors import Processors, processor_type
from optimise.executors.protocol import MEMORY_CURE, Evaluate, NoWorkersError

__all__ = ["SerialExecutor"]

# of an evaluation that lacks memory
TRIES = 3


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
        """Evaluate what has waited longest; None if nothing waits."""
        if not self._waiting:
            return None
        obey()
        self._processors.took_part(processor_type())
        found = self._with_memory(self._waiting.popleft())
        obey()  # an evaluation that was cut off may come back as one that failed
        return found

    def _with_memory(self, work: Work) -> Any:
        """Evaluate, and once more where memory was lacking, for which the evaluation is not at fault."""
        for _ in range(TRIES):
            try:
                return self._evaluate(work, self._setting)
            except Exception as error:
                if not lacks_memory(error):
                    raise
            gc.collect()
        raise NoWorkersError(f"an evaluation lacked memory {TRIES} times in a row; {MEMORY_CURE}")

    def close(self) -> None:
        """Forget what is waiting."""
        self._waiting.clear()

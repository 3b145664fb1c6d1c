"""A list of tasks evaluated from the first to the last, as many in flight as keep the workers busy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from optimise.executors.protocol import Executor, TaskLike

__all__ = ["run_all"]

WAIT_S = 1.0


def run_all(executor: Executor, tasks: Iterable[TaskLike], progress: Callable[[int], None]) -> dict[int, Any]:
    """Evaluate all tasks; each result by its task's number. ``progress`` is told how many are done after each."""
    waiting, answers, wanted = iter(tasks), {}, 0
    for task in islice(waiting, executor.capacity):
        executor.submit(task)
        wanted += 1
    while len(answers) < wanted:
        answer = executor.next_completed(WAIT_S)
        if answer is None:
            continue
        answers[answer.number] = answer
        progress(len(answers))
        following = next(waiting, None)
        if following is not None:
            executor.submit(following)
            wanted += 1
    return answers

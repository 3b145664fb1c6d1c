"""Work done from the first piece to the last, as many in flight as keep the workers busy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from optimise.evaluation.job import Work
from optimise.executors.protocol import Executor

__all__ = ["completed", "run_all"]

SECONDS_BETWEEN_LOOKS = 0.5


def completed(executor: Executor, work: Iterable[Work]) -> Iterator[Any]:
    """Outcome of every piece of work, each once, as they come; None after a look that found none."""
    waiting, under_way = iter(work), set[int]()
    while True:
        for one in islice(waiting, max(0, executor.capacity - len(under_way))):
            under_way.add(one.number)
            executor.submit(one)
        if not under_way:
            return
        found = executor.next_completed(SECONDS_BETWEEN_LOOKS)
        if found is not None and found.number not in under_way:
            continue
        if found is not None:
            under_way.remove(found.number)
        yield found


def run_all(
    executor: Executor,
    work: Iterable[Work],
    progress: Callable[[int], None],
    ended: Callable[[Any], None] = lambda _: None,
) -> dict[int, Any]:
    """Outcomes of all work by number.

    ``progress`` takes the number done, at the beginning and after every look; ``ended`` each outcome as it comes.
    """
    outcomes: dict[int, Any] = {}
    progress(0)
    for found in completed(executor, work):
        if found is not None:
            outcomes[found.number] = found
            ended(found)
        progress(len(outcomes))
    return outcomes

"""Tasks in flight: which worker has which, which wait, and which one is suspected when a worker dies."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from optimise.evaluation.job import Work

__all__ = ["IN_FLIGHT_PER_WORKER", "ONE_AT_A_TIME", "InFlight", "Sent"]

# a second one saves the way to the driver and back; where each takes seconds, none waits while another worker is idle
IN_FLIGHT_PER_WORKER, ONE_AT_A_TIME = 2, 1
# how long the news of a dead worker may take after the worker has left the list
SECONDS_TO_HEAR = 5.0


@dataclass
class Sent:
    """A task in flight: its worker, its key, its submission time [s], and whether its evaluation has ended."""

    work: Work
    worker: str
    key: str
    since: float
    evaluated: bool = False
    future: Any = None

    def drop(self) -> None:
        """Release the value on its worker and notify those waiting that it will not arrive."""
        if self.future is not None:
            self.future.release()


class InFlight:
    """Tasks of an executor that have no result yet.

    The executor chooses the worker of each task, so that it knows what a dead worker was evaluating: the first
    task in its queue that is not evaluated yet. That one is tried again, alone on a worker; what had waited behind it
    is sent elsewhere and not suspected. Alone, because a worker that is killed a moment after a task may lose the
    report of its end, and the next task was the cause. A value that was not fetched in time is evaluated again.

    Parameters
    ----------
    per_worker : int
        Tasks that a worker has at a time: that which it evaluates, and those that wait behind it.
    """

    def __init__(self, per_worker: int = IN_FLIGHT_PER_WORKER) -> None:
        self._per_worker = per_worker
        self._waiting: deque[Work] = deque()
        self._sent: dict[str, Sent] = {}  # by key
        self._queues: dict[str, deque[str]] = {}  # keys by worker
        self._gone: dict[str, float] = {}
        self._tries: Counter[int] = Counter()
        self.deaths: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._sent) + len(self._waiting)

    @property
    def workers(self) -> Collection[str]:
        """Workers that take tasks, and those with tasks that left a moment ago."""
        return self._queues.keys()

    def add(self, work: Work) -> None:
        """Let a task wait for a worker."""
        self._waiting.append(work)

    def welcome(self, worker: str) -> None:
        """Send tasks to a worker from now on."""
        self._queues.setdefault(worker, deque())

    def left(self, there: Collection[str]) -> list[str]:
        """Workers with tasks that have been missing from ``there`` for too long to report any more."""
        now = time.monotonic()
        for worker in [w for w, tasks in self._queues.items() if w not in there and not tasks]:
            del self._queues[worker]
        self._gone = {w: self._gone.get(w, now) for w in self._queues if w not in there}
        return [worker for worker, since in self._gone.items() if now - since > SECONDS_TO_HEAR]

    def due(self, name: str) -> Iterator[Sent]:
        """Tasks to send now, to the shortest queues, with keys that begin with a name; each counts as sent."""
        for length in range(self._per_worker):
            for worker, keys in self._queues.items():
                if not self._waiting:
                    return
                before = [self._sent[key].work for key in keys if not self._sent[key].evaluated]
                suspected = any(self.deaths[work.number] for work in (self._waiting[0], *before))
                if len(before) == length and worker not in self._gone and not (length and suspected):
                    yield self._take(self._waiting.popleft(), worker, name)

    def _take(self, work: Work, worker: str, name: str) -> Sent:
        self._tries[work.number] += 1
        sent = Sent(work, worker, f"{name}-{work.number}-{self._tries[work.number]}", time.monotonic())
        self._sent[sent.key] = sent
        self._queues[worker].append(sent.key)
        return sent

    def known(self, key: str) -> Sent | None:
        """Task that was sent under a key; None when it was sent again in the meantime."""
        return self._sent.get(key)

    def ended(self, sent: Sent) -> None:
        """Forget a task."""
        del self._sent[sent.key]
        if sent.worker in self._queues:
            self._queues[sent.worker].remove(sent.key)
        sent.drop()

    def again(self, sent: Sent) -> None:
        """Send a task again, before all others."""
        self.ended(sent)
        self._waiting.appendleft(sent.work)

    def all_again(self) -> None:
        """Send all tasks again to workers that are yet to come."""
        for sent in sorted(self._sent.values(), key=lambda sent: sent.work.number, reverse=True):
            self._waiting.appendleft(sent.work)
            sent.drop()
        for kept in (self._sent, self._queues, self._gone):
            kept.clear()

    def lost(self, worker: str) -> Sent | None:
        """Send the tasks of a dead worker again; return the one that it was evaluating, with one more death counted."""
        tasks = [self._sent[key] for key in self._queues.get(worker, ())]
        for sent in reversed(tasks):
            self.again(sent)
        self._queues.pop(worker, None)
        self._gone.pop(worker, None)
        suspect = next((sent for sent in tasks if not sent.evaluated), None)
        if suspect is not None:
            self.deaths[suspect.work.number] += 1
        return suspect

    def given_up(self, sent: Sent, time_limit: float) -> str:
        """Drop a task that waits to be sent again; return the reason why it has failed.

        Parameters
        ----------
        time_limit : float
            Longest time of its evaluation [s].
        """
        self._waiting.remove(sent.work)
        work, deaths = sent.work, self.deaths[sent.work.number]
        limit = f"time limit {time_limit:g} s{' for all of them' if work.size > 1 else ''}"
        return (
            f"the worker process ended {deaths} time{'s' if deaths > 1 else ''} while it evaluated {work.in_words} "
            f"({limit}, lack of memory or a crash)"
        )

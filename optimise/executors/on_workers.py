"""Evaluation in worker processes, here or on a cluster: tasks sent, the dead found out, silence noticed."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import queue
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimise.cluster_spec import ClusterSpec
from optimise.evaluation import failed
from optimise.executors.deployments import Deployment, deploy, within
from optimise.executors.on_worker import Answer, UnknownCampaignError, campaign_plugin, evaluate_on_worker, longest_s
from optimise.executors.processors import Processors
from optimise.executors.protocol import Evaluate, NoWorkersError, TaskLike
from optimise.executors.watchdog import Step, Watchdog

__all__ = ["WorkersExecutor"]

IN_FLIGHT_PER_WORKER = 2
SECONDS_BETWEEN_LOOKS = 0.5
# a result lies on its worker until it is fetched; when the worker is gone in between, the task is evaluated again
SECONDS_TO_FETCH = 0.5
TIMES_TO_FETCH = 60
# how long the news of a dead worker may take after the worker has left the list
SECONDS_TO_HEAR = 5.0


@dataclass
class _Sent:
    """A task under way: where it is, for the how-manieth time, since when."""

    task: TaskLike
    worker: str
    key: str
    since: float
    future: Any = None


class WorkersExecutor:
    """Worker processes, each with one thread.

    The executor chooses the worker of each task, so that it knows what a worker that dies was at work on: the first
    task in its queue. That one is tried again, alone on a worker, and when it has ended its worker too often it has
    failed, with the reason; what had waited behind it is sent elsewhere and not blamed. Alone, because a worker that
    is killed a moment after a task may take the news of its end along, and the one behind it did the killing.

    Parameters
    ----------
    cluster : ClusterSpec
        Kind, size, limits.
    evaluate : callable
        Picklable function of a task and the setting.
    setting : object
        What every evaluation shares.
    folder : Path, optional
        Where types of processors and the output of batch jobs are kept.
    say : callable
        Told in a sentence what the user should know.
    """

    def __init__(
        self, cluster: ClusterSpec, evaluate: Evaluate, setting: Any, folder: Path | None, say: Callable[[str], None]
    ) -> None:
        self._spec = cluster
        self._campaign = (evaluate, setting)
        self._folder = folder
        self._say = say
        self._processors = Processors(folder, say)
        self._done: queue.SimpleQueue[tuple[int, str, Any]] = queue.SimpleQueue()
        self._waiting: deque[TaskLike] = deque()
        self._sent: dict[int, _Sent] = {}
        self._queues: dict[str, deque[int]] = {}
        self._gone: dict[str, float] = {}
        self._failures: deque[Any] = deque()
        self._deaths: Counter[int] = Counter()
        self._tries: Counter[int] = Counter()
        self._deployment: Deployment | None = None
        self._begin()
        wait = 3600.0 * cluster.batch.queue_wait_h if cluster.batch is not None else 0.0
        self._watchdog = Watchdog(cluster.watchdog, longest_s(cluster.time_limit_s), wait)

    @property
    def capacity(self) -> int:
        """Two tasks for every worker that is there or wanted."""
        return IN_FLIGHT_PER_WORKER * max(1, len(self._queues), self._spec.wanted_workers or 0)

    def submit(self, task: TaskLike) -> None:
        """Send a task to a worker, or keep it until one is free."""
        self._waiting.append(task)
        self._launch()

    def next_completed(self, timeout: float) -> Any:
        """Result of a task that is done, each one once; a failure when its worker has died too often.

        Raises
        ------
        NoWorkersError
            If the workers give nothing and beginning anew did not help.
        """
        self._look()
        if self._failures:
            return self._failures.popleft()
        try:
            number, key, future = self._done.get(timeout=timeout)
        except queue.Empty:
            return None
        sent = self._sent.get(number)
        if sent is None or sent.key != key:
            return None  # it was sent again in the meantime
        found = self._verdict(sent, future)
        self._launch()
        return found if found is not None or not self._failures else self._failures.popleft()

    def close(self) -> None:
        """End the workers without waiting for what they evaluate; those of others forget the campaign."""
        if self._deployment is None:
            return
        client = self._deployment.client
        if self._spec.kind == "address":
            within(SECONDS_TO_HEAR, lambda: client.unregister_worker_plugin(self._name))
        self._deployment.close()
        self._deployment = None

    def _begin(self) -> None:
        """Get workers, and give them what they need for the campaign."""
        self._name = f"campaign-{uuid.uuid4().hex[:12]}"  # a scheduler of others may serve several
        self._unknown = False
        self._deployment = deploy(self._spec, self._folder)
        self._deployment.client.register_plugin(campaign_plugin(self._name, *self._campaign))
        self._refresh()

    def _refresh(self) -> None:
        """See which workers there are."""
        assert self._deployment is not None
        there: dict[str, int] = {}
        if self._connected:
            with contextlib.suppress(Exception):  # a scheduler that does not answer is one without workers
                there = self._deployment.client.nthreads()
        now = self._looked = time.monotonic()
        for worker in set(self._queues) - set(there):
            if not self._queues[worker]:
                del self._queues[worker]
            elif now - self._gone.setdefault(worker, now) > SECONDS_TO_HEAR:
                self._lost(worker)
        for worker in there:
            self._queues.setdefault(worker, deque())
            self._gone.pop(worker, None)

    @property
    def _connected(self) -> bool:
        """Whether the scheduler is heard; one that comes back under the same address knows nothing of the campaign."""
        return self._deployment is not None and self._deployment.client.status == "running" and not self._unknown

    def _look(self) -> None:
        """Look after the workers now and then, and do what the watchdog says."""
        if time.monotonic() - self._looked < SECONDS_BETWEEN_LOOKS:
            return
        assert self._deployment is not None
        if not self._connected:
            reason = "the scheduler is lost"
            self._say(f"The watchdog: {reason}; workers are begun anew.")
            self._begin_anew(reason)
            return
        self._deployment.hold()
        self._refresh()
        self._launch()
        found = self._watchdog.look(len(self._sent) + len(self._waiting), len(self._queues) - len(self._gone))
        if found is None:
            return
        step, reason = found
        if step is Step.GIVE_UP:
            raise NoWorkersError(f"{reason}, though the workers were asked for again and begun anew")
        self._say(
            f"The watchdog: {reason}; workers are {'asked for again' if step is Step.ASK_AGAIN else 'begun anew'}."
        )
        if step is Step.ASK_AGAIN:
            self._deployment.ask_again()
        else:
            self._begin_anew(reason)
        self._watchdog.stepped()

    def _begin_anew(self, reason: str) -> None:
        """Close everything and get other workers; what was under way is sent again."""
        assert self._deployment is not None
        self._waiting.extendleft(self._sent[number].task for number in sorted(self._sent, reverse=True))
        for kept in (self._sent, self._queues, self._gone):
            kept.clear()
        self._deployment.close()
        try:
            self._begin()
        except NoWorkersError as error:
            raise NoWorkersError(f"{reason}, and workers could not be begun anew: {error}") from error
        self._launch()

    def _launch(self) -> None:
        """Send what is waiting to the workers with the shortest queues."""
        assert self._deployment is not None
        for length in range(IN_FLIGHT_PER_WORKER):
            for worker, tasks in self._queues.items():
                if not self._waiting:
                    return
                together = [self._waiting[0].number, *tasks]
                suspected = any(self._deaths[number] for number in together)
                if len(tasks) == length and worker not in self._gone and not (length and suspected):
                    self._send(self._waiting.popleft(), worker)

    def _send(self, task: TaskLike, worker: str) -> None:
        assert self._deployment is not None
        number = task.number
        self._tries[number] += 1
        sent = _Sent(task, worker, f"{self._name}-{number}-{self._tries[number]}", time.monotonic())
        self._sent[number] = sent
        self._queues[worker].append(number)
        sent.future = self._deployment.client.submit(
            evaluate_on_worker, self._name, task, self._spec.time_limit_s, key=sent.key, workers=[worker], pure=False
        )
        sent.future.add_done_callback(lambda future, key=sent.key: self._done.put((number, key, future)))

    def _verdict(self, sent: _Sent, future: Any) -> Any:
        """Result that a worker gave, a failure, or None when the task is tried again."""
        from distributed import KilledWorker

        try:
            answer = self._fetched(sent, future)
        except KilledWorker:
            return self._lost(sent.worker)
        except UnknownCampaignError:
            self._unknown, answer = True, None  # the scheduler is another one than it was
        except Exception as error:
            self._forget(sent)
            return failed(sent.task.number, f"{type(error).__name__}: {error}")
        self._forget(sent)
        if answer is None:
            self._waiting.appendleft(sent.task)
            return None
        self._processors.took_part(answer.processor)
        self._watchdog.finished(answer.seconds)
        return failed(sent.task.number, answer.error) if answer.error else answer.result

    def _fetched(self, sent: _Sent, future: Any) -> Answer | None:
        """Answer of a worker; None when it went with its worker or its scheduler."""
        for _ in range(TIMES_TO_FETCH):
            try:
                return future.result(timeout=SECONDS_TO_FETCH)
            except (asyncio.CancelledError, concurrent.futures.CancelledError):
                return None
            except (TimeoutError, OSError):
                self._refresh()
                if sent.worker in self._gone or sent.worker not in self._queues:
                    return None
        return None

    def _forget(self, sent: _Sent) -> None:
        del self._sent[sent.task.number]
        tasks = self._queues.get(sent.worker)
        if tasks is not None:
            tasks.remove(sent.task.number)

    def _lost(self, worker: str) -> None:
        """Send the tasks of a dead worker again; the one that it was at work on fails when it has had its tries."""
        numbers = self._queues.pop(worker, deque())
        self._gone.pop(worker, None)
        tasks = [self._sent.pop(number) for number in numbers]
        if not tasks:
            return
        blamed = tasks[0]
        self._deaths[blamed.task.number] += 1
        if time.monotonic() - blamed.since >= self._spec.time_limit_s:
            self._watchdog.finished()  # it met its time limit, which is no silence
        if self._deaths[blamed.task.number] > self._spec.retries:
            self._failures.append(failed(blamed.task.number, self._reason(blamed.task)))
            tasks = tasks[1:]
        self._waiting.extendleft(sent.task for sent in reversed(tasks))

    def _reason(self, task: TaskLike) -> str:
        deaths, points = self._deaths[task.number], len(getattr(task, "indices", ()))
        what = f"these {points} points" if points > 1 else "this point" if points else "this design"
        limit = f"time limit {self._spec.time_limit_s:g} s{' for all of them' if points > 1 else ''}"
        return (
            f"the worker process ended {deaths} time{'s' if deaths > 1 else ''} while it evaluated {what} ({limit}, "
            "lack of memory or a crash)"
        )

"""Where designs are evaluated: in the driver, or in worker processes (Dask, which is known here alone).

An evaluation may run more than once, after the death of a worker; its result is handed back once.
"""

from __future__ import annotations

import contextlib
import logging
import math
import queue
import signal
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from typing import Any, Protocol

from optimise.evaluate import Evaluation, Setting, Task, failed
from optimise.spec import ClusterSpec

__all__ = ["Evaluate", "Executor", "LocalExecutor", "SerialExecutor", "open_executor"]

Evaluate = Callable[[Task, Setting], Evaluation]

IN_FLIGHT_PER_WORKER = 2
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
PLUGIN = "campaign"
DASK_SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,  # who is to blame for a dead worker is found out here
    "distributed.nanny.pre-spawn-environ": dict.fromkeys(ONE_THREAD, 1),
    "distributed.comm.timeouts.connect": "30s",
    "distributed.worker.memory.target": False,  # results are small; the limits of the system hold
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}


class Executor(Protocol):
    """What evaluates tasks."""

    @property
    def capacity(self) -> int:
        """Tasks that keep it busy."""
        ...

    def submit(self, task: Task) -> None:
        """Take a task."""
        ...

    def next_completed(self, timeout: float) -> Evaluation | None:
        """Evaluation of a task that is done; None when there is none within a time [s]."""
        ...

    def close(self) -> None:
        """End without waiting for what is running."""
        ...


@contextlib.contextmanager
def open_executor(cluster: ClusterSpec, evaluate: Evaluate, setting: Setting) -> Iterator[Executor]:
    """Executor of a kind, closed at the end whatever happens.

    Parameters
    ----------
    cluster : ClusterSpec
        Kind and size.
    evaluate : callable
        Picklable function of a task and the setting.
    setting : Setting
        What every evaluation shares.
    """
    if cluster.kind == "serial":
        yield SerialExecutor(evaluate, setting)
        return
    executor = LocalExecutor(cluster, evaluate, setting)
    try:
        yield executor
    finally:
        executor.close()


class SerialExecutor:
    """Evaluation in the driver, one design at a time."""

    capacity = 1

    def __init__(self, evaluate: Evaluate, setting: Setting) -> None:
        self._evaluate = evaluate
        self._setting = setting
        self._waiting: deque[Task] = deque()

    def submit(self, task: Task) -> None:
        """Take a task."""
        self._waiting.append(task)

    def next_completed(self, timeout: float) -> Evaluation | None:
        """Evaluate the task that has waited longest; None if there is none."""
        return self._evaluate(self._waiting.popleft(), self._setting) if self._waiting else None

    def close(self) -> None:
        """Forget what is waiting."""
        self._waiting.clear()


class LocalExecutor:
    """Worker processes on this machine, each with one thread, reached over the loopback only.

    A worker that dies is replaced. The designs that were on it, running or queued, are tried again one by
    one, with nothing else under way, so that the one which kills its worker is told from its neighbours; when
    it has done so too often it has failed, with the reason.
    """

    def __init__(self, cluster: ClusterSpec, evaluate: Evaluate, setting: Setting) -> None:
        from dask import config
        from distributed import Client, LocalCluster

        self.capacity = IN_FLIGHT_PER_WORKER * cluster.workers
        self._spec = cluster
        self._done: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._waiting: deque[Task] = deque()
        self._suspects: deque[Task] = deque()
        self._running: dict[int, Task] = {}
        self._deaths: Counter[int] = Counter()
        for name in ("distributed", "distributed.core", "distributed.nanny", "distributed.worker"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is told by the evaluations
        with config.set(DASK_SETTINGS), _interrupts_for_the_driver():
            self._cluster = LocalCluster(
                n_workers=cluster.workers, threads_per_worker=1, processes=True, host="127.0.0.1",
                dashboard_address=None,  # pyright: ignore[reportArgumentType]  # no dashboard
                # without one of its own, the scheduler's status server meets that of a second campaign on the machine
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                silence_logs=50, memory_limit=0,
            )  # fmt: skip
            self._client = Client(self._cluster, set_as_default=False)
        self._client.register_plugin(_campaign_plugin(evaluate, setting))

    def submit(self, task: Task) -> None:
        """Send a task to a worker."""
        self._waiting.append(task)
        self._launch()

    def next_completed(self, timeout: float) -> Evaluation | None:
        """Evaluation that is done, each one once."""
        try:
            number, future = self._done.get(timeout=timeout)
        except queue.Empty:
            return None
        task = self._running.pop(number)
        evaluation = self._verdict(task, future)
        self._launch()
        return evaluation

    def _launch(self) -> None:
        """Send what may be sent: all that is waiting, or one suspect alone."""
        if self._suspects:
            tasks = [] if self._running else [self._suspects[0]]
        else:
            tasks, self._waiting = list(self._waiting), deque()
        for task in tasks:
            self._running[task.number] = task
            key = f"trial-{task.number}-{self._deaths[task.number]}"
            future = self._client.submit(_on_worker, task, self._spec.time_limit_s, key=key, pure=False)
            future.add_done_callback(lambda done, number=task.number: self._done.put((number, done)))

    def _verdict(self, task: Task, future: Any) -> Evaluation | None:
        """Evaluation that a worker gave, a failure, or None when the task is tried again."""
        from distributed import KilledWorker

        error = future.exception()
        suspect = task in self._suspects
        if isinstance(error, KilledWorker):
            self._deaths[task.number] += 1
            if not suspect:
                self._suspects.append(task)
                return None
            if self._deaths[task.number] <= max(1, self._spec.retries):
                return None
        if suspect:
            self._suspects.remove(task)
        return future.result() if error is None else failed(task.number, self._reason(task, error))

    def _reason(self, task: Task, error: BaseException) -> str:
        deaths = self._deaths[task.number]
        if deaths:
            return (
                f"the worker process ended {deaths} times while it evaluated this design (time limit "
                f"{self._spec.time_limit_s:g} s, lack of memory or a crash)"
            )
        return f"{type(error).__name__}: {error}"

    def close(self) -> None:
        """End the workers without waiting for what they evaluate."""
        with contextlib.suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a comm that breaks while closing has nothing left to say
            self._client.close(timeout=5)
            self._cluster.close(timeout=10)


@contextlib.contextmanager
def _interrupts_for_the_driver() -> Iterator[None]:
    """Hold Ctrl-C back while the cluster starts; its threads, and workers from their first moment, never see it.

    Threads and processes take the mask of the thread that starts them, and those that replace a dead worker
    take it from the cluster's own thread; what was held back reaches the driver afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # starting it later, in the thread that starts the workers, would let Ctrl-C through there
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _campaign_plugin(evaluate: Evaluate, setting: Setting) -> Any:
    """What a worker needs for the whole campaign; Dask gives it to workers that come later, too."""
    from distributed import WorkerPlugin

    class CampaignPlugin(WorkerPlugin):
        name = PLUGIN

        def __init__(self) -> None:
            self.evaluate = evaluate
            self.setting = setting

        def setup(self, worker: Any) -> None:
            with contextlib.suppress(ValueError):  # only the main thread of a process may do so
                signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the driver

    return CampaignPlugin()


def _on_worker(task: Task, time_limit: float) -> Evaluation:
    """Evaluate on a worker whose process ends when the time limit has passed.

    The alarm of the system ends the process even when a compiled kernel never comes back; the scheduler then
    sees a dead worker. It is set a little late, so that an evaluation that does come back says itself that it
    took too long.
    """
    from distributed import get_worker

    plugin: Any = get_worker().plugins[PLUGIN]
    limited = math.isfinite(time_limit) and hasattr(signal, "setitimer")
    if limited:
        signal.setitimer(signal.ITIMER_REAL, 1.25 * time_limit + 1.0)
    try:
        return plugin.evaluate(task, plugin.setting)
    except Exception as error:
        return failed(task.number, f"{type(error).__name__}: {error}")
    finally:
        if limited:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

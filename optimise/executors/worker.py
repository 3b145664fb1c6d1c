"""What runs in a worker process: one evaluation at a time, on one thread, within its time limit."""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catenary.errors import lacks_memory
from catenary.kernels.kernel_cache import say_when_compiling
from optimise.evaluation.job import Work
from optimise.executors.processors import processor_type
from optimise.executors.protocol import Evaluate

if TYPE_CHECKING:
    from distributed import Worker

__all__ = [
    "ONE_THREAD",
    "Answer",
    "UnknownCampaignError",
    "campaign_plugin",
    "evaluate_on_worker",
    "greet_on_worker",
    "longest_s",
]

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
# compiling all kernels takes tens of seconds, on a slow shared disk more
SECONDS_TO_COMPILE = 600.0


class UnknownCampaignError(Exception):
    """The worker was not given what the campaign needs: its scheduler is not the one that the driver had spoken to."""


@dataclass(frozen=True)
class Answer:
    """Result of a task, the time that it took [s] and the type of the processor; or the error that it ended with."""

    result: Any
    seconds: float
    processor: str
    error: str = ""


def longest_s(time_limit: float) -> float:
    """Time after which the process of an evaluation is ended [s].

    A little beyond the limit, so that an evaluation that does come back says itself that it took too long.
    """
    return 1.25 * time_limit + 1.0


def campaign_plugin(name: str, evaluate: Evaluate, setting: object) -> Any:
    """What a worker needs for the whole campaign; Dask gives it to workers that come later, too."""
    from distributed import WorkerPlugin

    class CampaignPlugin(WorkerPlugin):
        def __init__(self) -> None:
            self.name = name
            self.evaluate = evaluate
            self.setting = setting
            self.warm = False

        def setup(self, worker: Worker) -> None:
            say_when_compiling(lambda sentence: worker.log_event(name, sentence))
            with contextlib.suppress(ValueError):  # only the main thread of a process may do so
                signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the driver

        def teardown(self, worker: object) -> None:
            with contextlib.suppress(OSError, TypeError):
                _compiled_mark(name).unlink(missing_ok=True)  # pyright: ignore[reportOptionalMemberAccess]

    return CampaignPlugin()


def greet_on_worker(name: str) -> None:
    """Answer once the worker has started and has what the campaign needs.

    Raises
    ------
    UnknownCampaignError
        If it was not given that.
    """
    _plugin_of(name)


def _plugin_of(name: str) -> Any:
    from distributed import get_worker

    plugin: Any = get_worker().plugins.get(name)
    if plugin is None:
        raise UnknownCampaignError(name)
    return plugin


def evaluate_on_worker(name: str, work: Work, time_limit: float) -> Answer:
    """Evaluate a task with what the plugin of a campaign brought.

    The alarm of the system ends the process even when a compiled kernel never comes back; the scheduler then
    sees a dead worker.
    """
    plugin = _plugin_of(name)
    if not plugin.warm:
        _compile_once_on_this_node(plugin, work, time_limit)
        plugin.warm = True
    begin = time.perf_counter()
    result, reason = None, ""
    with _ended_after(longest_s(time_limit)):
        try:
            result = plugin.evaluate(work, plugin.setting)
        except Exception as error:
            if lacks_memory(error):  # this worker's lack and no result: the job is sent again
                raise MemoryError(str(error)) from None
            reason = f"{type(error).__name__}: {error}"
    return Answer(result, time.perf_counter() - begin, processor_type(), reason)


@contextlib.contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """End the process when the block takes longer than a time [s]."""
    limited = math.isfinite(seconds) and hasattr(signal, "setitimer")
    if limited:
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        if limited:
            signal.setitimer(signal.ITIMER_REAL, 0.0)


def _compiled_mark(name: str) -> Path | None:
    """File that says that a node has the kernels of a campaign; None where kernels are not kept node by node."""
    cache = os.environ.get("NUMBA_CACHE_DIR")
    return Path(cache) / f".{name}.compiled" if cache else None


def _compile_once_on_this_node(plugin: Any, work: Work, time_limit: float) -> None:
    """Evaluate once, alone on this node, where the kernels may have to be compiled first; the others wait for it.

    What comes out is dropped, for its time is not that of an evaluation.
    """
    mark = _compiled_mark(plugin.name)
    if mark is None:
        return
    with contextlib.suppress(OSError):  # a folder that cannot be written holds no kernels either
        mark.parent.mkdir(parents=True, exist_ok=True)
        with open(mark, "ab") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)  # the system releases it when this process is killed
            if os.fstat(handle.fileno()).st_size > 0:
                return
            with _ended_after(longest_s(time_limit) + SECONDS_TO_COMPILE), contextlib.suppress(Exception):
                plugin.evaluate(work, plugin.setting)
            handle.write(f"{os.getpid()}\n".encode())

"""Shared by all deployments: settings of Dask, its loggers silenced, closing in time, interrupts."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from multiprocessing import resource_tracker
from typing import Any

from optimise.executors.worker import ONE_THREAD

__all__ = [
    "DASK_SETTINGS",
    "QUIET",
    "SECONDS_TO_CLOSE",
    "close_cluster",
    "interrupts_for_the_driver",
    "scheduler_options",
    "silence_dask",
    "within",
]


# what Dask measures of itself, for pages that hardly anybody reads, took 2 % of every core
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
DASK_SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,  # the executor finds the suspect of a dead worker
    "distributed.nanny.pre-spawn-environ": dict.fromkeys(ONE_THREAD, 1),
    "distributed.comm.timeouts.connect": "30s",
    "distributed.worker.memory.target": False,  # results are small; the limits of the system hold
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.scheduler.work-stealing": False,  # tasks have their workers
    **QUIET,
}


SILENT = ("client", "core", "nanny", "worker", "scheduler")


SECONDS_TO_CLOSE = 15.0
SECONDS_TO_CANCEL = 0.01


def silence_dask() -> None:
    """Keep Dask from logging: evaluations and watchdog report what matters."""
    import_module("distributed")  # sets the levels of its loggers, which stand from then on
    for name in ("distributed", *(f"distributed.{part}" for part in SILENT)):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def scheduler_options(port: int | None) -> dict[str, Any]:
    """Address of a scheduler's web server: loopback alone, with Dask's live pages where a port is given."""
    # without one of its own, the status server meets that of a second campaign on the machine
    return {"dashboard_address": f"127.0.0.1:{port or 0}", "dashboard": port is not None}


def within(seconds: float, *ends: Callable[[], Any]) -> None:
    """Close resources one after the other; leave behind what hangs or breaks while closing."""

    def close() -> None:
        for end in ends:
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a comm that breaks while closing has nothing left to say
                end()

    closing = threading.Thread(target=close, daemon=True)
    closing.start()
    closing.join(seconds)


def close_cluster(cluster: Any, seconds: float, client: Any = None) -> None:
    """Close a client and then the scheduler that runs in this process, with its ports.

    The connections that a scheduler is opening end first. It cancels them as its workers leave and again as it closes
    itself; where the second follows at once, Dask's pool breaks off with a RuntimeError, which the cluster swallows,
    and the scheduler lives on.
    """

    async def end_connections() -> None:
        while True:
            try:
                return await cluster.scheduler.rpc.close()
            except RuntimeError:
                await asyncio.sleep(SECONDS_TO_CANCEL)

    ends = [
        lambda: cluster.sync(end_connections, callback_timeout=0.25 * seconds),
        lambda: cluster.close(timeout=0.5 * seconds),
    ]
    within(seconds, *([lambda: client.close(timeout=0.25 * seconds)] if client is not None else []), *ends)


@contextlib.contextmanager
def interrupts_for_the_driver() -> Iterator[None]:
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

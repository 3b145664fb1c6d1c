"""Run worker processes on this machine: start them one by one, and replace each that has ended."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

from catenary.storage.end_request import held_back
from optimise.executors.deployments.dask_settings import (
    DASK_SETTINGS,
    SECONDS_TO_CLOSE,
    close_cluster,
    interrupts_for_the_driver,
    scheduler_options,
    silence_dask,
)
from optimise.executors.worker import ONE_THREAD
from optimise.spec.cluster import ClusterSpec

__all__ = ["LocalWorkers"]

HOST = "127.0.0.1"
# a stopped driver is not lost; a worker that hangs reaches its time limit, one that dies closes its connection
WITHOUT_PAGES = {
    "distributed.scheduler.worker-ttl": None,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
SECONDS_TO_DIE = 5.0
SECONDS_TO_START, SECONDS_BETWEEN_LOOKS = 120.0, 0.02


class LocalWorkers:
    """Worker processes on this machine, each with one thread, and the scheduler in the driver.

    They speak over the loopback, which every account of the machine can reach: with a certificate that is made for
    this run and exists in the memory of its processes alone, so that nobody else can send them work.
    """

    def __init__(self, cluster: ClusterSpec) -> None:
        from dask import config
        from distributed import Client, LocalCluster, Security

        self.complaint = ""
        self._wanted = cluster.workers
        self._processes: list[tuple[BaseProcess, Connection]] = []
        self._number = 0
        self._security = Security.temporary()
        with config.set(_settings(cluster.dashboard_port)), interrupts_for_the_driver(), held_back():
            self._cluster = LocalCluster(
                n_workers=0, threads_per_worker=1, processes=True, host=HOST, protocol="tls://",
                security=self._security, scheduler_kwargs=scheduler_options(cluster.dashboard_port), silence_logs=50,
            )  # fmt: skip
            try:
                self.client = Client(self._cluster, set_as_default=False)
            except BaseException:
                close_cluster(self._cluster, SECONDS_TO_CLOSE)
                raise

    def hold(self) -> None:
        """Replace each process that has ended; the first time, wait until one has connected."""
        first, scheduler = self._number == 0, self._cluster.scheduler
        assert scheduler is not None
        for process, word in list(self._processes):
            if not process.is_alive():
                self._processes.remove((process, word))
                self._bury(process, word)
        while len(self._processes) < self._wanted:
            try:
                self._start()
            except OSError as error:  # killed before it had read what it is for, or the system lets no more begin
                self.complaint = f"a worker process could not be started ({error})"
                return
        end = time.monotonic() + SECONDS_TO_START
        while first and time.monotonic() < end and all(process.is_alive() for process, _ in self._processes):
            first = not scheduler.workers  # starting, on a busy machine, does not count as a lack of workers
            time.sleep(SECONDS_BETWEEN_LOOKS)

    def ask_again(self) -> None:
        """Start the missing processes."""
        self.hold()

    def close(self) -> None:
        """End the processes."""
        # the scheduler first: it would ask the dead for values that a client still waits for
        close_cluster(self._cluster, SECONDS_TO_CLOSE, self.client)
        for process, _ in self._processes:
            process.kill()
        for process, word in self._processes:
            process.join(SECONDS_TO_DIE)
            word.close()
        self._processes.clear()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        hears, tells = context.Pipe(duplex=False)
        with tells, interrupts_for_the_driver(), held_back(), _one_thread(), _nobodys_program():
            # names are not used again: the scheduler may know of an end later than this process does
            process = context.Process(
                target=_serve, args=(self._cluster.scheduler_address, self._number, self._security, tells), daemon=True
            )
            self._number += 1
            try:
                process.start()
            except BaseException:
                hears.close()
                raise
        self._processes.append((process, hears))

    def _bury(self, process: BaseProcess, word: Connection) -> None:
        """Keep the last message of a process that has ended."""
        with word, contextlib.suppress(EOFError, OSError):
            if word.poll():
                self.complaint = word.recv()
        process.join()


def _settings(dashboard_port: int | None) -> dict[str, Any]:
    """Settings of Dask, without its pages unless requested."""
    routes = {} if dashboard_port is None else {"distributed.scheduler.http.routes"}
    return {**DASK_SETTINGS, **{name: value for name, value in WITHOUT_PAGES.items() if name not in routes}}


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Environment of a worker: libraries read their number of threads before the first line of Python runs."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _nobodys_program() -> Iterator[None]:
    """Keep a worker from importing the user's script, which would start workers again."""
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


def _serve(scheduler: str, name: int, security: Any, word: Connection) -> None:
    """Be a worker until the scheduler or the driver ends; the first and only thing that a worker process does."""
    from dask import config

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the driver
    threading.Thread(target=_end_with_the_driver, daemon=True).start()
    silence_dask()
    config.set({**DASK_SETTINGS, **WITHOUT_PAGES})
    try:
        asyncio.run(_work(scheduler, name, security))
    except Exception as error:
        with contextlib.suppress(OSError):
            word.send(f"{type(error).__name__}: {error}")
        os._exit(1)


async def _work(scheduler: str, name: int, security: Any) -> None:
    from distributed import Worker

    worker = Worker(
        scheduler, nthreads=1, name=name, host=HOST, security=security, memory_limit=0, dashboard=False,
        dashboard_address=None,
    )  # fmt: skip
    async with worker:
        await worker.finished()


def _end_with_the_driver() -> None:
    """End this process when its driver has ended for any reason."""
    driver = multiprocessing.parent_process()
    if driver is not None:
        driver.join()
        os._exit(1)

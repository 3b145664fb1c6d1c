"""Workers got and held, and what all kinds of them share; those of a Dask scheduler that runs already."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Protocol

from optimise.cluster_spec import BATCH_KINDS, ClusterSpec
from optimise.executors.certificates import security_of
from optimise.executors.on_worker import ONE_THREAD
from optimise.executors.protocol import NoWorkersError

__all__ = [
    "DASK_SETTINGS",
    "SECONDS_TO_CLOSE",
    "Deployment",
    "deploy",
    "interrupts_for_the_driver",
    "scheduler_options",
    "silence_dask",
    "within",
]

DASK_SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,  # who is to blame for a dead worker is found out by the executor
    "distributed.nanny.pre-spawn-environ": dict.fromkeys(ONE_THREAD, 1),
    "distributed.comm.timeouts.connect": "30s",
    "distributed.worker.memory.target": False,  # results are small; the limits of the system hold
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}
SILENT = ("client", "core", "nanny", "worker", "scheduler")
SECONDS_TO_CLOSE = 15.0
SECONDS_TO_ANSWER = 5.0


class Deployment(Protocol):
    """Workers with the scheduler that they listen to."""

    client: Any

    @property
    def complaint(self) -> str:
        """What the last worker or job said that ended before it was there; empty where that is not known."""
        ...

    def hold(self) -> None:
        """Start what is not there yet and replace what has ended, where nobody else does."""
        ...

    def ask_again(self) -> None:
        """Ask for the workers that are missed."""
        ...

    def close(self) -> None:
        """End the workers without waiting for what they evaluate, and always come back."""
        ...


def deploy(cluster: ClusterSpec, folder: Path | None) -> Deployment:
    """Workers as a specification wants them.

    Raises
    ------
    NoWorkersError
        If they cannot be had so.
    """
    silence_dask()
    if cluster.kind in BATCH_KINDS:
        from optimise.executors.batch import BatchJobs

        return BatchJobs(cluster, folder)
    if cluster.kind == "address":
        return RunningScheduler(cluster)
    from optimise.executors.local import LocalWorkers

    return LocalWorkers(cluster)


def silence_dask() -> None:
    """Keep Dask from logging: what matters is told by the evaluations and the watchdog."""
    import_module("distributed")  # sets the levels of its loggers, which stand from then on
    for name in ("distributed", *(f"distributed.{part}" for part in SILENT)):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def scheduler_options(port: int | None) -> dict[str, Any]:
    """Address of a scheduler's web server: loopback alone, with Dask's live pages where a port is given."""
    # without one of its own, the status server meets that of a second campaign on the machine
    return {"dashboard_address": f"127.0.0.1:{port or 0}", "dashboard": port is not None}


class RunningScheduler:
    """Workers of a scheduler that others have started and look after."""

    complaint = ""

    def __init__(self, cluster: ClusterSpec) -> None:
        from dask import config
        from distributed import Client

        address = str(cluster.address)
        security = security_of(Path(cluster.certificates)) if cluster.encrypted else None
        with config.set(DASK_SETTINGS):
            try:
                patience = max(SECONDS_TO_ANSWER, cluster.watchdog.no_workers_s)
                self.client = _in_time(
                    2.0 * patience,
                    lambda: Client(address, security=security, timeout=patience, set_as_default=False),
                )
            except (OSError, TimeoutError) as error:
                raise NoWorkersError(
                    f"{address} does not answer as a Dask scheduler does ({error})",
                    change="cluster.address and cluster.certificates set to those of a running scheduler (tls:// where "
                    "it has a certificate, tcp:// where it has none)",
                ) from error
        threads: Any = self.client.nthreads()
        several = [worker for worker, n in threads.items() if n != 1]
        if several:
            self.close()
            raise NoWorkersError(
                f"workers must have one thread each: {several[0]} of {address} has {threads[several[0]]}; start them "
                "with --nthreads 1"
            )

    def hold(self) -> None:
        """Nothing to do: who has started the workers replaces them."""

    def ask_again(self) -> None:
        """Nothing to do but to wait."""

    def close(self) -> None:
        """Leave scheduler and workers to others."""
        within(SECONDS_TO_CLOSE, lambda: self.client.close(timeout=5))


def _in_time(seconds: float, connect: Callable[[], Any]) -> Any:
    """What a call gives, or a TimeoutError: Dask's own limit does not hold for a port that accepts and says nothing."""
    found: list[Any] = []

    def attempt() -> None:
        try:
            found.append(connect())
        except BaseException as error:
            found.append(error)

    trying = threading.Thread(target=attempt, daemon=True)
    trying.start()
    trying.join(seconds)
    if not found:
        raise TimeoutError(f"it took the connection and said nothing for {seconds:g} s")
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def within(seconds: float, *ends: Callable[[], Any]) -> None:
    """Close things one after the other; what hangs or breaks while closing is left behind."""

    def close() -> None:
        for end in ends:
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a comm that breaks while closing has nothing left to say
                end()

    closing = threading.Thread(target=close, daemon=True)
    closing.start()
    closing.join(seconds)


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

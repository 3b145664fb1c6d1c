"""Start and keep workers of any kind; use those of a Dask scheduler that runs already."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from optimise.executors.deployments.certificates import security_of
from optimise.executors.deployments.dask_settings import DASK_SETTINGS, SECONDS_TO_CLOSE, silence_dask, within
from optimise.executors.protocol import NoWorkersError
from optimise.spec.cluster import BATCH_KINDS, ClusterSpec

__all__ = [
    "Deployment",
    "deploy",
]

SECONDS_TO_ANSWER = 5.0


class Deployment(Protocol):
    """Workers with the scheduler that they listen to."""

    client: Any

    @property
    def complaint(self) -> str:
        """Last message of a worker or job that ended before it connected; empty where that is not known."""
        ...

    def hold(self) -> None:
        """Start what is missing and replace what has ended, unless others do."""
        ...

    def ask_again(self) -> None:
        """Request the missing workers."""
        ...

    def close(self) -> None:
        """End the workers without waiting for their evaluations; always returns."""
        ...


def deploy(cluster: ClusterSpec, folder: Path | None) -> Deployment:
    """Workers of a specification.

    Raises
    ------
    NoWorkersError
        If they cannot be had so.
    """
    silence_dask()
    if cluster.kind in BATCH_KINDS:
        from optimise.executors.deployments.batch import BatchJobs

        return BatchJobs(cluster, folder)
    if cluster.kind == "address":
        return RunningScheduler(cluster)
    from optimise.executors.deployments.local import LocalWorkers

    return LocalWorkers(cluster)


class RunningScheduler:
    """Workers of a scheduler that others start and maintain."""

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
        """Nothing to do: whoever started the workers replaces them."""

    def ask_again(self) -> None:
        """Nothing to do but to wait."""

    def close(self) -> None:
        """Leave scheduler and workers to others."""
        within(SECONDS_TO_CLOSE, lambda: self.client.close(timeout=5))


def _in_time(seconds: float, connect: Callable[[], Any]) -> Any:
    """Result of a call, or a TimeoutError: Dask's own limit ignores a port that accepts and never answers."""
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
        raise TimeoutError(f"it accepted the connection and did not answer for {seconds:g} s")
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]

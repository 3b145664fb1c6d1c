"""Evaluate jobs in the driver, in worker processes, or on a cluster (only this package knows Dask).

An evaluation may run more than once, after the death of a worker; its result is handed back once.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from optimise.executors.in_flight import IN_FLIGHT_PER_WORKER, ONE_AT_A_TIME
from optimise.executors.preflight import refuse_impossible
from optimise.executors.protocol import Evaluate, Executor, NoWorkersError, interruption
from optimise.executors.run_all import completed, run_all
from optimise.executors.serial import SerialExecutor
from optimise.spec.cluster import ClusterSpec

__all__ = [
    "ONE_AT_A_TIME",
    "Evaluate",
    "Executor",
    "NoWorkersError",
    "SerialExecutor",
    "completed",
    "interruption",
    "open_executor",
    "refuse_impossible",
    "run_all",
]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def open_executor(
    cluster: ClusterSpec,
    evaluate: Evaluate,
    setting: object,
    *,
    folder: Path | None = None,
    say: Callable[[str], None] = _say,
    per_worker: int = IN_FLIGHT_PER_WORKER,
) -> Iterator[Executor]:
    """Executor of a kind; always closed at the end.

    Parameters
    ----------
    cluster : ClusterSpec
        Kind and size.
    evaluate : callable
        Picklable function of a job, or of a batch of them, and the setting.
    setting : object
        What every evaluation shares, picklable.
    folder : Path, optional
        Folder of the campaign or sweep: the types of the processors that took part are put on record there, and the
        output of batch jobs.
    say : callable
        Takes a sentence for the user: missing workers, processors of different types.
    per_worker : int
        Tasks that a worker has at a time; ``ONE_AT_A_TIME`` where each takes seconds.

    Raises
    ------
    NoWorkersError
        If workers cannot start as specified, or return nothing although they were restarted.
    """
    if cluster.kind == "serial":
        yield SerialExecutor(evaluate, setting, folder, say)
        return
    from optimise.executors.dask_executor import WorkersExecutor

    if cluster.exposed:
        say(f"Warning: {cluster.exposed}; start the scheduler with certificates (catenary certificates) and use tls.")
    executor = WorkersExecutor(cluster, evaluate, setting, folder, say, per_worker)
    try:
        yield executor
    finally:
        executor.close()

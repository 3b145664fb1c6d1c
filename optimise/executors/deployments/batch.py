"""Run workers in jobs of a batch system, SLURM or PBS; submit jobs again when they have ended."""

from __future__ import annotations

import contextlib
import hashlib
import time
from importlib import resources
from pathlib import Path
from typing import Any

from optimise.executors.deployments.batch_queue import end_of_log, named, states_of, words
from optimise.executors.deployments.certificates import security_of
from optimise.executors.deployments.dask_settings import (
    DASK_SETTINGS,
    QUIET,
    SECONDS_TO_CLOSE,
    close_cluster,
    interrupts_for_the_driver,
    scheduler_options,
)
from optimise.executors.protocol import NoWorkersError
from optimise.executors.worker import ONE_THREAD
from optimise.spec.cluster import BatchSpec, ClusterSpec

__all__ = ["BatchJobs", "job_script"]

JOB_NAME = "catenary"
SECONDS_TO_SUBMIT = 300.0
SECONDS_BETWEEN_LOOKS = 0.05
SECONDS_BETWEEN_QUESTIONS, SECONDS_WITHOUT_ANSWER = 10.0, 60.0
# times that jobs have ended before a worker came, after which others would end so as well; each is waited for longer
ROUNDS, SECONDS_OF_A_ROUND = 4, 2.5
PACKAGES_WITH_KERNELS = ("catenary", "dynamics", "optimise")


class BatchJobs:
    """Jobs of a batch system, each with one worker process a core, and the scheduler in the driver.

    Parameters
    ----------
    folder : Path, optional
        The output of the jobs lands in its folder ``jobs``, or in one where the command was typed.

    Raises
    ------
    NoWorkersError
        If the batch system refuses a job.
    """

    def __init__(self, cluster: ClusterSpec, folder: Path | None) -> None:
        from dask import config
        from distributed import Client

        assert cluster.batch is not None
        self._jobs = cluster.batch.jobs
        self._kind = cluster.kind
        # a job may be without any of its workers for a while, as when all of them start again
        self._patience = cluster.watchdog.no_workers_s
        self._missed: dict[Any, float] = {}
        self._seen: set[Any] = set()
        self.complaint = ""
        self._logs = _log_folder(folder)
        self._rounds, self._question_at, self._submit_at = 0, time.monotonic() + SECONDS_BETWEEN_QUESTIONS, 0.0
        with config.set(DASK_SETTINGS), interrupts_for_the_driver():
            self._cluster = _cluster(cluster, folder)
            self.client = Client(self._cluster, set_as_default=False)
            try:
                self._submit()
            except BaseException:
                self.close()
                raise

    def hold(self) -> None:
        """Submit a replacement for each job that has ended.

        Raises
        ------
        NoWorkersError
            If jobs end again and again before their workers come.
        """
        self._replace(self._patience)

    def ask_again(self) -> None:
        """Submit the missing jobs at once."""
        self._replace(0.0)

    def _replace(self, patience: float) -> None:
        """Submit a job for each one whose workers have disappeared for longer than a time [s]."""
        now = time.monotonic()
        there = {str(worker.name) for worker in list(self._cluster.scheduler.workers.values())}
        for name in list(self._cluster.workers):
            if any(w == str(name) or w.startswith(f"{name}-") for w in there):
                if name not in self._seen:
                    self._seen.add(name)
                    self._rounds = 0
                self._missed.pop(name, None)
            elif name in self._seen and now - self._missed.setdefault(name, now) >= patience:
                self._give_up(name)
        if now >= self._question_at:
            self._ask(bool(there))
        if set(self._cluster.worker_spec) - set(self._cluster.workers) and now >= self._submit_at:
            with contextlib.suppress(NoWorkersError):  # a batch system that refuses them now may take them later
                self._submit()

    def _ask(self, working: bool) -> None:
        """Ask the batch system about jobs whose workers never connected, and drop those that are over."""
        self._question_at = time.monotonic() + SECONDS_BETWEEN_QUESTIONS
        jobs = {
            str(job.job_id): name
            for name, job in self._cluster.workers.items()
            if job.job_id and name not in self._seen
        }
        states = states_of(self._kind, jobs) if jobs else {}
        if states is None:
            self._question_at += SECONDS_WITHOUT_ANSWER
            return
        over = {job: state for job, state in states.items() if state.over}
        if held := {job: state for job, state in states.items() if state.held}:
            self.complaint = f"{named(held)} is held and waits for its release ({self._kind} says '{words(held)}')"
        if not over:
            return
        log = end_of_log(self._logs, next(iter(over)))
        more = f"; {log}" if log else ""
        said = f"{named(over)} ended before its worker came ({self._kind} says '{words(over)}'{more})"
        for job in over:
            self._give_up(jobs[job])
        self._rounds += 1
        self._submit_at = time.monotonic() + (2.0**self._rounds * SECONDS_OF_A_ROUND if self._rounds > 1 else 0.0)
        if self._rounds >= ROUNDS and not working:
            raise NoWorkersError(
                f"jobs must live until their workers connect: {said}, and the jobs before ended in the same way",
                change="the cause that ends the jobs removed, or with other nodes in cluster.batch.directives",
            )
        self.complaint = f"{said}; submitting another"

    def close(self) -> None:
        """Cancel the jobs."""
        close_cluster(self._cluster, 2 * SECONDS_TO_CLOSE, self.client)

    def _submit(self) -> None:
        cluster: Any = self._cluster
        cluster.scale(jobs=self._jobs)
        end = time.monotonic() + SECONDS_TO_SUBMIT
        while not all(getattr(cluster.workers.get(name), "answered", False) for name in list(cluster.worker_spec)):
            if time.monotonic() > end:
                raise NoWorkersError(f"{self._kind} must take jobs: it has not answered for {SECONDS_TO_SUBMIT:.0f} s")
            time.sleep(SECONDS_BETWEEN_LOOKS)
        refused = {name: job.refused for name, job in cluster.workers.items() if job.refused}
        for name in refused:
            cluster.sync(cluster.workers.pop(name).close)
        if refused:
            reason = next(iter(refused.values()))
            raise NoWorkersError(
                f"{self._kind} must accept the jobs of cluster.batch: it says '{reason}'",
                change=f"values that {self._kind} accepts in the keys of cluster.batch that it names",
            )

    def _give_up(self, name: Any) -> None:
        """Forget a job that has ended, and cancel what may be left of it."""
        job = self._cluster.workers.pop(name, None)
        self._seen.discard(name)
        self._missed.pop(name, None)
        if job is not None:
            with contextlib.suppress(Exception):
                self._cluster.sync(job.close)


def _log_folder(folder: Path | None) -> Path:
    return (folder or Path()).absolute() / "jobs"


def job_script(cluster: ClusterSpec, folder: Path | None = None) -> str:
    """Job script that is submitted, with placeholders for the name of the job and the driver's address."""
    from dask import config

    with config.set(DASK_SETTINGS):
        job = _job_class(cluster.kind)(
            scheduler=f"{'tls' if cluster.encrypted else 'tcp'}://<driver>:<port>",
            name="<job>",
            **_job_options(cluster, folder),
            interface=cluster.batch.interface if cluster.batch else None,
            security=_security(cluster),
            protocol="tls://" if cluster.encrypted else None,
        )
    return job.job_script()


def _cluster(cluster: ClusterSpec, folder: Path | None) -> Any:
    from dask_jobqueue.core import JobQueueCluster

    batch = cluster.batch
    assert batch is not None
    options = scheduler_options(cluster.dashboard_port)
    if batch.port:
        options["port"] = batch.port
    if batch.host is not None:
        options["host"] = batch.host
    return JobQueueCluster(
        job_cls=_job_class(cluster.kind),
        security=_security(cluster),
        interface=batch.interface,
        scheduler_options=options,
        silence_logs="critical",
        **_job_options(cluster, folder),
    )


def _security(cluster: ClusterSpec) -> Any:
    return security_of(Path(cluster.certificates), make=True) if cluster.encrypted else None


def _job_class(kind: str) -> Any:
    """Job that keeps the batch system's refusal, instead of an error in a thread of Dask."""
    from dask_jobqueue.pbs import PBSJob
    from dask_jobqueue.slurm import SLURMJob
    from distributed.core import Status

    system: Any = SLURMJob if kind == "slurm" else PBSJob

    class Job(system):
        answered = False
        refused = ""

        async def start(self) -> None:
            try:
                await super().start()
            except (RuntimeError, ValueError, OSError) as error:
                self.refused = _reason(str(error))
                self.status = Status.running  # as Dask expects of what it has started
            self.answered = True

        async def close(self) -> None:
            await super().close()
            self.status = Status.closed

    return Job


def _reason(said: str) -> str:
    """Last line about an error in what a command printed."""
    lines = [line for line in said.splitlines() if "error:" in line.lower()]
    return lines[-1] if lines else " ".join(said.split())


def _job_options(cluster: ClusterSpec, folder: Path | None) -> dict[str, Any]:
    """Settings of one job."""
    batch = cluster.batch
    assert batch is not None
    life, spread = batch.life_s
    seconds = round(3600.0 * batch.wall_time_h)
    minutes, second = divmod(seconds, 60)
    return {
        "cores": batch.cores,
        "processes": batch.cores,
        "memory": f"{batch.memory_GB:g}GB",
        "walltime": f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}",
        "queue": batch.queue,
        "account": batch.account,
        "job_name": JOB_NAME,
        "job_extra_directives": list(batch.directives),
        "job_script_prologue": [*batch.commands, *_environment(batch)],
        "local_directory": batch.local_directory,
        "log_directory": str(_log_folder(folder)),
        "death_timeout": batch.orphan_s,
        # the workers' own pages are reached on their node alone
        "worker_extra_args": [
            "--lifetime", f"{life}s", "--lifetime-stagger", f"{spread}s",
            "--no-dashboard", "--dashboard-address", "127.0.0.1:0",
        ],
    }  # fmt: skip


def _environment(batch: BatchSpec) -> list[str]:
    """Shell lines before the workers start: one thread each, kernels compiled into a folder of the node's own.

    The folder is named after the source of the kernels: a kernel compiled from older source is never met. One that
    belongs to somebody else is refused.
    """
    folder = f"{batch.local_directory}/catenary-kernels-$(id -u)-{_source_hash()}"
    return [
        *(f"export {name}=1" for name in ONE_THREAD),
        *(f"export DASK_DISTRIBUTED__WORKER__MEMORY__{what}=False" for what in ("TARGET", "SPILL", "PAUSE")),
        *(f"export DASK_{key.upper().replace('.', '__').replace('-', '_')}={value}" for key, value in QUIET.items()),
        f'NUMBA_CACHE_DIR="{folder}"',
        'mkdir -m 700 -p "$NUMBA_CACHE_DIR" && [ -O "$NUMBA_CACHE_DIR" ] || NUMBA_CACHE_DIR=$(mktemp -d)',
        "export NUMBA_CACHE_DIR",
    ]


def _source_hash() -> str:
    digest = hashlib.sha256()
    for package in PACKAGES_WITH_KERNELS:
        root = Path(str(resources.files(package)))
        for file in sorted(root.rglob("*.py")):
            digest.update(f"{file.relative_to(root)}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:12]

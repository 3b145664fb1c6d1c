"""Validated description of where evaluations run: in the driver, on this machine, or on a cluster (SI units)."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from catenary.spec.components import Spec

__all__ = ["BATCH_KINDS", "BatchSpec", "ClusterSpec", "CostAlone", "WatchdogSpec"]

BATCH_KINDS = ("slurm", "pbs")
ADDRESS = re.compile(r"^(tls|tcp)://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$")
CostAlone = Annotated[
    bool, Field(description="measure a few evaluations, print the estimated core-hours, and submit and write nothing")
]
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def _one_line(text: str) -> str:
    if any(c in text for c in "\r\n\0"):
        raise ValueError("must be one line, for it becomes a line of a job script")
    return text


def _one_word(text: str) -> str:
    if not text or any(c.isspace() for c in _one_line(text)):
        raise ValueError(f"must be one word, for it becomes part of a job script: got {text!r}")
    return text


Line = Annotated[str, AfterValidator(_one_line)]
Word = Annotated[str, AfterValidator(_one_word)]

# how much longer than a point of the sweep one may take that is refined, its companions included
LONGER = 20.0


class WatchdogSpec(Spec):
    """Watchdog of workers that return nothing: requests them again, restarts them, then gives up (exit 75)."""

    silence_s: Annotated[float, Field(gt=0.0, le=86400.0)] = Field(
        default=60.0, description="shortest time without a finished evaluation that is a silence [s]"
    )
    medians: Annotated[float, Field(ge=1.0, le=1000.0)] = Field(
        default=20.0, description="the same as a multiple of the median time of an evaluation, where that is longer [-]"
    )
    no_workers_s: Annotated[float, Field(gt=0.0, le=86400.0)] = Field(
        default=30.0, description="longest time without any worker [s]"
    )


class BatchSpec(Spec):
    """Jobs on a batch system, each with one worker process a core."""

    jobs: Annotated[int, Field(ge=1, le=1000)] = Field(default=2, description="jobs at a time")
    cores: Annotated[int, Field(ge=1, le=256)] = Field(default=16, description="cores of a job, one worker on each")
    memory_GB: Annotated[float, Field(ge=0.25, le=4096.0)] = Field(default=32.0, description="memory of a job [GB]")
    wall_time_h: Annotated[float, Field(ge=0.01, le=2400.0)] = Field(
        default=24.0, description="time after which the batch system ends a job [h]"
    )
    worker_life_h: Annotated[float, Field(gt=0.0, le=2400.0)] | None = Field(
        default=None,
        description="time after which a worker ends of itself and another job takes its place [h]; without it 95 % of "
        "the wall time",
    )
    life_stagger_h: Annotated[float, Field(ge=0.0, le=240.0)] | None = Field(
        default=None,
        description="how far the ends of workers' lives are spread, so that not all end at once [h]; without it 4 % of "
        "the wall time",
    )
    queue: Word | None = Field(default=None, description="queue or partition; without it the system's own")
    account: Word | None = Field(default=None, description="account that is charged; without it the system's own")
    directives: tuple[Line, ...] = Field(
        default=(), max_length=50, description="further directives of the batch system, as --constraint=milan"
    )
    commands: tuple[Line, ...] = Field(
        default=(), max_length=50, description="shell commands at the start of a job, as module load python"
    )
    host: Word | None = Field(
        default=None, description="address under which the jobs reach the driver; without it the machine's own"
    )
    interface: Word | None = Field(
        default=None, description="network interface of driver and workers, as ib0; without it the system's choice"
    )
    port: Annotated[int, Field(ge=0, le=65535)] = Field(
        default=0, description="port of the driver that the jobs reach [-]; 0: any that is free"
    )
    local_directory: Word = Field(
        default="/tmp", description="folder on each node's own disk, for compiled kernels and the workers' files"
    )
    queue_wait_h: Annotated[float, Field(gt=0.0, le=2400.0)] = Field(
        default=24.0, description="how long jobs may wait in the queue before the watchdog takes it for a fault [h]"
    )
    orphan_s: Annotated[float, Field(ge=1.0, le=86400.0)] = Field(
        default=60.0, description="how long a worker outlives the driver that it has lost [s]"
    )

    @model_validator(mode="after")
    def _life_ends_before_the_job(self) -> Self:
        if self.worker_life_h is not None and self.worker_life_h >= self.wall_time_h:
            raise ValueError(
                f"worker_life_h must be below wall_time_h, {self.wall_time_h:g} h: got {self.worker_life_h:g} h"
            )
        if self.host is not None and self.interface is not None:
            raise ValueError("host must be left out where interface is given: either says how the driver is reached")
        return self

    @property
    def life_s(self) -> tuple[int, int]:
        """Life of a worker and its spread [s]; the longest life is still within the wall time."""
        wall = 3600.0 * self.wall_time_h
        life = 0.95 * wall if self.worker_life_h is None else 3600.0 * self.worker_life_h
        spread = 0.04 * wall if self.life_stagger_h is None else 3600.0 * self.life_stagger_h
        return max(1, round(life)), round(min(spread, wall - life))


class ClusterSpec(Spec):
    """Cluster that evaluates the designs; nothing here changes what a synchronous campaign finds."""

    kind: Literal["serial", "local", "slurm", "pbs", "address"] = Field(
        default="local",
        description="in the driver itself, in worker processes on this machine, in jobs of a batch system, or on the "
        "workers of a Dask scheduler that runs already",
    )
    workers: Annotated[int, Field(ge=1, le=256)] = Field(
        default=2, description="worker processes on this machine, for kind local"
    )
    time_limit_s: Annotated[float, Field(gt=0.0, le=86400.0)] = Field(
        default=120.0, description="longest wall time of one evaluation [s]; beyond it the design has failed"
    )
    retries: Annotated[int, Field(ge=0, le=10)] = Field(
        default=2, description="how often a design is tried again after its worker has died"
    )
    address: str | None = Field(
        default=None, description="where the scheduler listens, as tls://host:8786, for kind address"
    )
    transport: Literal["tls", "plain"] = Field(
        default="tls",
        description="how the driver speaks with workers beyond this machine; plain: anyone on the network can read "
        "and run what he likes",
    )
    certificates: str = Field(
        default="outputs/certificates",
        description="folder with the certificate and key of driver, scheduler and workers, which all of them read; "
        "made when the first job is submitted, or by catenary certificates",
    )
    dashboard_port: Annotated[int, Field(ge=1, le=65535)] | None = Field(
        default=None,
        description="port of Dask's live pages on this machine alone [-]; without it no pages are served",
    )
    driver_silence_s: Annotated[float, Field(ge=1.0, le=86400.0)] = Field(
        default=300.0,
        description="time without a sign of life after which a driver on another machine counts as dead and its "
        "campaign may be resumed [s]",
    )
    batch: BatchSpec | None = Field(default=None, description="jobs, for kinds slurm and pbs")
    watchdog: WatchdogSpec = WatchdogSpec()

    @property
    def wanted_workers(self) -> int | None:
        """Workers that there shall be; None where others start them."""
        if self.kind == "address":
            return None
        return self.batch.jobs * self.batch.cores if self.batch is not None else self.workers

    @property
    def for_assured(self) -> Self:
        """The same with the time of runs that estimate their numerical error: long ones are not a silence."""
        patient = self.watchdog.model_copy(update={"silence_s": LONGER * self.watchdog.silence_s})
        return self.model_copy(update={"time_limit_s": LONGER * self.time_limit_s, "watchdog": patient})

    @property
    def exposed(self) -> str:
        """Warning of who can run code as the user where driver and workers have no certificates; empty if nobody."""
        if self.kind == "address" and not self.encrypted:
            found = ADDRESS.match(self.address or "")
            here = found is not None and found[2] in LOOPBACK
            who = "every account of this machine" if here else "everyone who reaches it"
            return f"{self.address} has no certificate: {who} can run code as you there"
        if self.kind in BATCH_KINDS and not self.encrypted:
            return "cluster.transport=plain: everyone on the network of driver and jobs can run code as you"
        return ""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.kind in BATCH_KINDS) != (self.batch is not None):
            word = "given" if self.kind in BATCH_KINDS else "left out"
            raise ValueError(f"cluster.batch must be {word} for cluster.kind {self.kind}: use cluster={self.kind}")
        if self.kind != "address":
            if self.address is not None:
                raise ValueError(f"cluster.address must be left out for cluster.kind {self.kind}: use cluster=address")
            return self
        found = ADDRESS.match(self.address or "")
        if not found:
            raise ValueError(f"cluster.address must be such as tls://host:8786: got {self.address or 'nothing'}")
        if found[1] == "tls" and self.transport == "plain":
            raise ValueError(f"cluster.transport must be tls for {self.address}: got plain")
        if found[1] == "tcp" and self.transport != "plain" and found[2] not in LOOPBACK:
            raise ValueError(
                f"cluster.address must begin with tls:// beyond this machine: got {self.address}, where anyone on the "
                "network could read and run what he likes; start the scheduler with certificates, or say "
                "cluster.transport=plain"
            )
        return self

    @property
    def encrypted(self) -> bool:
        """Whether driver and workers speak over TLS with a certificate from a folder; cluster=local makes its own."""
        if self.kind == "address":
            return (self.address or "").startswith("tls://")
        return self.kind in BATCH_KINDS and self.transport == "tls"

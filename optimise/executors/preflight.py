"""Pre-flight checks of a cluster specification, before anything is written or submitted."""

from __future__ import annotations

import shutil
import socket
from importlib.util import find_spec
from pathlib import Path

from catenary.errors import InputError
from optimise.spec.cluster import BATCH_KINDS, ClusterSpec

__all__ = ["refuse_impossible"]

COMMANDS = {"slurm": ("sbatch", "squeue", "scancel"), "pbs": ("qsub", "qstat", "qdel")}
SECONDS_TO_ANSWER = 10.0


def refuse_impossible(cluster: ClusterSpec) -> None:
    """Refuse a cluster that cannot be had from here.

    Raises
    ------
    InputError
        If a command of the batch system, a library or a certificate is missing, or nothing listens at the address.
    """
    if cluster.kind in BATCH_KINDS:
        missing = [command for command in COMMANDS[cluster.kind] if shutil.which(command) is None]
        if missing:
            raise InputError(
                [
                    f"cluster={cluster.kind} must be used on a machine that has {' and '.join(missing)}: this one has "
                    "not; go to one that submits jobs, or use cluster=local"
                ]
            )
    if cluster.dashboard_port is not None and find_spec("bokeh") is None:
        raise InputError(
            [
                "cluster.dashboard_port must be left out where bokeh, which draws the pages, is not installed: "
                "see docs/how-to/cluster.md"
            ]
        )
    if cluster.encrypted:
        from optimise.executors.deployments.certificates import security_of

        security_of(Path(cluster.certificates), make=cluster.kind in BATCH_KINDS)
    if cluster.kind == "address":
        host, _, port = str(cluster.address).partition("://")[2].rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS_TO_ANSWER).close()
        except OSError as error:
            raise InputError(
                [
                    f"cluster.address must be where a Dask scheduler listens: {cluster.address} does not answer "
                    f"({error.strerror or error}); start one with dask scheduler"
                ]
            ) from error

"""Make a certificate with its key, and settings by which Dask's own commands use them.

catenary certificates run_dir=certificates

Whoever holds the folder belongs to the cluster: driver, scheduler and workers show the same certificate, and refuse
any other. With DASK_CONFIG=FOLDER, `dask scheduler` and `dask worker` take it, one thread a worker.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from catenary.errors import InputError
from catenary.spec.components import Spec
from studies.input.compose import Composed, compose_job
from studies.writing.run_folder import asked_folder

__all__ = ["JOB", "CertificatesJob", "compose", "run"]


class CertificatesJob(Spec):
    """Folder of a certificate."""

    run_dir: str = Field(default="outputs/certificates", description="folder of the certificate, its key and settings")
    renew: bool = Field(default=False, description="replace a certificate that is there")


JOB = CertificatesJob


def compose(overrides: list[str]) -> Composed[CertificatesJob]:
    """Resolve and validate the input."""
    return compose_job("certificates", JOB, overrides)


def run(composed: Composed[CertificatesJob]) -> int:
    """Make the certificate, and say how it is used."""
    from optimise.executors.deployments.certificates import CERTIFICATE, DAYS, make_certificates

    folder = asked_folder(composed.job.run_dir, Path(composed.job.run_dir))
    if (folder / CERTIFICATE).exists() and not composed.job.renew:
        raise InputError([f"run_dir must hold no certificate yet: {folder} has one; type renew=true to replace it"])
    make_certificates(folder)
    place = folder.absolute()
    print(f"Certificate, key and settings for {DAYS} days in {place}/, readable by you alone. A cluster of your own:")
    print(f"  DASK_CONFIG={place} dask scheduler --port 8786 --dashboard-address 127.0.0.1:8787")
    pages = "--dashboard-address 127.0.0.1:0"
    print(f"  DASK_CONFIG={place} dask worker tls://HOST:8786 --nthreads 1 --nworkers 16 {pages}")
    print(f"  catenary optimise cluster=address cluster.address=tls://HOST:8786 cluster.certificates={place}")
    return 0

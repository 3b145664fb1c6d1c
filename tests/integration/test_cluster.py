"""Campaigns on clusters: a real SLURM of one node, a scheduler that runs already, and the job script of PBS."""

import os
import sys
import time
from pathlib import Path

import pytest
from one_node_slurm import APT, OneNodeSlurm, missing

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "optimise"))

import cheap_evaluation  # noqa: E402 - found in the folder put on the path above
from cheap_evaluation import campaign_of, prepare_nothing  # noqa: E402

from optimise.campaign import run_campaign  # noqa: E402
from optimise.executors.processors import processor_type, read_processors  # noqa: E402

QMC = {"trials": 16, "sampler": {"kind": "qmc"}}


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    lacking = missing()
    if lacking:
        text = f"{', '.join(lacking)} not found; on Debian or Ubuntu run: {APT}"
        if os.environ.get("CI") == "true":
            pytest.fail(text)
        pytest.skip(text)
    running = OneNodeSlurm(tmp_path_factory.mktemp("slurm"))
    try:
        running.start()
        yield running
    finally:
        running.stop()


@pytest.fixture
def on_slurm(slurm, tmp_path, monkeypatch):
    """Cluster of two jobs with one worker each on the node, with changes; workers find the cheap evaluations."""
    for name, value in slurm.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(ROOT / "tests" / "optimise"))))

    def cluster(batch=None, **changes):
        jobs = {"jobs": 2, "cores": 1, "memory_GB": 0.5, "wall_time_h": 0.5, "host": "127.0.0.1", **(batch or {})}
        jobs = {"local_directory": str(tmp_path / "node"), "queue": "main", **jobs}
        return {"kind": "slurm", "certificates": str(tmp_path / "certificates"), "batch": jobs, **changes}

    return cluster


@pytest.fixture(scope="module")
def case():
    return cheap_evaluation.case_of()


def run(folder, case, cluster, evaluate="bowl", **content):
    campaign = campaign_of(**{**QMC, "cluster": cluster, **content})
    return run_campaign(campaign, case, folder, evaluate=getattr(cheap_evaluation, evaluate), prepare=prepare_nothing)


def table(result):
    return [(r.number, r.values, r.evaluation.sigma_N) for r in result.records]


def empty(slurm):
    """Wait until no job is left."""
    end = time.monotonic() + 30.0
    while slurm.ask("squeue", "--noheader"):
        assert time.monotonic() < end, slurm.ask("squeue")
        time.sleep(0.2)


def test_a_campaign_on_slurm_finds_what_one_in_the_driver_finds(slurm, on_slurm, tmp_path, case):
    there = run(tmp_path / "there", case, on_slurm())
    here = run(tmp_path / "here", case, {"kind": "serial"})
    assert table(there) == table(here)
    assert read_processors(tmp_path / "there") == [processor_type()]
    outputs = list((tmp_path / "there" / "jobs").glob("*.err"))
    assert len(outputs) == 2 and all("tls://127.0.0.1" in f.read_text() for f in outputs)
    assert not any("tcp://" in f.read_text() for f in outputs), "nothing beyond loopback is spoken in the clear"
    empty(slurm)

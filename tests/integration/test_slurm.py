"""Campaigns on a real SLURM of one node."""

import os
import threading
import time

import cheap_evaluation
import pytest
from cheap_evaluation import campaign_of, prepare_nothing
from cluster_campaigns import PATHS, QMC, SOON, run, table
from one_node_slurm import APT, OneNodeSlurm, missing

from optimise.executors.deployments import batch
from optimise.executors.processors import processor_type, read_processors
from optimise.search.campaign import Interrupted, load_result, run_campaign


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
    monkeypatch.setenv("PYTHONPATH", PATHS)

    def cluster(batch=None, **changes):
        jobs = {"jobs": 2, "cores": 1, "memory_GB": 0.5, "wall_time_h": 0.5, "host": "127.0.0.1", **(batch or {})}
        jobs = {"local_directory": str(tmp_path / "node"), "queue": "main", **jobs}
        return {"kind": "slurm", "certificates": str(tmp_path / "certificates"), "batch": jobs, **changes}

    return cluster


@pytest.fixture
def asked_often(monkeypatch):
    """Jobs are asked about every second, and those that have ended are submitted again ten times as soon."""
    monkeypatch.setattr(batch, "SECONDS_BETWEEN_QUESTIONS", 0.1 * batch.SECONDS_BETWEEN_QUESTIONS)
    monkeypatch.setattr(batch, "SECONDS_OF_A_ROUND", 0.1 * batch.SECONDS_OF_A_ROUND)


@pytest.fixture(scope="module")
def case():
    return cheap_evaluation.case_of()


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
    assert len(list((tmp_path / "node").glob("catenary-kernels-*"))) == 1, "one folder for the kernels of a node"
    outputs = list((tmp_path / "there" / "jobs").glob("*.err"))
    assert len(outputs) == 2 and all("tls://127.0.0.1" in f.read_text() for f in outputs)
    assert not any("tcp://" in f.read_text() for f in outputs), "nothing beyond loopback is spoken in the clear"
    empty(slurm)


def test_jobs_that_end_are_submitted_again(slurm, on_slurm, tmp_path, case):
    # a worker lives for some seconds only, and one job is cancelled by hand
    life = {"worker_life_h": 6.0 / 3600.0, "life_stagger_h": 0.0}
    cancelled = []

    def show(progress):
        if progress.done >= 3 and not cancelled:
            cancelled.append(slurm.ask("squeue", "--noheader", "--format=%i").split()[0])
            slurm.ask("scancel", cancelled[0])

    campaign = campaign_of(**{**QMC, "trials": 40, "cluster": on_slurm(life, watchdog=SOON, retries=5)})
    result = run_campaign(
        campaign, case, tmp_path / "c", progress=show, evaluate=cheap_evaluation.slower_bowl, prepare=prepare_nothing
    )
    assert cancelled
    assert [r.outcome.message for r in result.records] == [""] * 40
    assert len(list((tmp_path / "c" / "jobs").glob("*.err"))) > 2, "other jobs took the place of those that ended"
    empty(slurm)


@pytest.mark.usefixtures("asked_often")
def test_jobs_that_are_cancelled_before_their_workers_come_are_replaced(slurm, on_slurm, tmp_path, case, capfd):
    cancelled, over = [], threading.Event()

    def cancel():
        while not over.wait(0.2):
            # a job that stays would do the whole search before anybody asks for the other
            if len(found := slurm.ask("squeue", "--noheader", "--format=%i").split()) == 2:
                slurm.ask("scancel", *found)
                cancelled.extend(found)
                return

    thread = threading.Thread(target=cancel)
    thread.start()
    begin = time.monotonic()
    try:
        # nothing of a job is there yet when it is cancelled
        result = run(tmp_path, case, on_slurm({"commands": ["sleep 4"]}))
    finally:
        over.set()
        thread.join()
    assert cancelled and time.monotonic() - begin < 120.0
    assert [r.outcome.message for r in result.records] == [""] * QMC["trials"]
    said = capfd.readouterr().err
    assert "before its worker came (slurm says 'CANCELLED" in said and "submitting another" in said
    empty(slurm)


@pytest.mark.usefixtures("asked_often")
def test_a_job_script_that_fails_on_its_node_is_said_with_the_end_of_its_log(slurm, on_slurm, tmp_path, case, capfd):
    broken = on_slurm({"commands": ["echo 'the module railway is unknown' >&2; exit 3"]})
    begin = time.monotonic()
    with pytest.raises(Interrupted, match=r"jobs must live.*FAILED.*railway is unknown.*this command resumes") as ended:
        run(tmp_path, case, broken)
    assert ended.value.exit_code == 75 and time.monotonic() - begin < 120.0
    assert "railway is unknown" in capfd.readouterr().err, "said when it was seen, before giving up"
    assert [r.number for r in load_result(tmp_path).records if r.outcome is not None] == [0]
    mended = run(tmp_path, case, on_slurm())
    assert len([r for r in mended.records if r.outcome is not None]) == QMC["trials"]
    empty(slurm)


def test_a_batch_system_that_refuses_the_jobs_is_quoted(slurm, on_slurm, tmp_path, case):
    with pytest.raises(
        Interrupted,
        match=r"slurm must accept the jobs.*nvalid partition.*with values that slurm accepts.*cluster.batch",
    ):
        run(tmp_path, case, on_slurm({"queue": "nowhere"}))
    assert [r.number for r in load_result(tmp_path).records if r.outcome is not None] == [0]

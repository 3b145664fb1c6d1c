"""Workers that are gone, all of them, for good or for a while: detected, restarted or given up, no silent hang."""

import contextlib
import logging
import socket
import threading
import time

import cheap_evaluation
import psutil
import pytest
from cheap_evaluation import bowl, campaign_of, prepare_nothing
from cheap_sweep import AXES, plane, sweep_of

from optimise.executors import NoWorkersError, interruption, open_executor
from optimise.executors.deployments.deploy import deploy
from optimise.parameter_study.sweep import run_sweep
from optimise.search.campaign import Interrupted, load_result, run_campaign
from optimise.spec.cluster import ClusterSpec

SOON = {"silence_s": 4.0, "no_workers_s": 2.0}
CLUSTER = {"kind": "local", "workers": 2, "time_limit_s": 1.0, "watchdog": SOON}
TRIALS = 60


def workers():
    """Processes of the workers that this process has."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
    return found


class Killer(threading.Thread):
    """Kills every worker as soon as it is there, from the first result on, for a time or until it has to stop."""

    def __init__(self, seconds=float("inf")):
        super().__init__(daemon=True)
        self.begin, self.stop = threading.Event(), threading.Event()
        self.seconds = seconds

    def run(self):
        self.begin.wait()
        end = time.monotonic() + self.seconds
        while not self.stop.is_set() and time.monotonic() < end:
            for worker in workers():
                with contextlib.suppress(psutil.Error):
                    worker.kill()
            time.sleep(0.1)


@pytest.fixture
def killer():
    """Function that starts a killer, which ends with the test."""
    started = []

    def start(**arguments):
        started.append(Killer(**arguments))
        started[-1].start()
        return started[-1]

    yield start
    for thread in started:
        thread.stop.set()
        thread.begin.set()
        thread.join()


def run(folder, case, killer, **content):
    def show(progress):
        if progress.done >= 5:
            killer.begin.set()

    campaign = campaign_of(**{"trials": TRIALS, "sampler": {"kind": "qmc"}, "cluster": CLUSTER, **content})
    return run_campaign(
        campaign, case, folder, progress=show, evaluate=cheap_evaluation.slow_bowl, prepare=prepare_nothing
    )


def test_workers_killed_faster_than_they_start_end_the_campaign_with_a_word(tmp_path, case, killer, capfd):
    with pytest.raises(Interrupted) as ended:
        run(tmp_path, case, killer())
    assert ended.value.exit_code == 75
    assert "the same command resumes" in str(ended.value)
    said = capfd.readouterr().err
    assert "requesting workers again" in said
    kept = [r for r in load_result(tmp_path).records if r.outcome is not None]
    assert 5 <= len(kept) < TRIALS
    killed = run(tmp_path, case, Killer(), cluster={"kind": "serial"})
    assert [killed.records[r.number] for r in kept] == kept  # one in flight behind them may have stood between
    assert [r.number for r in killed.records] == list(range(TRIALS))


def test_workers_that_are_gone_for_a_while_are_restarted(tmp_path, case, killer, capfd):
    result = run(tmp_path, case, killer(seconds=3.0), cluster={**CLUSTER, "retries": 10})
    assert "Watchdog: " in capfd.readouterr().err
    assert [r.number for r in result.records] == list(range(TRIALS))
    assert all(r.outcome is not None and r.outcome.message == "" for r in result.records)


def test_a_refused_setting_is_named_where_the_command_is_said_to_resume(tmp_path, case, monkeypatch):
    def refused(*_, **__):
        raise NoWorkersError("slurm must take the jobs: it says 'no such queue'", change="another cluster.batch.queue")

    monkeypatch.setattr("optimise.search.campaign.open_executor", refused)
    monkeypatch.setattr("optimise.parameter_study.run.open_executor", refused)
    sentence = "no such queue': .* on record in .*; with another cluster.batch.queue, this command resumes from there$"
    with pytest.raises(Interrupted, match=sentence):
        run_campaign(campaign_of(), case, tmp_path / "c", evaluate=bowl, prepare=prepare_nothing)
    with pytest.raises(Interrupted, match=sentence):
        run_sweep(sweep_of(AXES), case, tmp_path / "s", evaluate=plane)


def test_an_address_where_no_scheduler_speaks_says_what_to_change(tmp_path, monkeypatch):
    def silent(*_, **__):
        raise OSError("timed out")

    monkeypatch.setattr("distributed.Client", silent)
    with pytest.raises(NoWorkersError, match="does not answer as a Dask scheduler does") as stop:
        deploy(ClusterSpec(kind="address", address="tcp://127.0.0.1:1"), tmp_path)
    assert "tls:// where it has a certificate, tcp:// where it has none" in interruption(stop.value, "")
    assert not logging.getLogger("distributed.client").isEnabledFor(logging.ERROR), "no traceback of Dask's own"


def test_a_port_that_accepts_and_says_nothing_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr("optimise.executors.deployments.deploy.SECONDS_TO_ANSWER", 0.3)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        address = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        cluster = ClusterSpec.model_validate({"kind": "address", "address": address, "watchdog": {"no_workers_s": 0.3}})
        with pytest.raises(NoWorkersError, match="accepted the connection and did not answer"):
            deploy(cluster, tmp_path)


@pytest.mark.parametrize(
    ("cluster", "who"),
    [
        ({"kind": "address", "address": "tcp://127.0.0.1:1"}, "every account of this machine"),
        ({"kind": "address", "address": "tcp://localhost:1"}, "every account of this machine"),
        ({"kind": "address", "address": "tcp://node17:1", "transport": "plain"}, "everyone who reaches it"),
        ({"kind": "slurm", "batch": {}, "transport": "plain"}, "everyone on the network"),
        ({"kind": "address", "address": "tls://localhost:1"}, ""),
        ({"kind": "slurm", "batch": {}}, ""),
        ({"kind": "local"}, ""),
    ],
)
def test_workers_without_a_certificate_are_warned_of(monkeypatch, cluster, who):
    said, spec = [], ClusterSpec.model_validate(cluster)

    def none(*_):
        raise NoWorkersError("none")

    monkeypatch.setattr("optimise.executors.dask_executor.WorkersExecutor", none)
    with pytest.raises(NoWorkersError), open_executor(spec, print, None, say=said.append):
        pass
    assert len(said) == bool(who) and all(f"{who} " in s and "run code as you" in s for s in said)

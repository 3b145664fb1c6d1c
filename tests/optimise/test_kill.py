"""Processes that end at any moment: nothing is lost, nothing is recorded twice, and the campaign continues."""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import cheap_evaluation
import psutil
import pytest
from cheap_evaluation import campaign_of, prepare_nothing

from optimise.evaluation.outcome import OutcomeStatus
from optimise.search.campaign import load_result, run_campaign
from optimise.search.progress import read_status

DRIVE = Path(__file__).with_name("drive.py")
TRIALS = 40


def start(folder, evaluate="slow_bowl", **content):
    command = [sys.executable, str(DRIVE), str(folder), evaluate, json.dumps({"trials": TRIALS, **content})]
    # where the tests run in the background, their shell has made them ignore Ctrl-C
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


def wait_for(driver, count):
    """Wait until a number of designs is done."""
    for line in driver.stdout:
        if int(line) >= count:
            return


def finish(folder, case, **content):
    """Resume in this process; where designs are evaluated may change."""
    campaign = campaign_of(**{"trials": TRIALS, **content, "cluster": {"kind": "serial"}})
    result = run_campaign(campaign, case, folder, evaluate=cheap_evaluation.bowl, prepare=prepare_nothing)
    assert [r.number for r in result.records] == list(range(campaign.trials))
    assert all(r.outcome is not None and r.outcome.number == r.number for r in result.records)
    return result


NSGA2 = {"sampler": {"kind": "nsga2", "population": 8}, "objectives": ["sigma", "uplift"], "synchronous": True}


@pytest.mark.parametrize("content", [{"sampler": {"kind": "qmc"}}, {"synchronous": True}, NSGA2], ids=str)
def test_kill_the_driver_at_random_moments_and_resume(tmp_path, case, content):
    chance = random.Random(1)
    recorded = []
    for _ in range(2):
        with start(tmp_path / "killed", **content) as driver:
            wait_for(driver, 0)
            time.sleep(chance.uniform(0.0, 0.3))
            driver.kill()
        result = load_result(tmp_path / "killed")
        assert read_status(tmp_path / "killed").state == "stopped"
        kept = [r for r in result.records if r.outcome is not None]
        assert kept[: len(recorded)] == recorded, "what was recorded must stay as it was"
        assert len(kept) < TRIALS
        recorded = kept
    killed = finish(tmp_path / "killed", case, **content)
    assert killed.records[: len(recorded)] == recorded
    whole = finish(tmp_path / "whole", case, **content)
    designs = [[(r.values, r.outcome.sigma_N) for r in found.records] for found in (killed, whole)]
    assert designs[0] == designs[1]
    names = [sorted(f.name for f in (tmp_path / part).rglob("*")) for part in ("killed", "whole")]
    assert names[0] == names[1]


LOCAL = {"cluster": {"kind": "local", "workers": 2}}


def test_kill_a_driver_with_workers_and_none_of_them_stays(tmp_path, case):
    with start(tmp_path, **LOCAL) as driver:
        wait_for(driver, 6)
        children = psutil.Process(driver.pid).children(recursive=True)
        driver.kill()
        assert children
        _, alive = psutil.wait_procs(children, timeout=15)
    assert not alive
    finish(tmp_path, case)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_in_the_terminal_and_a_request_to_end(tmp_path, case, sent):
    # more trials than can be done while a busy machine looks elsewhere
    with start(tmp_path, trials=10 * TRIALS, **LOCAL) as driver:
        wait_for(driver, 6)
        if sent == signal.SIGINT:
            os.killpg(driver.pid, sent)  # a terminal sends it to workers, too
        else:
            driver.send_signal(sent)
        out = driver.communicate(timeout=30)[0]
    assert driver.returncode == 75, out
    assert "was interrupted after" in out.strip().splitlines()[-1]
    assert "Traceback" not in out and "Warning" not in out, out
    finish(tmp_path, case, trials=10 * TRIALS)


def local(tmp_path, case, evaluate, **cluster):
    campaign = campaign_of(trials=20, cluster={"kind": "local", "workers": 2, **cluster})
    return run_campaign(campaign, case, tmp_path, evaluate=getattr(cheap_evaluation, evaluate), prepare=prepare_nothing)


def test_two_campaigns_run_side_by_side_on_one_machine(tmp_path, case):
    with contextlib.ExitStack() as stack:
        taken = stack.enter_context(socket.socket())
        with contextlib.suppress(OSError):  # someone else has Dask's usual port, which serves as well
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        assert len(local(tmp_path, case, "bowl").records) == 20


def reasons(result):
    return {r.number: r.outcome.message for r in result.records if r.outcome.message}


def test_a_worker_that_dies_is_replaced_and_its_designs_are_tried_again(tmp_path, case, monkeypatch):
    monkeypatch.setenv("CHEAP_EVALUATION_FLAG", str(tmp_path / "flag"))
    result = local(tmp_path / "c", case, "bowl_that_kills_its_worker_once")
    assert (tmp_path / "flag").exists()
    assert reasons(result) == {}
    assert len(result.records) == 20


@pytest.mark.parametrize("workers", [1, 2])
def test_a_design_that_kills_its_workers_has_failed_and_its_neighbours_have_not(tmp_path, case, workers):
    result = local(tmp_path, case, "bowl_that_always_kills_its_worker", workers=workers, retries=1)
    assert list(reasons(result)) == [4]
    assert result.records[4].outcome.status is OutcomeStatus.FAILED
    assert "ended 2 times" in reasons(result)[4]


def test_an_evaluation_that_never_ends_is_ended_with_its_process(tmp_path, case):
    begin = time.monotonic()
    result = local(tmp_path, case, "bowl_that_hangs", time_limit_s=0.2, retries=0)
    assert time.monotonic() - begin < 30.0
    assert list(reasons(result)) == [cheap_evaluation.TIME_LIMIT_NUMBER]
    assert "time limit 0.2 s" in reasons(result)[cheap_evaluation.TIME_LIMIT_NUMBER]


def test_an_error_on_a_worker_is_a_failure_with_its_reason(tmp_path, case):
    assert reasons(local(tmp_path, case, "bowl_that_raises")) == {2: "RuntimeError: broken on the worker"}

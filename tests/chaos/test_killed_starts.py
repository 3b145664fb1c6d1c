"""Kill -9 of workers within their first seconds, while they start: the campaign continues, its table is the same."""

import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from cheap_evaluation import bowl, campaign_of, prepare_nothing
from record_of import full, lost_and_twice

from optimise.search.campaign import run_campaign

DRIVE = Path(__file__).resolve().parents[1] / "optimise" / "drive.py"
FIRST_SECONDS = 6.0
AT_MOST = 20  # drivers of one campaign, each of which may end with code 75
CAMPAIGN = {"trials": 40, "sampler": {"kind": "qmc"}}


def workers(pid):
    """Worker processes of a driver, with the moment at which each began."""
    found = []
    try:
        family = psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return found
    for process in family:
        try:
            if "spawn_main" in " ".join(process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


class Killer:
    """Kills workers of one driver after another, each at a random moment of its first seconds."""

    def __init__(self, seed, kills):
        self.chance, self.left, self.seen = random.Random(seed), kills, set()

    def kill(self, driver):
        """Kill one worker that was not there before; False when the driver has ended instead."""
        while driver.poll() is None:
            for process in workers(driver.pid):
                if process.pid in self.seen:
                    continue
                self.seen.add(process.pid)
                due = process.create_time() + self.chance.uniform(0.0, FIRST_SECONDS)
                while time.time() < due and driver.poll() is None:
                    time.sleep(0.01)
                if driver.poll() is None and process.is_running():
                    process.kill()
                    self.left -= 1
                    return True
            time.sleep(0.01)
        return False


@pytest.mark.parametrize(
    ("kills", "a_run", "allowed"),
    [
        # a few deaths at a start do not stop a campaign
        pytest.param(3, 3, {0}, id="short"),
        full(50, 2, {0, 75}, minutes=60),
        full(50, 8, {0, 75}, minutes=60, name="many"),
    ],
)
def test_workers_killed_while_they_start(tmp_path, case, figures, kills, a_run, allowed):
    whole = run_campaign(campaign_of(**CAMPAIGN), case, tmp_path / "whole", evaluate=bowl, prepare=prepare_nothing)
    wanted = [(r.number, r.values, r.outcome.sigma_N, r.outcome.message) for r in whole.records]
    killer, codes, content = Killer(8, kills), [], {**CAMPAIGN, "cluster": {"kind": "local", "workers": 2}}
    campaigns = 0
    while killer.left > 0:
        folder = tmp_path / str(campaigns)
        campaigns += 1
        for _ in range(AT_MOST):
            codes.append(one_run(folder, content, killer, min(a_run, killer.left)))
            if codes[-1] != 75:
                break
        assert codes[-1] == 0, codes
        found = run_campaign(campaign_of(**CAMPAIGN), case, folder, evaluate=bowl, prepare=prepare_nothing)
        assert [(r.number, r.values, r.outcome.sigma_N, r.outcome.message) for r in found.records] == wanted
        assert lost_and_twice(folder, CAMPAIGN["trials"]) == (0, 0)
    figures(
        f"{kills} workers killed within {FIRST_SECONDS:g} s of their start in {campaigns} campaigns: of "
        f"{len(codes)} runs {codes.count(0)} to the end, {codes.count(75)} ended with 75; tables as undisturbed"
    )
    assert set(codes) <= allowed


def one_run(folder, content, killer, kills):
    """Exit code of a driver some of whose workers are killed."""
    command = [sys.executable, str(DRIVE), str(folder), "slow_bowl", json.dumps(content)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as driver:
        said = []
        reader = threading.Thread(target=lambda: said.extend(driver.stdout), daemon=True)
        reader.start()
        for _ in range(kills):
            if not killer.kill(driver):
                break
        code = driver.wait(timeout=300)
        reader.join(timeout=60)
    assert "Traceback" not in "".join(said), "".join(said)
    return code

"""Kill -9 of a worker, the driver or the whole process group at random moments of one long campaign, over and over.

After each kill the record still holds what it held, and every file is whole; at the end each design stands there once.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import xarray as xr
import yaml
from cheap_evaluation import bowl, campaign_of, prepare_nothing

from optimise.evaluation.outcome import OutcomeStatus
from optimise.search.campaign import load_result, run_campaign

DRIVE = Path(__file__).with_name("drive.py")
TRIALS = 300
VICTIMS = ("worker", "driver", "group")
CONTENT = {"trials": TRIALS, "sampler": {"kind": "random"}, "cluster": {"kind": "local", "workers": 2, "retries": 5}}


def start(folder):
    command = [sys.executable, str(DRIVE), str(folder), "slow_bowl", json.dumps(CONTENT)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0)


def under_way(driver):
    """Wait until designs are evaluated by workers; lines that say how many are done."""
    for line in driver.stdout:
        if line.strip().isdigit() and int(line) > 0:
            return
    pytest.fail(f"the driver ended with {driver.wait()} before it was killed")


def kill(driver, victim, chance):
    """Kill the victim, after a time that chance gives; no process stays behind."""
    time.sleep(chance.uniform(0.0, 0.6))
    family = psutil.Process(driver.pid).children(recursive=True)
    if victim == "worker":
        workers = [p for p in family if "spawn_main" in " ".join(p.cmdline())]
        assert workers, "a campaign on workers has some"
        chance.choice(workers).kill()
        time.sleep(chance.uniform(0.5, 1.5))  # the campaign continues with the other one and a replacement
        assert driver.poll() is None, "the death of a worker must not end the driver"
        driver.kill()
    elif victim == "driver":
        driver.kill()
    else:
        os.killpg(driver.pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(family, timeout=20)
    assert not alive


def recorded(folder):
    """Evaluations on record, by number; lines of the record are counted on."""
    found = [r for r in load_result(folder).records if r.outcome is not None]
    lines = (folder / "trials.jsonl").read_bytes().split(b"\n")[:-1]
    assert [json.loads(line)["line"] for line in lines] == list(range(1, len(lines) + 1))
    return {r.number: r for r in found}


def whole_files(folder):
    """Every file that a reader would open is the old one or the new one."""
    for file in folder.glob("*.yaml"):
        assert isinstance(yaml.safe_load(file.read_text(encoding="utf-8")), dict)
    for file in folder.glob("*.json"):
        assert json.loads(file.read_text(encoding="utf-8"))["schema_version"] == 1
    for file in folder.glob("trials.nc"):
        xr.load_dataset(file, engine="netcdf4").close()


def torment(folder, case, kills, seed):
    """Kill and resume that often, then finish; how many designs were on record after each kill."""
    chance, counts, kept = random.Random(seed), [], {}
    for k in range(kills):
        with start(folder) as driver:
            try:
                under_way(driver)
                kill(driver, VICTIMS[k % len(VICTIMS)], chance)
            finally:
                driver.kill()
        now = recorded(folder)
        assert {n: now.get(n) for n in kept} == kept, "what was recorded must stay as it was"
        kept = now
        counts.append(len(kept))
        whole_files(folder)
    campaign = campaign_of(**{**CONTENT, "cluster": {"kind": "serial"}})
    result = run_campaign(campaign, case, folder, evaluate=bowl, prepare=prepare_nothing)
    assert [r.number for r in result.records] == list(range(TRIALS))
    assert all(r.outcome is not None and r.outcome.number == r.number for r in result.records)
    assert all(r.outcome.status is OutcomeStatus.OK for r in result.records), "a kill is not a fault of a design"
    assert {n: result.records[n] for n in kept} == kept
    assert sorted(recorded(folder)) == list(range(TRIALS))
    whole_files(folder)
    assert [f for f in folder.glob(".*") if f.name != ".driver.lock"] == []
    return counts


def test_three_kills_of_one_campaign(tmp_path, case):
    counts = torment(tmp_path / "c", case, 3, seed=1)
    assert 0 < counts[0] < TRIALS and counts == sorted(counts), counts


@pytest.mark.validate
@pytest.mark.timeout(600)
def test_ten_kills_of_one_campaign(tmp_path, case):
    counts = torment(tmp_path / "c", case, 10, seed=2)
    print(counts)
    assert 0 < counts[0] < TRIALS and counts == sorted(counts), counts

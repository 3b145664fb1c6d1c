"""Kill -9 of the driver at random moments and resume, over and over: the table at the end is that of a quiet run."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
import xarray as xr
from cheap_evaluation import bowl, campaign_of, prepare_nothing
from cheap_sweep import plane, sweep_of
from record_of import full, lost_and_twice

from optimise.parameter_study.sweep import SweepFolder, load_sweep, run_sweep
from optimise.search.campaign import load_result, run_campaign

PROGRAMS = Path(__file__).resolve().parents[1] / "optimise"
CAMPAIGN = {"sampler": {"kind": "qmc"}, "cluster": {"kind": "local", "workers": 2}}
# times and addresses of a run, not its results
OF_THE_RUN = ["wall_time", "wall_time_s"]


def kill_at_a_random_moment(command, chance, early):
    """Start a driver and kill it: while it starts, or some time after it has recorded its first result."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as driver:
        if not early:
            said = []
            for line in driver.stdout:
                said.append(line)
                if line.strip().isdigit() and int(line) > int(said[0] if said[0].strip().isdigit() else 0):
                    break
            assert driver.poll() is None or driver.returncode == 0, said
        time.sleep(chance.uniform(0.0, 3.0 if early else 1.0))
        family = []
        if driver.poll() is None:
            family = psutil.Process(driver.pid).children(recursive=True)
        ended = driver.poll() is not None
        driver.kill()
        _, alive = psutil.wait_procs(family, timeout=60)
        assert not alive, "no process stays behind"
        return ended


def same_table(one, other):
    """Whether two files hold the same figures bit for bit, apart from the times that they took."""
    tables = [xr.load_dataset(file, engine="netcdf4").drop_vars(OF_THE_RUN, errors="ignore") for file in (one, other)]
    return tables[0].identical(tables[1].assign_attrs(tables[0].attrs)) and all(
        tables[0][name].values.tobytes() == tables[1][name].values.tobytes()
        for name in tables[0].variables
        if np.issubdtype(tables[0][name].dtype, np.number)
    )


@pytest.mark.parametrize(("kills", "trials"), [pytest.param(2, 120, id="short"), full(20, 2500, minutes=40)])
def test_a_campaign_by_quasi_monte_carlo(tmp_path, case, figures, kills, trials):
    chance, kept, counts, over = random.Random(5), {}, [], 0
    content = {"trials": trials, **CAMPAIGN}
    command = [sys.executable, PROGRAMS / "drive.py", tmp_path / "killed", "slow_bowl", json.dumps(content)]
    lost = 0
    for k in range(kills):
        over += kill_at_a_random_moment([str(c) for c in command], chance, early=k % 4 == 3)
        now = {r.number: r for r in load_result(tmp_path / "killed").records if r.outcome is not None}
        lost += sum(now.get(number) != record for number, record in kept.items())
        kept = now
        counts.append(len(kept))
    assert over == 0 and counts[-1] < trials, "the campaign must not be over before the last kill"
    quiet = {**content, "cluster": {"kind": "serial"}}
    for name in ("killed", "whole"):
        run_campaign(campaign_of(**quiet), case, tmp_path / name, evaluate=bowl, prepare=prepare_nothing)
    unfinished, twice = lost_and_twice(tmp_path / "killed", trials)
    same = same_table(tmp_path / "killed" / "trials.nc", tmp_path / "whole" / "trials.nc")
    figures(
        f"{kills} kills of the driver within {trials} designs (on record after each: {counts}): {lost + unfinished} "
        f"lost, {twice} twice, table {'identical' if same else 'DIFFERENT'}"
    )
    assert (lost, unfinished, twice, same) == (0, 0, 0, True)


@pytest.mark.parametrize(
    ("kills", "points"), [pytest.param(2, (2, 20, 2), id="short"), full(20, (20, 60, 20), minutes=40)]
)
def test_a_grid(tmp_path, case, figures, kills, points):
    chance, kept, counts, lost, over = random.Random(6), {}, [], 0, 0
    axes = {
        "contact.stiffness": np.linspace(5e4, 2e5, points[0]).tolist(),
        "speed_kmh": np.linspace(200.0, 340.0, points[1]).tolist(),
        "catenary.damping.alpha": np.linspace(0.0, 0.1, points[2]).tolist(),
    }
    command = [sys.executable, PROGRAMS / "cheap_sweep.py", tmp_path / "killed", json.dumps(axes)]
    for k in range(kills):
        over += kill_at_a_random_moment([str(c) for c in command], chance, early=k % 4 == 3)
        now = load_sweep(tmp_path / "killed").points
        lost += sum(now.get(index) != point for index, point in kept.items())
        kept = now
        counts.append(len(kept))
    assert over == 0 and counts[-1] < np.prod(points), "the sweep must not be over before the last kill"
    for name in ("killed", "whole"):
        run_sweep(sweep_of(axes), case, tmp_path / name, evaluate=plane)
    lines = SweepFolder(tmp_path / "killed").record.read_bytes().splitlines()
    numbers = [json.loads(line)["strand"] for line in lines]
    twice = len(numbers) - len(set(numbers))
    same = same_table(tmp_path / "killed" / "result.nc", tmp_path / "whole" / "result.nc")
    figures(
        f"{kills} kills of the driver within {np.prod(points)} points (on record after each: {counts}): {lost} lost, "
        f"{twice} twice, table {'identical' if same else 'DIFFERENT'}"
    )
    assert (lost, twice, same) == (0, 0, True)

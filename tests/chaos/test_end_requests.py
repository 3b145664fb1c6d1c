"""Ctrl-C and SIGTERM at random moments from the first line to the last: code 75 or all done, one sentence each time."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from record_of import full

DRIVE = Path(__file__).with_name("drive_command.py")
ROOT = DRIVE.parents[2]
LOCAL = ("cluster=local", "cluster.workers=2")
AXES = "sweep.axes={contact.stiffness:[50e3,2e5],speed_kmh:[250,300],catenary.damping.alpha:[0.0,0.1]}"
# short ones: what is asked as a command starts or closes is what once went wrong
COMMANDS = {
    "optimise": ("optimise", "experiment=oc1_heights", "campaign=c", "trials=24", "sampler=random", *LOCAL),
    "optimise_serial": ("optimise", "experiment=oc1_heights", "campaign=c", "trials=24", "cluster=serial"),
    "sweep": ("sweep", AXES, "sweep.name=s", "error_estimate=false", *LOCAL),
}
# longest time of an ending: what is evaluated is given up, what Dask does not close in time is left behind [s]
SECONDS_TO_END = 40.0
# longest time of the run that nobody asks to end, which may compile kernels first on a busy machine [s]
SECONDS_UNDISTURBED = 600.0


def begun(folder, arguments):
    """The command, listening."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "optimise")])}
    driver = subprocess.Popen(
        [sys.executable, str(DRIVE), *arguments], cwd=folder, env=environment, text=True, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    caught = f"/proc/{driver.pid}/status"
    while driver.poll() is None:
        mask = next(line for line in Path(caught).read_text().splitlines() if line.startswith("SigCgt"))
        if int(mask.split()[1], 16) >> (signal.SIGTERM - 1) & 1:
            break
        time.sleep(0.001)
    return driver


def ended(driver, seconds=SECONDS_TO_END):
    """What a driver said on its error stream, once it has ended."""
    try:
        return driver.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        os.killpg(driver.pid, signal.SIGKILL)
        raise


@pytest.mark.parametrize(
    ("what", "times"),
    [
        *(pytest.param(name, 3, id=f"{name}-short") for name in COMMANDS),
        *(full(name, 60, minutes=60, name=name) for name in COMMANDS),
    ],
)
def test_a_request_to_end_at_any_moment(tmp_path, figures, what, times):
    chance, codes, longest = random.Random(what), Counter(), 0.0
    start = time.monotonic()
    driver = begun(tmp_path, COMMANDS[what])
    assert (said := ended(driver, SECONDS_UNDISTURBED), driver.returncode)[1] == 0, said
    whole = time.monotonic() - start
    for k in range(times):
        folder = tmp_path / str(k)
        folder.mkdir()
        driver = begun(folder, COMMANDS[what])
        with_terminal = chance.random() < 0.3  # which asks all processes of the command
        sent = signal.SIGINT if with_terminal else chance.choice([signal.SIGINT, signal.SIGTERM])
        try:
            driver.wait(chance.uniform(0.0, 1.05 * whole))
        except subprocess.TimeoutExpired:
            (os.killpg if with_terminal else os.kill)(driver.pid, sent)
        asked = time.monotonic()
        if chance.random() < 0.3 and driver.poll() is None:
            time.sleep(chance.uniform(0.0, 0.5))
            driver.send_signal(sent)
        said = ended(driver)
        longest = max(longest, time.monotonic() - asked)
        codes[driver.returncode] += 1
        where = f"request {k}: {sent.name}, code {driver.returncode}, said: {said}"
        assert driver.returncode in (0, 75), where
        for word in ("Traceback", "Error", "Exception", "Warning"):
            assert word not in said, where
        if driver.returncode == 75:
            assert said.count("nterrupted") + said.count("the same command resumes") >= 1, where
    figures(f"{times} requests: codes {dict(codes)}; the longest ending took {longest:.1f} s")

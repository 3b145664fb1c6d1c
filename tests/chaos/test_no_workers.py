"""Workers killed faster than they start, and a scheduler that is killed: detected, restarted or ended with code 75.

Shortened by the watchdog's waiting times: workers in tests/optimise/test_no_workers.py, a scheduler that stays away in
tests/integration/test_cluster.py, one that comes back here.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from cheap_evaluation import bowl, campaign_of, prepare_nothing
from record_of import full, lost_and_twice

from optimise.search.campaign import load_result, run_campaign

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "optimise"
SOON = {"silence_s": 4.0, "no_workers_s": 2.0}
AS_CONF_HAS_IT = {}
DETECTED_S = 60.0


class Driver:
    """A campaign in a process of its own; what it says, with the time."""

    def __init__(self, folder, trials, cluster):
        content = {"trials": trials, "sampler": {"kind": "qmc"}, "cluster": cluster}
        command = [sys.executable, str(PROGRAMS / "drive.py"), str(folder), "slow_bowl", json.dumps(content)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def until(self, wanted):
        """Next line that is wanted, and when it came; None at the end of the process."""
        for line in self.process.stdout:
            if wanted(line):
                return line.strip(), time.monotonic()
        return None, time.monotonic()

    def end(self):
        for process in [*family(self.process.pid), self.process]:
            process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


def family(pid):
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


@pytest.fixture
def started():
    """Processes that end with the test, whatever happens."""
    found = []
    yield found
    for one in found:
        one.end()


def kill_all_workers(pid, seconds, over, longest):
    """Kill every worker of a driver, over and over."""
    end = time.monotonic() + longest
    while not over.is_set() and time.monotonic() < end:
        for process in family(pid):
            try:
                if "spawn_main" in " ".join(process.cmdline()):
                    process.kill()
            except psutil.Error:
                continue
        time.sleep(seconds)


def done(count):
    return lambda line: line.strip().isdigit() and int(line) >= count


def about_workers(line):
    return line.startswith("Watchdog: ") or "the same command resumes" in line


def resumed(folder, case, trials, kept):
    """Designs lost, and recorded twice, after the rest was evaluated in this process."""
    quiet = campaign_of(trials=trials, sampler={"kind": "qmc"}, cluster={"kind": "serial"})
    result = run_campaign(quiet, case, folder, evaluate=bowl, prepare=prepare_nothing)
    unfinished, twice = lost_and_twice(folder, trials)
    return unfinished + sum(result.records[r.number] != r for r in kept), twice


def recorded(folder):
    return [r for r in load_result(folder).records if r.outcome is not None]


@pytest.mark.parametrize("watchdog", [full(AS_CONF_HAS_IT, minutes=20)])
@pytest.mark.parametrize("pace", [0.2, 1.0])
def test_workers_are_killed_faster_than_they_start(tmp_path, case, figures, started, watchdog, pace):
    trials, over = 2000, threading.Event()
    cluster = {"kind": "local", "workers": 2, "retries": 10, "time_limit_s": 5.0, "watchdog": watchdog}
    driver = Driver(tmp_path, trials, cluster)
    started.append(driver)
    assert driver.until(done(20))[0]
    begin = time.monotonic()
    threading.Thread(target=kill_all_workers, args=(driver.process.pid, pace, over, 900.0), daemon=True).start()
    try:
        word, at = driver.until(about_workers)
        last, end = driver.until(lambda line: "the same command resumes" in line)
        code = driver.process.wait(timeout=60)
    finally:
        over.set()
    assert word is not None and last is not None and code == 75, (word, last, code)
    kept = recorded(tmp_path)
    lost, twice = resumed(tmp_path, case, trials, kept)
    figures(
        f"all workers killed every {pace} s: said after {at - begin:.0f} s ({word[:60]} ...), code {code} after "
        f"{end - begin:.0f} s with {len(kept)} of {trials} on record; resumed: {lost} lost, {twice} twice"
    )
    assert at - begin <= DETECTED_S
    assert (lost, twice) == (0, 0)


class Program:
    """A program of Dask."""

    def __init__(self, *arguments):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(PROGRAMS)))}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments], env=environment, text=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def end(self):
        Driver.end(self)


def scheduler_and_workers(started, port):
    scheduler = Program("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    started.append(scheduler)
    limits = ("--nworkers", "2", "--nthreads", "1", "--no-dashboard", "--death-timeout", "60")
    started.append(Program("worker", f"tcp://127.0.0.1:{port}", *limits))
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return scheduler
        time.sleep(0.2)
    pytest.fail("the scheduler does not listen")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.mark.parametrize(
    ("watchdog", "comes_back"),
    [
        pytest.param(SOON, True, id="short"),
        full(AS_CONF_HAS_IT, False, minutes=20, name="away-full"),
        full(AS_CONF_HAS_IT, True, minutes=20, name="back-full"),
    ],
)
def test_the_scheduler_is_killed(tmp_path, case, figures, started, watchdog, comes_back):
    port, trials = free_port(), 400
    scheduler = scheduler_and_workers(started, port)
    address = {"kind": "address", "address": f"tcp://127.0.0.1:{port}", "retries": 10}
    driver = Driver(tmp_path, trials, {**address, "watchdog": watchdog})
    started.append(driver)
    assert driver.until(done(20))[0]
    scheduler.process.kill()
    begin = time.monotonic()
    if comes_back:
        scheduler.process.wait()
        scheduler_and_workers(started, port)
        more, at = driver.until(lambda line: about_workers(line) or done(trials)(line))
    else:
        more, at = driver.until(about_workers)
    driver.until(lambda line: False)
    code, end = driver.process.wait(timeout=60), time.monotonic()
    kept = recorded(tmp_path)
    lost, twice = resumed(tmp_path, case, trials, kept)
    figures(
        f"scheduler killed{', another one started' if comes_back else ''}: said after {at - begin:.0f} s, code {code} "
        f"after {end - begin:.0f} s with {len(kept)} of {trials} on record; resumed: {lost} lost, {twice} twice"
    )
    assert more is not None and at - begin <= DETECTED_S
    assert code == 75 or (comes_back and code == 0)
    assert (lost, twice) == (0, 0)

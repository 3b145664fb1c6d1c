"""A driver that is stopped for a moment, again and again, as on a busy machine: no design fails, none is lost."""

import json
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from record_of import full, lost_and_twice

from optimise.search.campaign import load_result

DRIVE = Path(__file__).resolve().parents[1] / "optimise" / "drive.py"
SECONDS_STOPPED = 0.75


class Driver:
    """A campaign in a process of its own, which counts its designs aloud."""

    def __init__(self, folder, evaluate, trials):
        content = {"trials": trials, "sampler": {"kind": "qmc"}, "cluster": {"kind": "local", "workers": 2}}
        command = [sys.executable, str(DRIVE), str(folder), evaluate, json.dumps(content)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.done, self.said = 0, []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            if line.strip().isdigit():
                self.done = int(line)
            else:
                self.said.append(line)

    def until(self, count):
        """Wait until so many designs are done, or the driver has ended."""
        while self.done < count and self.process.poll() is None:
            time.sleep(0.002)

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(SECONDS_STOPPED)
        self.process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize(
    ("evaluate", "trials", "pauses"),
    [
        pytest.param("bowl", 200, 6, id="short"),
        full("bowl", 3000, 150, minutes=30, name="cheap-full"),
        full("slow_bowl", 500, 150, minutes=30, name="30ms-full"),
    ],
)
def test_a_driver_stopped_again_and_again(tmp_path, figures, evaluate, trials, pauses):
    chance, begin, stopped = random.Random(7), time.monotonic(), 0
    driver = Driver(tmp_path, evaluate, trials)
    try:
        for k in range(pauses):
            driver.until(2 + k * (trials - 2) // pauses)
            time.sleep(chance.uniform(0.0, 0.02))
            if driver.process.poll() is None:
                driver.pause()
                stopped += 1
        code = driver.process.wait(timeout=600)
        driver.reader.join(timeout=60)
    finally:
        driver.process.send_signal(signal.SIGCONT)
        driver.process.kill()
        driver.process.wait()
        driver.process.stdout.close()
    reasons = [r.outcome.message for r in load_result(tmp_path).records if r.outcome.message]
    lost, twice = lost_and_twice(tmp_path, trials)
    figures(
        f"{stopped} pauses of {SECONDS_STOPPED} s through {trials} designs in {time.monotonic() - begin:.0f} s: "
        f"{len(reasons)} failed, {lost} lost, {twice} twice, code {code}"
    )
    assert stopped == pauses
    assert (code, reasons, lost, twice) == (0, [], 0, 0), driver.said

"""Kill -9 of a random worker, over and over: nothing is lost, nothing recorded twice, and the rate holds."""

import random
import threading
import time

import psutil
import pytest
from cheap_evaluation import bowl_of_a_tenth, campaign_of, prepare_nothing
from record_of import full, lost_and_twice

from optimise.campaign import run_campaign

KEPT = 0.75  # share of the undisturbed rate


def workers():
    """Processes of this one's cluster that evaluate."""
    return [p for p in psutil.Process().children(recursive=True) if evaluates(p)]


def evaluates(process):
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:
        return False


class Killer(threading.Thread):
    """Kills a random worker at even times until it is told to stop."""

    def __init__(self, seconds, seed):
        super().__init__(daemon=True)
        self.chance, self.seconds, self.kills, self.over = random.Random(seed), seconds, 0, threading.Event()

    def run(self):
        while not self.over.wait(self.seconds):
            if found := workers():
                self.chance.choice(found).kill()
                self.kills += 1


def run(folder, case, trials, number, seconds=None):
    """Campaign, its rate in designs per second between first and last, and how many workers were killed."""
    campaign = campaign_of(
        trials=trials, sampler={"kind": "random"}, cluster={"kind": "local", "workers": number, "retries": 10}
    )
    killer, times = Killer(seconds or 1.0, seed=1), []

    def show(progress):
        if not times and seconds is not None:
            killer.start()
        times.append((time.monotonic(), progress.done))

    try:
        result = run_campaign(campaign, case, folder, progress=show, evaluate=bowl_of_a_tenth, prepare=prepare_nothing)
    finally:
        killer.over.set()
    (begin, first), (end, last) = times[0], times[-1]
    return result, (last - first) / (end - begin), killer.kills


@pytest.mark.parametrize(
    ("trials", "number", "seconds"), [pytest.param(150, 4, 1.5, id="short"), full(2000, 4, 3.0, minutes=20)]
)
def test_a_random_worker_is_killed_every_few_seconds(tmp_path, case, figures, trials, number, seconds):
    _, undisturbed, _ = run(tmp_path / "quiet", case, max(100, trials // 4), number)
    result, rate, kills = run(tmp_path / "killed", case, trials, number, seconds)
    lost, twice = lost_and_twice(tmp_path / "killed", trials)
    failures = [r.evaluation.message for r in result.records if r.evaluation.message]
    figures(
        f"{trials} designs of 0.1 s on {number} workers, {kills} killed: {lost} lost, {twice} twice, {rate:.1f} a "
        f"second, {100 * rate / undisturbed:.0f} % of {undisturbed:.1f} undisturbed"
    )
    assert (lost, twice, failures) == (0, 0, [])
    assert kills >= 2
    assert rate > 0.0
    if trials >= 1000:  # in a short run the start of one worker weighs as much as the whole rest
        assert rate >= KEPT * undisturbed

"""Kill -9 of a random worker, over and over: nothing is lost, nothing recorded twice, and the rate holds."""

import random
import threading
import time

import psutil
import pytest
from cheap_evaluation import bowl_of_a_tenth, campaign_of, prepare_nothing
from record_of import full, lost_and_twice

from optimise.search.campaign import run_campaign

KEPT = 0.75  # share of the undisturbed rate


def workers():
    """Processes of this one's cluster that evaluate."""
    return [p for p in psutil.Process().children(recursive=True) if evaluates(p)]


def evaluates(process):
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:
        return False


class Killer:
    """Kills a random worker of this process at even times, or each time that so many designs are done."""

    def __init__(self, seed, seconds=None, designs=None):
        self.chance, self.seconds, self.designs, self.kills, self.over = random.Random(seed), seconds, designs, 0, None

    def kill(self):
        if found := workers():
            self.chance.choice(found).kill()
            self.kills += 1

    def saw(self, progress):
        """Take the progress of the campaign."""
        if self.designs is not None and progress.done // self.designs > self.kills:
            self.kill()
        if self.seconds is not None and self.over is None:
            self.over = threading.Event()
            threading.Thread(target=self._kill_at_even_times, daemon=True).start()

    def stop(self):
        if self.over is not None:
            self.over.set()

    def _kill_at_even_times(self):
        while not self.over.wait(self.seconds):
            self.kill()


def run(folder, case, trials, number, killer):
    """Campaign, and its rate in designs per second from the first one recorded to the last."""
    cluster = {"kind": "local", "workers": number, "retries": 10}
    campaign, times = campaign_of(trials=trials, sampler={"kind": "random"}, cluster=cluster), []

    def show(progress):
        times.append((time.monotonic(), progress.done))
        if killer is not None:
            killer.saw(progress)

    try:
        result = run_campaign(campaign, case, folder, progress=show, evaluate=bowl_of_a_tenth, prepare=prepare_nothing)
    finally:
        if killer is not None:
            killer.stop()
    begin, first = next((t, done) for t, done in times if done > 1)
    end, last = times[-1]
    return result, (last - first) / (end - begin)


@pytest.mark.parametrize("number", [2, 4])
@pytest.mark.parametrize(("trials", "pace"), [full(2000, {"seconds": 3.0}, minutes=30)])
def test_the_rate_holds_when_a_random_worker_is_killed_every_three_seconds(
    tmp_path, case, figures, trials, pace, number
):
    _, undisturbed = run(tmp_path / "quiet", case, trials // 4, number, None)
    share, kills = nothing_is_lost(tmp_path, case, figures, trials, number, pace, undisturbed)
    assert kills >= 5
    assert share >= KEPT


def test_random_workers_are_killed(tmp_path, case, figures):
    """Shortened: the rate of a short run is that of starting workers."""
    _, kills = nothing_is_lost(tmp_path, case, figures, 90, 2, {"designs": 30}, 20.0)
    assert kills == 3


def nothing_is_lost(tmp_path, case, figures, trials, number, pace, undisturbed):
    killer = Killer(1, **pace)
    result, rate = run(tmp_path / "killed", case, trials, number, killer)
    lost, twice = lost_and_twice(tmp_path / "killed", trials)
    figures(
        f"{trials} designs of 0.1 s on {number} workers, {killer.kills} killed: {lost} lost, {twice} twice, "
        f"{rate:.1f} a second, {100 * rate / undisturbed:.0f} % of {undisturbed:.1f}"
    )
    assert (lost, twice) == (0, 0)
    assert [r.outcome.message for r in result.records if r.outcome.message] == []
    return rate / undisturbed, killer.kills

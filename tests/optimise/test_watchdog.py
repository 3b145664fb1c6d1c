"""Silence is detected when it is due, and answered in three steps, at most once each before work comes back."""

from types import SimpleNamespace

import pytest

from optimise.executors.dask_executor import WorkersExecutor
from optimise.executors.watchdog import Step, Watchdog
from optimise.spec.cluster import WatchdogSpec


class Clock:
    """Time that passes when a test says so."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def steps(dog, clock, seconds, tasks=2, workers=2):
    """What the watchdog asks for while a time passes, with the moment of each step."""
    begin, found = clock.now, []
    while clock.now < begin + seconds:
        clock.now += 1.0
        asked = dog.look(tasks, workers)
        if asked is not None:
            found.append((asked[0], clock.now - begin))
            dog.stepped()
    return found


def test_a_silence_is_detected_after_its_time_and_the_workers_restarted_only_after_the_time_limit(clock):
    dog = Watchdog(WatchdogSpec(silence_s=60.0), 100.0, clock=clock)
    found = steps(dog, clock, 1000.0)
    assert found[:3] == [(Step.ASK_AGAIN, 60.0), (Step.RESTART, 220.0), (Step.GIVE_UP, 380.0)]


@pytest.mark.parametrize(("median", "silence"), [(0.1, 60.0), (10.0, 200.0)])
def test_a_silence_is_long_against_the_median_of_the_evaluations(clock, median, silence):
    dog = Watchdog(WatchdogSpec(silence_s=60.0, medians=20.0), 1.0, clock=clock)
    for seconds in (0.5 * median, median, median, 40.0 * median):
        dog.finished(seconds)
    assert dog.silence == silence
    assert steps(dog, clock, silence) == [(Step.ASK_AGAIN, silence)]


def test_without_workers_no_time_limit_is_waited_for(clock):
    dog = Watchdog(WatchdogSpec(no_workers_s=30.0), 1000.0, clock=clock)
    assert [s for s, _ in steps(dog, clock, 90.0, workers=0)] == list(Step)


def test_work_that_comes_back_begins_the_steps_again(clock):
    dog = Watchdog(WatchdogSpec(silence_s=60.0), 1.0, clock=clock)
    assert [s for s, _ in steps(dog, clock, 60.0)] == [Step.ASK_AGAIN]
    dog.finished(0.1)
    assert [s for s, _ in steps(dog, clock, 60.0)] == [Step.ASK_AGAIN]


def test_workers_that_come_and_go_without_work_are_a_silence_too(clock):
    dog = Watchdog(WatchdogSpec(silence_s=60.0, no_workers_s=30.0), 1.0, clock=clock)
    found = []
    for _ in range(100):
        found += steps(dog, clock, 5.0, workers=0) + steps(dog, clock, 2.0, workers=1)
    assert [s for s, _ in found[:3]] == list(Step)


def test_a_driver_with_nothing_to_do_is_not_a_silence(clock):
    dog = Watchdog(WatchdogSpec(), 1.0, clock=clock)
    assert steps(dog, clock, 500.0, tasks=0, workers=0) == []
    assert [t for _, t in steps(dog, clock, 61.0)] == [60.0]


def test_jobs_may_wait_in_a_queue_and_their_wait_is_not_a_silence(clock):
    dog = Watchdog(WatchdogSpec(silence_s=60.0, no_workers_s=30.0), 1.0, wait=3600.0, clock=clock)
    assert steps(dog, clock, 3000.0, workers=0) == []
    assert [t for _, t in steps(dog, clock, 61.0)] == [61.0], "the silence begins when the first worker comes"
    assert [s for s, _ in steps(dog, clock, 3700.0, workers=0)] == [Step.RESTART]


def test_workers_that_have_not_answered_yet_are_said_to_compile_and_the_watchdog_speaks_later(clock):
    dog, said = Watchdog(WatchdogSpec(silence_s=60.0), 1.0, clock=clock), []
    executor = WorkersExecutor.__new__(WorkersExecutor)
    executor._watchdog, executor._there, executor._say = dog, {"worker"}, said.append
    executor._session = SimpleNamespace(deployment=SimpleNamespace(ask_again=lambda: None))
    executor._step(Step.ASK_AGAIN, "no evaluation has come back for 60 s")
    assert "workers may compile kernels" in said[0] and "atchdog" not in said[0]
    dog.finished(1.0)
    executor._step(Step.ASK_AGAIN, "no evaluation has come back for 60 s")
    assert said[1].startswith("Watchdog: no evaluation has come back for 60 s")

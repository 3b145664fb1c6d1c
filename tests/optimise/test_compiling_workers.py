"""The first run of a sweep waits for workers that compile: they say so, and that is a sign of life."""

import time

import pytest
from fake_client import OneWorker

from optimise.evaluation.job import Job
from optimise.executors import open_executor, session
from optimise.executors.compiling import COMPILING, CompilingWorkers
from optimise.spec.cluster import ClusterSpec, WatchdogSpec


@pytest.fixture
def worker(monkeypatch):
    found = OneWorker()
    monkeypatch.setattr(session, "deploy", lambda cluster, folder: found)
    yield found
    found.stop()


def evaluated(executor, count, seconds):
    """Numbers of so many jobs as they come back."""
    for number in range(count):
        executor.submit(Job(number))
    found, end = set(), time.monotonic() + seconds
    while len(found) < count and time.monotonic() < end:
        found |= {executor.next_completed(0.2)} - {None}
    return found


def compile_for_a_while(job, seconds):
    """As an evaluation whose kernels are not kept yet: numba announces a kernel's compilation, which takes a while."""
    from numba.core import event

    import dynamics.travelling_window.kernel  # noqa: F401  # kernels, for which the program listens

    event.broadcast(event.Event("numba:compile", event.EventStatus.START, {}))
    time.sleep(seconds)
    event.broadcast(event.Event("numba:compile", event.EventStatus.END, {}))
    return job.number


def test_workers_that_compile_say_so_once():
    said = []
    with open_executor(ClusterSpec(kind="local", workers=2), compile_for_a_while, 1.6, say=said.append) as executor:
        assert evaluated(executor, 2, 120.0) == {0, 1}
    assert said == [COMPILING]


def test_the_watchdog_says_nothing_of_workers_that_compile(worker):
    said, watchdog = [], WatchdogSpec(silence_s=1.5)
    spec = ClusterSpec(kind="local", workers=1, watchdog=watchdog)
    with open_executor(spec, compile_for_a_while, None, say=said.append) as executor:
        executor.submit(Job(0))
        for _ in range(4):  # longer than a silence
            worker.speak("Compiling kernels: 5 done, 11 s.")
            assert executor.next_completed(0.6) is None
        assert said == [COMPILING]
        for _ in range(4):
            assert executor.next_completed(0.6) is None
    assert "no evaluation has come back" in said[1], "it speaks once they are silent"


def test_of_many_workers_one_is_quoted_now_and_then():
    said, now = [], [0.0]
    workers = CompilingWorkers(said.append, clock=lambda: now[0])
    assert not workers.pass_on() and said == []
    for number in range(4):  # the first kernels were compiled before the workers could speak
        workers.hear((0.0, f"Compiling kernels: {number} done, 11 s."))
    assert workers.pass_on() and said == [COMPILING]
    now[0] = 10.0
    for number in (40, 41):
        workers.hear((0.0, f"Compiling kernels: {number} done, 21 s."))
    workers.hear((0.0, COMPILING))  # of a worker that has come later
    assert workers.pass_on() and said[1:] == ["Compiling kernels: 40 done, 21 s."]
    assert not workers.pass_on()

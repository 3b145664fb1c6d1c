"""Whose fault a dead worker is: found by trying again alone, on workers whose news a test loses when it likes."""

import time
from concurrent.futures import Future
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from distributed import KilledWorker

from optimise.cluster_spec import ClusterSpec
from optimise.executors import on_workers
from optimise.executors.on_worker import Answer


@dataclass(frozen=True)
class Task:
    number: int


class OneWorker:
    """A client of Dask, and its deployment, with one worker: it takes tasks, and a test says how they end."""

    status = "running"

    def __init__(self):
        self.client = self
        self.under_way = {}
        self.taken = []

    def nthreads(self):
        return {"tcp://worker": 1}

    def register_plugin(self, plugin):
        pass

    def submit(self, function, campaign, task, time_limit, **options):
        self.taken.append(task.number)
        return self.under_way.setdefault(task.number, Future())

    def hold(self):
        pass

    def answer(self, number):
        self.under_way.pop(number).set_result(Answer(f"result of {number}", 0.001, "a processor"))

    def die(self):
        for number in list(self.under_way):
            self.under_way.pop(number).set_exception(KilledWorker(str(number), SimpleNamespace(address=""), 0))


@pytest.fixture
def worker(monkeypatch):
    found = OneWorker()
    monkeypatch.setattr(on_workers, "deploy", lambda cluster, folder: found)
    return found


@pytest.fixture
def executor(worker, tmp_path):
    cluster = ClusterSpec(kind="local", workers=1, retries=1)
    found = on_workers.WorkersExecutor(cluster, lambda task, setting: None, None, tmp_path, print)
    found.submit(Task(0))
    found.submit(Task(1))
    return found


def look_until(executor, worker, count):
    """What the executor gives until the worker has taken as many tasks; a new worker is seen within a second."""
    found = []
    deadline = time.monotonic() + 5.0
    while len(worker.taken) < count and time.monotonic() < deadline:
        found.append(executor.next_completed(0.05))
    assert len(worker.taken) == count
    return [result for result in found if result is not None]


def test_a_task_done_a_moment_before_the_next_one_kills_is_not_blamed_for_it(executor, worker):
    worker.die()  # by task 1, with the news that task 0 is done
    assert look_until(executor, worker, 3) == []
    assert worker.taken == [0, 1, 0]  # nothing waits behind the task under suspicion
    worker.answer(0)
    assert look_until(executor, worker, 4) == ["result of 0"]
    worker.die()
    assert look_until(executor, worker, 5) == []
    worker.die()
    last = executor.next_completed(0.1)
    assert worker.taken == [0, 1, 0, 1, 1]
    assert last.number == 1 and "ended 2 times" in last.message


def test_a_task_that_waited_behind_one_that_kills_is_not_blamed(executor, worker):
    worker.die()
    assert look_until(executor, worker, 3) == []
    worker.die()  # by task 0, alone on its worker
    (last,) = look_until(executor, worker, 4)
    assert last.number == 0 and worker.taken == [0, 1, 0, 1]
    worker.answer(1)
    assert executor.next_completed(0.1) == "result of 1"

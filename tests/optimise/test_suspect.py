"""Whose fault a dead worker is: found by trying again alone, on workers whose news a test loses when it likes."""

import asyncio
import errno
import re
import time

import pytest
from fake_client import OneWorker

from optimise.evaluation.evaluate import evaluate, evaluate_batch
from optimise.evaluation.job import Batch, Job, Setting
from optimise.evaluation.outcome import OutcomeStatus
from optimise.executors import NoWorkersError, session
from optimise.executors import dask_executor as on_workers
from optimise.executors.serial import SerialExecutor
from optimise.spec.campaign import LimitsSpec
from optimise.spec.cluster import ClusterSpec


@pytest.fixture
def worker(monkeypatch):
    found = OneWorker()
    monkeypatch.setattr(session, "deploy", lambda cluster, folder: found)
    yield found
    found.stop()


@pytest.fixture
def said():
    return []


@pytest.fixture
def executor(worker, tmp_path, said):
    cluster = ClusterSpec(kind="local", workers=1, retries=1)
    found = on_workers.WorkersExecutor(cluster, lambda task, setting: None, None, tmp_path, said.append)
    found.submit(Job(0))
    found.submit(Job(1))
    look_until(found, worker, 2)
    return found


def look_until(executor, worker, count):
    """What the executor gives until the worker has taken as many tasks; a new worker is seen within a second."""
    found = []
    deadline = time.monotonic() + 5.0
    while len(worker.taken) < count and time.monotonic() < deadline:
        found.append(executor.next_completed(0.05))
    assert len(worker.taken) == count
    return [result for result in found if result is not None]


def test_a_task_done_a_moment_before_the_next_one_kills_is_not_suspected_for_it(executor, worker):
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


def test_a_task_that_waited_behind_one_that_kills_is_not_suspected(executor, worker):
    worker.die()
    assert look_until(executor, worker, 3) == []
    worker.die()  # by task 0, alone on its worker
    (last,) = look_until(executor, worker, 4)
    assert last.number == 0 and worker.taken == [0, 1, 0, 1]
    worker.answer(1)
    assert executor.next_completed(0.1) == "result of 1"


def result_of(executor):
    """Next result, within a time."""
    deadline = time.monotonic() + 10.0
    while time.monotonic() < deadline:
        if (found := executor.next_completed(0.05)) is not None:
            return found
    pytest.fail("no result came")


def test_an_error_that_no_evaluation_raised_is_not_a_failure_of_the_design(executor, worker, said):
    """As Dask's client gives one for every value when a wait of its own was cancelled at the wrong moment."""
    worker.errors.append(UnboundLocalError("cannot access local variable 'result'"))
    worker.answer(0)
    assert look_until(executor, worker, 3) == [] and worker.taken == [0, 1, 0]
    worker.answer(0)
    assert result_of(executor) == "result of 0"
    worker.answer(1)
    assert result_of(executor) == "result of 1" and said == []


def test_the_workers_restart_when_such_an_error_comes_back_and_what_was_in_flight_is_sent_again(executor, worker, said):
    for count in (3, 5):
        worker.errors.append(UnboundLocalError("cannot access local variable 'result'"))
        worker.answer(0)
        assert look_until(executor, worker, count) == []
    assert worker.taken[:3] == [0, 1, 0] and sorted(worker.taken[3:]) == [0, 1]
    assert len(said) == 1 and "times in a row" not in said[0] and "restarting the workers" in said[0]


def test_many_equal_errors_in_a_row_end_the_work_and_others_do_not(executor, worker):
    def ends(error):
        worker.errors.append(error)
        worker.answer(0)
        before = len(worker.taken)
        while len(worker.taken) == before:
            assert executor.next_completed(0.05) is None

    for error in (OSError("a"), UnboundLocalError("b"), OSError("c"), UnboundLocalError("d"), OSError("e")):
        ends(error)
    for _ in range(3):
        ends(OSError("again"))
    with pytest.raises(NoWorkersError, match=r"same error 5 times in a row.*raised it \(OSError: again\)") as ended:
        ends(OSError("again"))
    assert ended.value.exit_code == 75


def test_a_lack_of_memory_is_not_a_failure_of_the_design_and_one_after_the_other_ends_the_work(executor, worker):
    worker.errors.append(MemoryError("5 GB"))
    worker.answer(0)
    assert executor.next_completed(0.2) is None
    worker.answer(1)
    assert look_until(executor, worker, 3) == ["result of 1"] and worker.taken == [0, 1, 0]
    worker.answer(0)
    assert result_of(executor) == "result of 0"
    executor.submit(Job(2))
    worker.errors += [MemoryError("5 GB")] * 5
    wanted = r"lacked memory 5 times in a row \(MemoryError: 5 GB\); take fewer"
    with pytest.raises(NoWorkersError, match=wanted) as ended:
        for _ in range(200):
            for number in list(worker.under_way):
                worker.answer(number)
            assert executor.next_completed(0.05) is None
    assert ended.value.exit_code == 75


def test_a_design_that_lacks_memory_while_others_do_not_has_failed_finally(executor, worker):
    found = []
    for number in range(2, 12):
        executor.submit(Job(number))
    for _ in range(400):
        for number in list(worker.under_way):
            if number == 0:
                worker.errors.append(MemoryError("5 GB"))
            worker.answer(number)
            while (result := executor.next_completed(0.02)) is not None:
                found.append(result)
        if len(found) == 12:
            break
    (broken,) = [result for result in found if not isinstance(result, str)]
    assert broken.number == 0 and "lacked memory" in broken.message


LACKS = {
    "array": MemoryError("5 GB"),
    "system": OSError(errno.ENOMEM, "Cannot allocate memory"),
    "library": ImportError("libx.so: failed to map segment from shared object"),
    "thread": RuntimeError("can't start new thread"),
}
LACKED = pytest.mark.parametrize("lack", LACKS.values(), ids=LACKS)


@LACKED
def test_a_lack_of_memory_in_the_driver_itself_is_tried_again(tmp_path, lack):
    calls = []

    def hungry(work, setting):
        calls.append(work.number)
        if len(calls) < 3 or work.number:
            raise lack
        return "result"

    executor = SerialExecutor(hungry, None, tmp_path, print)
    executor.submit(Job(0))
    assert executor.next_completed(0.0) == "result" and calls == [0, 0, 0]
    executor.submit(Job(1))
    with pytest.raises(NoWorkersError, match="lacked memory 3 times in a row"):
        executor.next_completed(0.0)


@LACKED
def test_an_evaluation_that_lacks_memory_says_so(monkeypatch, case, lack):
    def hungry(*_, **__):
        raise lack

    monkeypatch.setattr("dynamics.solution.solve", hungry)
    with pytest.raises(MemoryError, match=re.escape(str(lack))):
        evaluate(Job(0, case.catenary), Setting(case, LimitsSpec()))
    batch = Batch(0, (Job(0, values=(200.0,), place=(0,)),))
    with pytest.raises(MemoryError, match=re.escape(str(lack))):
        evaluate_batch(batch, Setting(case, None, names=("speed_kmh",)))


def test_an_error_of_another_kind_is_the_design_s_failure(monkeypatch, case):
    def broken(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("dynamics.solution.solve", broken)
    found = evaluate(Job(0, case.catenary), Setting(case, LimitsSpec()))
    assert found.status is OutcomeStatus.FAILED and "Input/output error" in found.message


def test_a_value_that_goes_with_its_worker_is_evaluated_again_and_its_task_not_suspected(executor, worker):
    release, asked = worker.gather, []

    async def never(future, asynchronous):
        asked.append(future.key)
        await worker.hangs.wait()

    worker.hangs, worker.gather = asyncio.Event(), never
    worker.answer(0)
    while not asked:
        assert executor.next_completed(0.05) is None
    executor.next_completed(0.05)
    worker.gather = release
    worker.die()  # with task 1 in flight
    assert look_until(executor, worker, 3) == [] and worker.taken == [0, 1, 0]
    worker.answer(0)
    assert look_until(executor, worker, 4) == ["result of 0"] and worker.taken[3] == 1
    worker.die()
    last = result_of(executor)
    assert last.number == 1 and "ended 2 times" in last.message
    worker.loop.asyncio_loop.call_soon_threadsafe(worker.hangs.set)

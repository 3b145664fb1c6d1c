"""Tasks of a worker at a time: a second one waits behind the first, or with the driver for whichever worker is idle."""

from optimise.evaluation.job import Job
from optimise.executors.in_flight import IN_FLIGHT_PER_WORKER, ONE_AT_A_TIME, InFlight


def with_tasks(per_worker, count):
    """Tasks of two workers, the keys of those that were sent, and their workers by number."""
    tasks = InFlight(per_worker)
    for worker in ("a", "b"):
        tasks.welcome(worker)
    for number in range(count):
        tasks.add(Job(number))
    return tasks, {sent.work.number: sent for sent in tasks.due("run")}


def test_a_long_task_goes_to_the_worker_that_is_idle_first():
    tasks, sent = with_tasks(ONE_AT_A_TIME, 3)
    assert {number: each.worker for number, each in sent.items()} == {0: "a", 1: "b"}
    tasks.ended(sent[1])
    assert [(each.work.number, each.worker) for each in tasks.due("run")] == [(2, "b")]


def test_a_short_one_waits_with_a_worker_already():
    _, sent = with_tasks(IN_FLIGHT_PER_WORKER, 5)
    assert {number: each.worker for number, each in sent.items()} == {0: "a", 1: "b", 2: "a", 3: "b"}

"""Cases solved on workers are those that the driver solves, whole and in order; what a worker loses is not lost."""

import numpy as np
import pytest

import optimise.afterwards.finished_runs as finished_runs
from optimise.afterwards.solved_cases import solve_cases
from optimise.spec.campaign import ClusterSpec

WINDOW = {"spans_behind": 5, "spans_ahead": 6, "spans": 10, "spans_evaluated": 4}


@pytest.fixture
def cases(build_case):
    steady = build_case("bruni_2015", 200.0, mean_force_N=108.8, periodic={"spans_behind": 5, "spans_ahead": 6})
    march = build_case("bruni_2015", 230.0, mean_force_N=121.3, solver="transient", transient=WINDOW)
    return [(steady, False), (march, False)]


def test_workers_give_what_the_driver_gives(cases):
    here = solve_cases(cases, ClusterSpec(kind="serial"))
    there = solve_cases(cases, ClusterSpec(kind="local", workers=2))
    for (case, _), own, found in zip(cases, here, there, strict=True):
        assert own.case == found.case == case and found.seconds > 0.0 and found.error is None
        a, b = own.solution.leading, found.solution.leading
        np.testing.assert_array_equal(a.contact_force, b.contact_force)
        assert a.statistics == b.statistics and found.solution.status is own.solution.status


def test_the_driver_solves_what_a_worker_could_not(cases, monkeypatch):
    def without_memory(executor, jobs, progress, ended):
        return {job.number: job.failed("it lacked memory") for job in jobs}

    monkeypatch.setattr(finished_runs, "run_all", without_memory)
    (found,) = solve_cases(cases[:1], ClusterSpec(kind="serial"))
    assert found.solution.statistics.contact_force_std_N > 0.0

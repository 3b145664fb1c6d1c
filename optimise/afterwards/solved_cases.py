"""Solve cases on a campaign's workers, each to its whole solution: what follows a search uses as many cores as it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from dynamics.accuracy.assured import estimated
from dynamics.accuracy.numerical_error import NumericalError
from dynamics.results.solution import Solution
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from optimise.evaluation.job import Job
from optimise.executors import open_executor, run_all
from optimise.spec.campaign import ClusterSpec

__all__ = ["SolvedCase", "Solving", "solve_case", "solve_cases"]


@dataclass(frozen=True)
class Solving(Job):
    """A case to solve, and whether the numerical error of its standard deviation is wanted."""

    case: CaseSpec | None = None
    with_error: bool = False


@dataclass(frozen=True)
class SolvedCase:
    """A case with its solution.

    Attributes
    ----------
    number : int
        Of the job.
    case : CaseSpec
    solution : Solution
    error : NumericalError, optional
        Estimated error of the standard deviation; None where it was not asked for, or there are no figures.
    seconds : float
        Wall time of the solution alone [s].
    """

    number: int
    case: CaseSpec
    solution: Solution
    error: NumericalError | None
    seconds: float


def solve_case(job: Solving, _setting: object = None) -> SolvedCase:
    """Solve a case; a design that cannot be solved has a solution that says why."""
    assert job.case is not None
    begin = time.perf_counter()
    solution = solve(job.case)
    seconds = time.perf_counter() - begin
    solution, error = estimated(job.case, solution) if job.with_error else (solution, None)
    return SolvedCase(job.number, job.case, solution, error, seconds)


def solve_cases(cases: Sequence[tuple[CaseSpec, bool]], cluster: ClusterSpec) -> list[SolvedCase]:
    """Solve cases, each with whether its error is wanted, on workers of a kind; the solutions in their order.

    Raises
    ------
    NoWorkersError
        If workers cannot start as specified, or return nothing although they were restarted.
    """
    jobs = [Solving(number, case=case, with_error=with_error) for number, (case, with_error) in enumerate(cases)]
    with open_executor(cluster.for_assured, solve_case, None) as executor:
        answers = run_all(executor, jobs, lambda _: None)
    # what a worker could not do, for want of memory or time, the driver does
    return [found if isinstance(found := answers[job.number], SolvedCase) else solve_case(job) for job in jobs]

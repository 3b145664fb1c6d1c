"""Solve cases on a campaign's workers, each to its whole solution: what follows a search uses as many cores as it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dynamics.accuracy.assured import estimated
from dynamics.accuracy.numerical_error import NumericalError
from dynamics.accuracy.slack_companion import SlackDampingChange, compare_slack_damping
from dynamics.results.solution import Solution
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from optimise.afterwards.finished_runs import FinishedRuns, RunKind
from optimise.evaluation.job import Job
from optimise.executors import ONE_AT_A_TIME, open_executor
from optimise.spec.campaign import ClusterSpec

__all__ = ["SolvedCase", "Solving", "solve_case", "solve_cases"]


@dataclass(frozen=True)
class Solving(Job):
    """A case to solve, and whether it is wanted how far numerics and slack damping move its standard deviation."""

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
        Without what the next search would start from.
    error : NumericalError, optional
        Estimated error of the standard deviation; None where it was not asked for, or there are no figures.
    seconds : float
        Wall time of the solution alone [s].
    slack : SlackDampingChange, optional
        Effect of the other slack damping; None where it was not asked for, or no dropper is slack.
    """

    number: int
    case: CaseSpec
    solution: Solution
    error: NumericalError | None
    seconds: float
    slack: SlackDampingChange | None = None


KIND = RunKind("confirmation", SolvedCase, None)


def solve_case(job: Solving, _setting: object = None) -> SolvedCase:
    """Solve a case; a design that cannot be solved has a solution that says why."""
    assert job.case is not None
    begin = time.perf_counter()
    solution = solve(job.case)
    seconds = time.perf_counter() - begin
    solution = replace(solution, warm_start=None, operator_state=None)
    if not job.with_error:
        return SolvedCase(job.number, job.case, solution, None, seconds)
    solution, error = estimated(job.case, solution)
    return SolvedCase(job.number, job.case, solution, error, seconds, compare_slack_damping(job.case, solution))


def solve_cases(
    cases: Sequence[tuple[CaseSpec, bool]], cluster: ClusterSpec, runs: FinishedRuns | None = None
) -> list[SolvedCase]:
    """Solve cases, each with whether its error is wanted, on workers of a kind; the solutions in their order.

    What is in the record of ``runs`` is not solved again.

    Raises
    ------
    NoWorkersError
        If workers cannot start as specified, or return nothing although they were restarted.
    """
    jobs = [Solving(number, case=case, with_error=with_error) for number, (case, with_error) in enumerate(cases)]
    with open_executor(cluster.for_assured, solve_case, None, per_worker=ONE_AT_A_TIME) as executor:
        answers = (runs or FinishedRuns()).run_all(executor, jobs, KIND)
    # what a worker could not do, for want of memory or time, the driver does
    return [found if isinstance(found := answers[job.number], SolvedCase) else solve_case(job) for job in jobs]

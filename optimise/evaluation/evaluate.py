"""One design from its line to its numbers: the function that workers run."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics.spec.case import CaseSpec
from dynamics.spec.status import Status
from optimise.evaluation.constraints import Reference, force_violation, told_value, violations
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import Outcome, OutcomeStatus, failed
from optimise.evaluation.solution_figures import statistics_of

if TYPE_CHECKING:
    from dynamics.results.solution import Solution

__all__ = [
    "evaluate",
    "prepare",
]


def prepare(case: CaseSpec) -> Any:
    """Steady state of the nominal line, from which neighbouring designs start; compiles the kernels."""
    if not case.seeks_steady_state:
        return None
    from dynamics.steady_state.learned_start import periodic_start

    return periodic_start(case)


def evaluate(task: Job, setting: Setting) -> Outcome:
    """Contact-force statistics, violations and status of one design; pure, raises no `Exception`.

    A design with a dropper that is slack at rest is infeasible by its static forces, and its dynamics are not
    run. Whatever keeps the numbers from being computed is a failure with its reason.
    """
    begin = time.perf_counter()
    if task.tolerance is not None:
        setting = _to_tolerance(setting, task.tolerance)
    try:
        found = _evaluate(task, setting)
    except Exception as error:  # an error on a worker belongs in the record, not in a lost traceback
        found = failed(task.number, f"{type(error).__name__}: {error}")
    elapsed = time.perf_counter() - begin
    if elapsed > setting.time_limit_s:
        return failed(task.number, _too_long(elapsed, setting), elapsed)
    return replace(found, wall_time_s={**found.wall_time_s, "total": elapsed})


def _to_tolerance(setting: Setting, tolerance: float) -> Setting:
    """The same with another tolerance of the steady state, in every scenario."""

    def changed(case: CaseSpec) -> CaseSpec:
        tighter = {"tolerance": tolerance, "precision": "double"}  # differences of designs are formed from it
        return case.model_copy(update={"periodic": case.periodic.model_copy(update=tighter)})

    scenarios = setting.scenarios
    if scenarios is not None:
        worlds = tuple(replace(world, case=changed(world.case)) for world in scenarios.worlds)
        scenarios = replace(scenarios, worlds=worlds)
    return replace(setting, case=changed(setting.case), scenarios=scenarios)


def _too_long(elapsed: float, setting: Setting) -> str:
    limit = f"an evaluation must take at most {setting.time_limit_s:g} s"
    return f"{limit}: it took {elapsed:.1f} s; raise cluster.time_limit_s"


def _evaluate(task: Job, setting: Setting) -> Outcome:
    if setting.scenarios is not None:
        from optimise.evaluation.robust import evaluate_scenarios

        return evaluate_scenarios(task, setting)
    case = CaseSpec.model_validate({**setting.case.model_dump(), "catenary": task.catenary.model_dump()})
    solution, error = _solve(case, setting)
    times = {name: float(seconds) for name, seconds in solution.wall_time_s.items()}
    message = solution.message or solution.status.value
    if solution.status is Status.STATIC_SLACK and setting.reference is not None:
        smallest = float(np.min(solution.equilibrium.dropper_force))
        g = {"g_static_dropper_force": force_violation(smallest, setting.limits)}
        told = told_value(None, g, setting.reference.sigma_N)
        return Outcome(
            task.number, OutcomeStatus.STATIC_SLACK, message, constraints=g, told_N=told,
            static_dropper_force_min_N=smallest, wall_time_s=times,
        )  # fmt: skip
    if not solution.status.has_figures or solution.statistics is None:
        return replace(failed(task.number, message), wall_time_s=times)
    return replace(_numbers(task.number, solution, setting), wall_time_s=times, sigma_error_N=error)


def _solve(case: CaseSpec, setting: Setting) -> tuple[Solution, float | None]:
    """Solution, and the error of its standard deviation [N] where one is asked for."""
    from dynamics.solution import solve

    if setting.assured:
        from dynamics.accuracy.assured import solve_assured

        solution, error = solve_assured(case)
        return solution, None if error is None else error.total
    return solve(case, setting.start), None


def _numbers(number: int, solution: Solution, setting: Setting) -> Outcome:
    statistics = solution.statistics
    if statistics is None:
        return failed(number, "the solution has no statistics")
    figures, broken = statistics_of(solution)
    if broken:
        return failed(number, broken)
    sigma = figures["contact_force_std_N"]
    reference = setting.reference or Reference(sigma, figures["max_uplift_at_supports_mm"])
    smallest = float(np.min(solution.equilibrium.dropper_force))
    g = violations(statistics, smallest, setting.limits, reference)
    return Outcome(
        number=number,
        status=OutcomeStatus.OK,
        message=solution.message,
        sigma_N=sigma,
        constraints=g,
        told_N=told_value(sigma, g, reference.sigma_N),
        statistics=figures,
        static_dropper_force_min_N=smallest,
        applied_force_N=float(solution.applied_force_N),
    )

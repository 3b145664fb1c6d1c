"""From a job to its outcome: the functions that workers run, for a design and for points in order."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from catenary.errors import lacks_memory
from dynamics.results.warm_start import StartPolicy
from dynamics.spec.case import CaseSpec
from optimise.design.train_space import TrainValues, with_train
from optimise.evaluation.case_inputs import case_at, why_impossible
from optimise.evaluation.figures import as_hung, harmonics_of, judged, outcome_of
from optimise.evaluation.job import Batch, Job, Setting
from optimise.evaluation.outcome import BatchOutcome, Outcome, OutcomeStatus, failed

if TYPE_CHECKING:
    from dynamics.accuracy.numerical_error import NumericalError
    from dynamics.results.solution import Solution

__all__ = ["case_of", "evaluate", "evaluate_batch", "prepare", "under_own_train"]


def prepare(case: CaseSpec, directions: bool = True) -> Any:
    """Steady state of the nominal line, from which near designs start; compiles the kernels.

    Without ``directions`` nothing is learned from near designs. Of a line by stations it is the applied force that
    holds its mean [N].
    """
    if case.on_open_line:
        from dynamics.solution import solve

        found = solve(case)
        return found.applied_force_N if found.status.has_figures else None
    if not case.seeks_steady_state:
        return None
    from dynamics.steady_state.learned_start import learned_start

    return learned_start(case, directions)


def evaluate(job: Job, setting: Setting) -> Outcome:
    """Contact-force statistics, violations and status of one design; pure, raises `MemoryError` alone.

    A design whose prescribed heights need a dropper to push is infeasible by its static forces, and its dynamics are
    not run. Whatever keeps the numbers from being computed is a failure with its reason.
    """
    return _guarded(job, setting, _design)


def evaluate_batch(batch: Batch, setting: Setting) -> BatchOutcome:
    """Contact-force statistics of points in order; pure, raises `MemoryError` alone.

    Each search starts where the setting's policy says, by the points before it.
    """
    policy = setting.policy() if setting.policy is not None else None
    point = partial(_point, policy=policy)
    return BatchOutcome(batch.number, tuple(_guarded(job, setting, point) for job in batch.jobs))


def case_of(job: Job, setting: Setting) -> CaseSpec:
    """Case of a job.

    Raises
    ------
    ValueError
        If its values are out of range or do not go together.
    """
    case = case_at(setting.case, setting.names, job.values) if job.values else setting.case
    if job.catenary is None:
        return case
    return CaseSpec.model_validate({**case.model_dump(), "catenary": job.catenary.model_dump()})


def _guarded(job: Job, setting: Setting, run: Callable[[Job, Setting], Outcome]) -> Outcome:
    """Outcome of a job with its wall time; whatever goes wrong is its reason."""
    begin = time.perf_counter()
    if job.tolerance is not None:
        setting = _to_tolerance(setting, job.tolerance, job.window or 1.0, job.step_share)
    try:
        found = run(job, setting if not job.train else under_own_train(setting, job.train))
    except Exception as error:  # an error on a worker belongs in the record, not in a lost traceback
        if lacks_memory(error):  # the machine's lack
            raise MemoryError(str(error)) from error
        found = _broken(job, error)
    elapsed = time.perf_counter() - begin
    if elapsed > setting.time_limit_s:
        return failed(job.number, _too_long(elapsed, setting), elapsed)
    return replace(found, wall_time_s={**found.wall_time_s, "total": elapsed})


def _broken(job: Job, error: Exception) -> Outcome:
    """Outcome of a job that ended with an error; values may not go together, each of which goes with others."""
    if isinstance(error, ValidationError):
        reason = why_impossible(error)
        return Outcome(job.number, OutcomeStatus.IMPOSSIBLE, reason) if job.values else job.failed(reason)
    return job.failed(f"{type(error).__name__}: {error}")


def _to_tolerance(setting: Setting, tolerance: float, share: float, step: float) -> Setting:
    """The same to another tolerance, with a share of window and resolution and one of the step, in every scenario."""

    def changed(case: CaseSpec) -> CaseSpec:
        own = case.periodic
        window = {name: max(2, round(share * getattr(own, name))) for name in ("spans_behind", "spans_ahead")}
        # in double precision, since differences of outcomes are formed from it
        changes = {"tolerance": tolerance, "precision": "double", "resolution": share * own.resolution, **window}
        other = own.model_copy(update=changes)
        return case.model_copy(update={"periodic": other, "dt": step * case.dt})

    return _with_cases(setting, changed)


def under_own_train(setting: Setting, values: TrainValues) -> Setting:
    """The same with other gains of the pantographs and distances between them, in every scenario."""
    return _with_cases(setting, partial(with_train, values=values))


def _with_cases(setting: Setting, changed: Callable[[CaseSpec], CaseSpec]) -> Setting:
    """The same with its case changed, and that of every scenario."""
    scenarios = setting.scenarios
    if scenarios is not None:
        conditions = tuple(replace(condition, case=changed(condition.case)) for condition in scenarios.conditions)
        scenarios = replace(scenarios, conditions=conditions)
    return replace(setting, case=changed(setting.case), scenarios=scenarios)


def _too_long(elapsed: float, setting: Setting) -> str:
    limit = f"an evaluation must take at most {setting.time_limit_s:g} s"
    return f"{limit}: it took {elapsed:.1f} s; raise cluster.time_limit_s"


def _design(job: Job, setting: Setting) -> Outcome:
    if setting.scenarios is not None:
        from optimise.evaluation.robust import evaluate_scenarios

        return evaluate_scenarios(job, setting)
    solution, error = _solve(case_of(job, setting), setting)
    found = judged(outcome_of(job.number, solution, setting.limits), setting)
    line = job.catenary
    if line is not None and line.droppers.prescribed == "lengths":
        found = replace(found, droppers=as_hung(solution.equilibrium, line))
    if job.wants_slopes:
        from optimise.evaluation.slopes import design_slopes

        found = design_slopes(found, job, setting, solution)
    if job.harmonics and found.status is OutcomeStatus.OK:
        found = replace(found, harmonics=harmonics_of([solution]))
    if error is None:
        return found
    return replace(found, sigma_error_N=error.total, short_window_share=error.short_window_share)


def _solve(case: CaseSpec, setting: Setting) -> tuple[Solution, NumericalError | None]:
    """Solution, and the error of its standard deviation where one is asked for."""
    from dynamics.solution import solve

    if case.on_open_line:
        solution = solve(case, applied_force=setting.start)
        if not setting.assured:
            return solution, None
        from dynamics.accuracy.numerical_error import estimate_error

        return solution, estimate_error(case, solution)
    if not setting.assured:
        return solve(case, setting.start), None
    from dynamics.accuracy.assured import on_long_window, on_short_window, solve_assured

    short = on_short_window(case, setting.short_window_share)
    return solve_assured(on_long_window(case)) if short is None else solve_assured(short, setting.short_window_share)


def _point(job: Job, setting: Setting, policy: StartPolicy | None) -> Outcome:
    from dynamics.solution import solve
    from dynamics.spec.static_status import static_status
    from dynamics.spec.status import Status
    from optimise.evaluation.known_lines import cell_of, equilibrium_of

    case = case_of(job, setting)
    if case.on_open_line:
        return outcome_of(job.number, solve(case))
    equilibrium = equilibrium_of(case.catenary)
    if not case.seeks_steady_state or policy is None:
        return outcome_of(job.number, solve(case, equilibrium=equilibrium))
    cell = cell_of(equilibrium) if static_status(equilibrium) is Status.OK else None
    solution = solve(case, policy.start(job.place), equilibrium, cell)
    policy.keep(job.place, solution.near_start)
    found = outcome_of(job.number, solution)
    if not job.steps or not solution.found_steady_state:
        return found
    from optimise.evaluation.slopes import point_slopes

    return point_slopes(found, job, setting, solution)

"""Numerical errors of a search's own objectives: of the nominal line, and of all designs of the front.

Each design is solved once more on the numerics of the search, in every scenario, with the companion runs that its
numerical error takes (`dynamics.accuracy.numerical_error`). An objective is a sum of figures, combined over scenarios.
Errors of neither are known to be independent, so that they add up: with e_s the error in a scenario of weight w_s,

    mean: sum w_s e_s     worst: max e_s     mean_plus_std: sum w_s e_s + k sqrt(sum w_s e_s^2)

are the most by which the combination can move.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from catenary.errors import lacks_memory
from catenary.form_finding.equilibrium import equilibrium_at_rest
from dynamics.accuracy.numerical_error import estimate_error
from dynamics.results.by_span import worst_span
from dynamics.results.solution import Solution
from dynamics.solution import solve
from optimise.afterwards.finished_runs import FinishedRuns, RunKind
from optimise.evaluation.evaluate import case_of, under_own_train
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.objectives import OBJECTIVES
from optimise.evaluation.outcome import Outcome
from optimise.evaluation.robust import as_installed, solved_in_scenarios
from optimise.evaluation.scenarios import ScenarioSet
from optimise.executors import ONE_AT_A_TIME, open_executor
from optimise.spec.objective_names import Combine, name_parts

if TYPE_CHECKING:
    from optimise.search.result import CampaignResult

__all__ = ["ConditionJob", "DesignErrors", "error_over_scenarios", "evaluate_errors", "objective_errors"]

SIGMA, STATISTICAL_MINIMUM = "contact_force_std_N", "contact_force_statistical_min_N"
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ConditionJob(Job):
    """A design in the condition of the scenarios with that number."""

    condition: int = 0


@dataclass(frozen=True)
class DesignErrors:
    """Numerical errors of one design on the numerics of the search.

    Attributes
    ----------
    number : int
        Number of its trial, or of the job.
    figures : tuple of dict
        Errors of statistics by name, in every scenario or in the case alone; of what is not known there is none.
    message : str
        Why there are none, where a run did not end well.
    """

    number: int
    figures: tuple[dict[str, float], ...]
    message: str = ""

    @property
    def sigma_N(self) -> tuple[float, ...]:
        """Errors of the standard deviation in every scenario [N], not a number where not known."""
        return tuple(each.get(SIGMA, math.nan) for each in self.figures)

    def of(self, name: str, scenarios: ScenarioSet | None) -> float:
        """Error of an objective in its unit, not a number where not known."""
        each = np.array([_sum(OBJECTIVES[name].terms, figures) for figures in self.figures])
        if not each.size:
            return math.nan
        if scenarios is None:
            return float(each[0])
        parts = name_parts(name)
        use = scenarios.under(parts.marks)
        how = parts.combine or scenarios.spec.combine
        return error_over_scenarios(each[use], scenarios.weights[use], how, scenarios.spec.std_factor)


def _sum(terms: Sequence[tuple[str, float]], errors: Mapping[str, float]) -> float:
    """Error of a sum of statistics; not a number where one of theirs is not known."""
    return sum(abs(factor) * errors.get(name, math.nan) for name, factor in terms)


def error_over_scenarios(errors: Floats, weights: Floats, how: Combine, factor: float) -> float:
    """Most by which one number over scenarios moves where each (scenario,) moves by its error at most.

    Parameters
    ----------
    errors, weights : float array (scenario,)
        Not a number where an error is not known; then neither is the sum's.
    how : str
        How scenarios are combined.
    factor : float
        Of the deviation, where it is added to the mean or taken off.
    """
    if how == "worst":
        return float(errors.max())
    share = weights / weights.sum()
    mean = math.fsum(share * errors)
    return mean if how == "mean" else mean + factor * math.sqrt(math.fsum(share * errors**2))


def objective_errors(result: CampaignResult, runs: FinishedRuns) -> dict[int, DesignErrors]:
    """Errors of the nominal line and of every design of the front, by trial, on the campaign's workers.

    Each condition of each design is a job of its own; those on record are taken from there.
    """
    from optimise.design.train_space import train_of

    records = {record.number: record for record in (result.nominal, *result.front)}
    conditions = 1 if result.scenarios is None else len(result.scenarios.conditions)
    designs = [(result.line_of(each), train_of(result.space, each.values)) for each in records.values()]
    jobs = [
        ConditionJob(k * conditions + w, line, train=train, condition=w)
        for k, (line, train) in enumerate(designs)
        for w in range(conditions)
    ]
    cluster = result.campaign.cluster.for_assured
    setting = Setting(result.case, time_limit_s=cluster.time_limit_s, scenarios=result.scenarios)
    kind = RunKind("errors of objectives", DesignErrors, (result.case, result.campaign.scenarios))
    with open_executor(cluster, evaluate_errors, setting, per_worker=ONE_AT_A_TIME) as executor:
        found = runs.run_all(executor, jobs, kind)
    parts = [found[job.number] for job in jobs]
    return {trial: _joined(trial, parts[k * conditions : (k + 1) * conditions]) for k, trial in enumerate(records)}


def _joined(trial: int, parts: Sequence[DesignErrors | Outcome]) -> DesignErrors:
    """Errors of a design from those of its conditions; none where a run of one did not end well."""
    failed = [part.message for part in parts if isinstance(part, Outcome)]
    if failed:
        return DesignErrors(trial, (), "; ".join(dict.fromkeys(failed)))
    each = [part.figures for part in parts if isinstance(part, DesignErrors)]
    return DesignErrors(trial, tuple(itertools.chain.from_iterable(each)))


def evaluate_errors(job: ConditionJob, setting: Setting) -> DesignErrors | Outcome:
    """Solve a design in one condition, each of its lines as installed with its companions.

    Pure, raises `MemoryError` alone. What went wrong is the message of an outcome without figures.
    """
    if job.train:
        setting = under_own_train(setting, job.train)
    try:
        if setting.scenarios is None:
            return DesignErrors(job.number, (_errors_in(solve(case_of(job, setting))),))
        scenarios = replace(setting.scenarios, conditions=setting.scenarios.conditions[job.condition :][:1])
        lines = as_installed(equilibrium_at_rest(job.catenary or setting.case.catenary), scenarios)
        solutions = solved_in_scenarios(lines, replace(setting, scenarios=scenarios))
        return DesignErrors(job.number, tuple(map(_errors_in, solutions)))
    except Exception as error:  # an error on a worker belongs in the record, not in a lost traceback
        if lacks_memory(error):
            raise MemoryError(str(error)) from error
        return job.failed(f"{type(error).__name__}: {error}")


def _errors_in(solution: Solution) -> dict[str, float]:
    """Errors of a run's statistics by name: of a train the largest of each; none where the run has no figures."""
    error = estimate_error(solution.case, solution)
    if error is None:
        return {}
    each = [{**one.others, SIGMA: math.nan if one.total is None else one.total} for one in error.of_train]
    found = {name: float(np.max([one.get(name, math.nan) for one in each])) for name in each[0]}
    if solution.case.mean_force_N is not None:
        found[STATISTICAL_MINIMUM] = 3.0 * found[SIGMA]
    if worst_span(solution) is None:
        one_span = (objective for objective in OBJECTIVES.values() if objective.one_span)
        found |= {objective.terms[0][0]: _sum(objective.one_span, found) for objective in one_span}
    return {name: size for name, size in found.items() if math.isfinite(size)}

"""One design from its line to its numbers: the function that workers run."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from catenary.spec import CatenarySpec
from dynamics.spec import CaseSpec
from dynamics.status import Status
from optimise.constraints import Reference, feasible, force_violation, told_value, violations
from optimise.spec import LimitsSpec

if TYPE_CHECKING:
    from dynamics.periodic import PeriodicSolution
    from dynamics.transient import Trajectory
    from optimise.scenarios import ScenarioSet

__all__ = [
    "Evaluation",
    "EvaluationStatus",
    "Setting",
    "Task",
    "evaluate",
    "failed",
    "prepare",
    "sound",
    "statistics_of",
]


class EvaluationStatus(Enum):
    """How an evaluation ended."""

    OK = "ok"
    STATIC_SLACK = "static_slack"
    FAILED = "failed"


@dataclass(frozen=True)
class Task:
    """One design to evaluate: the number of its trial, its line, and a tolerance [-] where not the case's own holds."""

    number: int
    catenary: CatenarySpec
    tolerance: float | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Setting:
    """What every evaluation of a campaign shares, sent to each worker once.

    Attributes
    ----------
    case : CaseSpec
        The nominal case; a task's line takes the place of its own.
    limits : LimitsSpec
    reference : Reference, optional
        Figures of the nominal line; without them a design is its own reference, as the nominal line is.
    start : object, optional
        Steady state of the nominal line, from which neighbouring designs start.
    time_limit_s : float
        Longest wall time of one evaluation [s].
    scenarios : ScenarioSet, optional
        Where a design has to be good; without them in the case alone.
    """

    case: CaseSpec
    limits: LimitsSpec
    reference: Reference | None = None
    start: Any = None
    time_limit_s: float = math.inf
    scenarios: ScenarioSet | None = None


@dataclass(frozen=True)
class Evaluation:
    """What came out for one design; a number that was not computed is None, never made up.

    Attributes
    ----------
    number : int
        Number of the trial.
    status : EvaluationStatus
    message : str
        Reason, when the status is not OK; what to know about the figures, when it is.
    sigma_N : float, optional
        Standard deviation of the contact force as computed, feasible or not [N].
    constraints : dict
        Violations by name, feasible when all are <= 0 [-].
    told_N : float, optional
        Standard deviation as a sampler that ignores constraints is told it [N].
    statistics : dict
        Statistics of the contact force by name, the unit at the end of each name.
    static_dropper_force_min_N, applied_force_N : float, optional
        Smallest static dropper force and applied force [N].
    wall_time_s : dict
        Wall times [s].
    objectives : dict
        Over scenarios: standard deviation and objectives by name, combined. In a single case they follow from the
        statistics.
    scenarios : dict
        Over scenarios: each kept statistic in every scenario (scenario,), in the order of `ScenarioSet.labels`; None
        in one that the nominal line has no figures in. The statistics are then weighted means, but for extreme forces,
        uplift and loss: those are the extremes of all.
    """

    number: int
    status: EvaluationStatus
    message: str = ""
    sigma_N: float | None = None
    constraints: dict[str, float] = field(default_factory=dict)
    told_N: float | None = None
    statistics: dict[str, float] = field(default_factory=dict)
    static_dropper_force_min_N: float | None = None
    applied_force_N: float | None = None
    wall_time_s: dict[str, float] = field(default_factory=dict)
    objectives: dict[str, float] = field(default_factory=dict)
    scenarios: dict[str, tuple[float | None, ...]] = field(default_factory=dict)

    @property
    def feasible(self) -> bool:
        """Whether the design was computed and holds every limit."""
        return self.status is EvaluationStatus.OK and feasible(self.constraints)

    def to_dict(self) -> dict[str, Any]:
        """Content as JSON types; what belongs to scenarios alone is left out where there are none."""
        content = {**asdict(self), "status": self.status.value}
        return {name: value for name, value in content.items() if value or name not in ("objectives", "scenarios")}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Evaluation:
        """Evaluation from what `to_dict` gave."""
        scenarios = {name: tuple(values) for name, values in content.get("scenarios", {}).items()}
        return cls(**{**content, "status": EvaluationStatus(content["status"]), "scenarios": scenarios})


def failed(number: int, reason: str, wall_time: float = 0.0) -> Evaluation:
    """Evaluation of a design for which there are no numbers, with the reason."""
    return Evaluation(number, EvaluationStatus.FAILED, reason, wall_time_s={"total": wall_time})


def sound(evaluation: Evaluation) -> Evaluation:
    """Evaluation as it may go on record: numbers that are not finite make it a failure that names the first of them."""
    numbers = {
        "sigma_N": evaluation.sigma_N,
        "told_N": evaluation.told_N,
        "static_dropper_force_min_N": evaluation.static_dropper_force_min_N,
        "applied_force_N": evaluation.applied_force_N,
        **evaluation.constraints,
        **evaluation.statistics,
    }
    wrong = [(name, value) for name, value in numbers.items() if value is not None and not math.isfinite(value)]
    if not wrong:
        return evaluation
    name, value = wrong[0]
    return replace(
        failed(evaluation.number, f"the evaluation must give finite numbers: {name} is {value}"),
        wall_time_s={name: t for name, t in evaluation.wall_time_s.items() if math.isfinite(t)},
    )


def prepare(case: CaseSpec) -> Any:
    """Steady state of the nominal line, from which neighbouring designs start; compiles the kernels."""
    if case.solver != "periodic":
        return None
    from dynamics.neighbour import periodic_start

    return periodic_start(case)


def evaluate(task: Task, setting: Setting) -> Evaluation:
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


def _evaluate(task: Task, setting: Setting) -> Evaluation:
    if setting.scenarios is not None:
        from optimise.robust import evaluate_scenarios

        return evaluate_scenarios(task, setting)
    case = CaseSpec.model_validate({**setting.case.model_dump(), "catenary": task.catenary.model_dump()})
    solution = _solve(case, setting.start)
    times = {name: float(seconds) for name, seconds in solution.wall_time_s.items()}
    message = solution.message or solution.status.value
    if solution.status is Status.STATIC_SLACK and setting.reference is not None:
        smallest = float(np.min(solution.equilibrium.dropper_force))
        g = {"g_static_dropper_force": force_violation(smallest, setting.limits)}
        told = told_value(None, g, setting.reference.sigma_N)
        return Evaluation(
            task.number, EvaluationStatus.STATIC_SLACK, message, constraints=g, told_N=told,
            static_dropper_force_min_N=smallest, wall_time_s=times,
        )  # fmt: skip
    if not solution.status.has_figures or solution.statistics is None:
        return replace(failed(task.number, message), wall_time_s=times)
    return replace(_numbers(task.number, solution, setting), wall_time_s=times)


def _solve(case: CaseSpec, start: Any) -> PeriodicSolution | Trajectory:
    if case.solver == "periodic":
        from dynamics.periodic import solve_periodic

        return solve_periodic(case, start)
    from dynamics.transient import solve_transient

    return solve_transient(case)


def statistics_of(solution: PeriodicSolution | Trajectory) -> tuple[dict[str, float], str]:
    """Statistics of a solution by name, none without figures; and a sentence where one is not finite."""
    if not solution.status.has_figures or solution.statistics is None:
        return {}, ""
    figures = {name: float(value) for name, value in asdict(solution.statistics).items()}
    broken = [name for name, value in figures.items() if not math.isfinite(value)]
    return figures, f"every statistic must be finite: {', '.join(broken)} is not" if broken else ""


def _numbers(number: int, solution: PeriodicSolution | Trajectory, setting: Setting) -> Evaluation:
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
    return Evaluation(
        number=number,
        status=EvaluationStatus.OK,
        message=solution.message,
        sigma_N=sigma,
        constraints=g,
        told_N=told_value(sigma, g, reference.sigma_N),
        statistics=figures,
        static_dropper_force_min_N=smallest,
        applied_force_N=float(solution.applied_force_N),
    )

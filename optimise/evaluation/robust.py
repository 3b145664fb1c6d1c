"""One design in every scenario of its campaign: form-finding once a line, each steady state from near ones.

All conditions of one sample of errors share the line as it is installed and, with the same damping, its span cell. In a
condition the samples follow one another: the state of the nominal line in the same scenario, moved by what set this
design from the nominal line in the sample before, is where the search begins. So do the defects of a line: each is a
period of several spans, hung by the lengths to which the line as installed is cut. Winds blow on a line that is cut so,
gusts on an open line of such spans, and a worn contact wire hangs from droppers that are cut so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium, equilibrium_at_rest, periodic_equilibrium
from catenary.linearised.cell import VerticalCell, vertical_cell
from catenary.spec.line import CatenarySpec
from dynamics.results.solution import Solution
from dynamics.results.warm_start import WarmStart
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.static_status import static_message, static_status
from dynamics.spec.status import Status
from dynamics.travelling_window.window import window_spans
from optimise.evaluation.constraints import Reference, force_of_share, sampler_value, violations
from optimise.evaluation.figures import (
    LEAST,
    SIGMA,
    UPLIFT,
    as_hung,
    harmonics_of,
    how_combined,
    slack_at_rest,
    statistics_of,
)
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.objectives import with_worst_spans
from optimise.evaluation.outcome import Outcome, OutcomeStatus, failed
from optimise.evaluation.scenarios import Condition, ScenarioSet

__all__ = [
    "RobustStart",
    "as_installed",
    "combined",
    "evaluate_scenarios",
    "prepare_scenarios",
    "solved_in_scenarios",
]

# statistics that are kept of every scenario: what objectives and limits are made of
KEPT = (
    "contact_force_std_N",
    "contact_force_max_N",
    "contact_force_min_N",
    "contact_force_statistical_min_N",
    "contact_loss_percent",
    "max_uplift_at_supports_mm",
)
# and of the worst span, where a line repeats after several
KEPT_OF_SPANS = tuple(f"worst_span_contact_force_{what}_N" for what in ("std", "max", "min", "range"))
# a period of several spans is marched in double precision where the rows of single precision make its window longer
MUCH_LONGER = 1.5


@dataclass(frozen=True)
class RobustStart:
    """Starting states of a campaign's searches, by condition; picklable.

    Attributes
    ----------
    conditions : tuple
        Result of `prepare` for each condition with the nominal line and its defect; None without a starting state.
    states : tuple of tuple
        Steady state of the nominal line (condition, sample), packed; None where it has none.
    """

    conditions: tuple[Any, ...]
    states: tuple[tuple[NDArray[np.float64] | None, ...], ...]


def prepare_scenarios(scenarios: ScenarioSet, prepare: Callable[[CaseSpec], Any]) -> RobustStart:
    """Steady states of the nominal line in every scenario, from which those of all designs start."""
    starts = tuple(prepare(_case_on(condition, condition.case.catenary)) for condition in scenarios.conditions)
    lines = None
    states = []
    for condition, start in zip(scenarios.conditions, starts, strict=True):
        if not isinstance(start, WarmStart):
            states.append((None,) * scenarios.samples)
            continue
        lines = lines or as_installed(periodic_equilibrium(condition.case.catenary), scenarios)
        states.append(tuple(_state(condition, start, line) for line in lines))
    # secant pairs of a search are of no use to others, and large where a period is of several spans
    return RobustStart(tuple(replace(s, pairs=()) if isinstance(s, WarmStart) else s for s in starts), tuple(states))


def _state(condition: Condition, start: WarmStart, line: Equilibrium) -> NDArray[np.float64] | None:
    sound = condition.as_cut(line)
    found = solve(_case_on(condition, sound), start, _hung(condition, line, sound)).warm_start
    return None if found is None else found.state


def evaluate_scenarios(job: Job, setting: Setting) -> Outcome:
    """Objectives over all scenarios, the worst violations, and each scenario's own figures; may raise.

    A dropper that an error of installation leaves loose carries nothing, and the line runs with it; the limit on the
    static force must hold for a share of the installed lines. A design whose prescribed heights would need a dropper
    to push is infeasible, and no dynamics are run. A scenario whose state does not repeat from span to span has the
    figures of a long march and says so. One without figures makes the design a failure, with the reason.
    """
    scenarios = setting.scenarios
    assert scenarios is not None
    begin = time.perf_counter()
    line = job.catenary or setting.case.catenary
    ideal = equilibrium_at_rest(line)
    lines = as_installed(ideal, scenarios)
    times = {"equilibrium": time.perf_counter() - begin, "dynamics": 0.0}
    rest = _at_rest(job.number, lines, setting)
    if rest is not None:
        return replace(rest, wall_time_s=times)
    found: list[tuple[dict[str, float], float]] = []
    solutions: list[Solution] = []
    notes: dict[str, None] = {}
    for label, solution in zip(scenarios.labels, solved_in_scenarios(lines, setting), strict=True):
        reason = solution.message or solution.status.value
        figures, broken = statistics_of(solution, setting.limits)
        if not figures or broken:
            return replace(failed(job.number, f"{label}: {broken or reason}"), wall_time_s=times)
        if solution.message:
            notes[f"{label}: {solution.message}"] = None
        found.append((figures, float(solution.applied_force_N)))
        solutions.append(solution)
    times["dynamics"] = time.perf_counter() - begin - times["equilibrium"]
    forces = np.array([each.dropper_force.min() for each in lines])
    held = force_of_share(forces, setting.limits.fitted_share)
    answer = combined(job.number, found, (float(forces.min()), held), setting)
    if job.wants_slopes:
        from optimise.evaluation.slopes import scenario_slopes

        answer = scenario_slopes(answer, job, setting, ideal, solutions)
    if job.harmonics:
        answer = replace(answer, harmonics=harmonics_of(solutions))
    return replace(answer, message="; ".join(notes), wall_time_s=times, droppers=as_hung(ideal, line))


def as_installed(ideal: Equilibrium, scenarios: ScenarioSet) -> tuple[Equilibrium, ...]:
    """Form-finding of a line as it is installed in each sample."""
    return tuple(scenarios.installed(ideal, sample) for sample in range(scenarios.samples))


def solved_in_scenarios(lines: tuple[Equilibrium, ...], setting: Setting) -> Iterator[Solution]:
    """Solve a design, as it is installed in each sample, in every scenario in the order of their labels."""
    assert setting.scenarios is not None
    start = setting.start if isinstance(setting.start, RobustStart) else None
    cells: dict[tuple[int, str], VerticalCell] = {}
    search: _Search | None = None
    for w, condition in enumerate(setting.scenarios.conditions):
        search = _Search(condition, start, w, cells, search)
        for sample, line in enumerate(lines):
            yield search.solve(sample, line)


def _case_on(condition: Condition, sound: CatenarySpec) -> CaseSpec:
    """Case of a condition on a line, whose damping is the condition's, with its defect."""
    case, settings, repeat = condition.case, condition.case.periodic, condition.repeat
    line = condition.line(sound.model_copy(update={"damping": case.catenary.damping}))
    if repeat is not None and not line.ends:
        behind, ahead = line.periods(settings.spans_behind), line.periods(settings.spans_ahead)
        single, double = (sum(window_spans(behind, ahead, precision)) for precision in ("single", "double"))
        if single > MUCH_LONGER * double:
            settings = settings.model_copy(update={"precision": "double"})
    return case.model_copy(update={"catenary": line, "periodic": settings})


def _hung(condition: Condition, line: Equilibrium, sound: CatenarySpec) -> Equilibrium:
    """Equilibrium in a condition: with its defect, wear and wind, and with its damping, of no effect at rest."""
    found = line if condition.as_designed else periodic_equilibrium(condition.line(sound))
    return replace(found, spec=found.spec.model_copy(update={"damping": condition.case.catenary.damping}))


def _at_rest(number: int, lines: tuple[Equilibrium, ...], setting: Setting) -> Outcome | None:
    """Outcome of a design that cannot be run as it is installed in some sample; None where it can in all."""
    scenarios = setting.scenarios
    assert scenarios is not None
    problems: list[tuple[Status, str]] = []
    for sample, line in enumerate(lines):
        status = static_status(line)
        if status is not Status.OK:
            where = f"with errors {sample + 1}: " if scenarios.spec.errors.wanted else ""
            problems.append((status, f"{where}{static_message(line, status)}"))
    if not problems:
        return None
    text = "; ".join(text for _, text in problems)
    if setting.reference is None or any(status is not Status.STATIC_SLACK for status, _ in problems):
        return failed(number, text)
    least = min(float(line.dropper_force.min()) for line in lines)
    slack = Outcome(number, OutcomeStatus.STATIC_SLACK, text, static_dropper_force_min_N=least)
    return slack_at_rest(slack, least, setting, setting.reference)


class _Search:
    """Steady states of one design under one condition, sample after sample.

    The first sample of a defect begins moved by what the one of the defect before it was moved by.
    """

    def __init__(
        self,
        condition: Condition,
        start: RobustStart | None,
        number: int,
        cells: dict[tuple[int, str], VerticalCell],
        before: _Search | None,
    ) -> None:
        self._condition = condition
        self._cells = cells  # span cells by sample and damping, which conditions share
        self._start = start.conditions[number] if start else None
        self._nominal = start.states[number] if start else ()
        follows = condition.repeat is not None and before is not None and before._condition.repeat is not None
        self._apart: NDArray[np.float64] | float = before._first if follows and before is not None else 0.0
        self._first: NDArray[np.float64] | float = 0.0

    def solve(self, sample: int, line: Equilibrium) -> Solution:
        """Solve the case with a line as it is installed in one sample."""
        sound = self._condition.as_cut(line)
        case = _case_on(self._condition, sound)
        if case.on_open_line:
            return solve(case, applied_force=self._start if isinstance(self._start, float) else None)
        hung = _hung(self._condition, line, sound)
        return self._periodic(case, sample, hung) if case.seeks_steady_state else solve(case, equilibrium=hung)

    def _periodic(self, case: CaseSpec, sample: int, line: Equilibrium) -> Solution:
        nominal = self._nominal[sample] if self._nominal else None
        start = self._start
        if start is not None and nominal is not None:
            moved = nominal.shape == np.shape(self._apart) or not np.ndim(self._apart)
            start = replace(start, state=nominal + self._apart if moved else nominal)
        solution = solve(case, start, line, self._cell(case, sample, line))
        found = solution.warm_start
        if nominal is not None and found is not None and found.state.shape == nominal.shape:
            self._apart = found.state - nominal
            if sample == 0:
                self._first = self._apart
        return solution

    def _cell(self, case: CaseSpec, sample: int, line: Equilibrium) -> VerticalCell | None:
        """Span cell of a sample; that of several spans is too large to be kept; each wind and each wear has its own."""
        if not self._condition.as_designed:
            return None
        key = sample, case.catenary.damping.model_dump_json()
        if key not in self._cells:
            self._cells[key] = vertical_cell(line)
        return self._cells[key]


def combined(
    number: int, found: list[tuple[dict[str, float], float]], least: tuple[float, float], setting: Setting
) -> Outcome:
    """Numbers of a design from its figures and applied force [N] in every scenario.

    ``least`` are the least static dropper force of all installed lines and that of the share which must hold the limit
    [N].
    """
    scenarios = setting.scenarios
    assert scenarios is not None
    figures, forces = with_worst_spans([each[0] for each in found]), [each[1] for each in found]
    share = scenarios.weights
    values = {name: scenarios.value(name, figures) for name in dict.fromkeys(("sigma", *scenarios.objectives))}
    statistics = {name: _over_scenarios(name, [f[name] for f in figures], share) for name in figures[0]}
    sigma = values["sigma"]
    reference = setting.reference or Reference(sigma, statistics[UPLIFT])
    g = violations(statistics, least[1], setting.limits, reference, [f[SIGMA] for f in figures])
    names = (*KEPT, *(name for name in KEPT_OF_SPANS if name in figures[0]))
    kept = {name: tuple(f[name] for f in figures) for name in names}
    return Outcome(
        number=number,
        status=OutcomeStatus.OK,
        sigma_N=sigma,
        constraints=g,
        sampler_value_N=sampler_value(sigma, g, reference.sigma_N),
        statistics=statistics,
        static_dropper_force_min_N=least[0],
        applied_force_N=float(share @ forces),
        objectives=values,
        scenarios={**kept, "applied_force_N": tuple(forces)},
    )


def _over_scenarios(name: str, values: list[float], share: NDArray[np.float64]) -> float:
    if how_combined(name) == "mean":
        return float(share @ values)
    return min(values) if name in LEAST else max(values)

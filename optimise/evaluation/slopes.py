"""Exact derivatives of a design's standard deviation and violations by its variables, in one case or in scenarios.

One march of multipliers for each steady state gives the derivatives by all variables (`dynamics.adjoint`); each
variable then costs the form-finding of a line one small step away. The uplift's are formed where it comes near its
limit; further away it holds nobody back, and they count as zero. So does the contact loss, a number of steps that
jumps.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from catenary.form_finding.equilibrium import Equilibrium, EquilibriumStatus, periodic_equilibrium
from catenary.form_finding.neighbours import neighbouring_equilibria
from catenary.spec.line import CatenarySpec
from dynamics.adjoint.motions import FirstOrder, motion_of
from dynamics.adjoint.steady_slopes import SteadySlopes
from dynamics.results.solution import Solution
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.travelling_window.layout import Floats
from optimise.design.train_space import TrainValues, with_train
from optimise.evaluation.case_inputs import case_at
from optimise.evaluation.constraints import SCENARIO_SIGMA, Reference, force_of_share, scenario_changes
from optimise.evaluation.figures import SIGMA, UPLIFT, statistics_of
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import CHECK, OBJECTIVE, Outcome, OutcomeStatus
from optimise.evaluation.scenarios import Condition, ScenarioSet

__all__ = ["design_slopes", "point_slopes", "scenario_slopes"]

NearTrains = Sequence[tuple[TrainValues, float]]
# violation of the limit on the uplift from which on its derivatives count
NEAR_LIMIT = -0.1
# step down the slopes of a point by which they are checked, in steps towards which they are formed
CHECKED = 10.0


@dataclass(frozen=True)
class Neighbours:
    """Lines one small step away along each variable, at rest.

    Attributes
    ----------
    lines : tuple of Equilibrium
        Bay by bay on the mesh of the line that they are near to.
    steps : float array (variable,)
        Steps, per range.
    """

    lines: tuple[Equilibrium, ...]
    steps: Floats

    @classmethod
    def of(cls, asked: Sequence[tuple[CatenarySpec, float]], line: Equilibrium) -> Neighbours:
        """Form-finding of neighbouring lines, to first order."""
        lines = neighbouring_equilibria(line, [spec for spec, _ in asked], first_order=True) if asked else ()
        return cls(lines, np.array([step for _, step in asked]))

    @property
    def sound(self) -> bool:
        """Whether all of them hang."""
        return all(line.status is EquilibriumStatus.OK for line in self.lines)


def _slopes_of(
    figure: FirstOrder, run: Solution, lines: tuple[Sequence[Equilibrium], Floats], trains: NearTrains
) -> Floats:
    """Derivatives of a figure of a steady state by variables of its line, then of its train (variable,)."""
    here = figure.value(run.case, run.equilibrium)
    found = []
    for equilibrium, step in zip(*lines, strict=True):
        spec = equilibrium.spec.model_copy(update={"damping": run.case.catenary.damping})
        found.append((figure.value(run.case.model_copy(update={"catenary": spec}), equilibrium) - here) / step)
    for values, step in trains:
        found.append((figure.value(with_train(run.case, values), run.equilibrium) - here) / step)
    return np.array(found)


def _run_slopes(
    runs: Sequence[Solution],
    lines: Sequence[Sequence[Equilibrium]],
    steps: Floats,
    trains: NearTrains,
    highest: int | None,
) -> tuple[Floats, Floats] | None:
    """Derivatives of sigma [N] in every run (run, variable), and of the largest uplift [m] (variable,).

    Parameters
    ----------
    runs : sequence of Solution
        Steady states that were found.
    lines : sequence of sequence of Equilibrium
        Neighbours of each run's line (run, variable).
    steps : float array (variable,)
    trains : tuple of (values, step)
        `Job.near_trains`.
    highest : int or None
        The run with the largest uplift; None where its derivatives do not count.

    Returns
    -------
    tuple or None
        None where a case has no exact derivatives.
    """
    count = len(steps) + len(trains)
    sigma, uplift = np.zeros((len(runs), count)), np.zeros(count)
    for k, (run, near) in enumerate(zip(runs, lines, strict=True)):
        motion = motion_of(run, near)
        if motion is None:
            return None
        figures = [motion.sigma(), motion.uplift()] if k == highest else [motion.sigma()]
        changes = [_slopes_of(figure, run, (near, steps), trains) for figure in figures]
        sigma[k] = changes[0]
        uplift = changes[1] if k == highest else uplift
    return sigma, uplift


def _violation_slopes(uplift: Floats, least: Floats, setting: Setting, reference: Reference) -> dict[str, Floats]:
    """Derivatives of the violations by those of the uplift [m] and of the least static dropper force [N].

    The latter are those by variables of the line, which alone move what hangs at rest.
    """
    limits = setting.limits
    return {
        "g_uplift": uplift / (1e-3 * limits.uplift_factor * reference.uplift_mm),
        "g_static_dropper_force": np.append(-least / limits.static_dropper_force, np.zeros(len(uplift) - len(least))),
        "g_contact_loss": np.zeros_like(uplift),
    }


def _with_slopes(outcome: Outcome, objective: Floats, violations: Mapping[str, Floats]) -> Outcome:
    """Outcome with derivatives of the objective and of the violations; without any where one is not a number."""
    found = {OBJECTIVE: objective, **violations}
    if not all(np.isfinite(x).all() for x in found.values()):
        return outcome
    return replace(outcome, slopes={name: tuple(map(float, x)) for name, x in found.items()})


def _uplift_counts(outcome: Outcome) -> bool:
    """Whether a design comes so near the limit on the uplift that its derivatives count."""
    return outcome.constraints.get("g_uplift", -1.0) > NEAR_LIMIT


def design_slopes(outcome: Outcome, job: Job, setting: Setting, solution: Solution) -> Outcome:
    """Outcome of a design in one case, with its derivatives where that case has exact ones."""
    line = solution.equilibrium
    if not job.wants_slopes or outcome.status is not OutcomeStatus.OK or not solution.found_steady_state:
        return outcome
    if not job.marched_slopes and _marched(solution):
        return outcome
    near = Neighbours.of(job.neighbours, line)
    if not near.sound:
        return outcome
    highest = 0 if _uplift_counts(outcome) else None
    slopes = _run_slopes((solution,), (near.lines,), near.steps, job.near_trains, highest)
    if slopes is None:
        return outcome
    least = (np.array([n.dropper_force.min() for n in near.lines]) - line.dropper_force.min()) / near.steps
    reference = setting.reference or Reference(float(outcome.sigma_N or 0.0), outcome.statistics[UPLIFT])
    return _with_slopes(outcome, slopes[0][0], _violation_slopes(slopes[1], least, setting, reference))


def scenario_slopes(
    outcome: Outcome, job: Job, setting: Setting, ideal: Equilibrium, solutions: Sequence[Solution]
) -> Outcome:
    """Outcome of a design over scenarios, with its derivatives where every scenario has exact ones.

    Neighbouring lines are installed with the same errors. ``solutions`` are those of the scenarios, in their order.
    """
    runs = [s for s in solutions if s.found_steady_state]
    if len(runs) < len(solutions) or (not job.marched_slopes and any(map(_marched, solutions))):
        return outcome
    scenarios, near = setting.scenarios, Neighbours.of(job.neighbours, ideal)
    assert scenarios is not None
    if not near.sound:
        return outcome
    samples = scenarios.samples
    lines = tuple(
        scenarios.installed_near(_as_cut(scenarios, sample, solution, ideal), near.lines, sample)
        for sample, solution in enumerate(solutions[:samples])
    )
    met = [scenarios.conditions[k // samples] for k in range(len(solutions))]
    near_runs = [
        _met(w, lines[k % samples], s.equilibrium) for k, (w, s) in enumerate(zip(met, solutions, strict=True))
    ]
    every = (*lines, *near_runs)
    if any(n.status is not EquilibriumStatus.OK for group in every for n in group):
        return outcome
    lifts = [s.statistics.max_uplift_at_supports_mm for s in solutions if s.statistics]
    highest = int(np.argmax(lifts)) if _uplift_counts(outcome) else None
    found = _run_slopes(runs, near_runs, near.steps, job.near_trains, highest)
    if found is None:
        return outcome
    share = setting.limits.fitted_share

    def least(group: Iterable[Equilibrium]) -> float:
        return force_of_share(np.array([line.dropper_force.min() for line in group]), share)

    here = least(s.equilibrium for s in solutions[:samples])  # of the sound line, which is first
    by_variable = [least(group[j] for group in lines) - here for j in range(len(near.steps))]
    reference = setting.reference or Reference(float(outcome.sigma_N or 0.0), outcome.statistics[UPLIFT])
    violations = _violation_slopes(found[1], np.array(by_variable) / near.steps, setting, reference)
    figures = [statistics_of(s)[0] for s in solutions]
    if setting.limits.scenario_change_percent is not None:
        sigma = tuple(f[SIGMA] for f in figures)
        worst = int(np.argmax(scenario_changes(sigma, reference)))
        violations[SCENARIO_SIGMA] = found[0][worst] / (reference.scenario_sigma_N or sigma)[worst]
    objective = scenarios.slopes(scenarios.objectives[0], figures, found[0])
    return _with_slopes(outcome, objective, violations)


def _as_cut(scenarios: ScenarioSet, sample: int, solution: Solution, ideal: Equilibrium) -> Equilibrium:
    """Line with the errors of a sample, as it is cut: that of a solution under the first condition, if it is sound.

    Its damping, of no effect at rest, is that of the ideal line.
    """
    if not scenarios.conditions[0].as_designed:
        return scenarios.installed(ideal, sample)
    found = solution.equilibrium
    return replace(found, spec=found.spec.model_copy(update={"damping": ideal.spec.damping}))


def _marched(solution: Solution) -> bool:
    """Whether the steady state was marched to."""
    return solution.method == "march"


def _met(condition: Condition, near: Sequence[Equilibrium], line: Equilibrium) -> Sequence[Equilibrium]:
    """Neighbours of a line in a condition: those of one with a defect or wear have it, too."""
    if condition.as_designed:
        return near
    return tuple(periodic_equilibrium(condition.line(condition.as_cut(n)), like=line.mesh) for n in near)


def point_slopes(found: Outcome, job: Job, setting: Setting, solution: Solution) -> Outcome:
    """Outcome of a point with the derivatives of its figures by each of its inputs; without them it says why.

    In the case's whole window a step down the slopes of sigma is computed, too.
    """
    slopes, rows = SteadySlopes(solution), []
    for k, step in enumerate(job.steps):
        move = np.zeros(len(job.steps))
        move[k] = step
        near, sense = _moved(job, setting, move)
        rows.append(slopes.towards(near, sense * step))
    if not all(row.known for row in rows):
        return replace(found, message=slopes.message or "a line next to this one does not hang: no derivatives")
    known = {
        SIGMA: tuple(row.sigma for row in rows),
        UPLIFT: tuple(1e3 * row.uplift for row in rows),
        "contact_force_max_N": tuple(row.force_max for row in rows),
        "contact_force_min_N": tuple(row.force_min for row in rows),
    }
    if job.window is None:
        known |= _checked(job, setting, solution, np.array(known[SIGMA]))
    return replace(found, slopes=known)


def _moved(job: Job, setting: Setting, move: Floats) -> tuple[CaseSpec, float]:
    """Case with inputs moved, or moved the other way where they stand at the end of what they may be; and which."""
    values = np.array(job.values)
    try:
        return case_at(setting.case, setting.names, tuple((values + move).tolist())), 1.0
    except ValueError:
        return case_at(setting.case, setting.names, tuple((values - move).tolist())), -1.0


def _checked(job: Job, setting: Setting, solution: Solution, sigma: Floats) -> dict[str, tuple[float, ...]]:
    """Change of sigma by a step down its slopes [N]: as these have it, and as computed; nothing where it fails."""
    steps = np.array(job.steps)
    steepest = float(np.abs(sigma * steps).max())
    if not 0.0 < steepest < math.inf:
        return {}
    move = -CHECKED * steps * (sigma * steps) / steepest
    near, sense = _moved(job, setting, move)
    line = solution.equilibrium
    if near.catenary != solution.case.catenary:
        line = periodic_equilibrium(near.catenary, like=line.mesh)
    there, here = solve(near, solution.near_start, line).train_statistics, solution.train_statistics
    if there is None or here is None:
        return {}
    return {CHECK: (sense * float(sigma @ move), there.contact_force_std_N - here.contact_force_std_N)}

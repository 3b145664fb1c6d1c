"""What an outcome holds of a solution: its statistics, and by them what a design is judged to be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from catenary.spec.line import CatenarySpec
from optimise.evaluation.constraints import BLOW_OFF, Reference, force_violation, sampler_value, violations
from optimise.evaluation.job import Setting
from optimise.evaluation.outcome import Outcome, OutcomeStatus, failed
from optimise.spec.campaign import LimitsSpec

if TYPE_CHECKING:
    from catenary.form_finding.equilibrium import Equilibrium
    from dynamics.results.solution import Solution

__all__ = [
    "HEIGHTS",
    "LEAST",
    "LENGTHS",
    "SIGMA",
    "UPLIFT",
    "as_hung",
    "harmonics_of",
    "how_combined",
    "judged",
    "outcome_of",
    "slack_at_rest",
    "statistics_of",
]

# of droppers that are cut to length, on record
LENGTHS, HEIGHTS = "length_m", "contact_wire_height_m"
SIGMA, UPLIFT = "contact_force_std_N", "max_uplift_at_supports_mm"
# statistics of which that of several scenarios is the worst
LARGEST = (
    BLOW_OFF,
    "contact_force_max_N",
    "contact_loss_percent",
    "max_uplift_at_supports_mm",
    "worst_span_contact_force_max_N",
)
LEAST = ("contact_force_min_N", "worst_span_contact_force_min_N")
# digits that are kept of each harmonic of the force
DIGITS = 7


def how_combined(name: str) -> Literal["worst", "mean"]:
    """How a statistic over scenarios is made: extremes are those of all, everything else is the weighted mean."""
    return "worst" if name in (*LARGEST, *LEAST) else "mean"


def statistics_of(solution: Solution, limits: LimitsSpec | None = None) -> tuple[dict[str, float], str]:
    """Statistics of a solution by name, none without figures; and a sentence where one is not finite.

    Of several pantographs each statistic is that of the one for which it is worst. Where a line repeats after several
    spans, those of the worst span stand next to them, and the blow-off where it is limited.
    """
    from dynamics.results.by_span import worst_span

    worst = solution.train_statistics
    if not solution.status.has_figures or worst is None:
        return {}, ""
    of_spans = worst_span(solution)
    every = asdict(worst) if of_spans is None else asdict(worst) | asdict(of_spans)
    figures = {name: float(value) for name, value in every.items()}
    if limits is not None and limits.blow_off_m is not None:
        from dynamics.wind.blow_off import blow_off_of

        blown = blow_off_of(solution)
        figures[BLOW_OFF] = math.nan if blown is None or blown.farthest_m is None else blown.farthest_m
    broken = [name for name, value in figures.items() if not math.isfinite(value)]
    return figures, f"every statistic must be finite: {', '.join(broken)} is not" if broken else ""


def outcome_of(number: int, solution: Solution, limits: LimitsSpec | None = None) -> Outcome:
    """Outcome of a job that one solution answers; with the blow-off where limits have one for it."""
    figures, broken = statistics_of(solution, limits)
    force = solution.equilibrium.dropper_force
    outcome = Outcome(
        number,
        OutcomeStatus.of(solution.status),
        solution.message,
        static_dropper_force_min_N=float(np.min(force)) if np.isfinite(force).all() else None,
        wall_time_s={name: float(seconds) for name, seconds in solution.wall_time_s.items()},
    )
    if figures and not broken:
        force = float(solution.applied_force_N)
        return replace(outcome, sigma_N=figures[SIGMA], statistics=figures, applied_force_N=force)
    status = OutcomeStatus.FAILED if solution.status.has_figures else outcome.status
    return replace(outcome, status=status, message=broken or solution.message or solution.status.value)


def harmonics_of(solutions: Sequence[Solution]) -> dict[str, tuple[float, ...]]:
    """Harmonics of the contact force as they are kept on record: by scenario and pantograph [N].

    None where one of the states does not repeat. See `dynamics.contact_force.harmonics`.
    """
    from dynamics.contact_force.harmonics import force_harmonics

    found = {}
    for scenario, solution in enumerate(solutions):
        if not solution.repeats or not solution.found_steady_state:
            return {}
        case = solution.case
        period, cutoff = case.line.period, case.signal.cutoff_hz
        for pantograph, one in enumerate(solution.pantographs):
            force, place = one.contact_force_filtered[one.evaluated], one.position[one.evaluated][0] / period
            values = force_harmonics(force, place, period / (case.speed_kmh / 3.6), cutoff)
            found[f"{scenario}.{pantograph}"] = tuple(float(f"{value:.{DIGITS}g}") for value in values)
    return found


def as_hung(equilibrium: Equilibrium, line: CatenarySpec) -> dict[str, tuple[float, ...]]:
    """Lengths and contact-wire heights [m] of a design's droppers cut to length; nothing of prescribed heights.

    Nor of a line with defects, some of whose droppers do not hang: the design says how all of them are cut.
    """
    from catenary.form_finding.equilibrium import EquilibriumStatus

    droppers = equilibrium.spec.droppers
    if equilibrium.spec.repeat is not None or equilibrium.status is not EquilibriumStatus.OK:
        return {}
    if "heights" in (droppers.prescribed, line.droppers.prescribed) or droppers.positions != line.droppers.positions:
        return {}
    heights = equilibrium.q[equilibrium.mesh.dropper_bottom, 2][: len(droppers.positions)]
    return {LENGTHS: tuple(droppers.lengths), HEIGHTS: tuple(map(float, heights))}


def judged(outcome: Outcome, setting: Setting) -> Outcome:
    """Outcome of a design with its violations of the limits.

    One that is slack at rest is infeasible, unless there is nothing to compare it with: it then keeps that status and
    its least static force. Otherwise a design without figures has failed.
    """
    least = outcome.static_dropper_force_min_N
    least = math.nan if least is None else least
    if outcome.status is OutcomeStatus.STATIC_SLACK and setting.reference is not None:
        return slack_at_rest(outcome, least, setting, setting.reference)
    if outcome.status is OutcomeStatus.STATIC_SLACK:
        return outcome
    if outcome.sigma_N is None:
        return replace(failed(outcome.number, outcome.message), wall_time_s=outcome.wall_time_s)
    reference = setting.reference or Reference(outcome.sigma_N, outcome.statistics[UPLIFT])
    g = violations(outcome.statistics, least, setting.limits.of_one_case, reference)
    value = sampler_value(outcome.sigma_N, g, reference.sigma_N)
    return replace(outcome, status=OutcomeStatus.OK, constraints=g, sampler_value_N=value)


def slack_at_rest(outcome: Outcome, least: float, setting: Setting, reference: Reference) -> Outcome:
    """Outcome of a design whose dynamics were not run, infeasible by its least static dropper force [N]."""
    g = {"g_static_dropper_force": force_violation(least, setting.limits)}
    return replace(outcome, constraints=g, sampler_value_N=sampler_value(None, g, reference.sigma_N))

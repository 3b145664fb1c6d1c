"""Confirm the best design by the long transient, next to the nominal line: both on the same two fine settings.

A search runs on a long step and a short window. To run the transient on them too would confirm neither: it is run on
finer numerics than the search's, and once more on finer ones still. How far the change of sigma between nominal line
and best design moves from the one to the other is its error: what errors the two lines have in common cancels in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynamics.charts.numbers import with_error
from dynamics.spec.case import CaseSpec
from optimise.afterwards.confirmed_objectives import (
    ConfirmedObjective,
    ObjectiveChange,
    confirmed_objectives,
    other_objectives,
)
from optimise.afterwards.confirming_runs import confirmed_on_open_line, in_words, transients
from optimise.evaluation.evaluate import evaluate
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import Outcome
from optimise.evaluation.verdict import verdict
from optimise.record.campaign_folder import TrialRecord

if TYPE_CHECKING:
    from dynamics.results.solution import Solution
    from optimise.search.result import CampaignResult

__all__ = ["Confirmation", "DesignConfirmation", "confirm"]


@dataclass(frozen=True)
class DesignConfirmation:
    """One design by the campaign's solver and by the long transient.

    Attributes
    ----------
    trial : int
        Number of the trial.
    sigma_N : float
        Standard deviation of the contact force on record [N]; where the campaign has scenarios, at its case's own
        condition without errors, solved once more.
    sigma_transient_N : float, optional
        The same by the long transient on the finest numerics [N]; None when it did not end well.
    spread_percent : float, optional
        First against second half of the transient's evaluated spans [%].
    message : str
        Reason, when the transient did not end well.
    sigma_coarser_N : float, optional
        By the long transient at twice the step with two thirds of the elements and of the window's spans [N].
    numerics : str
        Step, longest element and window of the finest numerics, in words.
    objectives : tuple of ConfirmedObjective
        What else the search was for, by the same runs.
    """

    trial: int
    sigma_N: float
    sigma_transient_N: float | None
    spread_percent: float | None
    message: str = ""
    sigma_coarser_N: float | None = None
    numerics: str = ""
    objectives: tuple[ConfirmedObjective, ...] = ()

    @property
    def error(self) -> float | None:
        """Change of sigma by the refinement, with half of the spread between halves [N]; None: not known."""
        sigma, coarser, spread = self.sigma_transient_N, self.sigma_coarser_N, self.spread_percent
        if sigma is None or coarser is None or spread is None:
            return None
        return math.hypot(sigma - coarser, 0.005 * spread * sigma)

    @property
    def difference_percent(self) -> float | None:
        """Value on record against the long transient [%]."""
        return None if self.sigma_transient_N is None else 100.0 * (self.sigma_N / self.sigma_transient_N - 1.0)


@dataclass(frozen=True, repr=False)
class Confirmation:
    """Nominal line and best design confirmed; ``whole_line`` where they are run from end to end, as in the search.

    ``refined`` says whether that was on finer numerics than the search's.
    """

    nominal: DesignConfirmation
    best: DesignConfirmation
    whole_line: bool = False
    refined: bool = True

    @property
    def by(self) -> str:
        """What confirms them, in words."""
        whole = "finer run of the whole line" if self.refined else "same run of the whole line again"
        return whole if self.whole_line else "long transient"

    @property
    def objectives(self) -> tuple[ObjectiveChange, ...]:
        """What else the search was for, where both lines have it."""
        best = {each.name: each for each in self.best.objectives}
        return tuple(ObjectiveChange(each, best[each.name]) for each in self.nominal.objectives if each.name in best)

    @property
    def change_percent(self) -> float:
        """Standard deviation of the best design against the nominal line, on record [%]."""
        return 100.0 * (self.best.sigma_N / self.nominal.sigma_N - 1.0)

    @property
    def change_transient_percent(self) -> float | None:
        """The same by the long transient [%]; None when one of the two failed."""
        nominal, best = self.nominal.sigma_transient_N, self.best.sigma_transient_N
        return None if nominal is None or best is None else 100.0 * (best / nominal - 1.0)

    @property
    def change_error_percent(self) -> float | None:
        """Shift of the change by the refinement, with half of each line's spread [%]; None: not known."""
        fine, lines = self.change_transient_percent, (self.nominal, self.best)
        nominal, best = (line.sigma_coarser_N for line in lines)
        spread = [0.5 * line.spread_percent for line in lines if line.spread_percent is not None]
        if fine is None or nominal is None or best is None or len(spread) < len(lines):
            return None
        return math.hypot(fine - 100.0 * (best / nominal - 1.0), *spread)

    @property
    def verdict(self) -> str:
        """Whether the best design's sigma is the lower one, as far as the change is known."""
        change, error = self.change_transient_percent, self.change_error_percent
        return verdict(0.0, math.nan if error is None else error, math.nan if change is None else change, 0.0)

    def __repr__(self) -> str:
        """Say the change by the confirming runs with its error, and the verdict."""
        change = self.change_transient_percent
        if change is None:
            reason = self.nominal.message or self.best.message
            return f"<not confirmed: the {self.by} failed: {reason}>"
        by = f"by the {self.by} {with_error(change, self.change_error_percent, 1, signed=True)} %"
        return f"<design {self.best.trial} against the nominal line, standard deviation {by}: {self.verdict}>"


def confirm(
    result: CampaignResult, solve: Callable[[CaseSpec], Solution] | None = None, *, refine: bool = True
) -> Confirmation | None:
    """Run nominal line and best design by the long transient; None when no design is feasible.

    Parameters
    ----------
    result : CampaignResult
        Campaign with at least its nominal line on record.
    solve : callable, optional
        Solver in place of the long transient; run on the coarser numerics of a line, then on the finer ones.
    refine : bool
        Whether the error is wanted; without it each line is run once, on the search's own step, mesh and window.
    """
    best = result.best
    if best is None:
        return None
    run = solve or _long_transient
    nominal = _confirm(result, result.nominal, run, refine)
    found = nominal if best.number == 0 else _confirm(result, best, run, refine)
    return Confirmation(nominal, found, confirmed_on_open_line(result.case), refine)


def _long_transient(case: CaseSpec) -> Solution:
    from dynamics.solution import solve

    return solve(case)


def _confirm(
    result: CampaignResult, record: TrialRecord, solve: Callable[[CaseSpec], Solution], refine: bool
) -> DesignConfirmation:
    if record.outcome is None or record.outcome.sigma_N is None:
        reason = "" if record.outcome is None or not record.outcome.message else f" ({record.outcome.message})"
        raise ValueError(
            f"trial {record.number} must have a standard deviation of the contact force to be confirmed: the record in "
            f"{result.folder} has none{reason}; search with a line and conditions for which this trial solves"
        )
    numerics = transients(result, record, refine)
    searched = _at_own_condition(result, record, record.outcome)
    sigma = searched.sigma_N
    assert sigma is not None
    sigmas, spread, runs = [], None, []
    for one in numerics:
        run = solve(one)
        runs.append(run)
        if not run.status.has_figures or run.train_statistics is None:
            return DesignConfirmation(record.number, sigma, None, None, run.message or run.status.value)
        sigmas.append(float(run.train_statistics.contact_force_std_N))
        # the spans of a line that ends differ, so that its halves say nothing about the error
        spread = 0.0 if result.case.on_open_line else run.spread_percent
    coarser = sigmas[0] if refine else None
    others = confirmed_objectives(other_objectives(result.campaign.objectives), searched.statistics, runs)
    return DesignConfirmation(record.number, sigma, sigmas[-1], spread, "", coarser, in_words(numerics[-1]), others)


def _at_own_condition(result: CampaignResult, record: TrialRecord, outcome: Outcome) -> Outcome:
    """Figures by the campaign's solver in the campaign's own case."""
    if not result.campaign.scenarios.wanted:
        return outcome
    case = result.case_with(result.line_of(record), record)
    found = evaluate(Job(record.number, case.catenary), Setting(case, result.campaign.limits))
    if found.sigma_N is None:
        raise ValueError(f"trial {outcome.number} must be solvable in the campaign's own case: {found.message}")
    return found

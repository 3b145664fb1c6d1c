"""The best design confirmed by the long transient, beside the nominal line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynamics.spec import CaseSpec
from optimise.evaluate import evaluate
from optimise.evaluation import Evaluation
from optimise.record import TrialRecord
from optimise.setting import Setting, Task

if TYPE_CHECKING:
    from dynamics.transient import Trajectory
    from optimise.result import CampaignResult

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
        The same by the long transient [N]; None when it did not end well.
    spread_percent : float, optional
        First against second half of the transient's evaluated spans [%].
    message : str
        Reason, when the transient did not end well.
    """

    trial: int
    sigma_N: float
    sigma_transient_N: float | None
    spread_percent: float | None
    message: str = ""

    @property
    def difference_percent(self) -> float | None:
        """Value on record against the long transient [%]."""
        return None if self.sigma_transient_N is None else 100.0 * (self.sigma_N / self.sigma_transient_N - 1.0)


@dataclass(frozen=True)
class Confirmation:
    """Nominal line and best design confirmed."""

    nominal: DesignConfirmation
    best: DesignConfirmation

    @property
    def change_percent(self) -> float:
        """Standard deviation of the best design against the nominal line, on record [%]."""
        return 100.0 * (self.best.sigma_N / self.nominal.sigma_N - 1.0)

    @property
    def change_transient_percent(self) -> float | None:
        """The same by the long transient [%]; None when one of the two did not end well."""
        nominal, best = self.nominal.sigma_transient_N, self.best.sigma_transient_N
        return None if nominal is None or best is None else 100.0 * (best / nominal - 1.0)


def confirm(result: CampaignResult, solve: Callable[[CaseSpec], Trajectory] | None = None) -> Confirmation | None:
    """Run nominal line and best design by the long transient; None when no design is feasible.

    Parameters
    ----------
    result : CampaignResult
        Campaign with at least its nominal line on record.
    solve : callable, optional
        Solver in place of the long transient.
    """
    best = result.best
    if best is None:
        return None
    run = solve or _long_transient
    nominal = _confirm(result, result.nominal, run)
    return Confirmation(nominal, nominal if best.number == 0 else _confirm(result, best, run))


def _long_transient(case: CaseSpec) -> Trajectory:
    from dynamics.transient import solve_transient

    return solve_transient(case)


def _confirm(
    result: CampaignResult, record: TrialRecord, solve: Callable[[CaseSpec], Trajectory]
) -> DesignConfirmation:
    if record.evaluation is None or record.evaluation.sigma_N is None:
        raise ValueError(f"trial {record.number} must have a standard deviation on record: it has none")
    line = result.space.spec_of(record.values).model_dump()
    case = CaseSpec.model_validate({**result.case.model_dump(), "catenary": line, "solver": "transient"})
    sigma = _at_own_condition(result, record.evaluation, case)
    run = solve(case)
    if not run.status.has_figures or run.statistics is None:
        return DesignConfirmation(record.number, sigma, None, None, run.message or run.status.value)
    first, second = run.statistics_first_half, run.statistics_second_half
    spread = None
    if first is not None and second is not None:
        spread = 100.0 * (first.contact_force_std_N / second.contact_force_std_N - 1.0)
    return DesignConfirmation(record.number, sigma, float(run.statistics.contact_force_std_N), spread)


def _at_own_condition(result: CampaignResult, evaluation: Evaluation, case: CaseSpec) -> float:
    """Standard deviation [N] by the campaign's solver in the campaign's own case."""
    if not result.campaign.scenarios.wanted:
        assert evaluation.sigma_N is not None
        return evaluation.sigma_N
    found = evaluate(Task(evaluation.number, case.catenary), Setting(result.case, result.campaign.limits))
    if found.sigma_N is None:
        raise ValueError(f"trial {evaluation.number} must be solvable in the campaign's own case: {found.message}")
    return found.sigma_N

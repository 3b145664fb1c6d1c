"""Designs of which none is better than another in every objective, kept as trials end."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from optimise.evaluation.objectives import OBJECTIVES, raw_values
from optimise.record.campaign_folder import TrialRecord

__all__ = ["Front", "best_of", "front_of", "no_better"]

Floats = NDArray[np.float64]


class Front:
    """Feasible designs that no other feasible design dominates in the named objectives.

    A design dominates another when it is at least as good in every objective and better in one. Of designs
    equal in all of them the earliest stands. With one objective the front is the best design alone.

    A polish with a closer tolerance than the search's takes the place of the search before it, whose figures differ
    from its by more than what it gains; it has evaluated the best designs of the search again.
    """

    def __init__(self, objectives: Sequence[str]) -> None:
        self._objectives = tuple(objectives)
        self._members: list[tuple[tuple[float, ...], TrialRecord]] = []

    def add(self, record: TrialRecord) -> None:
        """Add a trial that has ended; drop those that it dominates."""
        outcome = record.outcome
        values = raw_values(self._objectives, outcome)
        if outcome is None or values is None or not outcome.feasible:
            return
        costs = tuple(OBJECTIVES[name].cost(v) for name, v in zip(self._objectives, values, strict=True))
        if _closer(record):
            self._members = [member for member in self._members if _closer(member[1])]
        for k, (other, _) in enumerate(self._members):
            if _at_least_as_good(other, costs):
                # what dominates one design often dominates the next: it is asked first
                self._members.insert(0, self._members.pop(k))
                return
        self._members = [member for member in self._members if not _at_least_as_good(costs, member[0])]
        self._members.append((costs, record))

    @property
    def records(self) -> list[TrialRecord]:
        """Trials on the front, the best in the first objective first."""
        return [record for _, record in sorted(self._members, key=lambda member: (member[0], member[1].number))]


def _closer(record: TrialRecord) -> bool:
    """Whether a trial was evaluated with another tolerance than the search's."""
    return record.origin is not None and record.origin.tolerance is not None


def _at_least_as_good(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(map(operator.le, one, other))


def front_of(records: Iterable[TrialRecord], objectives: Sequence[str]) -> list[TrialRecord]:
    """Feasible non-dominated trials, the best in the first objective first."""
    front = Front(objectives)
    for record in records:
        front.add(record)
    return front.records


def best_of(records: Iterable[TrialRecord], objectives: Sequence[str]) -> TrialRecord | None:
    """Design of the front that is best in the first objective; with one objective the earlier of two equals."""
    return next(iter(front_of(records, objectives)), None)


def no_better(costs: Floats, errors: Floats) -> list[tuple[int, ...]]:
    """Which other designs each design of a front may be no better than in any objective, as far as errors say.

    Parameters
    ----------
    costs, errors : float array (design, objective)
        Objectives as something to minimise, and their errors; what has none may be anything.
    """
    apart = costs[None] - costs[:, None]  # (design, other, objective): above zero where the design is better
    sure = np.any(apart > np.hypot(errors[None], errors[:, None]), axis=2).tolist()
    return [tuple(k for k, better in enumerate(row) if k != own and not better) for own, row in enumerate(sure)]

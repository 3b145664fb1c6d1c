"""Distances between designs, and the best distinct ones.

The distance of two designs is the root mean square, over the variables, of their differences as shares of the
ranges: 1 is from corner to corner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from optimise.design.space import DesignSpace
from optimise.evaluation.objectives import OBJECTIVES, raw_values
from optimise.record.campaign_folder import TrialRecord

__all__ = ["cost_of", "distance", "distinct", "ranked"]


def distance(space: DesignSpace, one: Sequence[float], other: Sequence[float]) -> float:
    """Root mean square of the differences, as shares of the ranges [-]."""
    return float(np.sqrt(np.mean(((np.asarray(one) - np.asarray(other)) / space.ranges) ** 2)))


def cost_of(record: TrialRecord, objectives: Sequence[str]) -> float | None:
    """First objective as something to minimise; None where it was not computed."""
    raw = raw_values(objectives, record.outcome)
    return None if raw is None else OBJECTIVES[objectives[0]].cost(raw[0])


def ranked(records: Iterable[TrialRecord], objectives: Sequence[str]) -> list[TrialRecord]:
    """Feasible designs, best in the first objective first, the earlier of two equals first."""
    costs = [(cost_of(r, objectives), r) for r in records if r.outcome is not None and r.outcome.feasible]
    found = [(cost, r.number, r) for cost, r in costs if cost is not None]
    return [r for _, _, r in sorted(found, key=lambda item: item[:2])]


def distinct(records: Iterable[TrialRecord], space: DesignSpace, least: float, count: int) -> list[TrialRecord]:
    """Pick designs in order, each at least so far from all before it, up to a number of them."""
    chosen: list[TrialRecord] = []
    for record in records:
        if len(chosen) == count:
            break
        if all(distance(space, record.values, other.values) >= least for other in chosen):
            chosen.append(record)
    return chosen

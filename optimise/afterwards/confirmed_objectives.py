"""What else a search was for than the standard deviation, by the runs that confirm its best design.

A search runs on a long step and long elements, on which extremes are less sure than the standard deviation. So each
objective is taken from the same finer runs, and its change between nominal line and best design comes with what a
further refinement moved that change by.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optimise.evaluation.objectives import OBJECTIVES, Objective
from optimise.evaluation.verdict import verdict
from optimise.spec.objective_names import name_parts

if TYPE_CHECKING:
    from dynamics.results.solution import Solution

__all__ = ["ConfirmedObjective", "ObjectiveChange", "confirmed_objectives", "other_objectives"]


@dataclass(frozen=True)
class ConfirmedObjective:
    """One objective of one design, in the case's own condition.

    Attributes
    ----------
    name : str
        Of the objective, without a condition.
    searched : float
        By the search's numerics [its unit].
    finer : float
        By the finest of the confirming runs.
    coarser : float, optional
        By the coarser one; None where there was one run alone.
    """

    name: str
    searched: float
    finer: float
    coarser: float | None = None


@dataclass(frozen=True)
class ObjectiveChange:
    """One objective of the nominal line and of the best design."""

    nominal: ConfirmedObjective
    best: ConfirmedObjective

    @property
    def objective(self) -> Objective:
        """What it is."""
        return OBJECTIVES[self.nominal.name]

    @property
    def searched(self) -> float:
        """Change from the nominal line to the best design by the search [its unit]."""
        return self.best.searched - self.nominal.searched

    @property
    def finer(self) -> float:
        """The same by the finest of the confirming runs."""
        return self.best.finer - self.nominal.finer

    @property
    def error(self) -> float | None:
        """What the refinement moved that change by; None where there was none."""
        if self.best.coarser is None or self.nominal.coarser is None:
            return None
        return abs(self.finer - (self.best.coarser - self.nominal.coarser))

    @property
    def verdict(self) -> str:
        """Whether the best design is better in it, as far as the change is known."""
        return verdict(0.0, math.nan if self.error is None else self.error, self.objective.cost(self.finer), 0.0)


def other_objectives(names: Sequence[str]) -> tuple[str, ...]:
    """Objectives other than the standard deviation, without their conditions, each once."""
    bases = dict.fromkeys(name_parts(name).base for name in names)
    return tuple(name for name in bases if name != "sigma")


def confirmed_objectives(
    names: Sequence[str], searched: Mapping[str, float], runs: Sequence[Solution]
) -> tuple[ConfirmedObjective, ...]:
    """Objectives of a design, but for those of which a run has no figures.

    Parameters
    ----------
    names : sequence of str
        `other_objectives`.
    searched : mapping of str to float
        Statistics by the search's numerics.
    runs : sequence of Solution
        Confirming runs, the finest one last.
    """
    from optimise.evaluation.figures import statistics_of

    statistics, found = [statistics_of(run)[0] for run in runs if names], []
    for name in names:
        values = [OBJECTIVES[name].raw(each) for each in (searched, *statistics)]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            found.append(ConfirmedObjective(name, known[0], known[-1], known[-2] if len(runs) > 1 else None))
    return tuple(found)

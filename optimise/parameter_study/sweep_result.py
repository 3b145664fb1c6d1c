"""A sweep as it is asked for and as it stands: what decides its numbers, and the array that they fill."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import hypot, prod
from pathlib import Path

import numpy as np

from dynamics.spec.case import CaseSpec
from optimise.evaluation.case_inputs import refuse_bad_values
from optimise.evaluation.figures import SIGMA
from optimise.evaluation.job import Batch, Setting
from optimise.evaluation.outcome import Outcome
from optimise.parameter_study.sweep_points import sweep_batches
from optimise.record.parameter_study_folder import ParameterStudyInput
from optimise.spec.sweep import SweepAxesSpec

__all__ = ["AssuredPoint", "End", "Index", "SweepInput", "SweepResult"]

Index = tuple[int, ...]
# how much more than the points refined others may move by refinement
MARGIN = 2.0


class SweepInput(ParameterStudyInput):
    """Everything that decides the numbers of a sweep."""

    sweep: SweepAxesSpec

    @property
    def name(self) -> str:
        """Name of the sweep."""
        return self.sweep.name

    @property
    def points(self) -> int:
        """Points of the array."""
        return prod(self.sweep.shape)

    @property
    def names(self) -> tuple[str, ...]:
        """Dotted paths of the axes."""
        return tuple(self.sweep.values)

    @cached_property
    def batches(self) -> list[Batch]:
        """Every point, along the axes; one by one where no state is continued."""
        batches = sweep_batches(self.sweep)
        return [one for batch in batches for one in batch.split] if self.case.on_open_line else batches

    @property
    def setting(self) -> Setting:
        """What all points share: states are continued along an axis."""
        from dynamics.steady_state.continuation import Continuation

        return Setting(self.case, names=self.names, policy=Continuation)

    def refuse_bad_points(self) -> None:
        """Refuse a sweep with values out of range, or with one that goes with no other."""
        rows = (job.values for batch in self.batches for job in batch.jobs)
        refuse_bad_values(self.case, self.names, rows, "sweep.axes", corners=True)


@dataclass(frozen=True)
class AssuredPoint:
    """A point on numerics that were refined for it.

    Attributes
    ----------
    index : tuple of int
        Its place in the array.
    sigma_N, error_N : float, optional
        Standard deviation of the contact force and its estimated numerical error [N].
    message : str
        What to know about them, or why they are missing.
    wall_time_s : float
        What they cost [s].
    """

    index: Index
    sigma_N: float | None
    error_N: float | None
    message: str = ""
    wall_time_s: float = 0.0


@dataclass(frozen=True)
class End:
    """Lowest or highest standard deviation of a sweep, by refined figures where there are any.

    Attributes
    ----------
    word : str
        'lowest' or 'highest'.
    index : tuple of int
        Its place in the array.
    sigma_N, swept_N : float
        Standard deviation by refined numerics, or else that of the sweep; and that of the sweep [N].
    error_N : float, optional
        Its error [N]; None where it was not estimated.
    rivals : tuple of tuple
        Points without refined figures that may be more extreme: by their figures of the sweep, moved twice as
        far as refinement moved others at this end, and within the error. Without refined figures the extreme itself.
    even : tuple of tuple
        Further refined points that are the same within the errors.
    """

    word: str
    index: Index
    sigma_N: float
    swept_N: float
    error_N: float | None
    rivals: tuple[Index, ...]
    even: tuple[Index, ...] = ()

    @property
    def outside(self) -> bool:
        """Whether the figure of the sweep lies outside the error of the refined one."""
        return self.error_N is not None and abs(self.swept_N - self.sigma_N) > self.error_N


@dataclass(frozen=True)
class SweepResult:
    """A filled array: the input and the result of every point by its index; a point not evaluated yet is missing.

    ``assured`` are the points that were refined after the array was filled.
    """

    path: Path
    sweep: SweepAxesSpec
    case: CaseSpec
    points: dict[Index, Outcome]
    assured: tuple[AssuredPoint, ...] = ()

    def figures(self, name: str) -> np.ndarray:
        """One statistic over all points, NaN where it is missing."""
        found = np.full(self.sweep.shape, np.nan)
        for index, point in self.points.items():
            found[index] = point.statistics.get(name, np.nan)
        return found

    @property
    def failed(self) -> int:
        """Points without figures."""
        return sum(not p.statistics for p in self.points.values())

    def ends(self) -> tuple[End, End] | None:
        """Lowest and highest standard deviation; None without figures."""
        swept = {index: float(p.statistics[SIGMA]) for index, p in self.points.items() if p.statistics}
        return (self._end("lowest", swept), self._end("highest", swept)) if swept else None

    def _end(self, word: str, swept: dict[Index, float]) -> End:
        sign = 1.0 if word == "highest" else -1.0
        extreme = max(swept, key=lambda i: sign * swept[i])
        middle = 0.5 * (min(swept.values()) + max(swept.values()))
        tried = {p.index for p in self.assured}
        known = {p.index: p for p in self.assured if p.sigma_N is not None and sign * (swept[p.index] - middle) >= 0.0}
        if not known:
            rivals = () if extreme in tried else (extreme,)
            return End(word, extreme, swept[extreme], swept[extreme], None, rivals)
        sigma = {index: float(p.sigma_N) for index, p in known.items() if p.sigma_N is not None}
        errors = {index: p.error_N or 0.0 for index, p in known.items()}
        best = max(sigma, key=lambda i: sign * sigma[i])
        moved = MARGIN * max(abs(sigma[i] / swept[i] - 1.0) for i in sigma)
        reach = sign * sigma[best] - errors[best]
        rivals = tuple(i for i, v in swept.items() if i not in tried and sign * v * (1.0 + sign * moved) > reach)
        even = tuple(i for i in sigma if i != best and abs(sigma[i] - sigma[best]) <= hypot(errors[i], errors[best]))
        return End(word, best, sigma[best], swept[best], known[best].error_N, rivals, even)

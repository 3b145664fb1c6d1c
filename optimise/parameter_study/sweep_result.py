"""A sweep as it is asked for and as it stands: what decides its numbers, and the array that they fill."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path

import numpy as np

from dynamics.spec.case import CaseSpec
from optimise.evaluation.batch_task import EvaluateStrand, PointResult, StrandTask
from optimise.evaluation.case_inputs import refuse_bad_values
from optimise.parameter_study.sweep_points import strands
from optimise.record.points_folder import StrandInput
from optimise.spec.sweep import SweepAxesSpec

__all__ = ["SweepInput", "SweepResult"]


class SweepInput(StrandInput):
    """Everything that decides the numbers of a sweep."""

    sweep: SweepAxesSpec

    @property
    def evaluate(self) -> EvaluateStrand:
        """The function that workers run."""
        from optimise.evaluation.batch_points import evaluate_strand

        return evaluate_strand

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
    def strands(self) -> list[StrandTask]:
        """Every point, along the axes."""
        return strands(self.sweep)

    def refuse_bad_points(self) -> None:
        """Refuse a sweep with values out of range, or with one that goes with no other."""
        rows = (values for task in self.strands for values in task.values)
        refuse_bad_values(self.case, self.names, rows, "sweep.axes", corners=True)


@dataclass(frozen=True)
class SweepResult:
    """A filled array: the input and the result of every point by its index; a point not evaluated yet is missing."""

    path: Path
    sweep: SweepAxesSpec
    case: CaseSpec
    points: dict[tuple[int, ...], PointResult]

    def figures(self, name: str) -> np.ndarray:
        """One statistic over all points, NaN where there is none."""
        found = np.full(self.sweep.shape, np.nan)
        for index, point in self.points.items():
            found[index] = point.statistics.get(name, np.nan)
        return found

    @property
    def failed(self) -> int:
        """Points without figures."""
        return sum(not p.statistics for p in self.points.values())

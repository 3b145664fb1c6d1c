"""Points in strands that one worker evaluates in order: the function that workers run, and what comes back."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from catenary.equilibrium import Equilibrium, periodic_equilibrium
from catenary.spec import CatenarySpec
from dynamics.scattered import ScatteredStates
from dynamics.spec import CaseSpec
from dynamics.strand import Strand
from optimise.case_inputs import case_at

__all__ = ["PointResult", "StrandResult", "StrandTask", "evaluate_samples", "evaluate_strand"]


@dataclass(frozen=True)
class StrandTask:
    """Points which one worker evaluates in order, each near one before it.

    Attributes
    ----------
    number : int
        Number of the strand.
    indices : tuple of tuple
        Index of every point in its study.
    values : tuple of tuple
        Values of the inputs (point, input).
    places : tuple of tuple
        Coordinates over which steady states are continued from one point to the next [-].
    tolerance : float, optional
        End of the search for a steady state, where it is not the case's [-].
    """

    number: int
    indices: tuple[tuple[int, ...], ...]
    values: tuple[tuple[float, ...], ...]
    places: tuple[tuple[float, ...], ...]
    tolerance: float | None = None


@dataclass(frozen=True)
class PointResult:
    """What came out at one point; without figures the message is the reason.

    Attributes
    ----------
    status : str
        'ok', 'not_periodic' (figures of a long march), or why there are no figures.
    message : str
    statistics : dict
        Statistics of the contact force by name, the unit at the end of each name; empty without figures.
    applied_force_N, static_dropper_force_min_N : float, optional
    wall_time_s : float
    """

    status: str
    message: str = ""
    statistics: dict[str, float] = field(default_factory=dict)
    applied_force_N: float | None = None
    static_dropper_force_min_N: float | None = None
    wall_time_s: float = 0.0


@dataclass(frozen=True)
class StrandResult:
    """Results of the points of one strand, in order."""

    number: int
    points: tuple[PointResult, ...]

    def to_dict(self) -> dict[str, Any]:
        """Content as JSON types."""
        return {"strand": self.number, "points": [asdict(point) for point in self.points]}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> StrandResult:
        """Result from what `to_dict` gave."""
        return cls(int(content["strand"]), tuple(PointResult(**point) for point in content["points"]))


def evaluate_strand(task: StrandTask, setting: tuple[CaseSpec, tuple[str, ...]]) -> StrandResult:
    """Contact-force statistics of points along one parameter, each started from those before it; raises nothing."""
    return _evaluate_all(task, setting, Strand())


def evaluate_samples(task: StrandTask, setting: tuple[CaseSpec, tuple[str, ...]]) -> StrandResult:
    """Contact-force statistics of scattered points, each started from the nearest before it; raises nothing."""
    return _evaluate_all(task, setting, ScatteredStates())


def _evaluate_all(
    task: StrandTask, setting: tuple[CaseSpec, tuple[str, ...]], chain: Strand | ScatteredStates
) -> StrandResult:
    case, names = setting
    if task.tolerance is not None:
        case = case.model_copy(update={"periodic": case.periodic.model_copy(update={"tolerance": task.tolerance})})
    points = []
    for values, place in zip(task.values, task.places, strict=True):
        begin = time.perf_counter()
        try:
            point = _evaluate(case_at(case, names, values), place, chain)
        except Exception as error:  # an error on a worker belongs in the record, not in a lost traceback
            point = PointResult("failed", f"{type(error).__name__}: {error}")
        points.append(replace(point, wall_time_s=time.perf_counter() - begin))
    return StrandResult(task.number, tuple(points))


def _evaluate(case: CaseSpec, place: tuple[float, ...], chain: Strand | ScatteredStates) -> PointResult:
    equilibrium = _equilibrium(case.catenary)
    if case.solver == "periodic":
        solution = chain.solve(case, place, equilibrium)
    else:
        from dynamics.transient import solve_transient

        solution = solve_transient(case, equilibrium)
    figures = {} if solution.statistics is None else {k: float(v) for k, v in asdict(solution.statistics).items()}
    force = equilibrium.dropper_force
    least = float(np.min(force)) if np.isfinite(force).all() else None
    if not solution.status.has_figures or not figures or not all(map(math.isfinite, figures.values())):
        status = solution.status.value if not solution.status.has_figures else "failed"
        reason = solution.message or "a statistic is not finite"
        return PointResult(status, reason, static_dropper_force_min_N=least)
    return PointResult(solution.status.value, solution.message, figures, float(solution.applied_force_N), least)


def _equilibrium(line: CatenarySpec) -> Equilibrium:
    """Form-finding once for all lines that differ in damping alone, which does nothing at rest."""
    text = line.model_dump_json(exclude={"damping", "provenance", "description"})
    return replace(_find(_Line(text, line)), spec=line)


class _Line:
    """A line that compares by what sets its state at rest."""

    def __init__(self, text: str, line: CatenarySpec) -> None:
        self.text, self.line = text, line

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Line) and other.text == self.text


@lru_cache(maxsize=64)
def _find(key: _Line) -> Equilibrium:
    return periodic_equilibrium(key.line)

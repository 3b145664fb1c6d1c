"""The functions that workers run to evaluate the points of a strand in order."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, replace
from functools import lru_cache

import numpy as np
from pydantic import ValidationError

from catenary.form_finding.equilibrium import Equilibrium, periodic_equilibrium
from catenary.linearised.cell import VerticalCell, vertical_cell
from catenary.spec.line import CatenarySpec
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.static_status import static_status
from dynamics.spec.status import Status
from dynamics.steady_state.continuation import Strand
from dynamics.steady_state.nearest_start import ScatteredStates
from optimise.evaluation.batch_task import PointResult, StrandResult, StrandTask
from optimise.evaluation.case_inputs import case_at, why_impossible

__all__ = ["evaluate_samples", "evaluate_strand"]

# lines whose state at rest is kept: a strand holds fewer that differ in more than damping and contact
LINES = 64


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
        closer = {"tolerance": task.tolerance, "precision": "double"}  # differences of points are formed from it
        case = case.model_copy(update={"periodic": case.periodic.model_copy(update=closer)})
    points = []
    for values, place in zip(task.values, task.places, strict=True):
        begin = time.perf_counter()
        try:
            point = _evaluate(case_at(case, names, values), place, chain)
        except ValidationError as error:  # values that do not go together, each of which goes with others
            point = PointResult("impossible", why_impossible(error))
        except Exception as error:  # an error on a worker belongs in the record, not in a lost traceback
            point = PointResult("failed", f"{type(error).__name__}: {error}")
        points.append(replace(point, wall_time_s=time.perf_counter() - begin))
    return StrandResult(task.number, tuple(points))


def _evaluate(case: CaseSpec, place: tuple[float, ...], chain: Strand | ScatteredStates) -> PointResult:
    equilibrium = _equilibrium(case.catenary)
    if case.seeks_steady_state:
        cell = _cell(equilibrium) if static_status(equilibrium) is Status.OK else None
        solution = chain.solve(case, place, equilibrium, cell)
    else:
        solution = solve(case, equilibrium=equilibrium)
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
    return replace(_found(_Line(line)), spec=line)


def _cell(equilibrium: Equilibrium) -> VerticalCell:
    """The line's span cell, whose masses and stiffnesses damping does not change either."""
    return replace(_formed(_Line(equilibrium.spec)), equilibrium=equilibrium)


class _Line:
    """A line that compares by what sets its state at rest."""

    def __init__(self, line: CatenarySpec) -> None:
        self.line, self.text = line, line.model_dump_json(exclude={"damping", "provenance", "description"})

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Line) and other.text == self.text


@lru_cache(maxsize=LINES)
def _found(key: _Line) -> Equilibrium:
    return periodic_equilibrium(key.line)


@lru_cache(maxsize=LINES)
def _formed(key: _Line) -> VerticalCell:
    return vertical_cell(_found(key))

"""The points of a sweep, in strands that one worker evaluates in order: the function that workers run."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from pydantic import ValidationError

from catenary.equilibrium import Equilibrium, periodic_equilibrium
from catenary.errors import InputError
from catenary.spec import CatenarySpec
from dynamics.mean_force import reference_mean_force
from dynamics.spec import CaseSpec
from dynamics.strand import Strand
from optimise.sweep_spec import SweepAxesSpec

__all__ = ["PointResult", "StrandResult", "StrandTask", "case_at", "evaluate_strand", "refuse_bad_points", "strands"]

MOST_TOLD = 8
SPEED = "speed_kmh"
# points that one strand may hold at most, and strands that are left at least where rows are put together
MOST_IN_STRAND, FEWEST_STRANDS = 100, 8


@dataclass(frozen=True)
class StrandTask:
    """Points along one axis, to and fro over neighbouring rows, which one worker evaluates in order.

    Attributes
    ----------
    number : int
        Number of the strand.
    along : int
        Axis that the points run along.
    indices, values : tuple of tuple
        Indices and values (point, axis).
    """

    number: int
    along: int
    indices: tuple[tuple[int, ...], ...]
    values: tuple[tuple[float, ...], ...]


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


def strands(axes: SweepAxesSpec) -> list[StrandTask]:
    """All points of a sweep, each in one strand.

    Strands run along the longest axis, but not along the speed where another has more than one value: steady
    states at neighbouring speeds are less alike. In a large sweep a strand goes to and fro over several neighbouring
    rows of the next longest axis. The division depends on the axes alone.
    """
    values, shape, names = axes.values, axes.shape, list(axes.values)
    order = sorted(range(len(shape)), key=lambda k: (names[k] == SPEED or shape[k] == 1, -shape[k], k))
    along, beside = order[0], order[1] if len(order) > 1 else None
    across = [k for k in range(len(shape)) if k not in (along, beside)]
    rows_beside = shape[beside] if beside is not None and names[beside] != SPEED else 1
    together = max(1, min(MOST_IN_STRAND // shape[along], math.prod(shape) // shape[along] // FEWEST_STRANDS))
    tasks: list[StrandTask] = []
    speeds = [beside] if beside is not None and rows_beside == 1 else []
    for held in itertools.product(*(range(shape[k]) for k in (*across, *speeds))):
        for first in range(0, rows_beside, together):
            indices = []
            for row in range(first, min(first + together, rows_beside)):
                there = range(shape[along])
                for i in there if (row - first) % 2 == 0 else reversed(there):
                    at = dict(zip((*across, *speeds), held, strict=True)) | {along: i}
                    indices.append(tuple(at.get(k, row) for k in range(len(shape))))
            points = tuple(tuple(v[i] for v, i in zip(values.values(), index, strict=True)) for index in indices)
            tasks.append(StrandTask(len(tasks), along, tuple(indices), points))
    return tasks


def case_at(case: CaseSpec, names: tuple[str, ...], values: tuple[float, ...]) -> CaseSpec:
    """Case with inputs set by their dotted paths.

    Where the case holds the reference mean force of its speed, a point at another speed holds that of its own.

    Raises
    ------
    ValueError
        If the values are out of range or do not go together.
    """
    content = case.model_dump()
    for name, value in zip(names, values, strict=True):
        _set(content, name, value)
    if SPEED in names and "mean_force_N" not in names and _holds_reference(case):
        content["mean_force_N"] = round(reference_mean_force(content[SPEED], case.supply), 6)
    return CaseSpec.model_validate(content)


def refuse_bad_points(case: CaseSpec, axes: SweepAxesSpec) -> None:
    """Refuse a sweep that has a point with values out of range, before anything is written.

    Raises
    ------
    InputError
        With one sentence per value that is not allowed, and for points whose values do not go together.
    """
    names = tuple(axes.values)
    told: dict[str, None] = {}
    for task in strands(axes):
        for values in task.values:
            try:
                case_at(case, names, values)
            except ValidationError as error:
                where = ", ".join(f"{n}={v:g}" for n, v in zip(names, values, strict=True))
                told.update(dict.fromkeys(_sentence(e, where) for e in error.errors(include_url=False)))
            except KeyError as error:
                told[f"sweep.axes must name inputs that this case has: {error.args[0]} is none of them"] = None
    if told:
        more = [f"and {len(told) - MOST_TOLD} more of the kind"] if len(told) > MOST_TOLD else []
        raise InputError([*list(told)[:MOST_TOLD], *more])


def evaluate_strand(task: StrandTask, setting: tuple[CaseSpec, tuple[str, ...]]) -> StrandResult:
    """Contact-force statistics of the points of one strand, each started from those before it; raises nothing."""
    case, names = setting
    chain = Strand()
    points = []
    for values in task.values:
        begin = time.perf_counter()
        try:
            point = _evaluate(case_at(case, names, values), values[task.along], chain)
        except Exception as error:  # an error on a worker belongs in the record, not in a lost traceback
            point = PointResult("failed", f"{type(error).__name__}: {error}")
        points.append(replace(point, wall_time_s=time.perf_counter() - begin))
    return StrandResult(task.number, tuple(points))


def _evaluate(case: CaseSpec, at: float, chain: Strand) -> PointResult:
    equilibrium = _equilibrium(case.catenary)
    if case.solver == "periodic":
        solution = chain.solve(case, at, equilibrium)
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


def _holds_reference(case: CaseSpec) -> bool:
    force = case.mean_force_N
    return force is not None and abs(force - reference_mean_force(case.speed_kmh, case.supply)) < 1e-3


def _set(content: dict[str, Any], name: str, value: float) -> None:
    """Set a number by its dotted path; a part that is a whole number is the place in a list.

    Raises KeyError with the name where the case has no such number.
    """
    *parts, last = name.split(".")
    block: Any = content
    try:
        for part in parts:
            if isinstance(block[part], tuple):
                block[part] = list(block[part])
            block = block[part]
        key: Any = int(last) if isinstance(block, list) else last
        if block[key] is None:  # such as the stitch of a line without, or the one of two forces that is not held
            raise KeyError(name)
        block[key] = value
    except (KeyError, IndexError, TypeError, ValueError):
        raise KeyError(name) from None


def _sentence(error: Any, where: str) -> str:
    """One problem of a point: a value alone is named by itself, values together by their point."""
    path = ".".join(str(part) for part in error["loc"])
    if error["type"] == "value_error":
        return f"sweep.axes must give possible cases: at {where}: {path + ': ' if path else ''}{error['ctx']['error']}"
    given = error.get("input")
    shown = f"{given:g}" if isinstance(given, int | float) else str(given)
    return f"sweep.axes: {path} must hold '{error['msg']}': got {shown}"

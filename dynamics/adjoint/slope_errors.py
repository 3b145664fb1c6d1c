"""Derivatives of a steady state by droppers and inputs with their errors, by a companion of other numerics.

Instants of slack move from sample to sample, and derivatives with them, more than the figures do
(docs/notebook/steady-state.md). By the operator the companion has twice the harmonics and samples: the derivatives are
then its own, and their errors what the run's own differ by. A march's companion has half of the window and of the
step; it is the worse of the two, so that the run's own derivatives stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from dynamics.adjoint.droppers import DropperSlopes, dropper_slopes
from dynamics.adjoint.inputs import DISTANCES, InputSlope, input_slopes
from dynamics.adjoint.steady_slopes import FigureSlopes, SteadySlopes
from dynamics.results.solution import Solution
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.steady_state.by_operator import solve_by_operator

__all__ = ["SteadyDerivatives", "steady_derivatives"]

Floats = NDArray[np.float64]

# harmonics and samples of the operator's companion over those of the run; the second where the first is marched
FINER = {"twice": 2.0, "1.4 times": 1.4}
# of a march's companion over the run's: spans of the window, and step
SHORTER = 0.5
# derivatives may agree with the companion's by chance: those by droppers are off by the root mean square over all of
# them at least; those by inputs, whose effects differ by orders, by a tenth of that over all inputs, and by a quarter
# of what those by heights are off by relative to themselves (docs/notebook/steady-state.md)
LEAST_OF_INPUTS, LEAST_AS_HEIGHTS = 0.1, 0.25


@dataclass(frozen=True)
class SteadyDerivatives:
    """Derivatives by all droppers and by all inputs.

    Attributes
    ----------
    droppers : DropperSlopes
    inputs : tuple of InputSlope
    errors_from : str
        Sentence on what their errors come from, or why these are not known; empty where none were asked for.
    message : str
        Why there are no derivatives; else it is empty.
    """

    droppers: DropperSlopes
    inputs: tuple[InputSlope, ...]
    errors_from: str
    message: str


def steady_derivatives(solution: Solution, *, with_errors: bool = True) -> SteadyDerivatives:
    """Derivatives of a steady state that was found; without errors those of the run's own numerics.

    Raises
    ------
    InputError
        If the solution has not found a steady state, or its case lacks exact derivatives.
    """
    run = SteadySlopes(solution)
    beside, said = _companion(solution) if with_errors else (None, "")
    if beside is None:
        return SteadyDerivatives(dropper_slopes(run), input_slopes(run), said, run.message)
    best, rest = (beside, run) if solution.operator_state is not None else (run, beside)
    droppers, others = dropper_slopes(best), dropper_slopes(rest, checked=False)
    heights = _Pair([d.by_height for d in droppers.droppers], [d.by_height for d in others.droppers])
    stations = _Pair([d.by_station for d in droppers.droppers], [d.by_station for d in others.droppers])
    each = zip(droppers.droppers, heights.errors(), stations.errors(), strict=True)
    rows = tuple(replace(d, height_error=height, station_error=station) for d, height, station in each)
    inputs = _inputs_with_errors(input_slopes(best), input_slopes(rest), LEAST_AS_HEIGHTS * heights.relative)
    return SteadyDerivatives(replace(droppers, droppers=rows), inputs, said, best.message)


def _companion(solution: Solution) -> tuple[SteadySlopes | None, str]:
    """Derivatives of other numerics, and what errors by them are; None, and why there are none."""
    by_operator = solution.operator_state is not None
    try:
        found, said = _finer(solution) if by_operator else _shorter(solution)
        slopes = None if found is None else SteadySlopes(found)
    except InputError as error:  # what a window refuses
        slopes, said = None, "; ".join(error.problems)
    if slopes is not None and slopes.message:
        slopes, said = None, slopes.message
    return slopes, said if slopes is not None else f"the errors of these derivatives are not known: {said}"


def _finer(solution: Solution) -> tuple[Solution | None, str]:
    """Steady state by the operator with more harmonics and samples."""
    case, marched = solution.case, ""
    for words, finer in FINER.items():
        wanted = _with_periodic(case, resolution=finer * case.periodic.resolution)
        found = solve_by_operator(wanted, solution.equilibrium, solution.operator_start)
        if not isinstance(found, str):
            return found, (
                f"these derivatives have {words} the harmonics and samples of the run; each ± is at least how "
                "far those of the run are from them"
            )
        marched = found
    return None, f"with more harmonics the line had to be marched: {marched}"


def _shorter(solution: Solution) -> tuple[Solution | None, str]:
    """Steady state of a march in half of the window by half of the step."""
    case = solution.case
    spans = {name: max(2, round(SHORTER * getattr(case.periodic, name))) for name in ("spans_behind", "spans_ahead")}
    wanted = _with_periodic(case, method="march", precision="double", **spans)
    found = solve(wanted.model_copy(update={"dt": SHORTER * case.dt}), equilibrium=solution.equilibrium)
    if not found.found_steady_state:
        return None, f"in half of the window by half of the step no steady state was found: {found.message}"
    return found, (
        "each ± is at least how far a derivative is from that of half of the window by half of the step; what waves "
        "from beyond the window do to derivatives by inputs is in neither"
    )


def _with_periodic(case: CaseSpec, **changes: Any) -> CaseSpec:
    return case.model_copy(update={"periodic": case.periodic.model_copy(update=changes)})


def _inputs_with_errors(
    best: Sequence[InputSlope], rest: Sequence[InputSlope], relative: Floats
) -> tuple[InputSlope, ...]:
    """Derivatives by inputs with what they differ by, at least a share of themselves (figure,).

    Distances of a train are compared by themselves.
    """
    found = dict[str, FigureSlopes]()
    for distances in (False, True):
        some = [k for k, x in enumerate(best) if x.name.startswith(DISTANCES) == distances]
        pair = _Pair([best[k].slopes for k in some], [rest[k].slopes for k in some], [best[k].value for k in some])
        found |= zip((best[k].name for k in some), pair.errors(LEAST_OF_INPUTS, relative), strict=True)
    return tuple(replace(x, error=found[x.name]) for x in best)


class _Pair:
    """Derivatives by several things with those of other numerics; ``scales`` are what each is multiplied with."""

    def __init__(
        self, best: Sequence[FigureSlopes], rest: Sequence[FigureSlopes], scales: Sequence[float] = ()
    ) -> None:
        self._static = [0.0 * slopes.static for slopes in best]  # form-finding alone has these
        self._scale = np.abs(np.array(scales or [1.0] * len(best)))[:, None]
        there, here = (np.array([s[:4] for s in each]).reshape(-1, 4) * self._scale for each in (best, rest))
        self._sizes, self._apart = np.abs(there), np.abs(there - here)

    @property
    def relative(self) -> Floats:
        """Root mean square of what they differ by over that of themselves (figure,)."""
        size = _root_mean_square(self._sizes)
        return np.divide(_root_mean_square(self._apart), size, out=np.zeros_like(size), where=size > 0.0)

    def errors(self, least: float = 1.0, relative: float | Floats = 0.0) -> list[FigureSlopes]:
        """How far each may be off: at least a share of the root mean square of all, and of itself (figure,)."""
        floor = np.maximum(least * _root_mean_square(self._apart), relative * self._sizes)
        rows = np.where(np.isfinite(self._apart), np.maximum(self._apart, floor), np.nan) / self._scale
        each = zip(rows.tolist(), self._static, strict=True)
        return [
            FigureSlopes(sigma, uplift, highest, lowest, static) for (sigma, uplift, highest, lowest), static in each
        ]


def _root_mean_square(rows: Floats) -> Floats:
    """Of rows (row, figure), those that are numbers (figure,)."""
    known = np.isfinite(rows)
    squares = np.where(known, rows, 0.0) ** 2
    return np.sqrt(squares.sum(axis=0) / np.maximum(known.sum(axis=0), 1))

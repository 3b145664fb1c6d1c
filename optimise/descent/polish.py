"""The best designs of a search improved along gradients: sequential quadratic programming (SciPy's SLSQP).

Bounds and limits (uplift, static dropper force, contact loss) are its constraints. Derivatives come with each
evaluation, exact ones (`optimise.evaluation.slopes`), where the objective and the case have them. Elsewhere they are
central differences, one-sided at a bound, whose step h balances the noise e of an evaluation (what the tolerance of the
steady state leaves between neighbours) against the curvature of the slope: e / h against f''' h^2 / 6.

A polish is a pure function of its start and of the evaluations on record. It is run from its beginning whenever
it is to continue, and stops at the first design that is not on record yet; that design, or all those of a gradient,
are then evaluated for all polishes together. So an interrupted polish resumes by itself, and nothing is evaluated
twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from optimise.descent.distances import cost_of, distinct, ranked
from optimise.design.space import DesignSpace
from optimise.evaluation.constraints import constraints_of
from optimise.evaluation.outcome import OBJECTIVE
from optimise.record.campaign_folder import Origin, TrialRecord
from optimise.spec.campaign import CampaignSpec

__all__ = ["Point", "PolishRun", "polish", "tolerance_of"]

Values = tuple[float, ...]
Point = tuple[Values, Origin]

# The method starts with the unit matrix for curvature. Shares of the ranges and this share of the nominal line's
# objective bring it near what lines have (100 to 600 N of sigma per unit squared), so that its first step is short.
SCALE = 0.2
# of the nominal line's objective: a step that gains less is lost in the noise
GAIN = 1e-4
# A start that holds its limits keeps this much from them, so that the end does hold them.
MARGIN = 1e-3
NO_NUMBERS = 10.0
# tolerance of the steady state whose figures leave differences of neighbours above their noise
OF_DIFFERENCES = 1e-4


@dataclass(frozen=True)
class PolishRun:
    """One polished design.

    Attributes
    ----------
    start : TrialRecord
        Trial of the search from which it began.
    start_polished : TrialRecord
        The same design as the polish evaluates it.
    end : TrialRecord, optional
        Best feasible design of the polish; None without any.
    evaluations : int
        Designs that it asked for.
    message : str
        How it ended.
    """

    start: TrialRecord
    start_polished: TrialRecord
    end: TrialRecord | None
    evaluations: int
    message: str


class _MissingError(Exception):
    """Designs that are not on record yet."""

    def __init__(self, points: list[Values]) -> None:
        super().__init__(points)
        self.points = points


class _EndedError(Exception):
    """The polish cannot continue."""


def polish(
    campaign: CampaignSpec, space: DesignSpace, records: Sequence[TrialRecord], evaluate: Callable[[list[Point]], None]
) -> list[PolishRun]:
    """Polish the best designs of a search that are distinct.

    Parameters
    ----------
    campaign : CampaignSpec
    space : DesignSpace
    records : sequence of TrialRecord
        Trials on record; `evaluate` adds to them.
    evaluate : callable
        Puts designs on record, with their origin.
    """
    settings, objectives, tolerance = campaign.polish, campaign.objectives, tolerance_of(campaign)
    exact = campaign.polishes_by_derivatives
    search = [r for r in records if not r.polished]
    starts = distinct(ranked(search, objectives), space, settings.distance, settings.best)
    runs: dict[int, PolishRun] = {}
    known: dict[Values, TrialRecord] = {}
    seen = 0
    descents = [_Descent(campaign, space, start, search[0], known) for start in starts]
    while True:
        for record in records[seen:]:
            # what the search evaluated without derivatives is of no use where a polish follows them
            outcome = record.outcome
            useful = outcome is not None and (record.polished or not exact or bool(outcome.slopes))
            if _as_polished(record, tolerance) and useful:
                known.setdefault(record.values, record)
        seen = len(records)
        wanted: dict[Values, Origin] = {}
        for number, descent in enumerate(descents):
            try:
                if number not in runs:
                    runs[number] = descent.run()
            except _MissingError as missing:
                origin = Origin("polish", descent.start.number, tolerance)
                wanted |= {values: origin for values in missing.points if values not in wanted}
        if not wanted:
            return [runs[number] for number in range(len(descents))]
        if wanted.keys() & known.keys():
            raise AssertionError("a design on record must not be requested again")
        evaluate(list(wanted.items()))


def tolerance_of(campaign: CampaignSpec) -> float | None:
    """Tolerance of the steady state while polishing [-]; None for that of the search."""
    wanted = campaign.polish.tolerance
    return OF_DIFFERENCES if wanted is None and not campaign.polishes_by_derivatives else wanted


def _as_polished(record: TrialRecord, tolerance: float | None) -> bool:
    """Whether a trial was evaluated as a polish with that tolerance would."""
    return (record.origin.tolerance if record.origin else None) == tolerance


@dataclass
class _Descent:
    """One polish from its start; runs as far as the record goes. Vectors u are shares of the ranges, in [0, 1]."""

    campaign: CampaignSpec
    space: DesignSpace
    start: TrialRecord
    nominal: TrialRecord
    known: Mapping[Values, TrialRecord]
    visited: set[Values] = field(default_factory=set)
    slopes: dict[bytes, NDArray[np.float64]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        variables = self.space.variables
        self.low = np.array([v.low for v in variables])
        self.high = np.array([v.high for v in variables])
        self.free = np.array([not v.integer for v in variables])
        self.begin = ((np.asarray(self.start.values) - self.low) / self.space.ranges)[self.free]
        nominal, sigma = cost_of(self.nominal, self.campaign.objectives), cost_of(self.nominal, ("sigma",))
        self.unit = max(abs(nominal or 0.0), sigma or 0.0)
        self.limits = tuple(constraints_of(self.campaign.limits))

    def run(self) -> PolishRun:
        """Whole polish.

        Raises
        ------
        _MissingError
            With the designs to evaluate before it can continue.
        """
        start_polished = self._record(self.begin)
        message = self._search(self._figures(self.begin)) if self.begin.size else "nothing but counts can change"
        met = ranked((self.known[values] for values in self.visited), self.campaign.objectives)
        return PolishRun(self.start, start_polished, met[0] if met else None, len(self.visited), message)

    def _search(self, first: NDArray[np.float64] | None) -> str:
        if first is None:
            return "the start has no numbers at the tolerance of the polish"
        margin = np.clip(-first[1:], 0.0, MARGIN)
        steps = self.campaign.polish.iterations
        limits: Any = {
            "type": "ineq",
            "fun": lambda u: -self._finite(u)[1:] - margin,
            "jac": lambda u: -self._slope(u)[1:],
        }
        try:
            found = minimize(
                lambda u: float(self._finite(u)[0]), self.begin, jac=lambda u: self._slope(u)[0], method="SLSQP",
                bounds=[(0.0, 1.0)] * len(self.begin),
                constraints=limits,
                options={"maxiter": steps, "ftol": SCALE * GAIN},
            )  # fmt: skip
        except _EndedError as ended:
            return str(ended)
        return {
            0: "converged",
            8: "no descent beyond the noise of an evaluation",
            9: f"stopped after {steps} step{'s' if steps != 1 else ''} (polish.iterations)",
        }.get(int(found.status), str(found.message))

    def _values(self, u: NDArray[np.float64]) -> Values:
        """Values of the variables; counts stay as they are."""
        if np.array_equal(u, self.begin):
            return self.start.values
        values = np.array(self.start.values)
        values[self.free] = (self.low + self.space.ranges * _spread(u, self.free))[self.free]
        return tuple(np.clip(values, self.low, self.high).tolist())

    def _record(self, u: NDArray[np.float64]) -> TrialRecord:
        values = self._values(u)
        if values not in self.known:
            raise _MissingError([values])
        self.visited.add(values)
        return self.known[values]

    def _figures(self, u: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Scaled objective and violations on record, (1 + limit,); None where they were not computed."""
        record = self._record(u)
        cost = cost_of(record, self.campaign.objectives)
        if cost is None or record.outcome is None:
            return None
        return np.array([SCALE * cost / self.unit, *(record.outcome.constraints[name] for name in self.limits)])

    def _finite(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same, with a large value where nothing was computed, so that no step ends there."""
        figures = self._figures(u)
        return np.array([NO_NUMBERS, *[1.0] * len(self.limits)]) if figures is None else figures

    def _slope(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Derivatives of objective and violations (1 + limit, variable)."""
        key, outcome = u.tobytes(), self._record(u).outcome
        if outcome is not None and outcome.slopes:
            scales = SCALE / self.unit, *[1.0] * len(self.limits)
            return np.array(
                [s * np.array(outcome.slopes[n]) for s, n in zip(scales, (OBJECTIVE, *self.limits), strict=True)]
            )
        if key not in self.slopes:
            h = self.campaign.polish.step
            stencils = [_stencil(u, j, h) for j in range(len(u))]
            missing = [self._values(p) for points in stencils for p in points]
            missing = [values for values in dict.fromkeys(missing) if values not in self.known]
            if missing:
                raise _MissingError(missing)
            quotients = np.array([self._quotient(u, points, h) for points in stencils]).T
            self.slopes[key] = np.ascontiguousarray(quotients)  # SciPy reads rows as if they were whole
        return self.slopes[key]

    def _quotient(self, u: NDArray[np.float64], points: list[NDArray[np.float64]], h: float) -> NDArray[np.float64]:
        """Derivative along one variable from those of its two neighbours that have numbers, second order from both."""
        here, near, far = (self._figures(p) for p in (u, *points))
        if here is None or (near is None and far is None):
            raise _EndedError("no derivative: neighbouring designs have no numbers")
        across = float(np.sum(points[0] - u)), float(np.sum(points[1] - u))
        if near is None or far is None:
            step, there = (across[0], near) if near is not None else (across[1], far)
            return (there - here) / step  # pyright: ignore[reportOptionalOperand]
        # the parabola through all three, whose slope between two at equal distances is their quotient
        a, b = across
        return ((near - here) * b / a - (far - here) * a / b) / (b - a)


def _spread(u: NDArray[np.float64], free: NDArray[np.bool_]) -> NDArray[np.float64]:
    whole = np.zeros(len(free))
    whole[free] = u
    return whole


def _stencil(u: NDArray[np.float64], j: int, h: float) -> list[NDArray[np.float64]]:
    """Two neighbours of a design along one variable: either side, or both on the side away from a bound."""
    if u[j] + h > 1.0:
        offsets = (-h, -2.0 * h)
    elif u[j] - h < 0.0:
        offsets = (h, 2.0 * h)
    else:
        offsets = (-h, h)
    points = []
    for offset in offsets:
        point = u.copy()
        point[j] += offset
        points.append(point)
    return points

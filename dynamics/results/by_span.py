"""Figures of every span of an open line or of a period: where the force varies most, and how high supports rise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.results.solution import Solution
from dynamics.results.span_cut import force_figures, span_cut
from dynamics.spec.case import CaseSpec

__all__ = ["SpanFigures", "WorstSpan", "figures_by_span", "worst_span"]


@dataclass(frozen=True)
class SpanFigures:
    """Filtered contact force of one pantograph within one span, and the uplift at the supports that bound it.

    Attributes
    ----------
    pantograph, span : int
        Numbers, the leading pantograph and the line's first span being 1.
    begin_m, end_m : float
        Stations of its supports [m].
    contact_force_mean_N, contact_force_std_N, contact_force_max_N, contact_force_min_N : float
        Of the span's own samples [N].
    uplift_begin_mm, uplift_end_mm : float
        Largest rise of the contact wire at its first and at its last support during the whole run, or at any time where
        the state repeats [mm].
    """

    pantograph: int
    span: int
    begin_m: float
    end_m: float
    contact_force_mean_N: float
    contact_force_std_N: float
    contact_force_max_N: float
    contact_force_min_N: float
    uplift_begin_mm: float
    uplift_end_mm: float


def figures_by_span(solution: Solution) -> tuple[SpanFigures, ...]:
    """Figures of every evaluated span of an open line, or of every span of a period of several, by pantograph.

    None where there are no figures, of a long march, and where all spans are alike.
    """
    case = solution.case
    if solution.statistics is None or not (case.on_open_line or solution.repeats):
        return ()
    line, (first, last, rise) = case.line, _rises(solution)
    found = []
    for p, one in enumerate(solution.pantographs, start=1):
        for k in range(first, last + 1):
            force = one.contact_force_filtered[_passage(case, one.position, k)]
            found.append(
                SpanFigures(
                    pantograph=p,
                    span=k,
                    begin_m=line.station(k - 1),
                    end_m=line.station(k),
                    **force_figures(force),
                    uplift_begin_mm=float(rise[k - 1]),
                    uplift_end_mm=float(rise[k]),
                )
            )
    return tuple(found)


@dataclass(frozen=True)
class WorstSpan:
    """Worst of all spans before a line repeats, or that count on a line that ends, by figure, of all pantographs.

    Attributes
    ----------
    worst_span_contact_force_std_N, worst_span_contact_force_max_N, worst_span_contact_force_range_N : float
        Largest standard deviation, maximum and range (maximum less minimum) within a span [N].
    worst_span_contact_force_min_N : float
        Smallest minimum within a span [N].
    """

    worst_span_contact_force_std_N: float
    worst_span_contact_force_max_N: float
    worst_span_contact_force_min_N: float
    worst_span_contact_force_range_N: float


def worst_span(solution: Solution) -> WorstSpan | None:
    """Worst span of a line that repeats after several or ends; None where one span is all, or without figures.

    On an open line all evaluated spans count. Where a march has passed a span several times, its samples are those of
    all passages that count: of a steady state the one period, of a march in place of a steady state that was not found
    the last period.
    """
    case = solution.case
    count = case.catenary.spans_of_a_period
    if solution.statistics is None or (case.on_open_line and not case.catenary.ends) or count == 1:
        return None
    if case.on_open_line:
        return _worst(
            [
                one.contact_force_filtered[_passage(case, one.position, k)]
                for one in solution.pantographs
                for k in range(case.open_line.first_evaluated, case.open_line.last_evaluated + 1)
            ]
        )
    ends = np.array([case.line.station(k) for k in range(count + 1)])
    found = []
    for one in solution.pantographs:
        place = one.position[one.evaluated]
        # a sample at a support belongs to the span before it
        within = place - ends[-1] * (np.ceil(place / ends[-1] - 1.0e-9) - 1.0)
        span = np.clip(np.searchsorted(ends, within * (1.0 - 1.0e-12) - 1.0e-9) - 1, 0, count - 1)
        force = one.contact_force_filtered[one.evaluated]
        found += [force[span == k] for k in range(count)]
    return _worst(found)


def _worst(found: Sequence[NDArray[np.float64]]) -> WorstSpan:
    """Worst figures of the force (sample,) [N] within spans."""
    return WorstSpan(
        worst_span_contact_force_std_N=max(float(force.std()) for force in found),
        worst_span_contact_force_max_N=max(float(force.max()) for force in found),
        worst_span_contact_force_min_N=min(float(force.min()) for force in found),
        worst_span_contact_force_range_N=max(float(np.ptp(force)) for force in found),
    )


def _rises(solution: Solution) -> tuple[int, int, NDArray[np.float64]]:
    """First and last span that count, and the largest rise of every support, the line's first one first [mm]."""
    case, kept = solution.case, solution.histories
    if kept is not None:
        rise = np.asarray(kept.support_uplift).max(axis=0)  # of the supports between the ends
        return case.open_line.first_evaluated, case.open_line.last_evaluated, 1.0e3 * np.concatenate([[0.0], rise])
    count, rise = case.catenary.spans_of_a_period, solution.support_rise
    return 1, count if count > 1 else 0, 1.0e3 * np.append(rise, rise[:1])


def _passage(case: CaseSpec, position: NDArray[np.float64], span: int) -> slice:
    """Samples of one span, the one at its last support included."""
    if case.on_open_line:
        return span_cut(case, position, span, span)
    ends = (case.line.station(span - 1), case.line.station(span))
    return slice(*(int(np.searchsorted(position, x * (1.0 + 1e-12) + 1e-9)) for x in ends))

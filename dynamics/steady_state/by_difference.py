"""The steady state of a period with defects as what they change of the line without them.

The line as designed is solved once, in its case's window and in a short one. A period with defects is marched in the
short window alone, span by span, and what it has other than the equal spans there is added to the long window's state:
what a short window lacks, the defects hardly change.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium, periodic_equilibrium
from catenary.linearised.cell import VerticalCell, vertical_cell
from dynamics.results.solution import Solution
from dynamics.spec.case import CaseSpec
from dynamics.spec.static_status import static_status
from dynamics.spec.status import Status
from dynamics.steady_state.anderson import Acceleration
from dynamics.steady_state.period_figures import Effort, Passage, solution_of
from dynamics.steady_state.period_map import LineAsDesigned, PeriodMap
from dynamics.steady_state.span_map import PLAIN_SPANS, SpanMap, iterate
from dynamics.steady_state.tiled_start import without_repeat
from dynamics.travelling_window.window import window_spans

__all__ = ["DIFFERENCES", "line_as_designed", "outside_differences", "solve_by_difference"]

Floats = NDArray[np.float64]

# spans behind and ahead of the pantograph's in the window of differences, and the longest period that it holds
DIFFERENCES = (10, 12)
LONGEST = 11


def outside_differences(case: CaseSpec) -> str:
    """Say what a case has that is not marched as a difference; empty where it has nothing of the kind."""
    line = case.catenary
    repeat = line.repeat
    if repeat is None or line.section is not None or not repeat.defects:
        return "a line whose spans are all as designed"
    reasons = {
        f"a period of less than 3 or more than {LONGEST} spans": not 3 <= line.spans_of_a_period <= LONGEST,
        "a pattern of several spans": len(line.spans) > 1,
        "a contact wire that is worn or bent in places": bool(repeat.wear or repeat.kinks),
        "a wind": line.wind is not None,
        "a track that curves": line.track is not None and line.track.radius is not None,
        "an auxiliary wire": line.auxiliary_wire is not None,
        "a line in space": line.dimension == "spatial",
        "a pantograph with a controller": case.pantograph.control is not None,
        "a head that rolls": case.pantograph.head is not None,
        "several pantographs": len(case.distances) > 1,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def line_as_designed(case: CaseSpec, differences: tuple[int, int] = DIFFERENCES) -> LineAsDesigned | None:
    """Steady state of a case's line without its defects; None where it has none. Kept for the cases that follow.

    ``differences`` are the spans behind and ahead of the pantograph's in the window of differences.
    """
    alike = without_repeat(case)
    return None if alike is None else _designed(alike.model_dump_json(), differences)


@lru_cache(maxsize=4)
def _designed(text: str, differences: tuple[int, int]) -> LineAsDesigned | None:
    case = CaseSpec.model_validate_json(text)
    eq = periodic_equilibrium(case.catenary)
    if static_status(eq) is not Status.OK:
        return None
    cell, own = vertical_cell(eq), case.periodic
    behind, ahead = differences
    long = _settled(case, cell, (max(own.spans_behind, behind), max(own.spans_ahead, ahead)))
    short = None if long is None else _settled(case, cell, differences)
    if long is None or short is None:
        return None
    (at_length, _), (span_map, state) = long, short
    assert at_length.record is not None and span_map.record is not None
    applied = float(at_length.state.applied_forces[0]), float(span_map.state.applied_forces[0])
    return LineAsDesigned(span_map, state, at_length.record, span_map.record, at_length.window.behind, applied)


def _settled(case: CaseSpec, cell: VerticalCell, spans: tuple[int, int]) -> tuple[SpanMap, Floats] | None:
    """Map of a window that has marched over its steady state once more, and that state."""
    behind, ahead = window_spans(*spans)
    window = {"spans_behind": behind, "spans_ahead": ahead, "precision": "double", "method": "march"}
    periodic = case.periodic.model_copy(update=window)
    span_map = SpanMap(case.model_copy(update={"periodic": periodic}), cell.equilibrium, cell)
    x, _, _, status = iterate(span_map, span_map.static_start(), PLAIN_SPANS, None)
    if status is not Status.OK:
        return None
    span_map.window.keeps_every_dropper = True
    span_map.apply(x)
    return span_map, x


def solve_by_difference(case: CaseSpec, eq: Equilibrium, designed: LineAsDesigned | None = None) -> Solution | str:
    """Steady state of a period with defects, or why it has to be marched.

    Parameters
    ----------
    case : CaseSpec
    eq : Equilibrium
        Of the whole period.
    designed : LineAsDesigned, optional
        As `line_as_designed` gives it for the same case.
    """
    reason = outside_differences(case)
    if reason:
        return reason
    began = time.perf_counter()
    designed = designed or line_as_designed(case)
    if designed is None:
        return "a line that has no steady state as designed"
    try:
        period = PeriodMap(case, designed, eq)
    except ValueError as error:
        return str(error)
    _, residual, passages, status = iterate(period, period.static_start(), 0, None, Acceleration(None, 0))
    if status is not Status.OK:
        return f"no state that repeats within {passages} periods"
    applied = period.state.applied_forces + designed.applied_N[0] - designed.applied_N[1]
    record, behind = period.record_of_periods()
    effort = Effort(passages * period.window.period.spans, residual, False, 0.0, began)
    return replace(solution_of(case, eq, Passage(record, behind, applied, False), effort), method="difference")

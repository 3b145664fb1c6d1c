"""Runs that confirm a design: cases of long transients, or of an open line, on fine numerics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from catenary.spec.mesh import MeshSpec
from dynamics.accuracy.assured import longest_element, with_elements
from dynamics.accuracy.companions import COARSER, long_window, shorter_window
from dynamics.spec.case import CaseSpec
from optimise.record.campaign_folder import TrialRecord
from optimise.search.result import LONGEST_STEP

if TYPE_CHECKING:
    from optimise.search.result import CampaignResult

__all__ = ["confirmed_on_open_line", "confirming", "in_words", "transients"]

# spans of an open line up to the last that counts, that count (their halves are compared), beyond them, and at most
LONG_LINE, LONG_LINE_COUNTED, LONG_LINE_AFTER, MOST_SPANS = 40, 8, 12, 100
RUN_AFTER = 3  # spans run after the last that counts: filter and uplift need what follows


def confirmed_on_open_line(case: CaseSpec) -> bool:
    """Whether a campaign's designs are confirmed on an open line: no window has damping by component."""
    return case.on_open_line or bool(case.catenary.damping.own)


def transients(result: CampaignResult, record: TrialRecord, refine: bool) -> tuple[CaseSpec, ...]:
    """Cases of the long transients that confirm a design: coarser and finer, or one on the search's own numerics.

    A line by stations is run from end to end, and one whose components have damping of their own on an open line.
    """
    whole = confirmed_on_open_line(result.case)
    solver = "open_line" if whole else "transient"
    own = result.case_with(result.line_of(record), record).model_dump()
    if not result.case.on_open_line and whole:
        own["open_line"] = _long_line(result.case)
    case = CaseSpec.model_validate({**own, "solver": solver})
    if whole:
        return whole_line_cases(case, result.case.catenary.mesh) if refine else (case,)
    if not refine:
        return (case,)
    return confirming(case, longest_element(result.space.typical_of(result.case.catenary)))


def _long_line(case: CaseSpec) -> dict[str, float | str]:
    """An open line of so many spans; what its start leaves shows in the halves of those that count."""
    counted = case.catenary.periods(LONG_LINE_COUNTED) * case.catenary.spans_of_a_period
    behind = math.ceil(max(case.distances) / case.line.mean_span)
    last = min(LONG_LINE + behind, MOST_SPANS - RUN_AFTER - behind)
    return {
        "spans": min(last + behind + LONG_LINE_AFTER, MOST_SPANS),
        "start": 1.5 + behind,
        "first_evaluated": last - counted + 1,
        "last_evaluated": last,
        "spans_after": RUN_AFTER,
        "ends": "absorbing",
    }


def confirming(case: CaseSpec, longest: float) -> tuple[CaseSpec, CaseSpec]:
    """Take two numerics for a transient: a single run's on a shorter window, and finer ones on a single run's window.

    The finer ones have half the step and elements of two thirds the length. No element of the coarser ones is longer
    than ``longest`` [m], that of the nominal line, whichever line it is.
    """
    window = {name: max(spans, getattr(case.transient, name)) for name, spans in long_window().items()}
    update = {
        "transient": case.transient.model_copy(update=shorter_window(window)),
        "dt": min(case.dt, LONGEST_STEP),
        "strict_dt": False,
        "catenary": with_elements(case.catenary, longest, 1.0),
    }
    coarse = case.model_copy(update=update)
    finer = {
        "transient": case.transient.model_copy(update=window),
        "dt": 0.5 * coarse.dt,
        "catenary": with_elements(case.catenary, longest, COARSER),
    }
    return coarse, coarse.model_copy(update=finer)


def whole_line_cases(case: CaseSpec, mesh: MeshSpec) -> tuple[CaseSpec, CaseSpec]:
    """Take two numerics for a line that ends: its own mesh at a single run's step, and both finer, as `confirming`."""
    coarse = case.model_copy(
        update={
            "dt": min(case.dt, LONGEST_STEP),
            "strict_dt": False,
            "catenary": case.catenary.model_copy(update={"mesh": mesh}),
        }
    )
    finer = {
        "dt": 0.5 * coarse.dt,
        "catenary": with_elements(case.catenary, mesh.largest_element_length, COARSER),
    }
    return coarse, coarse.model_copy(update=finer)


def in_words(case: CaseSpec) -> str:
    """Step, longest element and window, or line, of a run that confirms a design."""
    if case.on_open_line:
        element = case.catenary.mesh.largest_element_length
        which = "the whole line" if case.catenary.ends else f"an open line of {case.open_line.spans} spans"
        return f"{1e3 * case.time_step:.3g} ms, elements of at most {element:.2g} m, {which}"
    settings, element = case.transient, case.catenary.mesh.largest_element_length
    window = f"a window of {settings.spans_behind} + {settings.spans_ahead} spans"
    return f"{1e3 * case.time_step:.3g} ms, elements of at most {element:.2g} m, {window}"

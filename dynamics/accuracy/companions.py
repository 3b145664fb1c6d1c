"""Companions of a run, each different in one setting, from which its numerical error is estimated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.spec.mesh import LONGEST_ELEMENT, MeshSpec, default_mesh
from dynamics.contact_force.statistics import ContactStatistics, contact_statistics, filter_force
from dynamics.linear_algebra.row_widths import LANES
from dynamics.results.solution import Solution
from dynamics.results.warm_start import WarmStart
from dynamics.solution import solve
from dynamics.spec.case import CaseSpec
from dynamics.spec.solver import PeriodicSpec
from dynamics.spec.static_status import static_message, static_status
from dynamics.spec.status import Status
from dynamics.steady_state.periodic import PLAIN_SPANS, iterate
from dynamics.steady_state.span_map import SpanMap
from dynamics.travelling_window.window import window_spans

__all__ = [
    "COARSER",
    "FIGURES",
    "TIGHTER",
    "NoCompanionError",
    "continued",
    "figures_in",
    "figures_of",
    "figures_of_train",
    "iterated",
    "long_window",
    "other_mesh",
    "shorter_window",
    "window_of",
    "with_window",
]

# elements, and spans of a window, of a companion relative to the run's
COARSER = 2.0 / 3.0
# elements that are longer are compared with short ones (docs/notebook/numerical-error.md) [m]
TOO_LONG = 1.5
TIGHTER = 0.1
# what companions are compared in, the standard deviation first: what limits are set for
FIGURES: tuple[str, ...] = (
    "contact_force_std_N", "contact_force_max_N", "contact_force_min_N", "contact_loss_percent",
    "max_uplift_at_supports_mm",
)  # fmt: skip
Floats = NDArray[np.float64]


class NoCompanionError(Exception):
    """A companion that cannot be run or does not end well; the message is a sentence for the record."""


def window_of(case: CaseSpec) -> dict[str, int]:
    """Spans of the travelling window of the case's solver, by name."""
    settings = case.periodic if case.seeks_steady_state else case.transient
    return {"spans_behind": settings.spans_behind, "spans_ahead": settings.spans_ahead}


def other_mesh(mesh: MeshSpec, longest: float) -> MeshSpec:
    """Mesh with two thirds of the elements; where the longest [m] are too long for that, one as lines have by default.

    Long elements converge in no order at all: the difference to a still coarser mesh says nothing.
    """
    if longest > TOO_LONG:
        return default_mesh(mesh)
    fewer = max(2, round(COARSER * mesh.elements_per_bay))
    longer = min(mesh.largest_element_length / COARSER, LONGEST_ELEMENT)
    return MeshSpec(elements_per_bay=fewer, largest_element_length=longer)


def long_window() -> dict[str, int]:
    """Spans of a window that is long enough near most resonances: that of a run which says nothing about it."""
    usual = PeriodicSpec()
    return {"spans_behind": usual.spans_behind, "spans_ahead": usual.spans_ahead}


def shorter_window(spans: dict[str, int]) -> dict[str, int]:
    """Two thirds of a window's spans, in the same proportion, as many as fill whole vectors."""
    behind, ahead = window_spans(spans["spans_behind"], spans["spans_ahead"])
    lanes = LANES["float64"]
    width = lanes * int(COARSER * (behind + ahead + 2) / lanes)
    fewer = round((width - 2) * behind / (behind + ahead))
    return dict(zip(spans, (fewer, width - 2 - fewer), strict=True))


def with_window(case: CaseSpec, spans: dict[str, int]) -> CaseSpec:
    """Case with another window of its solver, marched in double precision."""
    if case.seeks_steady_state:
        exact = case.periodic.model_copy(update={**spans, "precision": "double"})
        return case.model_copy(update={"periodic": exact})
    return case.model_copy(update={"transient": case.transient.model_copy(update=spans)})


def figures_in(statistics: ContactStatistics) -> Floats:
    """FIGURES of one pantograph (figure,), in the units at the ends of their names."""
    return np.array([getattr(statistics, name) for name in FIGURES], dtype=np.float64)


def figures_of_train(solution: Solution) -> Floats | None:
    """FIGURES of every pantograph (pantograph, figure); None without figures."""
    each = [figures_in(one.statistics) for one in solution.pantographs if one.statistics is not None]
    return np.stack(each) if each and len(each) == len(solution.pantographs) else None


def figures_of(case: CaseSpec, eq: Equilibrium, applied: float) -> Floats:
    """FIGURES of a companion (pantograph, figure); a march begins with an applied force [N] that is nearly right."""
    if case.seeks_steady_state:
        return iterated(case, eq)[0]
    march = solve(case, equilibrium=eq, applied_force=applied)
    figures = figures_of_train(march)
    if figures is None:
        raise NoCompanionError(f"the companion failed: {march.message or march.status.value}")
    return figures


def iterated(case: CaseSpec, eq: Equilibrium, *, tighter: bool = False) -> tuple[Floats, Floats | None]:
    """FIGURES of a steady state (pantograph, figure) where the iteration ends, and at a tighter tolerance.

    Unlike a run, a companion that finds no steady state is not marched on: its figures would be of another kind.
    """
    status = static_status(eq, case)
    if status is not Status.OK:
        raise NoCompanionError(f"the companion failed: {static_message(eq, status, case)}")
    span_map = SpanMap(case, eq)
    x, _, spans, status = iterate(span_map, span_map.static_start(), PLAIN_SPANS, None)
    if status is not Status.OK:
        marched = spans * case.catenary.spans_of_a_period
        raise NoCompanionError(f"the companion found no state that repeats within {marched} spans")
    figures = _figures_of_record(span_map)
    if not tighter:
        return figures, None
    settings = case.periodic.model_copy(update={"tolerance": TIGHTER * case.periodic.tolerance})
    span_map.case = case.model_copy(update={"periodic": settings})
    *_, status = iterate(span_map, x, 0, None)
    return figures, _figures_of_record(span_map) if status is Status.OK else None


def continued(case: CaseSpec, eq: Equilibrium, start: WarmStart) -> Floats | None:
    """FIGURES of the steady state (pantograph, figure) that a run's iteration comes to at a tighter tolerance.

    In the run's own window. Where it stalls, or is slow, they are those of the state that it came to by then; None
    where it left the steady state, or the window is another one.
    """
    tighter = TIGHTER * case.periodic.tolerance
    settings = case.periodic.model_copy(update={"tolerance": tighter, "precision": "double"})
    span_map = SpanMap(case.model_copy(update={"periodic": settings}), eq)
    x = span_map.near_start(start)
    if x is None:
        return None
    *_, status = iterate(span_map, x, 0, None)
    return None if status is Status.DIVERGED else _figures_of_record(span_map)


def _figures_of_record(span_map: SpanMap) -> Floats:
    """FIGURES of every pantograph over the span marched last (pantograph, figure)."""
    record, found = span_map.record, list[Floats]()
    assert record is not None
    for force, height in zip(record.forces, record.heights, strict=True):
        bands = filter_force(force, span_map.window.dt, span_map.case.signal, periodic=True)
        found.append(figures_in(contact_statistics(force, bands, height, float(record.uplift.max()))))
    return np.stack(found)

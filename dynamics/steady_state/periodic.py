"""Steady state of one or more pantographs on the infinite periodic line: the fixed point of the span-to-span map.

A window of spans with absorbing ends travels with the train. After each span the state, moved on by one span,
must be the state before it. Slack droppers and lost contact are marched exactly; Anderson acceleration, started from
a neighbouring design where there is one, shortens the way.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium, periodic_equilibrium
from catenary.linearised.cell import VerticalCell
from dynamics.line_operator.poles.known import KnownPoles
from dynamics.results.solution import Solution, without_figures
from dynamics.results.warm_start import WarmStart
from dynamics.spec.case import CaseSpec
from dynamics.spec.checks.operator_scope import NOT_COVERED
from dynamics.spec.static_status import static_message, static_status
from dynamics.spec.status import Status
from dynamics.steady_state.anderson import Acceleration
from dynamics.steady_state.by_difference import solve_by_difference
from dynamics.steady_state.by_operator import solve_by_operator
from dynamics.steady_state.period_figures import Effort, by_station, passage_of, solution_of
from dynamics.steady_state.side_motion import side_motion
from dynamics.steady_state.span_map import PLAIN_SPANS, SpanMap, iterate
from dynamics.steady_state.tiled_start import tiled_start, without_repeat
from dynamics.steady_state.transient import solve_transient

__all__ = ["PLAIN_SPANS", "iterate", "solve_periodic"]


def solve_periodic(
    case: CaseSpec,
    start: WarmStart | KnownPoles | None = None,
    equilibrium: Equilibrium | None = None,
    cell: VerticalCell | None = None,
) -> Solution:
    """Find the steady state of a case, from rest or from a neighbouring design's.

    Never raises for a design that cannot be solved: the status says why. ``cell`` is the equilibrium's span cell, where
    it has been formed already, for another speed or pantograph.
    """
    began = time.perf_counter()
    eq = periodic_equilibrium(case.catenary) if equilibrium is None else equilibrium
    found = time.perf_counter()
    status = static_status(eq, case)
    if status is not Status.OK:
        return without_figures(case, eq, status, static_message(eq, status, case), found - began)
    if case.as_a_difference:
        solved: Solution | str = solve_by_difference(case, eq)
        why = "since its difference to the line as designed is not covered"
        reason = f"the program marched this run as a whole, {why}: {solved}"
    elif case.periodic.method != "march":
        solved = solve_by_operator(case, eq, start if isinstance(start, KnownPoles) else None)
        reason = f"{NOT_COVERED}: {solved}"
    else:
        solved = reason = ""
    if isinstance(solved, Solution):
        return replace(solved, wall_time_s={**solved.wall_time_s, "equilibrium": found - began})
    if case.catenary.damping.own:  # a march has one pair of factors for the whole line
        message = f"{solved} (solver=open_line runs a line with damping by component, too)"
        return replace(without_figures(case, eq, Status.NOT_SOLVED, message, found - began), method="operator")
    marched = _march(case, eq, start if isinstance(start, WarmStart) else None, (cell, found - began, found))
    return replace(marched, message="; ".join(filter(None, (marched.message, reason))))


def _march(
    case: CaseSpec, eq: Equilibrium, start: WarmStart | None, given: tuple[VerticalCell | None, float, float]
) -> Solution:
    """Steady state by marching; ``given`` holds the cell, the time of form-finding [s] and when it was done."""
    cell, form_finding, found = given
    span_map = SpanMap(case, eq, cell)
    residual, spans, status, stalled = np.inf, 0, Status.NOT_PERIODIC, False
    x = memory = None
    near = span_map.near_start(start) if start is not None else None
    if near is None:
        start = _from_as_designed(case, span_map)
        near = span_map.near_start(start) if start is not None else None
    if start is not None and near is not None:
        basis = span_map.basis_of(start)
        memory = Acceleration(basis, 0)
        x, residual, spans, status = iterate(span_map, near, 0, basis, memory)
    if status is not Status.OK:  # a start that does not fit says nothing against the design
        span_map = SpanMap(case, eq, cell) if spans else span_map
        memory = Acceleration(None, PLAIN_SPANS)
        x, residual, more, status = iterate(span_map, span_map.static_start(), PLAIN_SPANS, None, memory)
        spans += more
        stalled = status is Status.NOT_PERIODIC and more < case.catenary.periods(case.periodic.max_spans)
    effort = Effort(spans * case.catenary.spans_of_a_period, residual, stalled, form_finding, found)
    if status is not Status.OK:
        applied = span_map.state.applied_forces
        return _marched_on(case, eq, applied if np.isfinite(applied).all() else None, effort)
    kept = _warm_start(span_map, x, memory)
    found = replace(solution_of(case, eq, passage_of(span_map), effort), warm_start=kept)
    return found if kept is None or case.catenary.wind is None else _with_side_motion(found, span_map, kept.state)


def _from_as_designed(case: CaseSpec, span_map: SpanMap) -> WarmStart | None:
    """Start of a line whose period has defects: the steady state without them; None where it has none."""
    alike = without_repeat(case)
    if alike is None:
        return None
    marching = alike.periodic.model_copy(update={"method": "march"})
    found = solve_periodic(alike := alike.model_copy(update={"periodic": marching}))
    if found.warm_start is None:
        return None
    return tiled_start(span_map, SpanMap(alike, found.equilibrium), found.warm_start)


def _warm_start(span_map: SpanMap, x: NDArray[np.float64] | None, memory: Acceleration | None) -> WarmStart | None:
    """What a search that succeeded leaves for the next."""
    if x is None or memory is None or span_map.scale is None:
        return None
    pairs = tuple(zip(memory.states, memory.features, strict=True))
    return WarmStart(x, span_map.scale, span_map.gain, None, pairs)


def _with_side_motion(found: Solution, span_map: SpanMap, x: NDArray[np.float64]) -> Solution:
    """The same solution with the side motion of the wire at every contact."""
    case, each = span_map.case, []
    moved, step = side_motion(span_map, x), np.arange(1, span_map.window.steps + 1, dtype=np.float64)
    for distance, own, one in zip(case.distances, moved, found.pantographs, strict=True):
        _, order = by_station(step * span_map.window.dt * case.speed - distance, case.line.period)
        each.append(replace(one, side_motion=own[order]))
    return replace(found, pantographs=tuple(each))


def _marched_on(case: CaseSpec, eq: Equilibrium, applied: NDArray[np.float64] | None, effort: Effort) -> Solution:
    """Figures of a long march, and its last period, where no state was found that repeats from span to span."""
    window = {"spans_behind": case.periodic.spans_behind, "spans_ahead": case.periodic.spans_ahead}
    settings = case.transient.model_copy(update=window)
    long = solve_transient(case.model_copy(update={"transient": settings}), eq, applied)
    n, status, message = case.steps_per_period, long.status, long.message
    if long.spread_percent is not None:
        status = Status.NOT_PERIODIC
        message = (
            f"no state repeats from span to span within {effort.spans} spans (last change {effort.residual:.1e}); "
            f"the figures are those of the last {long.spans_evaluated} of {settings.spans} spans, the standard "
            f"deviation of whose halves differs by {long.spread_percent:+.2f} %. "
            f"{'The search came no closer: on' if effort.stalled else 'Raise periodic.max_spans, or on'} a line with "
            "little damping use solver=open_line or solver=transient"
        )
    last = tuple(
        replace(
            one,
            position=one.position[:n],
            contact_force=one.contact_force[-n:],
            contact_force_filtered=one.contact_force_filtered[-n:],
            contact_height=one.contact_height[-n:],
            place=one.place[-n:],
            roll=one.roll[-n:],
            control_force=one.control_force[-n:],
            strip_forces=one.strip_forces[:, -n:],
            pitch=one.pitch[-n:],
            evaluated=slice(0, min(n, len(one.contact_force))),
        )
        for one in long.pantographs
    )
    return replace(
        long,
        case=case,
        status=status,
        message=message,
        wall_time_s=effort.wall_time_s,
        time=long.time[:n],
        pantographs=last,
        spans_marched=effort.spans + settings.spans,
        residual=effort.residual,
        support_uplift=long.support_uplift[-case.catenary.periods(long.spans_evaluated) :],
    )

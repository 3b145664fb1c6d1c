"""Steady state of one pantograph on the infinite periodic line: the fixed point of the span-to-span map.

A window of spans with absorbing ends travels with the pantograph. After each span the state, moved on by one span,
must be the state before it. Slack droppers and lost contact are marched exactly; Anderson acceleration, started from
a neighbouring design where there is one, shortens the way.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.cell import VerticalCell
from catenary.equilibrium import Equilibrium, periodic_equilibrium
from dynamics.fixed_point import Acceleration, SecantBasis
from dynamics.slack_times import slack_time_of_records
from dynamics.span_map import PeriodicStart, SpanMap
from dynamics.spec import CaseSpec
from dynamics.statistics import ContactStatistics, contact_statistics, filter_force
from dynamics.status import Status
from dynamics.transient import MEAN_FORCE_TOLERANCE, solve_transient, static_message, static_status

__all__ = ["PLAIN_SPANS", "Lesson", "PeriodicSolution", "iterate", "solve_periodic"]

PLAIN_SPANS = 2


@dataclass
class Lesson:
    """What one search leaves for the next: its steady state, packed, and its secant pairs; empty until it succeeds.

    Attributes
    ----------
    state : float array (state,), optional
        See `SpanMap.pack`.
    scale, gain
        See `PeriodicStart`.
    memory : Acceleration, optional
        Secant pairs of the search.
    """

    state: NDArray[np.float64] | None = None
    scale: tuple[float, float] | None = None
    gain: float = 1.0
    memory: Acceleration | None = None


@dataclass(frozen=True)
class PeriodicSolution:
    """One period of the steady state.

    Attributes
    ----------
    status, message
        Outcome and its sentence.
    statistics : ContactStatistics or None
        None when there are no figures.
    applied_force_N : float
        Applied force [N].
    spans : int
        Span passages marched.
    residual : float
        Last relative change of state from span to span, near the pantograph [-].
    spread_percent : float or None
        Where no state repeats (NOT_PERIODIC) the figures are those of a long march: standard deviation of its first
        evaluated spans against its last [%].
    time, position : float array (step,)
        [s], and [m] in (0, period].
    contact_force, contact_force_filtered : float array (step,)
        [N].
    contact_height : float array (step,)
        Contact-wire height at the contact point [m].
    dropper_force : float array (step, dropper)
        Force of the droppers of the span (all spans before the line repeats) that the pantograph is passing [N]; no
        steps where no state repeats.
    dropper_slack_time : float array (dropper,)
        How long each dropper is slack while the train passes [s]; none without figures.
    support_uplift : float array (time,)
        Uplift of one support, the one that rises most, over its whole history, from far ahead of the pantograph to far
        behind it [m]; where no state repeats, the largest while each evaluated span was passed.
    wall_time_s : dict
        'equilibrium' and 'dynamics' [s].
    """

    case: CaseSpec
    equilibrium: Equilibrium
    status: Status
    message: str
    statistics: ContactStatistics | None
    applied_force_N: float
    spans: int
    residual: float
    spread_percent: float | None
    time: NDArray[np.float64]
    position: NDArray[np.float64]
    contact_force: NDArray[np.float64]
    contact_force_filtered: NDArray[np.float64]
    contact_height: NDArray[np.float64]
    dropper_force: NDArray[np.float64]
    dropper_slack_time: NDArray[np.float64]
    support_uplift: NDArray[np.float64]
    wall_time_s: dict[str, float]


def solve_periodic(
    case: CaseSpec,
    start: PeriodicStart | None = None,
    equilibrium: Equilibrium | None = None,
    lesson: Lesson | None = None,
    cell: VerticalCell | None = None,
) -> PeriodicSolution:
    """Find the steady state of a case, from rest or from a neighbouring design's.

    Never raises for a design that cannot be solved: the status says why. What the search learnt is laid into
    ``lesson``, where one is given. ``cell`` is the equilibrium's span cell, where it has been formed already, for
    another speed or pantograph.
    """
    began = time.perf_counter()
    eq = periodic_equilibrium(case.catenary) if equilibrium is None else equilibrium
    found = time.perf_counter()
    status = static_status(eq)
    if status is not Status.OK:
        return _empty(case, eq, status, found - began)
    span_map = SpanMap(case, eq, cell)
    residual, spans, status = np.inf, 0, Status.NOT_PERIODIC
    x = memory = None
    near = span_map.neighbour_start(start) if start is not None else None
    if start is not None and near is not None:
        memory = Acceleration(start.basis, 0)
        x, residual, spans, status = iterate(span_map, near, 0, start.basis, memory)
    if status is not Status.OK:  # a start that does not fit says nothing against the design
        span_map = SpanMap(case, eq, cell) if spans else span_map
        memory = Acceleration(None, PLAIN_SPANS)
        x, residual, more, status = iterate(span_map, span_map.static_start(), PLAIN_SPANS, None, memory)
        spans += more
    effort = Effort(spans * len(case.catenary.spans), residual, found - began, found)
    if status is not Status.OK:
        applied = span_map.state.applied_force
        return _marched_on(case, eq, applied if np.isfinite(applied) else None, effort)
    if lesson is not None:
        lesson.state, lesson.scale, lesson.gain, lesson.memory = x, span_map.scale, span_map.gain, memory
    return _solution(span_map, eq, effort)


def iterate(
    span_map: SpanMap,
    x: NDArray[np.float64],
    plain: int,
    basis: SecantBasis | None,
    memory: Acceleration | None = None,
) -> tuple[NDArray[np.float64], float, int, Status]:
    """Repeat the map until its change is below tolerance; returns state, residual, repetitions and status."""
    settings, target = span_map.case.periodic, span_map.case.mean_force_N
    most = span_map.case.catenary.periods(settings.max_spans)
    memory = Acceleration(basis, plain) if memory is None else memory
    residual = np.inf
    for spans in range(1, most + 1):
        mapped, feature = span_map.apply(x)
        assert span_map.record is not None
        residual = float(np.linalg.norm(feature))
        if span_map.record.ran_away or not np.isfinite(residual):
            return x, residual, spans, Status.DIVERGED
        held = target is None or abs(span_map.record.force.mean() - target) < 0.5 * MEAN_FORCE_TOLERANCE
        if spans > plain + 1 and residual < settings.tolerance and held:
            return mapped, residual, spans, Status.OK
        x = memory.propose(mapped, feature)
    return x, residual, most, Status.NOT_PERIODIC


@dataclass(frozen=True)
class Effort:
    """What a search cost: spans marched, last residual, time of form-finding [s] and when the march began."""

    spans: int
    residual: float
    form_finding: float
    began: float

    @property
    def wall_time_s(self) -> dict[str, float]:
        """Wall times up to now [s]."""
        return {"equilibrium": self.form_finding, "dynamics": time.perf_counter() - self.began}


def _solution(span_map: SpanMap, eq: Equilibrium, effort: Effort) -> PeriodicSolution:
    """Filter the last span and form its statistics."""
    case, dt, record = span_map.case, span_map.window.dt, span_map.record
    assert record is not None
    bands = filter_force(record.force, dt, case.signal, periodic=True)
    highest = int(record.uplift.max(axis=(0, 2)).argmax())
    uplift = record.uplift[:, highest, ::-1].T.ravel()
    step = np.arange(1, len(record.force) + 1, dtype=np.float64)
    return PeriodicSolution(
        case=case,
        equilibrium=eq,
        status=Status.OK,
        message="",
        statistics=contact_statistics(record.force, bands, record.height, float(uplift.max())),
        applied_force_N=span_map.state.applied_force,
        spans=effort.spans,
        residual=effort.residual,
        spread_percent=None,
        time=step * dt,
        position=step * dt * case.speed,
        contact_force=record.force,
        contact_force_filtered=bands.whole,
        contact_height=record.height,
        dropper_force=record.dropper_force,
        dropper_slack_time=slack_time_of_records(case, [record]),
        support_uplift=uplift,
        wall_time_s=effort.wall_time_s,
    )


def _marched_on(case: CaseSpec, eq: Equilibrium, applied: float | None, effort: Effort) -> PeriodicSolution:
    """Figures of a long march where no state was found that repeats from span to span."""
    window = {"spans_behind": case.periodic.spans_behind, "spans_ahead": case.periodic.spans_ahead}
    settings = case.transient.model_copy(update=window)
    long = solve_transient(case.model_copy(update={"transient": settings}), eq, applied)
    n, spread = case.steps_per_period, None
    status, message = long.status, long.message
    if long.statistics is not None and long.statistics_first_half and long.statistics_second_half:
        halves = (h.contact_force_std_N for h in (long.statistics_first_half, long.statistics_second_half))
        first, second = halves
        spread = 100.0 * (first / second - 1.0)
        status = Status.NOT_PERIODIC
        message = (
            f"no state repeats from span to span within {effort.spans} spans (last change {effort.residual:.1e}); "
            f"the figures are those of the last {long.spans_evaluated} of {settings.spans} spans, the standard "
            f"deviation of whose halves differs by {spread:+.2f} %. Raise periodic.max_spans, or on a line with little "
            "damping use solver=open_line or solver=transient"
        )
    return PeriodicSolution(
        case=case,
        equilibrium=eq,
        status=status,
        message=message,
        statistics=long.statistics,
        applied_force_N=long.applied_force_N,
        spans=effort.spans + settings.spans,
        residual=effort.residual,
        spread_percent=spread,
        time=long.time[:n],
        position=long.position[:n],
        contact_force=long.contact_force[-n:],
        contact_force_filtered=long.contact_force_filtered[-n:],
        contact_height=long.contact_height[-n:],
        dropper_force=np.zeros((0, len(eq.dropper_force))),
        dropper_slack_time=long.dropper_slack_time,
        support_uplift=long.support_uplift[-case.catenary.periods(long.spans_evaluated) :],
        wall_time_s=effort.wall_time_s,
    )


def _empty(case: CaseSpec, eq: Equilibrium, status: Status, spent: float) -> PeriodicSolution:
    """Solution of a design that was not marched."""
    none = np.zeros(0)
    return PeriodicSolution(
        case=case,
        equilibrium=eq,
        status=status,
        message=static_message(eq, status),
        statistics=None,
        applied_force_N=0.0,
        spans=0,
        residual=float("nan"),
        spread_percent=None,
        time=none,
        position=none,
        contact_force=none,
        contact_force_filtered=none,
        contact_height=none,
        dropper_force=np.zeros((0, len(eq.dropper_force))),
        dropper_slack_time=none,
        support_uplift=none,
        wall_time_s={"equilibrium": spent, "dynamics": 0.0},
    )

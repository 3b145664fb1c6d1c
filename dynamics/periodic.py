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

from catenary.cell import vertical_cell
from catenary.equilibrium import Equilibrium, periodic_equilibrium
from dynamics.fixed_point import Acceleration, SecantBasis
from dynamics.spec import CaseSpec
from dynamics.statistics import ContactStatistics, contact_statistics, filter_force
from dynamics.status import Status
from dynamics.transient import MEAN_FORCE_TOLERANCE, static_message, static_status
from dynamics.travel import SpanRecord, TravellingWindow

__all__ = ["PeriodicSolution", "PeriodicStart", "solve_periodic"]

PLAIN_SPANS = 2
FEATURE_REACH = 3


@dataclass(frozen=True)
class PeriodicStart:
    """Steady state of a neighbouring design and what its iteration learnt; picklable.

    Attributes
    ----------
    state : float array (state,)
        See `SpanMap.pack`.
    scale : tuple of float
        Sizes of displacement and momentum that make the features comparable.
    gain : float
        d(mean contact force) / d(applied force) at rest [-].
    basis : SecantBasis or None
        Secant pairs of neighbouring designs.
    """

    state: NDArray[np.float64]
    scale: tuple[float, float]
    gain: float
    basis: SecantBasis | None


@dataclass(frozen=True)
class PeriodicSolution:
    """One period of the steady state.

    Attributes
    ----------
    status, message
        Outcome and its sentence.
    statistics : ContactStatistics or None
        None unless the status is OK.
    applied_force_N : float
        Applied force [N].
    spans : int
        Span passages marched.
    residual : float
        Last relative change of state from span to span, near the pantograph [-].
    time, position : float array (step,)
        [s], and [m] in (0, span].
    contact_force, contact_force_filtered : float array (step,)
        [N].
    contact_height : float array (step,)
        Contact-wire height at the contact point [m].
    dropper_force : float array (step, dropper)
        Force of the droppers of the span that the pantograph is passing [N].
    support_uplift : float array (time,)
        Uplift of one support over its whole history, from far ahead of the pantograph to far behind it [m].
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
    time: NDArray[np.float64]
    position: NDArray[np.float64]
    contact_force: NDArray[np.float64]
    contact_force_filtered: NDArray[np.float64]
    contact_height: NDArray[np.float64]
    dropper_force: NDArray[np.float64]
    support_uplift: NDArray[np.float64]
    wall_time_s: dict[str, float]


class SpanMap:
    """The span-to-span map of one design: march a span, move the window on, correct the applied force."""

    def __init__(self, case: CaseSpec, eq: Equilibrium) -> None:
        self.case = case
        settings = case.periodic
        self.window = TravellingWindow(case, vertical_cell(eq), settings.spans_behind, settings.spans_ahead)
        self.state, self.gain = self.window.rest(), 1.0
        self.scale: tuple[float, float] | None = None
        self.record: SpanRecord | None = None
        n, width = self.state.u.shape
        self._canonical = self.window.cell.canonical
        near = np.zeros((n, width), dtype=bool)
        near[self.window.cell.heights, max(0, self.window.behind - 2) : self.window.behind + FEATURE_REACH + 1] = True
        self._near = np.flatnonzero(near[self._canonical].ravel())
        self._size = len(self._canonical) * width

    def pack(self) -> NDArray[np.float64]:
        """Lay the state out as one vector: u and a in canonical order, elongation rates, pantograph, applied force."""
        state = self.state
        return np.concatenate(
            [
                state.u[self._canonical].ravel(),
                state.a[self._canonical].ravel(),
                state.elongation_rate.ravel(),
                state.z,
                state.z_dot,
                [state.applied_force],
            ]
        )

    def unpack(self, vector: NDArray[np.float64]) -> None:
        """Write a packed vector back into the state; elastic forces and tensions follow from it."""
        state, size = self.state, self._size
        for array, at in ((state.u, 0), (state.a, size)):
            array[self._canonical] = vector[at : at + size].reshape(-1, array.shape[1])
        at = 2 * size
        for array in (state.elongation_rate, state.z, state.z_dot):
            array[...] = vector[at : at + array.size].reshape(array.shape)
            at += array.size
        state.applied_force = float(vector[at])
        self.window.settle(state)

    def static_start(self) -> NDArray[np.float64]:
        """Packed state of the line and pantograph pressing at rest."""
        self.state, self.gain = self.window.static_start()
        return self.pack()

    def neighbour_start(self, start: PeriodicStart) -> NDArray[np.float64] | None:
        """Packed state of a neighbouring design; None when its window is another one."""
        if len(start.state) != len(self.pack()):
            return None
        self.scale, self.gain = start.scale, start.gain
        x = start.state.copy()
        if self.case.applied_force_N is not None:
            x[-1] = self.case.applied_force_N
        return x

    def apply(self, x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Map a packed state; returns it mapped, and the features of its change."""
        self.unpack(x)
        self.record = self.window.march(self.state, keep_droppers=True)
        mean = float(self.record.force.mean())
        self.window.shift(self.state)
        target = self.case.mean_force_N
        if target is not None:
            self.state.applied_force += (target - mean) / self.gain
        mapped = self.pack()
        if self.scale is None:
            self.scale = float(np.abs(self.state.u).max()), float(np.abs(self.state.a).max())
        change = mapped - x
        m = len(self.state.z)
        feature = np.concatenate(
            [
                change[self._near] / self.scale[0],
                change[self._size + self._near] / self.scale[1],
                change[-1 - 2 * m : -1 - m] / self.scale[0],
                change[-1:] / x[-1],
            ]
        )
        return mapped, feature / np.sqrt(len(self._near))


def solve_periodic(
    case: CaseSpec, start: PeriodicStart | None = None, equilibrium: Equilibrium | None = None
) -> PeriodicSolution:
    """Find the steady state of a case, from rest or from a neighbouring design's.

    Never raises for a design that cannot be solved: the status says why.
    """
    began = time.perf_counter()
    eq = periodic_equilibrium(case.catenary) if equilibrium is None else equilibrium
    found = time.perf_counter()
    status = static_status(eq)
    if status is not Status.OK:
        return _empty(case, eq, status, found - began)
    span_map = SpanMap(case, eq)
    x = span_map.neighbour_start(start) if start is not None else None
    if start is None or x is None:
        x, residual, spans, status = iterate(span_map, span_map.static_start(), PLAIN_SPANS, None)
    else:
        x, residual, spans, status = iterate(span_map, x, 0, start.basis)
    assert span_map.record is not None
    record = span_map.record
    return _solution(span_map, eq, record, status, (spans, residual), (found - began, time.perf_counter() - found))


def iterate(
    span_map: SpanMap, x: NDArray[np.float64], plain: int, basis: SecantBasis | None
) -> tuple[NDArray[np.float64], float, int, Status]:
    """Repeat the map until its change is below tolerance; returns state, residual, spans and status."""
    settings, target = span_map.case.periodic, span_map.case.mean_force_N
    memory = Acceleration(basis, plain)
    residual = np.inf
    for spans in range(1, settings.max_spans + 1):
        mapped, feature = span_map.apply(x)
        assert span_map.record is not None
        residual = float(np.linalg.norm(feature))
        if not np.isfinite(residual):
            return x, residual, spans, Status.DIVERGED
        held = target is None or abs(span_map.record.force.mean() - target) < 0.5 * MEAN_FORCE_TOLERANCE
        if spans > plain + 1 and residual < settings.tolerance and held:
            return mapped, residual, spans, Status.OK
        x = memory.propose(mapped, feature)
    return x, residual, settings.max_spans, Status.NOT_CONVERGED


def _solution(
    span_map: SpanMap,
    eq: Equilibrium,
    record: SpanRecord,
    status: Status,
    effort: tuple[int, float],
    spent: tuple[float, float],
) -> PeriodicSolution:
    """Filter the last span and form its statistics."""
    case, dt = span_map.case, span_map.window.dt
    bands = filter_force(record.force, dt, case.signal, periodic=True)
    uplift = record.uplift[:, ::-1].T.ravel()
    statistics = None
    if status is Status.OK:
        statistics = contact_statistics(record.force, bands, record.height, float(uplift.max()))
    step = np.arange(1, len(record.force) + 1, dtype=np.float64)
    droppers = record.dropper_force[:, :, span_map.window.behind]
    return PeriodicSolution(
        case=case,
        equilibrium=eq,
        status=status,
        message="" if status is Status.OK else f"{status.value} ({effort[0]} spans, residual {effort[1]:.1e})",
        statistics=statistics,
        applied_force_N=span_map.state.applied_force,
        spans=effort[0],
        residual=effort[1],
        time=step * dt,
        position=step * dt * case.speed,
        contact_force=record.force,
        contact_force_filtered=bands.whole,
        contact_height=record.height,
        dropper_force=droppers,
        support_uplift=uplift,
        wall_time_s={"equilibrium": spent[0], "dynamics": spent[1]},
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
        time=none,
        position=none,
        contact_force=none,
        contact_force_filtered=none,
        contact_height=none,
        dropper_force=np.zeros((0, len(eq.dropper_force))),
        support_uplift=none,
        wall_time_s={"equilibrium": spent, "dynamics": 0.0},
    )

"""The long transient: a static start, a window that travels with the pantograph, statistics over the last spans."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.cell import vertical_cell
from catenary.equilibrium import Equilibrium, EquilibriumStatus, periodic_equilibrium
from catenary.static_checks import FaultKind, faults_at_rest
from dynamics.histories import Histories
from dynamics.slack_times import slack_time_of_records
from dynamics.spec import CaseSpec
from dynamics.statistics import ContactStatistics, FilteredForce, contact_statistics, filter_force
from dynamics.status import Status
from dynamics.travel import TravellingWindow
from dynamics.window_state import SpanRecord, WindowState

__all__ = ["MEAN_FORCE_TOLERANCE", "Trajectory", "solve_transient"]

MEAN_FORCE_TOLERANCE = 0.1
MAX_CORRECTIONS = 6
_OF_FAULT = {
    FaultKind.SHORT: Status.NO_ROOM,
    FaultKind.SLACK: Status.STATIC_SLACK,
    FaultKind.STEEP: Status.STEEP_ARM,
}


@dataclass(frozen=True)
class Trajectory:
    """Histories of a transient run and the statistics of its evaluated spans.

    Attributes
    ----------
    status, message
        Outcome and its sentence.
    statistics, statistics_first_half, statistics_second_half
        Of the evaluated spans and of their halves (the run's own spread); None unless the status is OK.
    applied_force_N : float
        Applied force [N] of the run.
    time, position : float array (time,)
        [s] from the start, [m] from the first support.
    contact_force, contact_force_filtered : float array (time,)
        [N].
    contact_height : float array (time,)
        Contact-wire height at the contact point [m].
    support_uplift : float array (span,)
        Largest uplift at any support of the window while the pantograph passed that span, or all spans before the line
        repeats [m].
    dropper_slack_time : float array (dropper,)
        How long each dropper is slack while the train passes [s], mean of the evaluated spans; none without figures.
    spans_evaluated : int
        Number of last spans that the statistics cover.
    wall_time_s : dict
        'equilibrium' and 'dynamics' [s].
    histories : Histories or None
        Everything an open line kept; a travelling window keeps none.
    statistics_trailing : tuple of ContactStatistics
        Of the pantographs behind the first one, in order.
    applied_forces_trailing_N : tuple of float
        Their applied forces [N].
    """

    case: CaseSpec
    equilibrium: Equilibrium
    status: Status
    message: str
    statistics: ContactStatistics | None
    statistics_first_half: ContactStatistics | None
    statistics_second_half: ContactStatistics | None
    applied_force_N: float
    time: NDArray[np.float64]
    position: NDArray[np.float64]
    contact_force: NDArray[np.float64]
    contact_force_filtered: NDArray[np.float64]
    contact_height: NDArray[np.float64]
    support_uplift: NDArray[np.float64]
    dropper_slack_time: NDArray[np.float64]
    spans_evaluated: int
    wall_time_s: dict[str, float]
    histories: Histories | None = None
    statistics_trailing: tuple[ContactStatistics, ...] = ()
    applied_forces_trailing_N: tuple[float, ...] = ()


def solve_transient(
    case: CaseSpec, equilibrium: Equilibrium | None = None, applied_force: float | None = None
) -> Trajectory:
    """Run the long transient of a case; a held mean force is met by repeating the run with another applied force.

    The equilibrium and a first guess of the applied force [N] may be given where they are known.
    """
    began = time.perf_counter()
    eq = periodic_equilibrium(case.catenary) if equilibrium is None else equilibrium
    found = time.perf_counter()
    status = static_status(eq)
    if status is not Status.OK:
        return _trajectory(case, eq, status, [], 0.0, (found - began, 0.0))
    settings = case.transient
    window = TravellingWindow(case, vertical_cell(eq), settings.spans_behind, settings.spans_ahead)
    start, gain = window.static_start(applied_force)
    records: list[SpanRecord] = []
    for _ in range(MAX_CORRECTIONS):
        state = start.copy()
        records = _run(window, state, case.transient_periods[0])
        if records[-1].ran_away:
            status = Status.DIVERGED
            break
        error = _mean_error(case, records)
        if abs(error) < MEAN_FORCE_TOLERANCE:
            break
        start = window.static_start(start.applied_force + error / gain)[0]
    else:
        status = Status.MEAN_FORCE_NOT_HELD
    spent = (found - began, time.perf_counter() - found)
    return _trajectory(case, eq, status, records, start.applied_force, spent)


def static_status(eq: Equilibrium) -> Status:
    """Say whether an equilibrium is one to run on: converged, every dropper in tension and long enough."""
    if eq.status is not EquilibriumStatus.OK:
        return Status.EQUILIBRIUM_FAILED
    faults = faults_at_rest(eq)
    return _OF_FAULT[faults[0].kind] if faults else Status.OK


def static_message(eq: Equilibrium, status: Status) -> str:
    """One sentence on an outcome; a statically slack dropper is named."""
    if status is Status.STATIC_SLACK:
        k = int(np.argmin(eq.dropper_force))
        return f"dropper {k + 1} would carry {eq.dropper_force[k]:.1f} N at rest: it must be in tension"
    if status in _OF_FAULT.values():
        fault = faults_at_rest(eq)[0]
        return f"{fault.key} {fault.sentence}"
    return "" if status is Status.OK else status.value


def _run(window: TravellingWindow, state: WindowState, spans: int) -> list[SpanRecord]:
    """March ``spans`` of the window's spans from a state."""
    records = []
    for k in range(spans):
        if k:
            window.shift(state)
        records.append(window.march(state))
        if records[-1].ran_away:
            break
    return records


def _mean_error(case: CaseSpec, records: list[SpanRecord]) -> float:
    """Missing mean force [N] over the evaluated spans; zero when the applied force is given."""
    if case.mean_force_N is None:
        return 0.0
    last = records[-case.transient_periods[1] :]
    return case.mean_force_N - float(np.mean([r.force.mean() for r in last]))


def _trajectory(
    case: CaseSpec,
    eq: Equilibrium,
    status: Status,
    records: list[SpanRecord],
    applied: float,
    spent: tuple[float, float],
) -> Trajectory:
    """Join the spans' records and form the statistics of the evaluated ones."""
    dt, n = case.time_step, case.steps_per_period
    force, height = (
        np.concatenate([getattr(r, name) for r in records]) if records else np.zeros(0) for name in ("force", "height")
    )
    uplift = np.array([r.uplift.max() for r in records])
    usable = status is Status.OK or status is Status.MEAN_FORCE_NOT_HELD
    filtered = filter_force(force, dt, case.signal, periodic=False) if usable and records else None
    count = case.transient_periods[1]
    total = len(records)

    def statistics(first: int, last: int) -> ContactStatistics | None:
        if filtered is None or status is not Status.OK:
            return None
        cut = slice(first * n, last * n)
        bands = FilteredForce(filtered.whole[cut], filtered.low[cut], filtered.high[cut])
        return contact_statistics(force[cut], bands, height[cut], float(uplift[first:last].max()))

    step = np.arange(1, len(force) + 1, dtype=np.float64)
    return Trajectory(
        case=case,
        equilibrium=eq,
        status=status,
        message=static_message(eq, status),
        statistics=statistics(total - count, total),
        statistics_first_half=statistics(total - count, total - count // 2),
        statistics_second_half=statistics(total - count // 2, total),
        applied_force_N=applied,
        time=step * dt,
        position=step * dt * case.speed,
        contact_force=force,
        contact_force_filtered=force if filtered is None else filtered.whole,
        contact_height=height,
        support_uplift=uplift,
        dropper_slack_time=slack_time_of_records(case, records[-count:]) if filtered is not None else np.zeros(0),
        spans_evaluated=count * len(case.catenary.spans),
        wall_time_s={"equilibrium": spent[0], "dynamics": spent[1]},
    )

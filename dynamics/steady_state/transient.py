"""The long transient: a static start, a window that travels with the pantograph, statistics over the last spans."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium, periodic_equilibrium
from catenary.linearised.cell import vertical_cell
from catenary.linearised.contact_wire import place_on_head
from dynamics.contact_force.statistics import ContactStatistics, FilteredForce, contact_statistics, filter_force
from dynamics.pantograph.control.discrete import StaticControl
from dynamics.pantograph.linear import linear_pantograph
from dynamics.results.dropper_figures import slack_time_of_records
from dynamics.results.solution import PantographResult, Solution, without_figures
from dynamics.spec.case import CaseSpec
from dynamics.spec.static_status import static_message, static_status
from dynamics.spec.status import Status
from dynamics.travelling_window.state import SpanRecord, WindowState
from dynamics.travelling_window.window import TravellingWindow

__all__ = ["MAX_CORRECTIONS", "MEAN_FORCE_TOLERANCE", "control_answer", "mean_tolerance", "solve_transient"]

MEAN_FORCE_TOLERANCE = 0.1
MAX_CORRECTIONS = 6
# a controller holds the mean over all time, not over the spans that count [N]
HELD_BY_CONTROL = 1.0


def solve_transient(
    case: CaseSpec, equilibrium: Equilibrium | None = None, applied_force: float | NDArray[np.float64] | None = None
) -> Solution:
    """Run the long transient of a case; held mean forces are met by repeating the run with other applied forces.

    The equilibrium and a first guess of the applied forces [N] may be given where they are known.
    """
    began = time.perf_counter()
    eq = periodic_equilibrium(case.catenary) if equilibrium is None else equilibrium
    found = time.perf_counter()
    status = static_status(eq, case)
    if status is not Status.OK:
        return without_figures(case, eq, status, static_message(eq, status, case), found - began)
    settings = case.transient
    window = TravellingWindow(case, vertical_cell(eq), settings.spans_behind, settings.spans_ahead)
    guess = None
    if window.given_forces is None and applied_force is not None:
        guess = np.full(window.pantographs, applied_force)
    start, gain = window.static_start(guess)
    records: list[SpanRecord] = []
    for _ in range(MAX_CORRECTIONS):
        state = start.copy()
        records = _run(window, state, case.transient_periods[0])
        if records[-1].ran_away:
            status = Status.DIVERGED
            break
        errors = _mean_errors(case, records)
        if np.abs(errors).max() < mean_tolerance(case):
            break
        if control_answer(case) == 0.0:
            status = Status.MEAN_FORCE_NOT_HELD
            break
        start = window.static_start(start.applied_forces + errors / gain)[0]
    else:
        status = Status.MEAN_FORCE_NOT_HELD
    spent = (found - began, time.perf_counter() - found)
    return _solution(case, eq, status, records, start.applied_forces, spent)


def control_answer(case: CaseSpec) -> float:
    """How much the mean force rises by the applied force at rest, as its controller answers; 0 where that holds it."""
    control = case.pantograph.control
    if control is None:
        return 1.0
    if control.holds_mean:
        return 0.0
    rest = StaticControl(control, linear_pantograph(case.pantograph, case.pressed_N), case.pressed_N)
    return 1.0 / max(0.1, 1.0 + float(rest.answer.sum()))


def mean_tolerance(case: CaseSpec) -> float:
    """Largest error of a mean force that counts as held [N]; wider where an integral holds it over all time."""
    return MEAN_FORCE_TOLERANCE if control_answer(case) > 0.0 else HELD_BY_CONTROL


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


def _mean_errors(case: CaseSpec, records: list[SpanRecord]) -> NDArray[np.float64]:
    """Missing mean forces (pantograph,) [N] over the evaluated spans; zero when applied forces are given."""
    if case.mean_force_N is None:
        return np.zeros(1)
    last = records[-case.transient_periods[1] :]
    return case.mean_force_N - np.mean([r.forces.mean(axis=1) for r in last], axis=0)


def _solution(
    case: CaseSpec,
    eq: Equilibrium,
    status: Status,
    records: list[SpanRecord],
    applied: NDArray[np.float64],
    spent: tuple[float, float],
) -> Solution:
    """Join the spans' records and form the statistics of the evaluated ones."""
    dt, n = case.time_step, case.steps_per_period
    uplift = np.array([r.uplift.max() for r in records])
    usable = status is Status.OK or status is Status.MEAN_FORCE_NOT_HELD
    count, total = case.transient_periods[1], len(records)
    runs = [_joined(case, records, q, filtered=usable) for q in range(len(applied))]

    def statistics(first: int, last: int, q: int = 0) -> ContactStatistics | None:
        force, height, filtered = runs[q]
        if filtered is None or status is not Status.OK:
            return None
        cut = slice(first * n, last * n)
        bands = FilteredForce(filtered.whole[cut], filtered.low[cut], filtered.high[cut])
        return contact_statistics(force[cut], bands, height[cut], float(uplift[first:last].max()))

    step = np.arange(1, total * n + 1, dtype=np.float64)
    results = [
        PantographResult(
            applied_force_N=float(applied[q]),
            position=step * dt * case.speed - distance,
            contact_force=force,
            contact_force_filtered=force if filtered is None else filtered.whole,
            contact_height=height,
            evaluated=slice((total - count) * n, total * n),
            statistics=statistics(total - count, total, q),
            halves=(statistics(total - count, total - count // 2, q), statistics(total - count // 2, total, q)),
            place=place_on_head(eq, step * dt * case.speed - distance),
            roll=_roll(case, eq, records, q),
            control_force=np.concatenate([r.controls[q] for r in records]) if records else np.zeros(0),
            **_of_strips(case, records, q, filtered=usable),
        )
        for q, (distance, (force, height, filtered)) in enumerate(zip(case.distances, runs, strict=True))
    ]
    return Solution(
        case=case,
        equilibrium=eq,
        status=status,
        message=static_message(eq, status),
        wall_time_s={"equilibrium": spent[0], "dynamics": spent[1]},
        time=step * dt,
        pantographs=tuple(results),
        spans_marched=total * case.catenary.spans_of_a_period,
        spans_evaluated=count * case.catenary.spans_of_a_period,
        support_uplift=uplift,
        dropper_slack_time=slack_time_of_records(case, eq, records[-count:]) if usable and records else np.zeros(0),
    )


def _roll(case: CaseSpec, eq: Equilibrium, records: list[SpanRecord], q: int) -> NDArray[np.float64]:
    """Roll of a pantograph's head over all spans [rad], which every other cell of a mirrored line sees reversed."""
    if case.pantograph.head is None or not records:
        return np.zeros(0)
    turned = -1.0 if (eq.mesh.elem_mirror < 0.0).any() else 1.0
    return np.concatenate([turned**k * r.rolls[q] for k, r in enumerate(records)])


def _of_strips(case: CaseSpec, records: list[SpanRecord], q: int, *, filtered: bool) -> dict[str, NDArray[np.float64]]:
    """Forces of a head's suspended strips over all spans, filtered where that is possible, and its pitch."""
    head = case.pantograph.head
    if head is None or head.suspension is None or not records:
        return {}
    raw = np.concatenate([r.strip_forces[q] for r in records], axis=1)
    dt, signal = case.time_step, case.signal
    whole = np.stack([filter_force(own, dt, signal, periodic=False).whole for own in raw]) if filtered else raw
    return {"strip_forces": whole, "pitch": np.concatenate([r.pitches[q] for r in records])}


def _joined(
    case: CaseSpec, records: list[SpanRecord], q: int, *, filtered: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], FilteredForce | None]:
    """Contact force [N] and contact height [m] of a pantograph over all spans, and its filtered force if wanted."""
    if not records:
        return np.zeros(0), np.zeros(0), None
    force, height = (np.concatenate([getattr(r, name)[q] for r in records]) for name in ("forces", "heights"))
    return force, height, filter_force(force, case.time_step, case.signal, periodic=False) if filtered else None

"""From the last passage of a period to its solution: filtered forces, statistics, histories by station."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.contact_wire import place_on_head
from dynamics.contact_force.statistics import contact_statistics, filter_force
from dynamics.results.dropper_figures import slack_time_of_records
from dynamics.results.solution import PantographResult, Solution
from dynamics.spec.case import CaseSpec
from dynamics.spec.status import Status
from dynamics.steady_state.span_map import SpanMap
from dynamics.travelling_window.state import SpanRecord

__all__ = ["Effort", "Passage", "by_station", "passage_of", "solution_of"]


@dataclass(frozen=True)
class Effort:
    """What a search cost: spans marched, last residual, time of form-finding [s] and when the march began.

    ``stalled`` says that it ended before all spans that were allowed, because it came no closer.
    """

    spans: int
    residual: float
    stalled: bool
    form_finding: float
    began: float

    @property
    def wall_time_s(self) -> dict[str, float]:
        """Wall times up to now [s]."""
        return {"equilibrium": self.form_finding, "dynamics": time.perf_counter() - self.began}


@dataclass(frozen=True)
class Passage:
    """What the last passage of a period recorded, and the window it stands in.

    ``behind`` are the periods of the window behind the pantograph's; ``applied_N`` the forces applied (pantograph,)
    [N]; ``suspended`` whether strips have springs of their own.
    """

    record: SpanRecord
    behind: int
    applied_N: NDArray[np.float64]
    suspended: bool


def passage_of(span_map: SpanMap) -> Passage:
    """The last passage of a map."""
    assert span_map.record is not None
    window = span_map.window
    suspended = window.pantograph.strips.suspended
    return Passage(span_map.record, window.behind, span_map.state.applied_forces, suspended)


def solution_of(case: CaseSpec, eq: Equilibrium, passage: Passage, effort: Effort) -> Solution:
    """Filter the last period and form the statistics of every pantograph."""
    dt, record = case.time_step, passage.record
    rise = record.uplift.max(axis=(0, 2))
    highest = int(rise.argmax())
    uplift = record.uplift[:, highest, ::-1].T.ravel()
    step = np.arange(1, len(record.force) + 1, dtype=np.float64)
    results = []
    rolls, rolling, controls = record.rolls, case.pantograph.head is not None, record.controls
    kept = record.forces, record.heights, rolls, controls, record.pitches, record.strip_forces
    suspended = passage.suspended
    for distance, applied, force, height, roll, control, pitch, strips in zip(
        case.distances, passage.applied_N, *kept, strict=True
    ):
        position, order = by_station(step * dt * case.speed - distance, case.line.period)
        force, height = force[order], height[order]
        bands = filter_force(force, dt, case.signal, periodic=True)
        results.append(
            PantographResult(
                applied_force_N=float(applied),
                position=position,
                contact_force=force,
                contact_force_filtered=bands.whole,
                contact_height=height,
                evaluated=slice(0, len(force)),
                statistics=contact_statistics(force, bands, height, float(uplift.max())),
                place=place_on_head(eq, position),
                roll=roll[order] if rolling else np.zeros(0),
                control_force=control[order] if control.size else np.zeros(0),
                strip_forces=_filtered(case, strips[:, order]) if suspended else np.zeros((0, 0)),
                pitch=pitch[order] if suspended else np.zeros(0),
            )
        )
    return Solution(
        case=case,
        equilibrium=eq,
        status=Status.OK,
        message="",
        wall_time_s=effort.wall_time_s,
        time=step * dt,
        pantographs=tuple(results),
        repeats=True,
        spans_marched=effort.spans,
        spans_evaluated=case.catenary.spans_of_a_period,
        residual=effort.residual,
        dropper_force=record.dropper_force,
        dropper_slack_time=slack_time_of_records(case, eq, [record]),
        support_rise=rise,
        support_uplift=uplift,
        support_uplift_time=_since_passed(case, passage, highest),
    )


def _filtered(case: CaseSpec, forces: NDArray[np.float64]) -> NDArray[np.float64]:
    """Forces over one period (strip, step), each low-pass filtered [N]."""
    return np.stack([filter_force(own, case.time_step, case.signal, periodic=True).whole for own in forces])


def by_station(place: NDArray[np.float64], period: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Stations in (0, period] [m] in their order, and the steps at which a pantograph is there."""
    within = place - period * (np.ceil(place / period - 1.0e-12) - 1.0)
    order = np.argsort(within, kind="stable")
    return within[order], order


def _since_passed(case: CaseSpec, passage: Passage, support: int) -> NDArray[np.float64]:
    """Times [s] since the pantograph passed a support, window column after column, the one farthest ahead first."""
    steps, width = passage.record.uplift.shape[0], passage.record.uplift.shape[2]
    step = np.arange(1, steps + 1, dtype=np.float64) * case.time_step
    columns = np.arange(width - 1, -1, -1, dtype=np.float64)
    ahead = (columns - passage.behind) * steps * case.time_step + case.line.supports[support] / case.speed
    return np.asarray((step - ahead[:, None]).ravel(), dtype=np.float64)

"""Pantographs on an open line of some spans, every degree of freedom kept, linearised or not.

The contact wire is held at its height at every support by what the steady arm carries there at rest (form-finding
prescribes the height); in motion the arm acts with its own stiffness and mass. Both wires end at supports, where their
axial waves run on. The first pantograph starts from static contact; those behind it too, where they stand under the
line, or they enter it at its first support (PACDIN, section 2.2).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import (
    Equilibrium,
    EquilibriumStatus,
    equilibrium_at_rest,
    open_line_equilibrium,
)
from catenary.layout.geometry import spans_at
from dynamics.contact_force.statistics import ContactStatistics, FilteredForce, contact_statistics, filter_force
from dynamics.open_line.build import WholeLine
from dynamics.open_line.run import LineRun, prepare_line, run_whole_line
from dynamics.pantograph.own_process import DeviceError
from dynamics.results.dropper_figures import DropperPeaks, largest_force_of_line, slack_time_of_line
from dynamics.results.solution import PantographResult, Solution, without_figures
from dynamics.results.span_cut import span_cut
from dynamics.spec.case import CaseSpec
from dynamics.spec.static_status import static_message, static_status
from dynamics.spec.status import Status
from dynamics.steady_state.transient import MAX_CORRECTIONS, control_answer, mean_tolerance

__all__ = ["solve_open_line"]

# of a mean force by the applied one under code from outside: one that holds the mean itself is not driven further
ANSWERS = (0.2, 2.0)


class _Ending(NamedTuple):
    """Status of a run, with its sentence."""

    status: Status
    message: str


@dataclass(frozen=True)
class _Evaluated:
    """A run with every pantograph's force filtered."""

    case: CaseSpec
    run: LineRun
    filtered: tuple[FilteredForce, ...]

    def statistics(self, first: int, last: int, p: int = 0) -> ContactStatistics:
        """Statistics of whole spans ``first`` to ``last``, the line's first one being 1, as pantograph p passes them.

        The uplift is the largest over all time at the supports on both sides of these spans.
        """
        kept = self.run.histories
        cut = span_cut(self.case, kept.position[:, p], first, last)
        bands, force = self.filtered[p], kept.contact_force[cut, p]
        bands = FilteredForce(bands.whole[cut], bands.low[cut], bands.high[cut])
        # column k is support k + 1; the supports of spans first to last are first - 1 to last
        uplift = float(kept.support_uplift[:, first - 2 : last].max())
        return contact_statistics(force, bands, kept.contact_height[cut, p], uplift)


def solve_open_line(case: CaseSpec, applied_force: float | None = None) -> Solution:
    """March a case's open line; held mean forces are met by repeating the run with other applied forces.

    A step that does not converge ends the run; what came before it is kept, and the status says where.

    Parameters
    ----------
    case : CaseSpec
    applied_force : float, optional
        First guess of the applied force that holds the mean [N]; without it the mean force itself.
    """
    began = time.perf_counter()
    eq = equilibrium_at_rest(case.catenary)
    found = time.perf_counter()
    status = static_status(eq, case)
    if status is not Status.OK:
        return without_figures(case, eq, status, static_message(eq, status, case), found - began)
    whole = eq
    if case.catenary.section is None:
        whole = open_line_equilibrium(case.catenary, case.open_line.spans)
    if whole.status is not EquilibriumStatus.OK:
        status = Status.EQUILIBRIUM_FAILED
        return without_figures(case, eq, status, status.value, found - began)
    if whole is not eq and case.catenary.repeating is not case.catenary:
        status = static_status(whole)  # the period was found on straight track in still air
        if status is not Status.OK:
            return without_figures(case, eq, status, static_message(whole, status), found - began)
    found = time.perf_counter()
    try:
        evaluated, ending = _hold_means(case, prepare_line(case, whole), applied_force)
    except DeviceError as error:
        spent = time.perf_counter() - found
        return replace(
            without_figures(case, eq, Status.DEVICE_FAILED, f"{Status.DEVICE_FAILED.value}: {error}", found - began),
            wall_time_s={"equilibrium": found - began, "dynamics": spent},
        )
    wall_time_s = {"equilibrium": found - began, "dynamics": time.perf_counter() - found}
    return replace(_solution(case, eq, ending, evaluated, wall_time_s), whole_line=whole)


def _hold_means(case: CaseSpec, line: WholeLine, guess: float | None) -> tuple[_Evaluated, _Ending]:
    """Run until every pantograph's mean force is the wanted one, or once where applied forces are given."""
    settings, trailing, target = case.open_line, case.trailing, case.mean_force_N
    start = case.applied_force_N if target is None else guess or target
    assert start is not None
    forces = np.array(trailing.pressed(start))
    end = case.catenary.station(settings.last_evaluated + settings.spans_after) + max((0.0, *trailing.distances_m))
    way = float(spans_at(case.catenary, end)) - settings.start
    evaluated, ending = _run_once(case, line, forces, way)
    answer, tolerance = np.array(control_answer(case)), mean_tolerance(case)
    control = case.pantograph.control
    asked = control is not None and control.asked is not None
    for _ in range(MAX_CORRECTIONS - 1):
        missing = _missing_means(evaluated, ending.status)
        if np.abs(missing).max() < tolerance:
            return evaluated, ending
        moved = missing / answer if np.all(answer > 0.0) else _taken_over(evaluated)
        forces = forces + moved
        evaluated, ending = _run_once(case, line, forces, way)
        if asked and ending.status is Status.OK:
            answer = _answer_seen(missing - _missing_means(evaluated, ending.status), moved)
    if np.abs(_missing_means(evaluated, ending.status)).max() >= tolerance:
        ending = _Ending(Status.MEAN_FORCE_NOT_HELD, Status.MEAN_FORCE_NOT_HELD.value)
    return evaluated, ending


def _answer_seen(change: NDArray[np.float64], moved: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much each mean rose by its applied force under a controller whose law is not known [-], within bounds."""
    known = np.abs(moved) > 1e-6
    return np.clip(np.where(known, change, 1.0) / np.where(known, moved, 1.0), *ANSWERS)


def _missing_means(evaluated: _Evaluated, status: Status) -> NDArray[np.float64]:
    """Force that each mean lacks (pantograph,) [N]; nothing where none is held, or the run failed."""
    case = evaluated.case
    if case.mean_force_N is None or status is not Status.OK:
        return np.zeros(1)
    first, last = case.open_line.first_evaluated, case.open_line.last_evaluated
    count = evaluated.run.histories.contact_force.shape[1]
    return case.mean_force_N - np.array(
        [evaluated.statistics(first, last, p).contact_force_mean_N for p in range(count)]
    )


def _taken_over(evaluated: _Evaluated) -> NDArray[np.float64]:
    """Mean control force (pantograph,) over the evaluated spans [N], which the applied force is to give instead."""
    line, kept = evaluated.case.open_line, evaluated.run.histories
    cuts = [span_cut(evaluated.case, x, line.first_evaluated, line.last_evaluated) for x in kept.position.T]
    return np.array([kept.control_force[cut, p].mean() for p, cut in enumerate(cuts)])


def _run_once(case: CaseSpec, line: WholeLine, forces: NDArray[np.float64], way: float) -> tuple[_Evaluated, _Ending]:
    """One run with every pantograph pressed by its force [N], over a way [spans]."""
    others = case.trailing.model_copy(update={"applied_forces_N": tuple(forces[1:].tolist()) or None})
    held = case.pantograph.holding(case.pressed_N)
    update = {"applied_force_N": float(forces[0]), "mean_force_N": None, "trailing": others, "pantograph": held}
    run = run_whole_line(case.model_copy(update=update), line, case.open_line.start, way)
    kept = run.histories
    if run.failure is not None or not np.isfinite(kept.contact_force).all():
        return _Evaluated(case, run, ()), _failed(case, run)
    filtered = tuple(filter_force(f, case.time_step, case.signal, periodic=False) for f in kept.contact_force.T)
    return _Evaluated(case, run, filtered), _Ending(Status.OK, "")


def _failed(case: CaseSpec, run: LineRun) -> _Ending:
    """Time, place and residual of the step that ended a run."""
    failure = run.failure
    if failure is None:
        return _Ending(Status.DIVERGED, Status.DIVERGED.value)
    x = case.catenary.station(case.open_line.start) + case.speed * failure.time
    where = f"at {failure.time:.4f} s, the first pantograph {x:.2f} m from the line's first support"
    sentence = f"a time step did not converge {where}: residual {failure.residual:.3g} N"
    cure = "a shorter dt" if failure.iterations > 1 else "a shorter rk4_step"
    return _Ending(Status.STEP_NOT_CONVERGED, f"{sentence} after {failure.iterations} corrections; try {cure}")


def _solution(
    case: CaseSpec,
    eq: Equilibrium,
    ending: _Ending,
    evaluated: _Evaluated,
    wall_time_s: dict[str, float],
) -> Solution:
    """Histories of the run; the statistics of all evaluated spans and of the first and last one."""
    settings = case.open_line
    kept, good = evaluated.run.histories, ending.status is Status.OK
    first, last = settings.first_evaluated, settings.last_evaluated

    def statistics(begin: int, end: int, p: int = 0) -> ContactStatistics | None:
        return evaluated.statistics(begin, end, p) if good else None

    pantographs = [
        PantographResult(
            applied_force_N=evaluated.run.applied_forces_N[p],
            position=kept.position[:, p],
            contact_force=kept.contact_force[:, p],
            contact_force_filtered=kept.contact_force_filtered[:, p],
            contact_height=kept.contact_height[:, p],
            evaluated=span_cut(case, kept.position[:, p], first, last),
            statistics=statistics(first, last, p),
            halves=(
                statistics(first, max(first, (first + last - 1) // 2), p),
                statistics((first + last + 1) // 2, last, p),
            ),
            place=evaluated.run.head[:, 1, p],
            roll=evaluated.run.head[:, 0, p] if case.pantograph.head is not None else np.zeros(0),
            control_force=kept.control_force[:, p] if kept.control_force.size else np.zeros(0),
            strip_forces=evaluated.run.strip_forces[:, p].T,
            pitch=evaluated.run.pitch[:, p] if evaluated.run.pitch.size else np.zeros(0),
            side_motion=evaluated.run.head[:, 2, p] if case.catenary.dimension == "spatial" else np.zeros(0),
        )
        for p in range(kept.position.shape[1])
    ]
    return Solution(
        case=case,
        equilibrium=eq,
        status=ending.status,
        message=ending.message,
        wall_time_s=wall_time_s,
        time=kept.time,
        pantographs=tuple(pantographs),
        spans_evaluated=last - first + 1,
        support_uplift=_largest_by_span(case, kept.position[:, 0], kept.support_uplift),
        dropper_slack_time=slack_time_of_line(case, eq, kept) if good else np.zeros(0),
        dropper_peaks=DropperPeaks(largest_force_of_line(case, eq, kept)) if good else DropperPeaks(),
        histories=kept,
    )


def _largest_by_span(case: CaseSpec, position: NDArray[np.float64], uplift: NDArray[np.float64]) -> NDArray[np.float64]:
    """Largest uplift [m] at any support while the first pantograph passed each span, a first part of one included."""
    passed = np.ceil(spans_at(case.catenary, position) - 1e-9)
    return np.array([uplift[passed == k].max() for k in np.unique(passed)])

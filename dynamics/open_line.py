"""A pantograph on an open line of a few spans, every degree of freedom kept: the reference case of EN 50318:2002.

The contact wire is held at its height at every support by what the steady arm carries there at rest (form-finding
prescribes the height); in motion the arm acts with its own stiffness and mass. Both wires end at supports, fixed in
height, while their axial waves run on. The pantograph starts from static contact.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.equilibrium import Equilibrium, EquilibriumStatus, open_line_equilibrium, periodic_equilibrium
from dynamics.full_march import OpenLineRun, march_open_line
from dynamics.spec import CaseSpec
from dynamics.statistics import ContactStatistics, FilteredForce, contact_statistics, filter_force
from dynamics.status import Status
from dynamics.transient import MAX_CORRECTIONS, MEAN_FORCE_TOLERANCE, Trajectory, static_message, static_status

__all__ = ["solve_open_line"]


@dataclass(frozen=True)
class _Evaluated:
    """A run with its filtered force."""

    case: CaseSpec
    run: OpenLineRun
    filtered: FilteredForce

    def statistics(self, first: int, last: int) -> ContactStatistics:
        """Statistics of whole spans ``first`` to ``last``, the line's first one being 1."""
        settings, n = self.case.open_line, self.case.steps_per_span
        cut = slice(round((first - 1 - settings.start) * n), round((last - settings.start) * n))
        bands = FilteredForce(self.filtered.whole[cut], self.filtered.low[cut], self.filtered.high[cut])
        # column k is support k + 1; the supports of spans first to last are first - 1 to last
        uplift = float(self.run.support_uplift[:, first - 2 : last].max())
        return contact_statistics(self.run.contact_force[cut], bands, self.run.contact_height[cut], uplift)


def solve_open_line(case: CaseSpec) -> Trajectory:
    """March a case's open line; a held mean force is met by repeating the run with another applied force.

    Uplift is the largest over all time at the supports on both sides of the evaluated spans.
    """
    began = time.perf_counter()
    eq = periodic_equilibrium(case.catenary)
    found = time.perf_counter()
    status = static_status(eq)
    if status is not Status.OK:
        return _trajectory(case, eq, status, None, (found - began, 0.0))
    settings = case.open_line
    line = open_line_equilibrium(case.catenary, settings.spans)
    if line.status is not EquilibriumStatus.OK:
        return _trajectory(case, eq, Status.EQUILIBRIUM_FAILED, None, (found - began, 0.0))
    distance = settings.last_evaluated + settings.spans_after - settings.start
    applied = case.applied_force_N if case.mean_force_N is None else case.mean_force_N
    evaluated = None
    for _ in range(MAX_CORRECTIONS):
        fixed = case.model_copy(update={"applied_force_N": applied, "mean_force_N": None})
        run = march_open_line(fixed, settings.spans, settings.start, distance, line)
        if not np.isfinite(run.contact_force).all():
            status = Status.DIVERGED
            break
        filtered = filter_force(run.contact_force, case.time_step, case.signal, periodic=False)
        evaluated = _Evaluated(case, run, filtered)
        if case.mean_force_N is None or applied is None:
            break
        mean = evaluated.statistics(settings.first_evaluated, settings.last_evaluated).contact_force_mean_N
        if abs(case.mean_force_N - mean) < MEAN_FORCE_TOLERANCE:
            break
        applied += case.mean_force_N - mean
    else:
        status = Status.MEAN_FORCE_NOT_HELD
    return _trajectory(case, eq, status, evaluated, (found - began, time.perf_counter() - found))


def _trajectory(
    case: CaseSpec, eq: Equilibrium, status: Status, evaluated: _Evaluated | None, spent: tuple[float, float]
) -> Trajectory:
    """Histories of the run; the statistics of all evaluated spans and of the first and last one."""
    settings, none = case.open_line, np.zeros(0)
    run = evaluated.run if evaluated is not None else OpenLineRun(none, none, none, np.zeros((0, 0)), 0.0)
    first, last = settings.first_evaluated, settings.last_evaluated

    def statistics(begin: int, end: int) -> ContactStatistics | None:
        return evaluated.statistics(begin, end) if evaluated is not None and status is Status.OK else None

    return Trajectory(
        case=case,
        equilibrium=eq,
        status=status,
        message=static_message(eq, status),
        statistics=statistics(first, last),
        statistics_first_half=statistics(first, (first + last - 1) // 2) if last > first else statistics(first, last),
        statistics_second_half=statistics((first + last + 1) // 2, last),
        applied_force_N=run.applied_force_N,
        time=np.arange(1, len(run.position) + 1, dtype=np.float64) * case.time_step,
        position=run.position,
        contact_force=run.contact_force,
        contact_force_filtered=run.contact_force if evaluated is None else evaluated.filtered.whole,
        contact_height=run.contact_height,
        support_uplift=_largest_by_span(run, case.catenary.span_length),
        spans_evaluated=last - first + 1,
        wall_time_s={"equilibrium": spent[0], "dynamics": spent[1]},
    )


def _largest_by_span(run: OpenLineRun, span: float) -> NDArray[np.float64]:
    """Largest uplift [m] at any support while the pantograph passed each span, a first part of one included."""
    passed = np.ceil(run.position / span - 1e-9)
    return np.array([run.support_uplift[passed == k].max() for k in np.unique(passed)])

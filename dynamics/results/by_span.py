"""Figures of every span that counts on an open line: where the force varies most, and how high each support rises."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynamics.results.solution import Solution
from dynamics.results.span_cut import span_cut

__all__ = ["SpanFigures", "figures_by_span"]


@dataclass(frozen=True)
class SpanFigures:
    """Filtered contact force of one pantograph within one span, and the uplift at the supports that bound it.

    Attributes
    ----------
    pantograph, span : int
        Numbers, the leading pantograph and the line's first span being 1.
    begin_m, end_m : float
        Stations of its supports [m].
    contact_force_mean_N, contact_force_std_N, contact_force_max_N, contact_force_min_N : float
        Of the span's own samples [N].
    uplift_begin_mm, uplift_end_mm : float
        Largest rise of the contact wire at its first and at its last support during the whole run [mm].
    """

    pantograph: int
    span: int
    begin_m: float
    end_m: float
    contact_force_mean_N: float
    contact_force_std_N: float
    contact_force_max_N: float
    contact_force_min_N: float
    uplift_begin_mm: float
    uplift_end_mm: float


def figures_by_span(solution: Solution) -> tuple[SpanFigures, ...]:
    """Figures of every evaluated span of an open line, pantograph by pantograph; none where there are no figures."""
    kept, case = solution.histories, solution.case
    if kept is None or solution.statistics is None or not case.on_open_line:
        return ()
    line, settings = case.catenary, case.open_line
    rise = 1.0e3 * np.asarray(kept.support_uplift).max(axis=0)  # column k is support k + 1
    found = []
    for p, one in enumerate(solution.pantographs, start=1):
        for k in range(settings.first_evaluated, settings.last_evaluated + 1):
            force = one.contact_force_filtered[span_cut(case, one.position, k, k)]
            found.append(
                SpanFigures(
                    pantograph=p,
                    span=k,
                    begin_m=line.station(k - 1),
                    end_m=line.station(k),
                    contact_force_mean_N=float(force.mean()),
                    contact_force_std_N=float(force.std()),
                    contact_force_max_N=float(force.max()),
                    contact_force_min_N=float(force.min()),
                    uplift_begin_mm=float(rise[k - 2]),
                    uplift_end_mm=float(rise[k - 1]),
                )
            )
    return tuple(found)

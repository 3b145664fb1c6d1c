"""Contact with each contact wire where a head may touch several, over all spans that count and overlap by overlap."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from catenary.layout.sections import parts_of
from dynamics.results.solution import Solution
from dynamics.results.span_cut import force_figures, span_cut

__all__ = ["OverlapFigures", "WireFigures", "figures_by_overlap", "figures_by_wire"]


@dataclass(frozen=True)
class WireFigures:
    """Contact of one pantograph with one contact wire over the spans that count, force as computed.

    Attributes
    ----------
    pantograph : int
        Number, the leading one being 1.
    section : str
        Tension section of the wire.
    touched_from_m, touched_to_m : float or None
        First and last station with contact [m]; none where the wire was not touched.
    contact_time_percent, shared_time_percent : float
        Time in contact with this wire, and with this and another one at once, of the time that counts [%].
    load_percent : float
        Share of the contact force's mean that this wire took [%].
    contact_force_mean_N, contact_force_max_N : float
        Mean while it was touched, and largest [N].
    """

    pantograph: int
    section: str
    touched_from_m: float | None
    touched_to_m: float | None
    contact_time_percent: float
    shared_time_percent: float
    load_percent: float
    contact_force_mean_N: float
    contact_force_max_N: float


def figures_by_wire(solution: Solution) -> tuple[WireFigures, ...]:
    """Figures of every pantograph with every contact wire; none where there is one wire, or there are no figures."""
    kept, section = solution.histories, solution.case.catenary.section
    names = () if section is None else tuple(own.name for own in section.tension_sections)
    if kept is None or solution.statistics is None or not names:
        return ()
    found = []
    for p, one in enumerate(solution.pantographs):
        force, x = kept.wire_force[one.evaluated, p], one.position[one.evaluated]
        touching = force > 0.0
        several = touching.sum(axis=1) > 1
        for w, name in enumerate(names):
            own = touching[:, w]
            at = x[own]
            found.append(
                WireFigures(
                    pantograph=p + 1,
                    section=name,
                    touched_from_m=float(at[0]) if at.size else None,
                    touched_to_m=float(at[-1]) if at.size else None,
                    contact_time_percent=100.0 * float(own.mean()),
                    shared_time_percent=100.0 * float((own & several).mean()),
                    load_percent=100.0 * float(force[:, w].sum() / max(force.sum(), np.finfo(float).tiny)),
                    contact_force_mean_N=float(force[own, w].mean()) if at.size else 0.0,
                    contact_force_max_N=float(force[:, w].max()),
                )
            )
    return tuple(found)


@dataclass(frozen=True)
class OverlapFigures:
    """Filtered contact force of one pantograph in an overlap of two tension sections, and how it is handed over.

    Attributes
    ----------
    pantograph : int
        Number, the leading one being 1.
    ends, begins : str
        Tension section that ends there, and the one that begins.
    first_span, last_span : int
        Spans that both have and that count, the line's first one being 1.
    begin_m, end_m : float
        Stations of their first and last support [m].
    contact_force_mean_N, contact_force_std_N, contact_force_max_N, contact_force_min_N : float
        Of the samples there [N].
    shared_from_m, shared_to_m : float or None
        First and last station with contact on both wires at once [m]; none where the head never touches both.
    shared_time_percent : float
        Time in contact with both, of the time there [%].
    load_percent : float
        Share of the force's mean there that the wire which ends took [%].
    """

    pantograph: int
    ends: str
    begins: str
    first_span: int
    last_span: int
    begin_m: float
    end_m: float
    contact_force_mean_N: float
    contact_force_std_N: float
    contact_force_max_N: float
    contact_force_min_N: float
    shared_from_m: float | None
    shared_to_m: float | None
    shared_time_percent: float
    load_percent: float


def figures_by_overlap(solution: Solution) -> tuple[OverlapFigures, ...]:
    """Figures of every pantograph in every overlap that has spans which count; none without overlaps or figures."""
    kept, case = solution.histories, solution.case
    run, line = case.open_line, case.catenary
    if kept is None or solution.statistics is None or line.section is None or not line.section.tension_sections:
        return ()
    found = []
    for w, (a, b) in enumerate(pairwise(parts_of(line))):
        first = max(b.first_support + 1, run.first_evaluated)
        last = min(a.first_support + len(a.line.supports) - 1, run.last_evaluated)
        for p, one in enumerate(solution.pantographs if first <= last else ()):
            cut = span_cut(case, one.position, first, last)
            force, x, wires = one.contact_force_filtered[cut], one.position[cut], kept.wire_force[cut, p, w : w + 2]
            both = (wires > 0.0).all(axis=1)
            at = x[both]
            found.append(
                OverlapFigures(
                    pantograph=p + 1,
                    ends=a.name,
                    begins=b.name,
                    first_span=first,
                    last_span=last,
                    begin_m=line.station(first - 1),
                    end_m=line.station(last),
                    **force_figures(force),
                    shared_from_m=float(at[0]) if at.size else None,
                    shared_to_m=float(at[-1]) if at.size else None,
                    shared_time_percent=100.0 * float(both.mean()),
                    load_percent=100.0 * float(wires[:, 0].sum() / max(wires.sum(), np.finfo(float).tiny)),
                )
            )
    return tuple(found)

"""Contact with each contact wire where a head may touch several: how long, from where to where, with what force."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynamics.results.solution import Solution

__all__ = ["WireFigures", "figures_by_wire"]


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

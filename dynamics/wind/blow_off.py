"""Blow-off of the contact wire of a run: its place on the head in a gust from either side, at rest and as heads pass.

Under passage the wire has its place at rest in the gust and moves to the side as it does in the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from catenary.linearised.blow_off import contact_wire_stations, in_gust
from catenary.linearised.contact_wire import place_on_head

if TYPE_CHECKING:
    from catenary.form_finding.equilibrium import Equilibrium
    from dynamics.results.solution import PantographResult, Solution

__all__ = ["BlowOff", "blow_off_of"]

SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


@dataclass(frozen=True)
class BlowOff:
    """Farthest places of the contact wire from the middle of the head.

    Attributes
    ----------
    wind_speed_m_s, gust_factor : float
        Mean speed, and load of the gust over that of it; 0 and 1 in still air.
    at_rest_m : float or None
        Anywhere along the line at rest, in a gust from either side; None where it does not hang in one.
    passing_m : float or None
        Where heads pass over the spans that count, with the motion of the wire; None where that was not kept.
    margin_m : float or None
        What the farther of the two leaves to the end of the head's working range; None without a head's data.
    """

    wind_speed_m_s: float
    gust_factor: float
    at_rest_m: float | None
    passing_m: float | None
    margin_m: float | None

    @property
    def farthest_m(self) -> float | None:
        """The farther of the two places; None where the line does not hang in a gust."""
        return None if self.at_rest_m is None else max(self.at_rest_m, self.passing_m or 0.0)


def blow_off_of(solution: Solution) -> BlowOff | None:
    """Find the blow-off of a run; None in the plane and without figures."""
    eq, wind, head = (
        solution.whole_line or solution.equilibrium,
        solution.case.catenary.wind,
        solution.case.pantograph.head,
    )
    if solution.statistics is None or not eq.mesh.spatial:
        return None
    found = [in_gust(eq, side) for side in SIDES] if wind is not None else [eq]
    hung = [each for each in found if each is not None]
    at_rest = passing = None
    if len(hung) == len(found):
        at_rest = max(float(np.abs(place_on_head(each, contact_wire_stations(each))).max()) for each in hung)
        places = [_passing(eq, each, one) for each in hung for one in solution.pantographs if one.side_motion.size]
        passing = max((float(np.abs(each).max()) for each in places if each.size), default=None)
    known = BlowOff(*((0.0, 1.0) if wind is None else (wind.speed, wind.gust_factor)), at_rest, passing, None)
    if head is None or known.farthest_m is None:
        return known
    return BlowOff(
        known.wind_speed_m_s, known.gust_factor, at_rest, passing, head.working_half_width - known.farthest_m
    )


def _passing(eq: Equilibrium, gust: Equilibrium, one: PantographResult) -> NDArray[np.float64]:
    """Places of the wire on one head over the spans that count (time,) [m], what gust and passage add to each."""
    cut = one.evaluated
    passed = one.place[cut] + one.side_motion[cut]
    wind = eq.spec.wind
    if wind is not None and wind.turbulence is not None:  # gusts have moved the wire in the run itself
        return passed
    return passed + place_on_head(gust, one.position[cut]) - place_on_head(eq, one.position[cut])

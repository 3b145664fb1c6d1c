"""What a whole line and its heads find around them: cant and sway under heads, gusts on wires, a contact in space."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.track import head_offset
from catenary.linearised.aerodynamic import gust_loads
from dynamics.open_line.system import STILL, Gusts, Space
from dynamics.pantograph.base_record import BaseRecord
from dynamics.spec.case import CaseSpec
from dynamics.spec.train import FrictionSpec
from dynamics.wind.gusts import gust_record

__all__ = ["gusts_on", "head_middle", "space_of"]

EVERY = 1.0  # m, between stations where the head's place is looked up


def space_of(case: CaseSpec) -> Space:
    """Contact in space as a case wants it; a head without data of its own is straight."""
    wanted, head = case.contact.space, case.pantograph.head
    own = wanted or FrictionSpec()
    crown, half, horn = (1.0e6, 1.0e6, 1.0) if head is None else _profile(case)
    return Space(
        wanted is not None, own.friction, own.regular_speed, own.damping, own.fixed_direction, crown, half, horn
    )


def _profile(case: CaseSpec) -> tuple[float, float, float]:
    head = case.pantograph.head
    assert head is not None
    return head.crown_radius, head.working_half_width, head.horn_radius


def head_middle(case: CaseSpec, base: BaseRecord) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Stations between which the head's middle moves along straight lines, and its places to the left there [m].

    Cant and the vehicle put it there, those of the first pantograph at its time; two stations without either.
    """
    line, track = case.catenary, case.catenary.track
    end = line.station(case.open_line.spans)
    stations = np.array([0.0, end])
    if track is not None and track.cants:
        stations = np.linspace(0.0, end, int(np.ceil(end / EVERY)) + 1)
    if not base.side.any():
        return stations, head_offset(track, stations)
    passed = line.station(case.open_line.start) + case.speed * base.time
    stations = np.union1d(stations, passed[(passed > 0.0) & (passed < end)])
    return stations, head_offset(track, stations) + np.interp(stations, passed, base.side)


def gusts_on(case: CaseSpec, eq: Equilibrium, kept: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> Gusts:
    """Gusts of a case's wind on the dofs of a line, for as long as the train is on it."""
    wind = eq.spec.wind
    if wind is None or wind.turbulence is None or wind.speed == 0.0:
        return STILL
    dof, load, at = gust_loads(eq, wind)
    dof = kept(dof)
    first, last = float(at.min()), float(at.max())
    stations = np.linspace(first, last, int(np.ceil((last - first) / wind.turbulence.station_spacing)) + 1)
    record = gust_record(wind.turbulence, wind.speed, stations, (last - first) / case.speed)
    nearest = np.round((at - first) / (stations[1] - stations[0])).astype(np.int64)
    on = dof >= 0
    # loads of one dof and station are one entry
    keys, which = np.unique(np.stack([dof[on], nearest[on]]), axis=1, return_inverse=True)
    total = np.zeros(keys.shape[1])
    np.add.at(total, which.ravel(), load[on])
    return Gusts(np.ascontiguousarray(keys[0]), total, np.ascontiguousarray(keys[1]), record.step, record.speed)

"""Blow-off: where the contact wire stands on the head, at rest in a gust.

A gust loads wires and droppers as a steady wind of sqrt(gust factor) times the speed. The line is found again in it, to
the same heights and tensions: what its droppers' heights change by meanwhile moves the wire's place to second order.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import (
    Equilibrium,
    EquilibriumStatus,
    open_line_equilibrium,
    periodic_equilibrium,
)
from catenary.form_finding.joined import joined
from catenary.layout.geometry import CONTACT
from catenary.linearised.contact_wire import place_on_head

__all__ = ["contact_wire_stations", "farthest_place", "in_gust"]

Side = Literal["left", "right"]


def contact_wire_stations(eq: Equilibrium) -> NDArray[np.float64]:
    """Stations of the contact wire's nodes (x,) [m]."""
    mesh = eq.mesh
    return np.unique(np.round(mesh.node_x[np.unique(mesh.elem_nodes[mesh.elem_wire == CONTACT])], 9))


def farthest_place(eq: Equilibrium) -> tuple[float, float]:
    """Station of the contact wire where it stands farthest from the middle of the head, and how far to the left [m]."""
    x = contact_wire_stations(eq)
    place = place_on_head(eq, x)
    k = int(np.argmax(np.abs(place)))
    return float(x[k]), float(place[k])


def in_gust(eq: Equilibrium, side: Side | None = None) -> Equilibrium | None:
    """The same line at rest in a gust of its wind, to a side or to the wind's own; None where it does not hang there.

    A line without wind, or whose gust is its wind, is itself.
    """
    wind = eq.spec.wind
    if wind is None:
        return eq
    gust = wind.gust(side)
    if (gust.speed, gust.blows_to) == (wind.speed, wind.blows_to):
        return eq
    spec, layout = eq.spec.model_copy(update={"wind": gust}), eq.mesh.layout
    if eq.parts:  # each has the tensions of its own temperature, which the line's spec has not
        each = [in_gust(part, side) for part in eq.parts]
        found = joined(spec, [part for part in each if part is not None]) if None not in each else None
    else:
        found = periodic_equilibrium(spec) if layout.periodic else open_line_equilibrium(spec, layout.n_spans)
    return found if found is not None and found.status is EquilibriumStatus.OK else None

"""Stretches of a contact wire that differ from the rest of it: worn ones, and section insulators."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.layout.key_points import CONTACT
from catenary.layout.mesh import Mesh
from catenary.spec.attached.wear import WearSpec, worn_round
from catenary.spec.attached.worn_wire import round_diameter
from catenary.spec.components import WireSpec
from catenary.spec.line import CatenarySpec

__all__ = ["along_contact_wire", "worn_depth"]


def along_contact_wire(spec: CatenarySpec, mesh: Mesh, name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lay the stretches that differ over a wire property by element (elem,).

    A worn stretch has less mass, EA and EI; an element that it covers in part has its share of mass and of compliance.
    An insulator has mass and EI of its own, and EA of the wire. Tensions are the same everywhere.
    """
    own = spec.section
    if own is None or name == "tension" or not (own.wear or own.elements):
        return values
    values = values.copy()
    names = [each.name for each in own.tension_sections] or [None]
    for run, section in zip(mesh.contact_runs, names, strict=True):
        elems = np.flatnonzero((mesh.elem_wire == CONTACT) & (mesh.elem_run == run))
        begin, end = (mesh.node_x[mesh.elem_nodes[elems]] + mesh.elem_shift[elems]).T
        for wear in own.wear:
            if wear.section in (None, section):
                covered = np.minimum(end, wear.end) - np.maximum(begin, wear.begin)
                values[elems] *= _left(name, wear, np.maximum(covered, 0.0) / (end - begin))
        for element in own.elements:
            if element.kind == "insulator" and element.section in (None, section) and name != "axial_stiffness":
                first, last = element.clamps
                middle = 0.5 * (begin + end)
                assert element.mass is not None and element.bending_stiffness is not None
                value = element.mass / (last - first) if name == "mass_per_length" else element.bending_stiffness
                values[elems[(middle > first) & (middle < last)]] = value
    return values


def _left(name: str, wear: WearSpec, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is left of a property of elements that a worn stretch covers by a share of their length [-]."""
    if name == "mass_per_length":
        return 1.0 - share * wear.area
    left = worn_round(wear.area).bending if name == "bending_stiffness" else 1.0 - wear.area
    return 1.0 / (1.0 - share + share / left)


def worn_depth(wear: WearSpec, wire: WireSpec) -> float:
    """How far the running surface of a worn stretch lies higher [m].

    Without a depth of its own it is that of a round wire whose section follows from its mass, 8890 kg/m^3.
    """
    if wear.depth is not None:
        return wear.depth
    return round_diameter(wire) * worn_round(wear.area).depth

"""The wire element that a line's formulation names, behind one record of functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.elements.ancf_cable import cable_force, cable_forces, cable_mass, cable_tangent
from catenary.elements.euler_bernoulli import beam_force, beam_forces, beam_mass, beam_tangent, linear_along
from catenary.elements.hermite import hermite
from catenary.spec.line import CatenarySpec

__all__ = ["WireElement", "element_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class WireElement:
    """One formulation of a wire element, its 12 coordinates (x, y, z, x', y', z') of both nodes.

    Heights and sideways places run by the cubic Hermite shapes in every formulation.

    Attributes
    ----------
    axial_slope : bool
        Whether x' is a degree of freedom; where it is not, its entries are zero.
    forces : (q, l0, EA, EI, rho_g) -> (force, tangent, force_by_l0)
        Of all elements: internal force minus weight (elem, 12), its derivatives by q and by unstretched length.
    tangent : (q, l0, EA, EI) -> (axial, transverse)
        The tangent of all elements in two parts, (elem, 12, 12): what stretching resists, and the rest.
    mass : (l0, rho) -> mass
        Consistent mass of all elements (elem, 12, 12).
    along : (xi, l0) -> weights
        Weights of (x1, x1', x2, x2') in the place along the track at xi, (4, ...).
    force : (q, l0, EA, EI, out) -> None
        Compiled internal force of one element, q (2, 6), written to out (12,).
    """

    axial_slope: bool
    forces: Callable[[Array, Array, Array, Array, Array], tuple[Array, Array, Array]]
    tangent: Callable[[Array, Array, Array, Array], tuple[Array, Array]]
    mass: Callable[[Array, Array], Array]
    along: Callable[[Array, Array | float], Array]
    force: Any


_ELEMENTS = {
    "ancf": WireElement(True, cable_forces, cable_tangent, cable_mass, hermite, cable_force),
    "beam": WireElement(False, beam_forces, beam_tangent, beam_mass, linear_along, beam_force),
}


def element_of(spec: CatenarySpec) -> WireElement:
    """Look up the element of a line's wires by its formulation."""
    return _ELEMENTS[spec.formulation]

"""What the track's curvature adds to a line in motion: wires that move to the inside of a curve become shorter.

To first order in the curvature k the length of an element changes by -k times what its nodes move towards the centre,
so that a change of tension pushes to the side by k times itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equations import element_coordinates, wire_property
from catenary.form_finding.equilibrium import Equilibrium
from catenary.form_finding.side_loads import elem_curvature, load_shares
from catenary.layout.mesh import X, Y, Z

__all__ = ["curvature_stiffness", "shortening"]


def shortening(eq: Equilibrium) -> NDArray[np.float64]:
    """Length that one unit of an element's places and slopes, across and up, adds to it by curvature (elem, 8)."""
    curvature = elem_curvature(eq.spec, eq.mesh)
    if curvature is None:
        return np.zeros((len(eq.elem_l0), 8))
    shares = load_shares(eq.mesh.elem_length)
    return np.concatenate([-curvature[:, :1] * shares, -curvature[:, 1:] * shares], axis=1)


def curvature_stiffness(eq: Equilibrium) -> NDArray[np.float64] | None:
    """Stiffness that curvature adds to every element (elem, 12, 12) [N/m]; None on straight track.

    What stretches an element is the way of its ends along its chord, and the shortening.
    """
    mesh = eq.mesh
    if elem_curvature(eq.spec, mesh) is None:
        return None
    q = element_coordinates(mesh, eq.q)
    chord = q[:, 1, :3] - q[:, 0, :3]
    chord /= np.linalg.norm(chord, axis=1)[:, None]
    along, across = np.zeros((2, len(chord), 12))
    along[:, :3], along[:, 6:9] = -chord, chord
    across[:, _AT[Y]], across[:, _AT[Z]] = np.split(shortening(eq), 2, axis=1)
    total = along + across
    EA = wire_property(eq.spec, mesh, "axial_stiffness")
    product = np.einsum("ei,ej->eij", total, total) - np.einsum("ei,ej->eij", along, along)
    return (EA / eq.elem_l0)[:, None, None] * product


_AT = {c: [c, c + 3, c + 6, c + 9] for c in (X, Y, Z)}

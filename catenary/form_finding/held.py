"""Coordinates that form-finding prescribes: stations, heights at supports and droppers, sides; and given forces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.layout.mesh import Mesh, X, Y, Z

__all__ = ["lifted_nodes", "prescribed_coordinates"]


def prescribed_coordinates(mesh: Mesh, cut: NDArray[np.float64]) -> dict[int, float]:
    """Prescribed coordinate [m] by dof: encumbrance, stations of key points, heights where no cut length is given.

    Parameters
    ----------
    mesh : Mesh
        With its layout, which says where wires are held.
    cut : float array (dropper,)
        Length each dropper is cut to [m], NaN where the height of the layout is prescribed.
    """
    layout = mesh.layout
    fixed: dict[int, float] = {}
    for k, node in enumerate(mesh.dropper_bottom):
        fixed[mesh.dof[node, X]] = layout.dropper_x[k]
        if np.isnan(cut[k]):
            fixed[mesh.dof[node, Z]] = layout.dropper_height[k]
        top = mesh.dropper_top[k]
        fixed[mesh.dof[top, X]] = float(mesh.node_x[top])
    for node in [*mesh.clamp_messenger, *mesh.crossing, *mesh.mass_nodes]:
        fixed[mesh.dof[node, X]] = float(mesh.node_x[node])
    for k, (low, high) in enumerate(zip(mesh.support_contact, mesh.support_messenger, strict=True)):
        fixed[mesh.dof[low, X]], fixed[mesh.dof[low, Z]] = float(mesh.node_x[low]), layout.contact_height[k]
        fixed[mesh.dof[high, X]], fixed[mesh.dof[high, Z]] = float(mesh.node_x[high]), layout.messenger_height[k]
        if mesh.spatial:
            fixed[mesh.dof[low, Y]], fixed[mesh.dof[high, Y]] = layout.contact_side[k], layout.messenger_side[k]
    for k, node in enumerate(mesh.support_auxiliary):
        fixed[mesh.dof[node, X]] = float(mesh.node_x[node])
        if mesh.spatial:
            fixed[mesh.dof[node, Y]] = layout.auxiliary_side[k]
        if not layout.periodic and node in mesh.wire_ends:
            fixed[mesh.dof[node, Z]] = layout.auxiliary_height[k]
    return fixed


def lifted_nodes(mesh: Mesh) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Nodes of spring supports, and what each lifts its wire with at rest [N]."""
    held = [(numbers[0], element.force or 0.0) for element, numbers in mesh.layout.elements if element.force]
    return mesh.mass_nodes[[k for k, _ in held]], np.array([force for _, force in held])

"""Which degrees of freedom of a mesh a line's network has, in which order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.mesh import DY, DZ, X, Y, Z
from dynamics.line_operator.condensed.parts import Bays, Points

__all__ = ["NetworkOrder", "envelope", "network_order"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class NetworkOrder:
    """Which dofs of a mesh the network has, in which order.

    ``ends`` (bay, 2) are the end nodes of every bay, ``over`` (bay,) says whether the second is the next period's;
    ``dof_of`` (mesh dof,) numbers of the network, -1 for what lies within a bay or is held; ``n``, ``ni`` as in
    `dynamics.line_operator.network.LineNetwork`.
    """

    ends: Ints
    over: NDArray[np.bool_]
    dof_of: Ints
    n: int
    ni: int


def network_order(eq: Equilibrium) -> NetworkOrder:
    """Number the dofs of the bays' ends, the interface first, then along the track.

    With constant tensions nothing that moves along the track moves anything across it, and no wire has such dofs. In
    space the messenger wire is held sideways at supports.
    """
    mesh = eq.mesh
    first, last = mesh.group_elems.T
    ends = np.stack([mesh.elem_nodes[first, 0], mesh.elem_nodes[last, 1]], axis=1)
    over = mesh.elem_shift[last, 1] - mesh.elem_shift[first, 0] > 0.5 * mesh.layout.length
    interface = np.unique(ends[over, 1])
    nodes = np.unique(ends)
    nodes = nodes[np.lexsort((nodes, np.round(mesh.node_x[nodes], 9), ~np.isin(nodes, interface)))]
    dof_of, n, ni = np.full(mesh.n_dof, -1), 0, 0
    components = [Z, DZ, *([Y, DY] if mesh.spatial else []), *([] if eq.spec.tension_in_motion == "constant" else [X])]
    held = set(mesh.dof[mesh.support_messenger, Y].tolist()) if mesh.spatial else set()
    for node in nodes.tolist():
        for d in mesh.dof[node, components].tolist():
            if dof_of[d] < 0 and d not in held:
                dof_of[d], n = n, n + 1
        if node in interface:
            ni = n
    return NetworkOrder(ends, over, dof_of, n, ni)


def envelope(bays: Bays, points: Points, n: int, ni: int) -> Ints:
    """First dof right of the interface that each row of the matrix reaches, itself at most (dof,)."""
    first, hung = np.arange(n), np.stack([points.bottom, points.top], axis=1)
    across = [bays.side] if len(bays.side) else []
    aside = [points.aside] if len(points.aside) else []
    for reach in (
        np.concatenate([bays.dof, bays.along, *across], axis=1),
        np.concatenate([hung, *aside], axis=1),
        points.swaying,
        points.arm,
    ):
        inner = np.where((reach >= ni) & (reach < n), reach, n)
        lowest = inner.min(axis=1)
        for column in inner.T:
            at = column < n
            np.minimum.at(first, column[at], lowest[at])
    return first

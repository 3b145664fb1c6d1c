"""The model of one cell of the infinite periodic line: heights, slopes, and the tension of every bay.

The same linearised elements as the open line's, with one simplification along the track: within a bay (from a
dropper, support or clamp of one wire to the next) the change of tension is uniform, and the bay's axial inertia sits
at its two ends. Axial waves cross a bay in 2 ms at 3,650 m/s; what the simplification changes is measured in the
tests against the full model. The bays' tensions are degrees of freedom of their own (mass 0), which keeps the
stiffness matrix banded:

    [ K0  h ] [u]        h u = elongation of the bay: displacement of its ends along the track, and heights times
    [ h' -c ] [N]              the slope of the wire at rest;   c = unstretched length / EA.

With constant tensions (an option) h has no heights: K0, which holds the tensions at rest, is all that acts on them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.key_points import AUXILIARY, CONTACT
from catenary.layout.mesh import DX, Mesh, X, Y, Z
from catenary.linearised.cell_parts.blocks import CellBlocks, CellMatrix
from catenary.linearised.cell_parts.ends import wire_ends
from catenary.linearised.cell_parts.operators import (
    add_operators,
    component_dofs,
    onward_elements,
    stretch_of_droppers,
)
from catenary.linearised.contact_wire import contact_table

__all__ = ["VerticalCell", "vertical_cell"]


@dataclass(frozen=True)
class VerticalCell:
    """One period of the infinite line: a span, or several of unequal length.

    Dofs are numbered along the track, the interface (what the next cell to the left touches) first. They are heights
    and slopes of every node, positions along the track of key points, and tensions of bays (the mixed stiffness is
    symmetric, indefinite in these).

    Attributes
    ----------
    mass, stiffness : CellMatrix
        Wires, droppers, arms, masses; without the messenger supports.
    n_interface : int
        Number of interface dofs.
    support_dof, support_contact_dof : int array (support,)
        Dof of the messenger wire's and of the contact wire's height at every support, the interface's first.
    wire_ends : tuple of (dof, impedance)
        Interface dofs of wires that run on, and the impedance, sqrt(T rho) or sqrt(EA rho) [N s/m], that absorbs
        their waves at a window's end.
    dropper_dof, dropper_weight : array (dropper, end dof)
        Dofs of every dropper's ends and what one unit of each stretches it by.
    tensions : int array (bay,)
        Dofs of the bays' tensions.
    along : tuple of int array
        Dofs along the track of the contact wire, of an auxiliary wire, and of all other wires; the support's comes
        first.
    heights : int array (node,)
        Height dofs of all nodes.
    canonical : int array (dof without tensions,)
        Cell dofs in an order that does not change with the stations, so that states of neighbouring designs compare.
    dof_of : int array (dof of the mesh,)
        Cell dof of each mesh dof, -1 for those it does not have.
    """

    equilibrium: Equilibrium
    mass: CellMatrix
    stiffness: CellMatrix
    n_dof: int
    n_interface: int
    support_dof: NDArray[np.int64]
    support_contact_dof: NDArray[np.int64]
    wire_ends: tuple[tuple[int, float], ...]
    dropper_dof: NDArray[np.int64]
    dropper_weight: NDArray[np.float64]
    tensions: NDArray[np.int64]
    along: tuple[NDArray[np.int64], ...]
    heights: NDArray[np.int64]
    canonical: NDArray[np.int64]
    dof_of: NDArray[np.int64]

    def contact_operator(self, x: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Cell dofs and weights (x, 4) of contact-wire heights at ``x`` in [0, period).

        A dof of the next cell's interface is given as ``n_dof`` + its number.
        """
        e, dof, weight = contact_table(self.equilibrium, x)
        cell = self.dof_of[dof]
        shift = self.equilibrium.mesh.elem_shift[e]
        over = np.repeat(shift > shift[:, :1], 2, axis=1)
        return np.where(over, cell + self.n_dof, cell), weight

    def side_operator(self, x: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Cell dofs and weights (x, 4) of the contact wire's side motion at ``x``, to the left in the cell's own sense.

        Spatial lines alone; a dof of the next cell's interface as in `contact_operator`.
        """
        mesh = self.equilibrium.mesh
        e, _, weight = contact_table(self.equilibrium, x)
        dof, sign = component_dofs(mesh, self.dof_of, Y)
        over = np.repeat(mesh.elem_shift[e] > mesh.elem_shift[e][:, :1], 2, axis=1)
        return dof[e] + self.n_dof * over, sign[e] * weight

    def dropper_operator(self) -> NDArray[np.float64]:
        """Stretch of every dropper per unit of each dof (dof, dropper)."""
        operator = np.zeros((self.n_dof, len(self.dropper_dof)))
        np.add.at(operator, (self.dropper_dof, np.arange(len(self.dropper_dof))[:, None]), self.dropper_weight)
        return operator


def vertical_cell(eq: Equilibrium) -> VerticalCell:
    """Linearise one cell about its periodic equilibrium."""
    mesh = eq.mesh
    dof_of, bay_dof, n_interface = _order(mesh, onward_elements(mesh))
    n = int(max(dof_of.max(), bay_dof.max())) + 1
    M, K = CellBlocks(n, n_interface), CellBlocks(n, n_interface)
    add_operators(eq, (dof_of, bay_dof), (M, K))
    hung = [dof_of[mesh.dof[nodes][:, mesh.axes[1:]]] for nodes in (mesh.dropper_bottom, mesh.dropper_top)]
    return VerticalCell(
        equilibrium=eq,
        mass=M.matrix(),
        stiffness=K.matrix(),
        n_dof=n,
        n_interface=n_interface,
        support_dof=dof_of[mesh.dof[mesh.support_messenger, Z]],
        support_contact_dof=dof_of[mesh.dof[mesh.support_contact, Z]],
        wire_ends=wire_ends(eq, dof_of),
        dropper_dof=np.ascontiguousarray(np.concatenate(hung, axis=1)),
        dropper_weight=stretch_of_droppers(eq),
        tensions=bay_dof,
        along=_along_all(mesh, dof_of),
        heights=np.unique(dof_of[mesh.dof[:, Z]]),
        canonical=_by_node(mesh, dof_of),
        dof_of=dof_of,
    )


def _order(mesh: Mesh, over: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Number the cell's dofs: interface first, then along the track; a bay's tension before its right end."""
    first, last = mesh.group_elems.T
    key_nodes = set(mesh.elem_nodes[first, 0]) | set(mesh.elem_nodes[last, 1])
    interface = set(mesh.elem_nodes[over, 1])
    right = mesh.node_x[mesh.elem_nodes[last, 1]]
    right = np.where(over[last], mesh.layout.length, right)
    items = [(node in interface, mesh.node_x[node], 1, int(node)) for node in range(len(mesh.node_x))]
    items += [(False, right[b], 0, b) for b in range(len(right))]
    dof_of, bay_dof = np.full(mesh.n_dof, -1), np.full(len(right), -1)
    n = n_interface = 0
    components = [c + d for c in mesh.axes[:0:-1] for d in (0, DX)]
    # messenger and auxiliary wire are held sideways at supports
    sideways = np.concatenate([mesh.support_messenger, mesh.support_auxiliary])
    held = set(mesh.dof[sideways, Y]) if mesh.spatial else set()
    for inside, _, is_node, which in sorted(items, key=lambda t: (not t[0], round(t[1], 9), t[2], t[3])):
        if not is_node:
            bay_dof[which], n = n, n + 1
            continue
        for c in components if which not in key_nodes else (*components, X):
            d = mesh.dof[which, c]
            if dof_of[d] < 0 and d not in held:
                dof_of[d], n = n, n + 1
        n_interface = n if inside else n_interface
    return dof_of, bay_dof, n_interface


def _along_all(mesh: Mesh, dof_of: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Cell dofs along the track of the contact wire, of an auxiliary wire, and of all other wires."""
    wires = [(mesh.node_wire == CONTACT, mesh.support_contact)]
    if len(mesh.support_auxiliary):
        wires.append((mesh.node_wire == AUXILIARY, mesh.support_auxiliary))
    others = (mesh.node_wire != CONTACT) & (mesh.node_wire != AUXILIARY)
    return tuple(_along(mesh, dof_of, *wire) for wire in (*wires, (others, mesh.support_messenger)))


def _along(
    mesh: Mesh, dof_of: NDArray[np.int64], nodes: NDArray[np.bool_], supports: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Cell dofs along the track of the nodes of a wire, the support's first."""
    found = dof_of[mesh.dof[nodes, X]]
    support = dof_of[mesh.dof[supports[0], X]]
    rest = np.unique(found[found >= 0])
    return np.concatenate([[support], rest[rest != support]])


def _by_node(mesh: Mesh, dof_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cell dofs node by node, each once, in the order in which the wires were meshed."""
    components = [c + d for c in mesh.axes[:0:-1] for d in (0, DX)]
    found = dof_of[mesh.dof[:, [*components, X]].ravel()]
    _, first = np.unique(found, return_index=True)
    first = np.sort(first)
    return found[first][found[first] >= 0]

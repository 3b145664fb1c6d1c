"""The model of one cell of the infinite periodic line: heights, slopes, and the tension of every bay.

The same linearised elements as the open line's, with one simplification along the track: within a bay (from a
dropper, support or clamp of one wire to the next) the change of tension is uniform, and the bay's axial inertia sits
at its two ends. Axial waves cross a bay in 2 ms at 3,650 m/s; what the simplification changes is measured in the
tests against the full model. The bays' tensions are degrees of freedom of their own (mass 0), which keeps the
stiffness matrix banded:

    [ K0  h ] [u]        h u = elongation of the bay: displacement of its ends along the track, and heights times
    [ h' -c ] [N]              the slope of the wire at rest;   c = unstretched length / EA.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.contact_wire import contact_table
from catenary.elements.ancf_cable import cable_mass, cable_tangent
from catenary.equilibrium import Equilibrium
from catenary.form_finding import element_coordinates, wire_property
from catenary.geometry import CONTACT
from catenary.linearise import point_masses
from catenary.mesh import Mesh, X, Z

__all__ = ["CellMatrix", "VerticalCell", "vertical_cell"]

VERTICAL = np.array([2, 5, 8, 11])


@dataclass(frozen=True)
class CellMatrix:
    """One operator of a span cell: block tridiagonal over spans.

    Attributes
    ----------
    own : float array (dof, dof)
        Couples the cell with itself; its interface block holds all elements on both sides of the support.
    next : float array (dof, interface)
        Couples the cell with the interface of the next one.
    interface_left, interface_right : float array (interface, interface)
        Share of the interface block from the elements before and beyond the support.
    """

    own: NDArray[np.float64]
    next: NDArray[np.float64]
    interface_left: NDArray[np.float64]
    interface_right: NDArray[np.float64]


@dataclass(frozen=True)
class VerticalCell:
    """One span of the infinite periodic line.

    Dofs are numbered along the track, the interface (what the next cell to the left touches) first. They are heights
    and slopes of every node, positions along the track of key points, and tensions of bays (the mixed stiffness is
    symmetric, indefinite in these).

    Attributes
    ----------
    mass, stiffness : CellMatrix
        Wires, droppers, arms, masses; without the messenger supports.
    n_interface : int
        Number of interface dofs.
    support_dof, support_contact_dof : int
        Interface dof of the messenger wire's and of the contact wire's height at the support.
    wire_ends : tuple of (dof, impedance)
        Interface dofs of wires that run on, and the impedance, sqrt(T rho) or sqrt(EA rho) [N s/m], that absorbs
        their waves at a window's end.
    dropper_dof, dropper_weight : array (dropper, end dof)
        Dofs of every dropper's ends and what one unit of each stretches it by.
    tensions : int array (bay,)
        Dofs of the bays' tensions.
    along : tuple of int array
        Dofs along the track of the contact wire, and of all wires above it; the support's comes first.
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
    support_dof: int
    support_contact_dof: int
    wire_ends: tuple[tuple[int, float], ...]
    dropper_dof: NDArray[np.int64]
    dropper_weight: NDArray[np.float64]
    tensions: NDArray[np.int64]
    along: tuple[NDArray[np.int64], NDArray[np.int64]]
    heights: NDArray[np.int64]
    canonical: NDArray[np.int64]
    dof_of: NDArray[np.int64]

    def contact_operator(self, x: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Cell dofs and weights (x, 4) of contact-wire heights at ``x`` in [0, span).

        A dof of the next cell's interface is given as ``n_dof`` + its number.
        """
        e, dof, weight = contact_table(self.equilibrium, x)
        cell = self.dof_of[dof]
        shift = self.equilibrium.mesh.elem_shift[e]
        over = np.repeat(shift > shift[:, :1], 2, axis=1)
        return np.where(over, cell + self.n_dof, cell), weight

    def dropper_operator(self) -> NDArray[np.float64]:
        """Stretch of every dropper per unit of each dof (dof, dropper)."""
        operator = np.zeros((self.n_dof, len(self.dropper_dof)))
        np.add.at(operator, (self.dropper_dof, np.arange(len(self.dropper_dof))[:, None]), self.dropper_weight)
        return operator


class _Blocks:
    """Collects the parts of one cell operator."""

    def __init__(self, n: int, n_interface: int) -> None:
        self.own, self.next, self.left = np.zeros((3, n, n))
        self.ni = n_interface

    def elements(self, blocks: NDArray[np.float64], dof: NDArray[np.int64], over: NDArray[np.bool_]) -> None:
        """Add element blocks (elem, 4, 4); the second node of an element in ``over`` is the next cell's."""
        inside = ~over
        np.add.at(self.own, (dof[inside][:, :, None], dof[inside][:, None, :]), blocks[inside])
        for d, block in zip(dof[over], blocks[over], strict=True):
            self.block(block, d, np.array([False, False, True, True]))

    def block(self, block: NDArray[np.float64], dof: NDArray[np.int64], beyond: NDArray[np.bool_]) -> None:
        """Add one block whose dofs marked ``beyond`` are the next cell's."""
        here, there = dof[~beyond], dof[beyond]
        np.add.at(self.own, (here[:, None], here), block[np.ix_(~beyond, ~beyond)])
        np.add.at(self.next, (here[:, None], there), block[np.ix_(~beyond, beyond)])
        np.add.at(self.left, (there[:, None], there), block[np.ix_(beyond, beyond)])

    def matrix(self) -> CellMatrix:
        """Close the cell: its interface block takes the elements on both sides of the support."""
        i = slice(0, self.ni)
        right = self.own[i, i].copy()
        self.own[i, i] += self.left[i, i]
        return CellMatrix(self.own, np.ascontiguousarray(self.next[:, i]), self.left[i, i].copy(), right)


def vertical_cell(eq: Equilibrium) -> VerticalCell:
    """Linearise one span cell about its periodic equilibrium."""
    spec, mesh = eq.spec, eq.mesh
    over = (mesh.elem_shift[:, 1] - mesh.elem_shift[:, 0]) > 0.5 * mesh.layout.length
    dof_of, bay_dof, n_interface = _order(mesh, over)
    n = int(max(dof_of.max(), bay_dof.max())) + 1
    M, K = _Blocks(n, n_interface), _Blocks(n, n_interface)
    dof = dof_of[mesh.dof[mesh.elem_nodes][:, :, [Z, 5]]].reshape(-1, 4)
    pick = np.ix_(np.arange(len(dof)), VERTICAL, VERTICAL)
    EA, EI = wire_property(spec, mesh, "axial_stiffness"), wire_property(spec, mesh, "bending_stiffness")
    rho = wire_property(spec, mesh, "mass_per_length")
    _, transverse = cable_tangent(element_coordinates(mesh, eq.q), eq.elem_l0, EA, EI)
    M.elements(cable_mass(eq.elem_l0, rho)[pick], dof, over)
    K.elements(transverse[pick], dof, over)
    _add_bays(eq, dof_of, bay_dof, over, (M, K))
    _add_points(eq, dof_of, (M.own, K.own))
    ends = []
    for nodes, wire in (
        (mesh.support_contact, spec.contact_wire),
        (mesh.support_messenger, spec.messenger_wire),
    ):
        z, x = dof_of[mesh.dof[nodes[0], [Z, X]]]
        ends.append((int(z), float(np.sqrt(wire.tension * wire.mass_per_length))))
        ends.append((int(x), float(np.sqrt(wire.axial_stiffness * wire.mass_per_length))))
    return VerticalCell(
        equilibrium=eq,
        mass=M.matrix(),
        stiffness=K.matrix(),
        n_dof=n,
        n_interface=n_interface,
        support_dof=int(dof_of[mesh.dof[mesh.support_messenger[0], Z]]),
        support_contact_dof=int(dof_of[mesh.dof[mesh.support_contact[0], Z]]),
        wire_ends=tuple(ends),
        dropper_dof=dof_of[mesh.dof[np.stack([mesh.dropper_bottom, mesh.dropper_top], axis=1), Z]],
        dropper_weight=np.tile([-1.0, 1.0], (len(mesh.dropper_top), 1)),
        tensions=bay_dof,
        along=(_along(mesh, dof_of, contact=True), _along(mesh, dof_of, contact=False)),
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
    for inside, _, is_node, which in sorted(items, key=lambda t: (not t[0], round(t[1], 9), t[2], t[3])):
        if not is_node:
            bay_dof[which], n = n, n + 1
            continue
        for c in (Z, 5, X) if which in key_nodes else (Z, 5):
            d = mesh.dof[which, c]
            if dof_of[d] < 0:
                dof_of[d], n = n, n + 1
        n_interface = n if inside else n_interface
    return dof_of, bay_dof, n_interface


def _along(mesh: Mesh, dof_of: NDArray[np.int64], *, contact: bool) -> NDArray[np.int64]:
    """Cell dofs along the track of the contact wire or of the wires above it, the support's first."""
    found = dof_of[mesh.dof[(mesh.node_wire == CONTACT) == contact, X]]
    support = dof_of[mesh.dof[(mesh.support_contact if contact else mesh.support_messenger)[0], X]]
    rest = np.unique(found[found >= 0])
    return np.concatenate([[support], rest[rest != support]])


def _by_node(mesh: Mesh, dof_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cell dofs node by node, each once, in the order in which the wires were meshed."""
    found = dof_of[mesh.dof[:, [Z, 5, X]].ravel()]
    _, first = np.unique(found, return_index=True)
    first = np.sort(first)
    return found[first][found[first] >= 0]


def _add_bays(
    eq: Equilibrium,
    dof_of: NDArray[np.int64],
    bay_dof: NDArray[np.int64],
    over: NDArray[np.bool_],
    operators: tuple[_Blocks, _Blocks],
) -> None:
    """Add every bay's tension dof and the axial inertia at its ends."""
    mesh, (M, K) = eq.mesh, operators
    EA = wire_property(eq.spec, mesh, "axial_stiffness")
    rho = wire_property(eq.spec, mesh, "mass_per_length")
    slopes = _slope_moments(eq)
    vertical = dof_of[mesh.dof[mesh.elem_nodes][:, :, [Z, 5]]].reshape(-1, 4)
    for b, (first, last) in enumerate(mesh.group_elems):
        elems = np.arange(first, last + 1)
        length = eq.elem_l0[elems].sum()
        ends = dof_of[mesh.dof[[mesh.elem_nodes[first, 0], mesh.elem_nodes[last, 1]], X]]
        dof = np.concatenate([vertical[elems].ravel(), ends, [bay_dof[b]]])
        beyond = np.zeros(len(dof), dtype=bool)
        if over[last]:
            beyond[[-5, -4, -2]] = True
        h = np.concatenate([slopes[elems].ravel(), [-1.0, 1.0]])
        block = np.zeros((len(dof), len(dof)))
        block[-1, :-1] = block[:-1, -1] = h
        block[-1, -1] = -length / EA[first]
        K.block(block, dof, beyond)
        M.block(np.eye(2) * 0.5 * rho[first] * length, ends, np.array([False, bool(over[last])]))


def _slope_moments(eq: Equilibrium) -> NDArray[np.float64]:
    """Elongation of each element per height and slope of its nodes: integral of z0' B_a over it, (elem, 4)."""
    mesh = eq.mesh
    z = element_coordinates(mesh, eq.q)[:, :, [2, 5]].reshape(-1, 4)
    length = eq.elem_l0
    # integral of B_a B_b for the Hermite shapes (a, b = position 1, slope 1, position 2, slope 2)
    scale = np.stack([np.ones_like(length), length, np.ones_like(length), length], axis=1)
    shapes = np.array([[36, 3, -36, 3], [3, 4, -3, -1], [-36, -3, 36, -3], [3, -1, -3, 4]]) / 30.0
    return scale * ((scale * z) @ shapes) / length[:, None]


def _add_points(
    eq: Equilibrium, dof_of: NDArray[np.int64], operators: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> None:
    """Add clamps, half droppers, steady arms, and the stiffness of droppers (stretch and sway)."""
    mesh, spec, (M, K) = eq.mesh, eq.spec, operators
    for nodes, values in point_masses(eq):
        for c in (Z, X):
            d = dof_of[mesh.dof[nodes, c]]
            np.add.at(M, (d, d), values)
    for c, k in (
        (Z, np.full(len(mesh.dropper_top), spec.droppers.stiffness)),
        (X, eq.dropper_force / eq.dropper_length),
    ):
        low, high = dof_of[mesh.dof[mesh.dropper_bottom, c]], dof_of[mesh.dof[mesh.dropper_top, c]]
        for i, j, sign in ((low, low, 1.0), (high, high, 1.0), (low, high, -1.0), (high, low, -1.0)):
            np.add.at(K, (i, j), sign * k)
    arm = dof_of[mesh.dof[mesh.support_contact, Z]]
    K[arm, arm] += spec.support.steady_arm_stiffness

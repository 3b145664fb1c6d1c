"""From equilibrium to the linearised model: sparse matrices of a line, and the vertical model of one periodic cell.

Two readings of the same elements. `linearise` keeps every degree of freedom (vertical and along the track).
`vertical_cell` keeps heights and slopes only: the material part of the wires' axial stiffness is left out, which is
the limit of wires free to slide along themselves at axial waves (3,650 m/s) much faster than transverse ones
(some 130 m/s). What this changes is measured in the tests against the full model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from catenary.elements.ancf_cable import cable_mass, cable_tangent, hermite
from catenary.equilibrium import Equilibrium, element_coordinates, wire_property
from catenary.geometry import CONTACT
from catenary.mesh import X, Z

__all__ = ["CatenaryModel", "CellMatrix", "VerticalCell", "linearise", "vertical_cell"]

ARM_MASS_SHARE = 1.0 / 3.0
VERTICAL = np.array([2, 5, 8, 11])


@dataclass(frozen=True)
class CatenaryModel:
    """Linearised line about its equilibrium, droppers in tension.

    Attributes
    ----------
    mass, damping, stiffness : sparse array (dof, dof)
        [kg, N s/m, N/m] and their moments for slopes.
    dropper : sparse array (dof, dropper)
        Elongation of every dropper is ``dropper.T @ u`` [m].
    dropper_force : float array (dropper,)
        Static tension [N].
    dropper_stiffness : float
        [N/m].
    fixed : int array
        Dofs held at the ends of the line.
    """

    equilibrium: Equilibrium
    mass: csr_array
    damping: csr_array
    stiffness: csr_array
    dropper: csr_array
    dropper_force: NDArray[np.float64]
    dropper_stiffness: float
    fixed: NDArray[np.int64]

    def contact_operator(self, x: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Dofs and Hermite weights (x, 4) of the contact wire's height at stations ``x`` [m]."""
        _, dof, weight = contact_table(self.equilibrium, x)
        return dof, weight


def contact_table(
    eq: Equilibrium, x: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Element (x,), vertical dofs (x, 4) and Hermite weights (x, 4) of contact-wire points.

    The point is found on the wire at rest (paper 000, eq. 7), by a Newton step on the element's cubic x(xi).
    """
    mesh = eq.mesh
    elems = np.flatnonzero(mesh.elem_wire == CONTACT)
    q = element_coordinates(mesh, eq.q)[elems]
    start = q[:, 0, 0]
    order = np.argsort(start)
    elems, q = elems[order], q[order]
    k = np.clip(np.searchsorted(q[:, 0, 0], x + 1e-12, side="right") - 1, 0, len(elems) - 1)
    e, qe = elems[k], q[k]
    l0 = eq.elem_l0[e]
    xi = (x - qe[:, 0, 0]) / (qe[:, 1, 0] - qe[:, 0, 0])
    nodes = np.stack([qe[:, 0, 0], qe[:, 0, 3], qe[:, 1, 0], qe[:, 1, 3]])
    for _ in range(4):
        here = (hermite(xi, l0) * nodes).sum(axis=0)
        xi = xi - (here - x) / (qe[:, 1, 0] - qe[:, 0, 0])
    dof = mesh.dof[mesh.elem_nodes[e]][:, :, [Z, 5]].reshape(-1, 4)
    return e, dof, hermite(xi, l0).T


def static_height(eq: Equilibrium, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Contact-wire height at rest [m] at stations ``x`` [m]."""
    e, _, weight = contact_table(eq, x)
    q = eq.q[eq.mesh.elem_nodes[e]][:, :, [2, 5]].reshape(-1, 4)
    return (weight * q).sum(axis=1)


def _point_masses(eq: Equilibrium) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Nodes and masses [kg] of clamps, half droppers and steady arms."""
    mesh, drops = eq.mesh, eq.spec.droppers
    half = 0.5 * drops.mass_per_length * eq.dropper_length
    out = [
        (mesh.dropper_bottom, half + drops.clamp_mass_contact_wire),
        (mesh.dropper_top, half + drops.clamp_mass_messenger_wire),
        (mesh.support_contact, np.full(len(mesh.support_contact), ARM_MASS_SHARE * eq.spec.support.steady_arm_mass)),
    ]
    if eq.spec.stitch is not None:
        out.append((mesh.clamp_messenger, np.full(len(mesh.clamp_messenger), eq.spec.stitch.clamp_mass)))
    return out


def linearise(eq: Equilibrium) -> CatenaryModel:
    """Assemble sparse M, C, K of an open line about its equilibrium, vertical and along-track dofs."""
    spec, mesh = eq.spec, eq.mesh
    EA, EI = wire_property(spec, mesh, "axial_stiffness"), wire_property(spec, mesh, "bending_stiffness")
    axial, transverse = cable_tangent(element_coordinates(mesh, eq.q), eq.elem_l0, EA, EI)
    dof = mesh.dof[mesh.elem_nodes].reshape(-1, 12)
    n = mesh.n_dof

    def assemble(blocks: NDArray[np.float64]) -> csr_array:
        rows, cols = np.repeat(dof, 12, axis=1).ravel(), np.tile(dof, (1, 12)).ravel()
        keep = (rows >= 0) & (cols >= 0)
        return csr_array(coo_array((blocks.ravel()[keep], (rows[keep], cols[keep])), shape=(n, n)))

    mass = assemble(cable_mass(eq.elem_l0, wire_property(spec, mesh, "mass_per_length")))
    lumped = np.zeros(n)
    for nodes, values in _point_masses(eq):
        for c in (X, Z):
            np.add.at(lumped, mesh.dof[nodes, c], values)
    mass = mass + _diagonal(lumped)
    low, high = mesh.dof[mesh.dropper_bottom], mesh.dof[mesh.dropper_top]
    n_drop = len(low)
    count = np.arange(n_drop)
    sign = np.concatenate([-np.ones(n_drop), np.ones(n_drop)])

    def relative(c: int) -> csr_array:
        where = (np.concatenate([low[:, c], high[:, c]]), np.tile(count, 2))
        return csr_array(coo_array((sign, where), shape=(n, n_drop)))

    dropper, sway = relative(Z), relative(X)
    stiffness = assemble(axial + transverse) + spec.droppers.stiffness * (dropper @ dropper.T)
    stiffness = stiffness + (sway * (eq.dropper_force / eq.dropper_length)) @ sway.T
    arm, messenger = np.zeros(n), np.zeros(n)
    arm[mesh.dof[mesh.support_contact, Z]] = spec.support.steady_arm_stiffness
    messenger[mesh.dof[mesh.support_messenger, Z]] = 1.0
    stiffness = stiffness + _diagonal(arm)
    damping = spec.damping.alpha * mass + spec.damping.beta * stiffness
    damping = damping + _diagonal(messenger * spec.support.messenger_damping)
    stiffness = stiffness + _diagonal(messenger * spec.support.messenger_stiffness)
    ends = np.concatenate([mesh.support_contact[[0, -1]], mesh.support_messenger[[0, -1]]])
    return CatenaryModel(
        equilibrium=eq,
        mass=csr_array(mass),
        damping=csr_array(damping),
        stiffness=csr_array(stiffness),
        dropper=dropper,
        dropper_force=eq.dropper_force,
        dropper_stiffness=spec.droppers.stiffness,
        fixed=mesh.dof[ends][:, [X, Z]].ravel(),
    )


def _diagonal(values: NDArray[np.float64]) -> csr_array:
    k = np.flatnonzero(values)
    return csr_array(coo_array((values[k], (k, k)), shape=(len(values), len(values))))


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
    """One span of the infinite periodic line, heights and slopes only.

    Dofs are numbered along the track, the interface (what the next cell to the left touches) first.

    Attributes
    ----------
    mass, stiffness : CellMatrix
        Wires, droppers, arms, masses; without the messenger supports.
    n_interface : int
        Number of interface dofs.
    support_dof, support_contact_dof : int
        Interface dof of the messenger wire's and of the contact wire's height at the support.
    wire_ends : tuple of (dof, impedance)
        Interface dofs of wires that run on, and sqrt(T rho) [N s/m] that absorbs their waves at a window's end.
    dropper_low, dropper_high : int array (dropper,)
        Height dofs at the two ends of every dropper.
    dof_of : int array (dof of the mesh,)
        Cell dof of each mesh dof, -1 for those along the track.
    """

    equilibrium: Equilibrium
    mass: CellMatrix
    stiffness: CellMatrix
    n_dof: int
    n_interface: int
    support_dof: int
    support_contact_dof: int
    wire_ends: tuple[tuple[int, float], ...]
    dropper_low: NDArray[np.int64]
    dropper_high: NDArray[np.int64]
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


def vertical_cell(eq: Equilibrium) -> VerticalCell:
    """Reduce a periodic equilibrium to the vertical model of one span cell."""
    spec, mesh = eq.spec, eq.mesh
    over = (mesh.elem_shift[:, 1] - mesh.elem_shift[:, 0]) > 0.5 * mesh.layout.length
    dof_of, n_interface = _vertical_order(eq, over)
    n = int(dof_of.max()) + 1
    dof = dof_of[mesh.dof[mesh.elem_nodes][:, :, [Z, 5]]].reshape(-1, 4)
    pick = np.ix_(np.arange(len(dof)), VERTICAL, VERTICAL)
    _, transverse = cable_tangent(
        element_coordinates(mesh, eq.q),
        eq.elem_l0,
        wire_property(spec, mesh, "axial_stiffness"),
        wire_property(spec, mesh, "bending_stiffness"),
    )
    rho = wire_property(spec, mesh, "mass_per_length")
    low, high = dof_of[mesh.dof[mesh.dropper_bottom, Z]], dof_of[mesh.dof[mesh.dropper_top, Z]]
    masses = np.zeros((n, n))
    for nodes, values in _point_masses(eq):
        np.add.at(masses, (dof_of[mesh.dof[nodes, Z]],) * 2, values)
    springs = np.zeros((n, n))
    k = spec.droppers.stiffness
    for i, j, s in ((low, low, k), (high, high, k), (low, high, -k), (high, low, -k)):
        np.add.at(springs, (i, j), s)
    arm = dof_of[mesh.dof[mesh.support_contact, Z]]
    springs[arm, arm] += spec.support.steady_arm_stiffness
    ends = [
        (int(dof_of[mesh.dof[node[0], Z]]), float(np.sqrt(wire.tension * wire.mass_per_length)))
        for node, wire in (
            (mesh.support_contact, spec.contact_wire),
            (mesh.support_messenger, spec.messenger_wire),
        )
    ]
    return VerticalCell(
        equilibrium=eq,
        mass=_cell_matrix(cable_mass(eq.elem_l0, rho)[pick], dof, over, masses, n_interface),
        stiffness=_cell_matrix(transverse[pick], dof, over, springs, n_interface),
        n_dof=n,
        n_interface=n_interface,
        support_dof=int(dof_of[mesh.dof[mesh.support_messenger[0], Z]]),
        support_contact_dof=int(arm[0]),
        wire_ends=tuple(ends),
        dropper_low=low,
        dropper_high=high,
        dof_of=dof_of,
    )


def _vertical_order(eq: Equilibrium, over: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
    """Number the vertical dofs: interface first, then along the track."""
    mesh = eq.mesh
    interface_nodes = np.unique(mesh.elem_nodes[over, 1])
    dof_of = np.full(mesh.n_dof, -1)
    n = 0
    rest = np.setdiff1d(np.lexsort((mesh.node_wire, np.round(mesh.node_x, 9))), interface_nodes, assume_unique=True)
    sequence = [*interface_nodes, *rest]
    n_interface = 0
    for count, node in enumerate(sequence):
        for d in mesh.dof[node, [Z, 5]]:
            if dof_of[d] < 0:
                dof_of[d] = n
                n += 1
        if count == len(interface_nodes) - 1:
            n_interface = n
    return dof_of, n_interface


def _cell_matrix(
    blocks: NDArray[np.float64],
    dof: NDArray[np.int64],
    over: NDArray[np.bool_],
    points: NDArray[np.float64],
    n_interface: int,
) -> CellMatrix:
    """Assemble element blocks (elem, 4, 4) and point contributions into the parts of a cell operator."""
    n = len(points)
    own, nxt, left = points.copy(), np.zeros((n, n)), np.zeros((n, n))
    inside = ~over
    rows, cols = np.repeat(dof, 4, axis=1), np.tile(dof, (1, 4))
    flat = blocks.reshape(-1, 16)
    np.add.at(own, (rows[inside], cols[inside]), flat[inside])
    half = np.repeat([0, 0, 1, 1], 4), np.tile([0, 0, 1, 1], 4)
    for target, a, b in ((own, 0, 0), (nxt, 0, 1), (left, 1, 1)):
        k = (half[0] == a) & (half[1] == b)
        np.add.at(target, (rows[over][:, k], cols[over][:, k]), flat[over][:, k])
    i = slice(0, n_interface)
    right = own[i, i].copy()
    own[i, i] += left[i, i]
    return CellMatrix(own=own, next=nxt[:, i], interface_left=left[i, i], interface_right=right)

"""From equilibrium to the linearised model of an open line: sparse M, C, K and operators, every dof kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from catenary.elements.formulation import element_of
from catenary.form_finding.equations import element_coordinates, wire_property
from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.mesh import Y, Z
from catenary.linearised.aerodynamic import damping_of_wires
from catenary.linearised.attachments import dropper_stiffness, element_operators, point_masses, steady_arm_stiffness
from catenary.linearised.contact_wire import contact_table
from catenary.linearised.curvature import curvature_stiffness
from catenary.linearised.own_damping import WIRES

__all__ = ["CatenaryModel", "linearise"]

ALONG = np.tile([1.0, 0.0, 0.0], 4)


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
    dropper_stiffness : float array (dropper,)
        [N/m].
    fixed : int array
        Dofs held: the wires' ends, and in space the messenger wire sideways at every support.
    """

    equilibrium: Equilibrium
    mass: csr_array
    damping: csr_array
    stiffness: csr_array
    dropper: csr_array
    dropper_force: NDArray[np.float64]
    dropper_stiffness: NDArray[np.float64]
    fixed: NDArray[np.int64]

    def contact_operator(self, x: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Dofs and Hermite weights (x, 4) of the contact wire's height at stations ``x`` [m]."""
        _, dof, weight = contact_table(self.equilibrium, x)
        return dof, weight


def linearise(eq: Equilibrium) -> CatenaryModel:
    """Assemble sparse M, C, K of an open line about its equilibrium, every dof of its mesh kept."""
    spec, mesh = eq.spec, eq.mesh
    EA, EI = wire_property(spec, mesh, "axial_stiffness"), wire_property(spec, mesh, "bending_stiffness")
    element = element_of(spec)
    axial, transverse = element.tangent(element_coordinates(mesh, eq.q), eq.elem_l0, EA, EI)
    curved = curvature_stiffness(eq)
    if spec.tension_in_motion == "constant":  # EA resists what moves along the track alone
        axial = axial * ALONG * ALONG[:, None]
    elif curved is not None:
        axial = axial + curved
    n = mesh.n_dof
    wires = mesh.dof[mesh.elem_nodes].reshape(-1, 12)
    wire_mass = element.mass(eq.elem_l0, wire_property(spec, mesh, "mass_per_length"))
    mass = _assemble(n, wires, wire_mass) + _lumped(eq, None)
    ends = mesh.dof[np.stack([mesh.dropper_bottom, mesh.dropper_top], axis=1), :3]
    pair = np.array([[1.0, -1.0], [-1.0, 1.0]])
    between = np.einsum("ab,dij->daibj", pair, dropper_stiffness(eq)).reshape(-1, 6, 6)
    hung = _assemble(n, ends.reshape(-1, 6), between)
    arms = _assemble(n, mesh.dof[mesh.support_contact, :3], steady_arm_stiffness(eq))
    stiffness = _assemble(n, wires, axial + transverse) + hung + arms
    messenger = np.zeros(n)
    messenger[mesh.dof[mesh.support_messenger, Z]] = 1.0
    damping = spec.damping.alpha * mass + spec.damping.beta * stiffness
    for name, factors in spec.damping.own.items():
        own_mass, own_stiffness = _lumped(eq, name), {"droppers": hung, "steady_arms": arms}
        if name in WIRES:
            of_wire = (mesh.elem_wire == WIRES[name])[:, None, None]
            own_mass = own_mass + _assemble(n, wires, of_wire * wire_mass)
            own_stiffness[name] = _assemble(n, wires, of_wire * (axial + transverse))
        damping = damping + (factors.alpha - spec.damping.alpha) * own_mass
        damping = damping + (factors.beta - spec.damping.beta) * own_stiffness[name]
    damping = damping + _diagonal(messenger * spec.support.messenger_damping)
    if spec.wind is not None and spec.wind.aerodynamic_damping:
        blocks, at_ends = damping_of_wires(eq, spec.wind)
        damping = damping + _assemble(n, wires, blocks) + _diagonal(at_ends)
    stiffness = stiffness + _diagonal(messenger * spec.support.messenger_stiffness)
    if mesh.layout.elements:
        damped, held_up = element_operators(eq)
        damping, stiffness = damping + damped, stiffness + held_up
    held = mesh.dof[mesh.wire_ends.ravel(), :3].ravel()
    held = np.unique(np.concatenate([held, mesh.dof[mesh.support_messenger, Y], mesh.dof[mesh.support_auxiliary, Y]]))
    return CatenaryModel(
        equilibrium=eq,
        mass=csr_array(mass),
        damping=csr_array(damping),
        stiffness=csr_array(stiffness),
        dropper=_dropper_operator(eq),
        dropper_force=eq.dropper_force,
        dropper_stiffness=eq.dropper_stiffness,
        fixed=held[held >= 0],
    )


def _dropper_operator(eq: Equilibrium) -> csr_array:
    """Stretch of every dropper per unit of each dof (dof, dropper)."""
    mesh, axis = eq.mesh, eq.dropper_direction
    dof = np.stack([mesh.dof[mesh.dropper_bottom, :3], mesh.dof[mesh.dropper_top, :3]])
    values = np.stack([-axis, axis])
    dropper = np.broadcast_to(np.arange(len(axis))[None, :, None], dof.shape)
    keep = (dof >= 0) & (values != 0.0)
    return csr_array(coo_array((values[keep], (dof[keep], dropper[keep])), shape=(mesh.n_dof, len(axis))))


def _assemble(n: int, dof: NDArray[np.int64], blocks: NDArray[np.float64]) -> csr_array:
    """Add blocks (block, k, k) at their dofs (block, k); dofs of -1 are dropped."""
    k = dof.shape[1]
    rows, cols = np.repeat(dof, k, axis=1).ravel(), np.tile(dof, (1, k)).ravel()
    keep = (rows >= 0) & (cols >= 0)
    return csr_array(coo_array((blocks.ravel()[keep], (rows[keep], cols[keep])), shape=(n, n)))


def _lumped(eq: Equilibrium, component: str | None) -> csr_array:
    """Point masses of all components or of one."""
    lumped = np.zeros(eq.mesh.n_dof)
    for nodes, values in point_masses(eq, component):
        for c in eq.mesh.axes:
            np.add.at(lumped, eq.mesh.dof[nodes, c], values)
    return _diagonal(lumped)


def _diagonal(values: NDArray[np.float64]) -> csr_array:
    k = np.flatnonzero(values)
    return csr_array(coo_array((values[k], (k, k)), shape=(len(values), len(values))))

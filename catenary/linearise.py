"""From equilibrium to the linearised model of an open line: sparse M, C, K and operators, every dof kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from catenary.contact_wire import contact_table
from catenary.elements.ancf_cable import cable_mass, cable_tangent
from catenary.equilibrium import Equilibrium
from catenary.form_finding import element_coordinates, wire_property
from catenary.geometry import CONTACT, MESSENGER, STITCH
from catenary.mesh import X, Z

__all__ = ["CatenaryModel", "linearise", "point_masses"]

ARM_MASS_SHARE = 1.0 / 3.0
WIRES = {"contact_wire": CONTACT, "messenger_wire": MESSENGER, "stitch": STITCH}


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


def point_masses(eq: Equilibrium, component: str | None = None) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Nodes and masses [kg] of clamps, half droppers and steady arms: all, or those of one component."""
    mesh, drops = eq.mesh, eq.spec.droppers
    half = 0.5 * drops.mass_per_length * eq.dropper_length
    arms = np.full(len(mesh.support_contact), ARM_MASS_SHARE * eq.spec.support.steady_arm_mass)
    out = [
        ("droppers", mesh.dropper_bottom, half + drops.clamp_mass_contact_wire),
        ("droppers", mesh.dropper_top, half + drops.clamp_mass_messenger_wire),
        ("steady_arms", mesh.support_contact, arms),
    ]
    if eq.spec.stitch is not None:
        clamps = np.full(len(mesh.clamp_messenger), eq.spec.stitch.clamp_mass)
        out.append(("stitch", mesh.clamp_messenger, clamps))
    return [(nodes, values) for name, nodes, values in out if component in (None, name)]


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

    wire_mass = cable_mass(eq.elem_l0, wire_property(spec, mesh, "mass_per_length"))
    mass = assemble(wire_mass) + _lumped(eq, None)
    low, high = mesh.dof[mesh.dropper_bottom], mesh.dof[mesh.dropper_top]
    n_drop = len(low)
    count = np.arange(n_drop)
    sign = np.concatenate([-np.ones(n_drop), np.ones(n_drop)])

    def relative(c: int) -> csr_array:
        where = (np.concatenate([low[:, c], high[:, c]]), np.tile(count, 2))
        return csr_array(coo_array((sign, where), shape=(n, n_drop)))

    dropper, sway = relative(Z), relative(X)
    stretching = spec.droppers.stiffness * (dropper @ dropper.T)
    swaying = (sway * (eq.dropper_force / eq.dropper_length)) @ sway.T
    stiffness = assemble(axial + transverse) + stretching
    stiffness = stiffness + swaying
    arm, messenger = np.zeros(n), np.zeros(n)
    arm[mesh.dof[mesh.support_contact, Z]] = spec.support.steady_arm_stiffness
    messenger[mesh.dof[mesh.support_messenger, Z]] = 1.0
    stiffness = stiffness + _diagonal(arm)
    damping = spec.damping.alpha * mass + spec.damping.beta * stiffness
    for name, factors in spec.damping.own.items():
        own_mass, own_stiffness = _lumped(eq, name), {"droppers": stretching + swaying, "steady_arms": _diagonal(arm)}
        if name in WIRES:
            of_wire = (mesh.elem_wire == WIRES[name])[:, None, None]
            own_mass = own_mass + assemble(of_wire * wire_mass)
            own_stiffness[name] = assemble(of_wire * (axial + transverse))
        damping = damping + (factors.alpha - spec.damping.alpha) * own_mass
        damping = damping + (factors.beta - spec.damping.beta) * own_stiffness[name]
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


def _lumped(eq: Equilibrium, component: str | None) -> csr_array:
    """Point masses of all components or of one, along the track and vertical."""
    lumped = np.zeros(eq.mesh.n_dof)
    for nodes, values in point_masses(eq, component):
        for c in (X, Z):
            np.add.at(lumped, eq.mesh.dof[nodes, c], values)
    return _diagonal(lumped)


def _diagonal(values: NDArray[np.float64]) -> csr_array:
    k = np.flatnonzero(values)
    return csr_array(coo_array((values[k], (k, k)), shape=(len(values), len(values))))

"""Attachments of the wires, linearised about equilibrium.

Droppers, steady arms and spring supports as stiffness, clamps as masses, dampers next to Rayleigh damping.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from catenary.form_finding.equations import dropper_property
from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.mesh import Z
from catenary.layout.track import curvature_at

__all__ = [
    "LUMPED",
    "dropper_stiffness",
    "element_operators",
    "point_masses",
    "spring_supports",
    "steady_arm_direction",
    "steady_arm_pull",
    "steady_arm_stiffness",
]

ARM_MASS_SHARE = 1.0 / 3.0
LUMPED = ("droppers", "steady_arms", "stitch", "masses")  # components that have point masses


def dropper_stiffness(eq: Equilibrium) -> NDArray[np.float64]:
    """Stiffness of every dropper between its ends (..., dropper, 3, 3) [N/m]: stretch along it, sway across it."""
    return _bar(eq.dropper_direction, eq.dropper_stiffness, eq.dropper_force / eq.dropper_length)


def steady_arm_direction(eq: Equilibrium) -> NDArray[np.float64]:
    """Unit vectors (..., support, 3) from the contact wire to the arm's far joint: an arm acts along its own axis.

    The joint is where the arm pulls, or on the side of the wire that the track's data name: then the arm may push.
    """
    force = np.stack([np.zeros_like(eq.steady_arm_force), eq.steady_arm_side_force, eq.steady_arm_force], axis=-1)
    turned = np.where(steady_arm_pull(eq) < 0.0, -1.0, 1.0)
    return np.asarray(turned[..., None] * force / np.linalg.norm(force, axis=-1)[..., None])


def steady_arm_pull(eq: Equilibrium) -> NDArray[np.float64]:
    """Force of every steady arm along its axis at rest (..., support) [N]; negative where it pushes."""
    side, pull = eq.steady_arm_side_force, np.hypot(eq.steady_arm_force, eq.steady_arm_side_force)
    track, layout = eq.spec.track, eq.mesh.layout
    if track is None or track.arms == "any":
        return pull
    if track.arms in ("left", "right"):
        joint = np.full(side.shape[-1], 1.0 if track.arms == "left" else -1.0)
    else:
        at = np.array(layout.supports)[list(layout.wire_supports)[: side.shape[-1]]]
        joint = np.sign(curvature_at(track, at)) * (1.0 if track.arms == "inside" else -1.0)
    return np.where(joint * side < 0.0, -pull, pull)


def steady_arm_stiffness(eq: Equilibrium) -> NDArray[np.float64]:
    """Stiffness of every steady arm at the contact wire (..., support, 3, 3) [N/m].

    In space a straight bar turning about its far joint, EA / L along it and N / L across it; in the plane the vertical
    tangent stiffness that the line's data name.
    """
    support, count = eq.spec.support, eq.steady_arm_force.shape[-1]
    if not eq.mesh.spatial or support.steady_arm is None:
        return support.steady_arm_stiffness * np.tile(np.diag([0.0, 0.0, 1.0]), (count, 1, 1))
    bar = support.steady_arm
    stiffness = np.full(count, bar.axial_stiffness / bar.length)
    return _bar(steady_arm_direction(eq), stiffness, steady_arm_pull(eq) / bar.length)


def _bar(
    direction: NDArray[np.float64], along: NDArray[np.float64], across: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Stiffness of straight bars (..., bar, 3, 3) from that along and that across each [N/m]."""
    projection = direction[..., :, None] * direction[..., None, :]
    return np.asarray(along[..., None, None] * projection + across[..., None, None] * (np.eye(3) - projection))


def point_masses(eq: Equilibrium, component: str | None = None) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Nodes and masses [kg] of clamps, half droppers, steady arms, masses: all, or those of one component."""
    mesh = eq.mesh
    half = 0.5 * dropper_property(eq.spec, mesh, "mass_per_length") * eq.dropper_length
    arms = np.full(len(mesh.support_contact), ARM_MASS_SHARE * eq.spec.support.steady_arm_mass)
    out = [
        ("droppers", mesh.dropper_bottom, half + dropper_property(eq.spec, mesh, "clamp_mass_contact_wire")),
        ("droppers", mesh.dropper_top, half + dropper_property(eq.spec, mesh, "clamp_mass_messenger_wire")),
        ("steady_arms", mesh.support_contact, arms),
    ]
    if len(mesh.mass_nodes):
        out.append(("masses", mesh.mass_nodes, np.array([mass for _, mass in mesh.layout.masses])))
    if eq.spec.stitch is not None:
        clamps = np.full(len(mesh.clamp_messenger), eq.spec.stitch.clamp_mass)
        out.append(("stitch", mesh.clamp_messenger, clamps))
    return [(nodes, values) for name, nodes, values in out if component in (None, name)]


def spring_supports(eq: Equilibrium) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Vertical dofs of the mesh that spring supports hold, and the stiffness of each [N/m]."""
    mesh = eq.mesh
    held = [(numbers[0], element.stiffness) for element, numbers in mesh.layout.elements if element.stiffness]
    dof = mesh.dof[mesh.mass_nodes[[k for k, _ in held]], Z]
    return dof, np.array([stiffness for _, stiffness in held])


def element_operators(eq: Equilibrium) -> tuple[csr_array, csr_array]:
    """Damping [N s/m] and stiffness [N/m] of all elements (dof, dof).

    A spring support acts between its wire and the ground, a damper between contact and messenger wire.
    """
    mesh, n = eq.mesh, eq.mesh.n_dof
    dof, values = spring_supports(eq)
    stiffness = csr_array(coo_array((values, (dof, dof)), shape=(n, n)))
    damping = csr_array((n, n))
    for element, numbers in mesh.layout.elements:
        if element.damping:
            ends = mesh.dof[mesh.mass_nodes[list(numbers)], Z]
            sign = np.array([1.0, -1.0])[: len(ends)]
            block = element.damping * np.outer(sign, sign)
            at = np.repeat(ends, len(ends)), np.tile(ends, len(ends))
            damping = damping + csr_array(coo_array((block.ravel(), at), shape=(n, n)))
    return damping, stiffness

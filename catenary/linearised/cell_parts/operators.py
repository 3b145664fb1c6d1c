"""Elements of a span cell, added to its mass, its stiffness and its damping."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.elements.formulation import element_of
from catenary.elements.hermite import slope_products
from catenary.form_finding.equations import element_coordinates, wire_property
from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.mesh import DX, Mesh, X, Y
from catenary.linearised.attachments import LUMPED, dropper_stiffness, point_masses, steady_arm_stiffness
from catenary.linearised.cell_parts.blocks import CellBlocks
from catenary.linearised.curvature import shortening
from catenary.linearised.own_damping import wire_factors

__all__ = ["add_operators", "component_dofs", "onward_elements", "stretch_of_droppers"]


def add_operators(
    eq: Equilibrium, numbers: tuple[NDArray[np.int64], NDArray[np.int64]], operators: tuple[CellBlocks, ...]
) -> None:
    """Add all elements of a cell to what collects its mass, its stiffness and, where wanted, its damping.

    Parameters
    ----------
    eq : Equilibrium
    numbers : tuple of int array
        Cell dof of each mesh dof, and dof of each bay's tension.
    operators : tuple of CellBlocks
        What collects mass, stiffness, and alpha of every component times its mass plus beta times its stiffness.
    """
    spec, mesh, (M, K, *damping) = eq.spec, eq.mesh, operators
    dof_of, over = numbers[0], onward_elements(mesh)
    EA, EI = wire_property(spec, mesh, "axial_stiffness"), wire_property(spec, mesh, "bending_stiffness")
    rho = wire_property(spec, mesh, "mass_per_length")
    element = element_of(spec)
    _, transverse = element.tangent(element_coordinates(mesh, eq.q), eq.elem_l0, EA, EI)
    mass, (alpha, beta) = element.mass(eq.elem_l0, rho), wire_factors(eq)
    for c in mesh.axes[1:]:
        pick = np.ix_(np.arange(len(rho)), *[np.array([c, c + 3, c + 6, c + 9])] * 2)
        dof, sign = component_dofs(mesh, dof_of, c)
        turn = sign[:, :, None] * sign[:, None, :]
        m, k = turn * mass[pick], turn * transverse[pick]
        M.elements(m, dof, over)
        K.elements(k, dof, over)
        for C in damping:
            C.elements(alpha[:, None, None] * m + beta[:, None, None] * k, dof, over)
    _add_bays(eq, *numbers, over, operators)
    _add_points(eq, dof_of, operators)


def stretch_of_droppers(eq: Equilibrium) -> NDArray[np.float64]:
    """What one unit of each end dof stretches a dropper by (dropper, end dof)."""
    axis = eq.dropper_direction[:, eq.mesh.axes[1:]]
    return np.ascontiguousarray(np.concatenate([-axis, axis], axis=1))


def onward_elements(mesh: Mesh) -> NDArray[np.bool_]:
    """Elements whose second node is the next cell's (elem,)."""
    return np.asarray((mesh.elem_shift[:, 1] - mesh.elem_shift[:, 0]) > 0.5 * mesh.layout.length)


def component_dofs(mesh: Mesh, dof_of: NDArray[np.int64], c: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Cell dofs of one component of position and slope by element (elem, 4), and their signs in mirrored cells."""
    dof = dof_of[mesh.dof[mesh.elem_nodes][:, :, [c, c + DX]]].reshape(-1, 4)
    sign = np.repeat(mesh.elem_mirror, 2, axis=1) if c == Y else np.ones(dof.shape)
    return dof, sign


def _add_bays(
    eq: Equilibrium,
    dof_of: NDArray[np.int64],
    bay_dof: NDArray[np.int64],
    over: NDArray[np.bool_],
    operators: tuple[CellBlocks, ...],
) -> None:
    """Add every bay's tension dof and the axial inertia at its ends."""
    mesh, (M, K, *damping), (alpha, beta) = eq.mesh, operators, wire_factors(eq)
    EA = wire_property(eq.spec, mesh, "axial_stiffness")
    rho = wire_property(eq.spec, mesh, "mass_per_length")
    parts = [component_dofs(mesh, dof_of, c) for c in mesh.axes[1:]]
    slopes = np.concatenate([s * _slope_moments(eq, c) for c, (_, s) in zip(mesh.axes[1:], parts, strict=True)], axis=1)
    slopes = slopes + shortening(eq)[:, -slopes.shape[1] :]
    across = np.concatenate([dof for dof, _ in parts], axis=1)
    if eq.spec.tension_in_motion == "constant":  # nothing that moves across the track stretches a bay
        slopes = np.zeros_like(slopes)
    second = np.tile([False, False, True, True], len(parts))
    for b, (first, last) in enumerate(mesh.group_elems):
        elems = np.arange(first, last + 1)
        length = eq.elem_l0[elems].sum()
        ends = dof_of[mesh.dof[[mesh.elem_nodes[first, 0], mesh.elem_nodes[last, 1]], X]]
        dof = np.concatenate([across[elems].ravel(), ends, [bay_dof[b]]])
        beyond = np.concatenate([*(second & over[e] for e in elems), [False, over[last], False]])
        h = np.concatenate([slopes[elems].ravel(), [-1.0, 1.0]])
        block = np.zeros((len(dof), len(dof)))
        block[-1, :-1] = block[:-1, -1] = h
        block[-1, -1] = -length / EA[first]
        K.block(block, dof, beyond)
        inertia, next_one = np.eye(2) * 0.5 * rho[first] * length, np.array([False, bool(over[last])])
        M.block(inertia, ends, next_one)
        for C in damping:
            C.block(beta[first] * block, dof, beyond)
            C.block(alpha[first] * inertia, ends, next_one)


def _slope_moments(eq: Equilibrium, c: int) -> NDArray[np.float64]:
    """Elongation of each element per place and slope of its nodes, component c: integral of c0' B_a, (elem, 4)."""
    mesh = eq.mesh
    z = element_coordinates(mesh, eq.q)[:, :, [c, c + DX]].reshape(-1, 4)
    return np.einsum("eab,eb->ea", slope_products(eq.elem_l0)[0], z)


def _add_points(eq: Equilibrium, dof_of: NDArray[np.int64], operators: tuple[CellBlocks, ...]) -> None:
    """Add clamps, half droppers, steady arms, and the stiffness of droppers (stretch and sway)."""
    mesh, (M, K, *damping), own = eq.mesh, operators, eq.spec.damping.of
    for component in LUMPED:
        for nodes, values in point_masses(eq, component):
            for c in mesh.axes:
                d = dof_of[mesh.dof[nodes, c]]
                M.entries(d, d, values)
                for C in damping:
                    C.entries(d, d, own(component).alpha * values)
    low, high = (dof_of[mesh.dof[nodes, :3]] for nodes in (mesh.dropper_bottom, mesh.dropper_top))
    hung = dropper_stiffness(eq)
    pairs = [(low, low, hung), (high, high, hung), (low, high, -hung), (high, low, -hung)]
    arm, by_dropper = dof_of[mesh.dof[mesh.support_contact, :3]], own("droppers").beta
    arms = arm, arm, steady_arm_stiffness(eq), own("steady_arms").beta
    for rows, cols, blocks, beta in (*((*pair, by_dropper) for pair in pairs), arms):
        for i in mesh.axes:
            for j in mesh.axes:
                K.entries(rows[:, i], cols[:, j], blocks[:, i, j])
                for C in damping:
                    C.entries(rows[:, i], cols[:, j], beta * blocks[:, i, j])

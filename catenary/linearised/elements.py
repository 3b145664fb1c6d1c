"""Spring supports and dampers of a line, linearised: what they hold and damp in height, next to Rayleigh damping."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.mesh import Z

__all__ = ["element_operators", "spring_supports"]


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

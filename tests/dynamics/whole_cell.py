"""The cell of elements under Bloch conditions, solved as it is: what a network of closed-form bays is held against."""

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from catenary.layout.geometry import CONTACT
from catenary.layout.mesh import Z


def whole_cell_answers(cell, case, omega, T, loads):
    """Answers of all dofs of the cell, solved as they are, the next cell's interface turned by its phase."""
    damping, support, n, ni = case.catenary.damping, case.catenary.support, cell.n_dof, cell.n_interface
    held = np.zeros(n)
    held[cell.support_dof] = 1.0
    answers = []
    for w in omega:
        tau, mu, phase = 1.0 + 1j * w * damping.beta, -w * w + 1j * w * damping.alpha, np.exp(-1j * w * T)
        onward = np.zeros((n, n), np.complex128)
        onward[:, :ni] = tau * cell.stiffness.next + mu * cell.mass.next
        D = tau * cell.stiffness.own + mu * cell.mass.own + phase * onward + onward.T / phase
        D += np.diag(held * (support.messenger_stiffness + 1j * w * support.messenger_damping))
        answers.append(loads.T @ splu(csc_array(D)).solve(loads.astype(np.complex128)))
    return np.array(answers)


def loads_at(eq, cell, stations, component=Z):
    """Unit loads on the contact wire at stations, in one direction (dof, station)."""
    mesh = eq.mesh
    nodes = np.unique(mesh.elem_nodes[mesh.elem_wire == CONTACT])
    at = [int(nodes[np.abs(eq.q[nodes, 0] - x).argmin()]) for x in stations]
    loads = np.zeros((cell.n_dof, len(at)))
    loads[cell.dof_of[mesh.dof[at, component]], np.arange(len(at))] = 1.0
    return loads

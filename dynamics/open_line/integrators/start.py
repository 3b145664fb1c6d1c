"""Accelerations that belong to a start: M a = contact - s(u) - C v."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from dynamics.linear_algebra.sparse_rows import multiply, multiply_fixed
from dynamics.open_line.forces import local_forces, pantograph_residual
from dynamics.open_line.integrators.scheme import Work
from dynamics.open_line.system import Motion, State, System, Touch
from dynamics.pantograph.control.kernel import held_force

__all__ = ["start_accelerations"]


def start_accelerations(system: System, state: State, mass: csr_array, work: Work) -> None:
    """Fill the accelerations of a state at t = 0, and what HHT carries over from the step before.

    A static start is not quite at rest: droppers that would push are slack from the first moment.
    """
    panto = system.pantographs
    total, product = np.zeros_like(state.u), np.zeros_like(state.u)
    moving, force = Motion(state.u, state.v, state.z, state.zv), work.contacts.force
    local_forces(system, state, 0.0, moving, total, Touch(work.contacts, force, 1.0, work.corrections.marks[:0]))
    work.weighed.h[:] = total
    multiply(system.damping, state.v, total, 1.0)
    multiply(system.stiffness, state.v, total, system.beta)
    if not system.nonlinear:
        multiply(system.stiffness, state.u, total, 1.0)
    multiply_fixed(system.mass, state.v, product, 0, product.size)
    total += system.alpha * product
    state.a[:] = splu(mass.tocsc()).solve(-total)
    for p in range(state.z.shape[0]):
        push = held_force(panto.control, state.memory[p]) if panto.control.present else 0.0
        pantograph_residual(panto, p, 0.0, (state.z, state.zv), (work.contacts, push), state.za[p])
        state.za[p] /= panto.mass
        work.weighed.g[p] = panto.mass * state.za[p]
    if system.nonlinear:
        work.weighed.h[:] = total
    state.force[:] = force

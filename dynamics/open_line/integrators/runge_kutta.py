"""Classical Runge-Kutta method of fourth order, one explicit step.

    y' = f(t, y),  y = (u, v, z, z'),   M v' = contact - s(u) - C v

M is banded and factored once. The step must resolve the fastest wave on the mesh: see `stability`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from catenary.kernels.compiled import kernel
from dynamics.linear_algebra.block_ldl import BlockFactor, block_solve
from dynamics.linear_algebra.sparse_rows import multiply, multiply_fixed
from dynamics.open_line.dropper_forces import note_slack
from dynamics.open_line.forces import local_forces, pantograph_residual
from dynamics.open_line.integrators.scheme import Work
from dynamics.open_line.system import Motion, State, System, Touch

__all__ = ["RungeKuttaScheme", "nothing_carried", "runge_kutta_step"]

_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


class RungeKuttaScheme(NamedTuple):
    """``substeps`` steps of the method within dt [s], and the ``factor`` of M."""

    substeps: int
    dt: float
    factor: BlockFactor


@kernel(**_OPTIONS)
def nothing_carried(system: System, state: State, scheme: RungeKuttaScheme, work: Work) -> None:
    """Begin with no more than the state: an explicit step carries nothing over from the one before."""


@kernel(**_OPTIONS)
def _accelerations(system, state, scheme, work, t, moving, a, za):
    """Accelerations of line and masses at one moment."""
    u, v, z, zv = moving
    local_forces(
        system, state, t, moving, a, Touch(work.contacts, work.contacts.force, 1.0, work.corrections.marks[:0])
    )
    n, Mv, b = a.size, work.stages.Mv, work.solved
    multiply_fixed(system.mass, v, Mv, 0, Mv.size)
    multiply(system.damping, v, a, 1.0)
    multiply(system.stiffness, v, a, system.beta)
    if not system.nonlinear:
        multiply(system.stiffness, u, a, 1.0)
    b[:] = -a - system.alpha * Mv
    block_solve(scheme.factor, b, 0, n)
    a[:] = b
    mass = system.pantographs.mass
    for p in range(z.shape[0]):
        pantograph_residual(system.pantographs, p, t, (z, zv), (work.contacts, 0.0), za[p])
        for i in range(mass.size):
            za[p, i] /= mass[i]


@kernel(**_OPTIONS)
def runge_kutta_step(system: System, state: State, scheme: RungeKuttaScheme, work: Work, t: float) -> tuple[int, float]:
    """Advance the state from t to t + dt in place; returns 1, or -1 once it has run away, and the largest |u| [m].

    The contact at t + dt, which no stage evaluates, is formed at the end.
    """
    count, size = 1, 0.0
    for j in range(scheme.substeps):
        note_slack(system, state)
        count, size = _substep(system, state, scheme, work, t + j * scheme.dt / scheme.substeps)
        if count < 0:
            return count, size
    moving = Motion(state.u, state.v, state.z, state.zv)
    contact = Touch(work.contacts, work.contacts.force, 1.0, work.corrections.marks[:0])
    local_forces(system, state, t + scheme.dt, moving, work.stages.a, contact)
    return count, size


@kernel(**_OPTIONS)
def _substep(system, state, scheme, work, t):
    """Advance by h = dt / substeps; 1, or -1 once the line has run away, and the largest displacement."""
    h = scheme.dt / scheme.substeps
    stages = work.stages
    u0, v0, sum_u, sum_v, a = stages.u0, stages.v0, stages.sum_u, stages.sum_v, stages.a
    z0, zv0, sum_z, sum_zv, za = stages.z0, stages.zv0, stages.sum_z, stages.sum_zv, stages.za
    u0[:], v0[:], z0[:], zv0[:] = state.u, state.v, state.z, state.zv
    sum_u[:], sum_v[:], sum_z[:], sum_zv[:] = 0.0, 0.0, 0.0, 0.0
    u, v, z, zv = state.u, state.v, state.z, state.zv
    for stage in range(4):
        at, weight, ahead = _stage(stage)
        _accelerations(system, state, scheme, work, t + at * h, Motion(u, v, z, zv), a, za)
        if stage == 0:
            state.a[:], state.za[:] = a, za
        sum_u += weight * v
        sum_v += weight * a
        sum_z += weight * zv
        sum_zv += weight * za
        if stage < 3:
            u[:] = u0 + ahead * h * v
            v[:] = v0 + ahead * h * a
            z[:] = z0 + ahead * h * zv
            zv[:] = zv0 + ahead * h * za
    u[:] = u0 + h * sum_u
    v[:] = v0 + h * sum_v
    z[:] = z0 + h * sum_z
    zv[:] = zv0 + h * sum_zv
    size = np.abs(u).max()
    return (1 if size < 1.0e3 else -1), size


@kernel(**_OPTIONS)
def _stage(k):
    """Abscissa, weight and how far the next stage looks ahead."""
    if k == 0:
        return 0.0, 1.0 / 6.0, 0.5
    if k == 1:
        return 0.5, 1.0 / 3.0, 0.5
    if k == 2:
        return 0.5, 1.0 / 3.0, 1.0
    return 1.0, 1.0 / 6.0, 0.0

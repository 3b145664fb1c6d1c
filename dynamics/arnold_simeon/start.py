"""The start of the benchmark (Arnold & Simeon, section 2.2): catenary at rest, given contact force."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array
from scipy.sparse.linalg import splu

from dynamics.arnold_simeon.contact_area import contact_row, row_width
from dynamics.arnold_simeon.discretisation import SemiDiscrete

__all__ = ["Start", "contact_weights", "first_dof", "initial_state", "pantograph_start", "static_state"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Start:
    """State at the start.

    Attributes
    ----------
    height, velocity : float array (dof,)
        [m, m/s] and slopes.
    dropper_force : float array (dropper,)
        [N].
    """

    height: Array
    velocity: Array
    dropper_force: Array


def contact_weights(system: SemiDiscrete, station: float) -> Array:
    """Weights F, F', F'' of all dofs for a contact at ``station`` [m], float array (3, dof)."""
    spec, per_node = system.spec, 2 if system.hermite else 1
    row = np.zeros((3, row_width(system.interval, spec.contact_half_width, per_node)))
    place = (station, spec.speed, spec.contact_half_width, system.interval)
    first = contact_row(place, system.hermite, row)
    weights = np.zeros((3, system.mass.shape[0]))
    at = first_dof(system, first)
    weights[:, at : at + row.shape[1]] = row
    return weights


def first_dof(system: SemiDiscrete, node: int) -> int:
    """Dof of the contact wire's first unknown at ``node``; an end's only unknown in finite elements is its slope."""
    return system.wire_start + (2 * node if system.hermite else node)


def initial_state(system: SemiDiscrete) -> Start:
    """Catenary at rest under ``start_force``, droppers taut; the head follows the wire, the body the head."""
    n = system.mass.shape[0] - 2
    q, force = static_state(system, contact_weights(system, system.spec.start)[0, :n] * system.spec.start_force)
    if force.min() < 0.0:
        raise ValueError(
            f"both droppers must pull at the start: they carry {force[0]:.1f} N and {force[1]:.1f} N under "
            f"start_force {system.spec.start_force:g} N"
        )
    heights, velocities = pantograph_start(system, q)
    return Start(np.concatenate([q, heights]), np.concatenate([np.zeros(n), velocities]), force)


def static_state(system: SemiDiscrete, push: Array) -> tuple[Array, Array]:
    """Heights of both wires [m] and dropper forces [N] at rest under loads ``push`` (wire dof,) [N] and weights."""
    n = system.mass.shape[0] - 2
    K, rows = system.stiffness[:n][:, :n], system.droppers[:, :n]
    matrix = block_array([[K, -rows.T], [rows, None]], format="csc")
    solution = splu(matrix).solve(np.concatenate([system.load[:n] + push, -system.offset]))
    return solution[:n], solution[n:]


def pantograph_start(system: SemiDiscrete, q: Array) -> tuple[Array, Array]:
    """Heights [m] and velocities [m/s] of head and body in contact with wires at rest of heights ``q``.

    Without velocity and acceleration of the wires, contact at t = 0 gives the head's height F q, its rate F' q and its
    acceleration F'' q (hidden constraints, section 4.1). Equation 12 of the head with the given contact force then
    leaves one velocity of the body: w_p2' = w_p1' + (m_1 F'' q + c_1 (w_p1 - w_p2) + lambda_p) / d_1.
    """
    spec = system.spec
    head, rate, acceleration = contact_weights(system, spec.start)[:, : len(q)] @ q
    push = spec.head_mass * acceleration + spec.head_stiffness * spec.head_above_body + spec.start_force
    return np.array([head, head - spec.head_above_body]), np.array([rate, rate + push / spec.head_damping])

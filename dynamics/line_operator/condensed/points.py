"""What is attached to the stations of a line's network: clamps, droppers, arms, supports, and inertia along bays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.mesh import X, Y, Z
from catenary.linearised.attachments import LUMPED, dropper_stiffness, point_masses, steady_arm_stiffness
from catenary.linearised.static_checks import SLACK_FORCE
from dynamics.line_operator.condensed.order import NetworkOrder
from dynamics.line_operator.condensed.parts import Bays, Points

__all__ = ["points_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def points_of(eq: Equilibrium, bays: Bays, order: NetworkOrder) -> Points:
    """Collect clamps, half droppers, arms and supports, and the bays' inertia along the track.

    Numbers may be those of many lines at rest on one mesh (line, ...), whose bays are, too.
    """
    spec, mesh, dof_of, n = eq.spec, eq.mesh, order.dof_of, order.n
    mass, drag, stiffness, held, dashpot = np.zeros((5, *eq.dropper_force.shape[:-1], n))
    for component in LUMPED:
        alpha = spec.damping.of(component).alpha
        for nodes, values in point_masses(eq, component):
            for c in mesh.axes:
                dof = dof_of[mesh.dof[nodes, c]]
                _add(mass, dof, values)
                _add(drag, dof, alpha * values)
    moving = bays.along[:, 0] >= 0
    half = np.repeat(0.5 * bays.mass * bays.length, 2, axis=-1)[..., np.repeat(moving, 2)]
    _add(mass, bays.along[moving].ravel() % n, half)
    _add(drag, bays.along[moving].ravel() % n, np.repeat(bays.alpha[moving], 2) * half)
    arms, hung = steady_arm_stiffness(eq), (mesh.dropper_bottom, mesh.dropper_top)
    for c in mesh.axes:
        _add(stiffness, dof_of[mesh.dof[mesh.support_contact, c]], arms[..., c, c])
    swaying = np.stack([dof_of[mesh.dof[ends, X]] for ends in hung], axis=1)
    support = dof_of[mesh.dof[mesh.support_messenger, Z]]
    held[..., support], dashpot[..., support] = spec.support.messenger_stiffness, spec.support.messenger_damping
    bottom, top = (np.ascontiguousarray(dof_of[mesh.dof[ends, Z]]) for ends in hung)
    between = dropper_stiffness(eq)
    places = (Z, Z), (X, X), (Y, Z), (Y, Y)
    upright, sway, mixed, across = (np.ascontiguousarray(between[..., i, j]) for i, j in places)
    axis = np.ascontiguousarray(eq.dropper_direction[..., [Y, Z]])
    aside = arm = np.zeros((0, 2), np.int64)
    skew = np.zeros(0)
    if mesh.spatial:
        aside = np.stack([dof_of[mesh.dof[ends, Y]] for ends in hung], axis=1)
        arm = np.ascontiguousarray(dof_of[mesh.dof[mesh.support_contact][:, [Z, Y]]])
        skew = np.ascontiguousarray(arms[..., Z, Y])
    springs = np.ascontiguousarray(eq.dropper_stiffness, dtype=np.float64)
    loose = (np.abs(eq.dropper_force) <= SLACK_FORCE).astype(np.float64)
    own = springs, upright, sway, swaying, loose
    return Points(mass, drag, stiffness, held, dashpot, bottom, top, *own, axis, aside, mixed, across, arm, skew)


def _add(total: Floats, dof: Ints, values: Floats) -> None:
    """Add values (..., k) to a network's dofs (..., dof), none where held."""
    moving = dof >= 0
    each = np.broadcast_to(values, (*total.shape[:-1], len(dof)))
    np.add.at(total.T, dof[moving], each.T[moving])

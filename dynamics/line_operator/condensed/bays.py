"""Bays of a line's network: lengths, tensions, masses and slopes at rest, and their dofs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.elements.hermite import slopes_squared
from catenary.form_finding.equations import GRAVITY, element_coordinates, wire_property
from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.geometry import CONTACT
from catenary.layout.mesh import DY, DZ, X, Y, Z
from catenary.linearised.own_damping import wire_factors
from dynamics.line_operator.condensed.order import NetworkOrder
from dynamics.line_operator.condensed.parts import Bays

__all__ = ["bays_of"]

# pairs of a bay's heights and slopes, left and right (0 to 3), and places along the track (4, 5)
ENTRIES = (
    (0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3),
    (4, 0), (4, 1), (4, 2), (4, 3), (4, 4), (5, 0), (5, 1), (5, 2), (5, 3), (5, 4), (5, 5),
)  # fmt: skip


def bays_of(eq: Equilibrium, order: NetworkOrder, bare: tuple[float, float, float]) -> Bays:
    """Lay out the bays of a period at rest, or of many on one mesh, whose arrays have an axis in front.

    Those of the contact wire are stretches of the ``bare`` one, with its tension [N] and mass per length [kg/m] to the
    last digit: its waves have to leave the line's answers as the stations' come in. What theirs differs by, some 1e-6
    as droppers lift or sink it, would stand next to a pole of such a wave times the distance to it, to the power of -2.
    """
    spec, mesh, ends = eq.spec, eq.mesh, order.ends
    first, last = mesh.group_elems.T
    EA, EI, rho = (
        wire_property(spec, mesh, name)[first] for name in ("axial_stiffness", "bending_stiffness", "mass_per_length")
    )
    beyond = np.where(order.over, order.n, 0)
    dof = order.dof_of[mesh.dof[ends][:, :, [Z, DZ]]].reshape(-1, 4)
    along = order.dof_of[mesh.dof[ends, X]]
    dof[:, 2:] += beyond[:, None]
    along[:, 1] += beyond
    if spec.tension_in_motion == "constant":
        along[:] = -1
    place = element_coordinates(mesh, eq.q)
    length, aside, rise = np.moveaxis(np.add.reduceat(place[..., 1, :3] - place[..., 0, :3], first, axis=-2), -1, 0)
    length = np.ascontiguousarray(length)
    l0 = np.add.reduceat(eq.elem_l0, first, axis=-1)
    # Green's strain of the elements; slopes, bending at clamps included, lengthen a wire
    longer = sum(
        np.add.reduceat(0.5 * slopes_squared(place[..., [c, d]], eq.elem_l0), first, axis=-1)
        for c, d in ([(Z, DZ), (Y, DY)] if mesh.spatial else [(Z, DZ)])
    )
    stretch = length / l0
    contact = mesh.group_wire == CONTACT
    tension = np.where(contact, bare[0], EA * (0.5 * (stretch**2 - 1.0) + longer / l0) * stretch)
    mass = np.where(contact, bare[2], rho / stretch)
    # tension changes of the contact wire act on stations alone: its bays are straight
    curvature = np.where(contact, 0.0, GRAVITY * mass / tension)
    tilt, half = rise / length, 0.5 * curvature * length
    slope = np.stack([tilt - half, tilt + half], axis=-1)
    side = np.zeros((0, 4), np.int64)
    if mesh.spatial:
        side = order.dof_of[mesh.dof[ends][:, :, [Y, DY]]].reshape(-1, 4)
        side[:, 2:] += np.where(side[:, 2:] >= 0, beyond[:, None], 0)
    # a bay may begin in a mirrored period: its left end's own sense is that of all its numbers
    sense = mesh.elem_mirror[first, 0]
    turn, veer = np.asarray(mesh.elem_mirror[last, 1] * sense, dtype=np.int64), aside / length * sense
    alpha, beta = (factors[first] for factors in wire_factors(eq))
    return Bays(
        np.ascontiguousarray(dof), along, _entries(dof, along, order.n + order.ni), np.ascontiguousarray(side), turn,
        length, tension, EI, mass, curvature, slope, veer, l0 / EA, alpha, beta,
    )  # fmt: skip


def _entries(dof: NDArray[np.int64], along: NDArray[np.int64], size: int) -> NDArray[np.uint64]:
    """Where a symmetric matrix of so many rows has what a bay adds; unsigned, so that none can be negative."""
    ends = np.concatenate([dof, along], axis=1)
    row, column = np.array(ENTRIES).T
    low, high = np.minimum(ends[:, row], ends[:, column]), np.maximum(ends[:, row], ends[:, column])
    return np.where(low < 0, 0, high * size + low).astype(np.uint64)

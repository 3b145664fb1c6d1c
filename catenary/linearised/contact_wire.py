"""The contact wire as the pantograph meets it: element, dofs and weights of its points, height at rest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from catenary.elements.formulation import element_of
from catenary.elements.hermite import hermite
from catenary.form_finding.equations import element_coordinates
from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.geometry import CONTACT
from catenary.layout.mesh import Z
from catenary.layout.running_surface import surface_of_period
from catenary.layout.track import head_offset

__all__ = ["contact_table", "covered_by", "heights_near", "place_on_head", "running_height", "static_height"]


def contact_table(
    eq: Equilibrium, x: NDArray[np.float64], run: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Element (x,), vertical dofs (x, 4) and Hermite weights (x, 4) of contact-wire points.

    The point is found on the wire at rest (PACDIN, eq. 7), by Newton steps on the element's x(xi). ``run`` chooses the
    wire; without it, it is the one that hangs lowest.
    """
    runs = eq.mesh.contact_runs
    if run is not None or len(runs) == 1:
        return _points_on(eq, x, runs[0] if run is None else run)
    found = [_points_on(eq, x, each) for each in runs]
    heights = np.stack([_heights(eq, e, weight) for e, _, weight in found])
    covered = np.stack([covered_by(eq, x, each) for each in runs])
    lowest = np.where(covered, heights, np.inf).argmin(axis=0)
    e, dof, weight = (np.stack(each)[lowest, np.arange(len(x))] for each in zip(*found, strict=True))
    return e, dof, weight


def _points_on(
    eq: Equilibrium, x: NDArray[np.float64], run: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Points of one contact wire."""
    mesh = eq.mesh
    elems = np.flatnonzero((mesh.elem_wire == CONTACT) & (mesh.elem_run == run))
    start = element_coordinates(mesh, eq.q)[elems][:, 0, 0]
    order = np.argsort(start)
    e = elems[order][np.clip(np.searchsorted(start[order], x + 1e-12, side="right") - 1, 0, len(elems) - 1)]
    xi = _within(eq, e, x, 5)
    dof = mesh.dof[mesh.elem_nodes[e]][:, :, [Z, 5]].reshape(-1, 4)
    return e, dof, hermite(xi, eq.elem_l0[e]).T


def _within(
    eq: Equilibrium, e: NDArray[np.int64], x: NDArray[np.float64], steps: int, xi: NDArray[np.float64] | float = 0.0
) -> NDArray[np.float64]:
    """Places xi in elements at which stations x stand (..., x), by Newton steps from a first guess."""
    qe, along = element_coordinates(eq.mesh, eq.q)[..., e, :, :], element_of(eq.spec).along
    first, length = qe[..., 0, 0], qe[..., 1, 0] - qe[..., 0, 0]
    nodes = np.stack([first, qe[..., 0, 3], qe[..., 1, 0], qe[..., 1, 3]])
    found: NDArray[np.float64] = np.broadcast_to(xi, first.shape)
    for _ in range(steps):
        found = found - ((along(found, eq.elem_l0[..., e]) * nodes).sum(axis=0) - x) / length
    return found


def covered_by(eq: Equilibrium, x: NDArray[np.float64], run: int) -> NDArray[np.bool_]:
    """Whether a contact wire passes over stations [m]."""
    mesh = eq.mesh
    at = mesh.node_x[mesh.elem_nodes[(mesh.elem_wire == CONTACT) & (mesh.elem_run == run)]]
    return (x >= at.min()) & (x <= at.max())


def _heights(eq: Equilibrium, e: NDArray[np.int64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    places = eq.q[..., eq.mesh.elem_nodes[e], :][..., [2, 5]]
    return np.asarray((weight * places.reshape(*places.shape[:-2], 4)).sum(axis=-1))


def static_height(eq: Equilibrium, x: NDArray[np.float64], run: int | None = None) -> NDArray[np.float64]:
    """Contact-wire height at rest [m] at stations ``x`` [m], of the lowest wire or of a chosen run."""
    e, _, weight = contact_table(eq, x, run)
    return _heights(eq, e, weight)


def running_height(eq: Equilibrium, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Height at rest [m] of what strips run on at stations ``x`` [m] of a line that repeats: bent or worn in places."""
    return static_height(eq, x) + surface_of_period(eq.spec.section, eq.spec.contact_wire, eq.spec.period, x)


def heights_near(eq: Equilibrium, x: NDArray[np.float64]) -> Callable[[Equilibrium], NDArray[np.float64]]:
    """Height at rest [m] at stations ``x`` [m] of any period on the mesh of this one and a small step away (..., x).

    Stations keep their share of the line's length. They stay in their elements, and are found in them by one step from
    where they are on this line.
    """

    def along(near: Equilibrium) -> NDArray[np.float64]:
        return x * (near.mesh.layout.length / eq.mesh.layout.length)

    e = contact_table(eq, x)[0]
    xi = _within(eq, e, x, 5)

    def heights(near: Equilibrium) -> NDArray[np.float64]:
        shapes = hermite(_within(near, e, along(near), 1, xi), near.elem_l0[..., e])
        return _heights(near, e, np.moveaxis(shapes, 0, -1))

    return heights


def place_on_head(eq: Equilibrium, x: NDArray[np.float64], run: int | None = None) -> NDArray[np.float64]:
    """Contact wire's place at rest to the left of the middle of the head, where cant puts it (x,) [m].

    Places beyond a cell, whose end is its own, are those of the cells there, every other one its mirror image.
    """
    mesh, turned = eq.mesh, 1.0
    if not mesh.spatial:
        return np.zeros(len(x))
    if mesh.layout.periodic:
        cell = np.ceil(np.asarray(x) / mesh.layout.length - 1e-12) - 1.0
        cell[np.abs(x) < 1e-12] = 0.0
        x = x - cell * mesh.layout.length
        turned = (-1.0) ** cell if (mesh.elem_mirror < 0.0).any() else turned
    e, _, weight = contact_table(eq, x, run)
    q = element_coordinates(mesh, eq.q)[e]
    y = (weight * q[:, :, [1, 4]].reshape(-1, 4)).sum(axis=1)
    return np.asarray(turned * y - head_offset(eq.spec.track, x))

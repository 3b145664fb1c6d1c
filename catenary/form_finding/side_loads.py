"""What pushes wires to the side: the track's curvature times their tension, the wind; and their weight on a gradient.

Legend: H a wire's tension along the track; k the track's curvature, in plan and in elevation; p the wind's load; w the
share of a load of 1 N/m that goes to the places and slopes of an element's nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.first_guess import GRAVITY
from catenary.layout.key_points import AUXILIARY, CONTACT, MESSENGER, STITCH
from catenary.layout.mesh import Mesh, X, Y, Z
from catenary.layout.track import curvature_at
from catenary.spec.line import CatenarySpec
from catenary.spec.surroundings.wind import DragSpec, WindSpec

__all__ = ["SideLoads", "drag_by_wire", "elem_curvature", "load_shares", "side_loads"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SideLoads:
    """Loads on wire elements that a straight track in still air does not have.

    Attributes
    ----------
    shares : float array (elem, 4)
        What place, slope, place, slope of an element get of 1 N/m [m, m^2].
    curvature : float array (elem, 2)
        Of the track in plan, to the left, and in elevation, upwards [1/m].
    dead : float array (elem, 3)
        Loads that do not depend on tensions, along, across and up [N/m].
    on_droppers : float
        Load of the wind on droppers [N/m].
    """

    shares: Array
    curvature: Array
    dead: Array
    on_droppers: float

    def add_to(self, force: Array, tangent: Array, by_l0: Array) -> None:
        """Take the loads off internal forces (elem, 12) and off their derivatives by coordinates and by length."""
        pull, pull_by_q, pull_by_l0 = -force[:, 0].copy(), -tangent[:, 0].copy(), -by_l0[:, 0].copy()
        for component in (X, Y, Z):
            at = [component, component + 3, component + 6, component + 9]
            force[:, at] -= self.dead[:, component, None] * self.shares
            if component == X:
                continue
            pushed = self.curvature[:, component - 1, None] * self.shares
            force[:, at] -= pushed * pull[:, None]
            tangent[:, at] -= pushed[:, :, None] * pull_by_q[:, None]
            by_l0[:, at] -= pushed * pull_by_l0[:, None]


def side_loads(spec: CatenarySpec, mesh: Mesh) -> SideLoads | None:
    """Find the loads of track and wind on a mesh; None where there are none."""
    curvature, dead = elem_curvature(spec, mesh), np.zeros((len(mesh.elem_wire), 3))
    wind, gradient, on_droppers = spec.wind, _elem_gradient(spec, mesh), 0.0
    if wind is not None and mesh.spatial:
        loads = np.array([wind.load(drag) for drag in drag_by_wire(wind)])
        dead[:, Y], on_droppers = loads[mesh.elem_wire], wind.load(wind.droppers)
    if gradient is not None:
        wires = (spec.contact_wire.together, spec.messenger_wire.together, spec.stitch, spec.auxiliary_wire)
        masses = np.array([0.0 if wire is None else wire.mass_per_length for wire in wires])
        dead[:, X] = -gradient * GRAVITY * masses[mesh.elem_wire]
    if curvature is None and not dead.any() and not on_droppers:
        return None
    still = np.zeros((len(dead), 2))
    return SideLoads(load_shares(mesh.elem_length), still if curvature is None else curvature, dead, on_droppers)


def drag_by_wire(wind: WindSpec) -> tuple[DragSpec | None, ...]:
    """Drag of every wire by its number in a mesh (CONTACT, MESSENGER, STITCH, AUXILIARY); None of one not there."""
    drags = {
        CONTACT: wind.contact_wire,
        MESSENGER: wind.messenger_wire,
        STITCH: wind.stitch,
        AUXILIARY: wind.auxiliary_wire,
    }
    return tuple(drags[wire] for wire in sorted(drags))


def load_shares(length: Array) -> Array:
    """What place, slope, place, slope of elements of lengths [m] get of a load of 1 N/m (elem, 4)."""
    return np.stack([0.5 * length, length**2 / 12, 0.5 * length, -(length**2) / 12], axis=1)


def elem_curvature(spec: CatenarySpec, mesh: Mesh) -> Array | None:
    """Curvature of the track at every element (elem, 2): in plan, to the left, and in elevation, upwards [1/m].

    None where the track is straight and has one gradient, as it is for a cell that repeats on a plan of pieces.
    """
    track = spec.track
    if track is None or not mesh.spatial or (mesh.layout.periodic and track.radius is None):
        return None
    at = _middles(mesh)
    curvature = np.stack([curvature_at(track, at), np.zeros(len(at))], axis=1)
    if len(track.gradients) > 1:
        stations, gradient = np.array(track.gradients).T
        slope = np.concatenate([[0.0], np.diff(gradient) / np.diff(stations), [0.0]])
        curvature[:, 1] = slope[np.searchsorted(stations, at + track.begin, side="right")]
    return curvature if curvature.any() else None


def _elem_gradient(spec: CatenarySpec, mesh: Mesh) -> Array | None:
    """Rise of the track by length at every element (elem,); None where it is level."""
    track = spec.track
    if track is None or not track.gradients or mesh.layout.periodic:
        return None
    stations, gradient = np.array(track.gradients).T
    return np.asarray(np.interp(_middles(mesh) + track.begin, stations, gradient))


def _middles(mesh: Mesh) -> Array:
    """Stations of the elements' middles (elem,) [m]."""
    return mesh.node_x[mesh.elem_nodes[:, 0]] + mesh.elem_shift[:, 0] + 0.5 * mesh.elem_length

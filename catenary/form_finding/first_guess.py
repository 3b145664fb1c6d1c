"""Where the wires may hang: heights and sideways positions from which form-finding starts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.layout.key_points import AUXILIARY, CONTACT, STITCH
from catenary.layout.mesh import Mesh
from catenary.layout.track import curvature_at
from catenary.spec.line import CatenarySpec
from catenary.spec.surroundings.track import TrackSpec

__all__ = ["GRAVITY", "first_shape", "first_sideways", "load_of_messenger"]

GRAVITY = 9.81


def first_shape(spec: CatenarySpec, mesh: Mesh) -> NDArray[np.float64]:
    """Heights [m] of all nodes for the first guess: contact wire by interpolation, messenger as a parabola."""
    layout = mesh.layout
    supports = np.array(layout.supports)
    main = np.array(layout.dropper_is_main or (False,) * len(layout.dropper_x))
    contact = _through(mesh, layout.contact_height, ~main)
    load = load_of_messenger(spec)
    which = np.clip(np.searchsorted(supports, mesh.node_x, side="right") - 1, 0, layout.n_spans - 1)
    before, beyond = mesh.node_x - supports[which], supports[which + 1] - mesh.node_x
    sag = load * before * beyond / (2 * spec.messenger_wire.together.tension)
    held = np.interp(mesh.node_x, supports, layout.messenger_height)
    messenger = held - sag
    if layout.auxiliary_height:
        auxiliary = _through(mesh, layout.auxiliary_height, main)
        messenger = np.where(mesh.node_wire == AUXILIARY, auxiliary, messenger)
    if spec.stitch is None:
        return np.where(mesh.node_wire == CONTACT, contact, messenger)
    half = 0.5 * spec.stitch.length
    at_clamp = held - load * half * (spec.mean_span - half) / (2 * spec.messenger_wire.together.tension)
    return np.where(mesh.node_wire == CONTACT, contact, np.where(mesh.node_wire == STITCH, at_clamp, messenger))


def load_of_messenger(spec: CatenarySpec) -> float:
    """Weight of the wires that the messenger wire carries, its own included [N/m]."""
    own = 0.0 if spec.auxiliary_wire is None else spec.auxiliary_wire.mass_per_length
    wires = spec.contact_wire.together, spec.messenger_wire.together
    return GRAVITY * (wires[0].mass_per_length + wires[1].mass_per_length + own)


def _through(mesh: Mesh, at_supports: tuple[float, ...], which: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Heights of nodes on straight lines through those at supports and at some of the droppers [m]."""
    layout = mesh.layout
    x = np.concatenate([layout.supports, np.array(layout.dropper_x)[which]])
    z = np.concatenate([at_supports, np.array(layout.dropper_height)[which]])
    order = np.argsort(x)
    return np.interp(mesh.node_x, x[order], z[order])


def _with_contact(mesh: Mesh) -> NDArray[np.bool_]:
    """Nodes of wires that stand as far to the side as the contact wire does (node,)."""
    return (mesh.node_wire == CONTACT) | (mesh.node_wire == AUXILIARY)


def first_sideways(spec: CatenarySpec, mesh: Mesh) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """First guess of y [m] and its slope at all nodes: straight lines from support to support, wire by wire."""
    supports, contact = mesh.layout.supports, _with_contact(mesh)
    if spec.track is not None:
        return _bowed(spec.track, mesh)
    if spec.section is not None and (spec.section.staggers or spec.section.messenger_staggers):
        return _between_supports(mesh)
    turns = np.interp(mesh.node_x, supports, np.arange(len(supports)))
    whole = np.minimum(turns, len(supports) - 2).astype(np.int64)
    zigzag = 1.0 - 2.0 * np.abs(turns - 2.0 * np.round(0.5 * turns))
    on_track = np.where(contact, spec.support.stagger, spec.support.messenger_stagger)
    return on_track * zigzag, -2.0 * on_track / np.diff(supports)[whole] * (-1.0) ** whole


def _bowed(track: TrackSpec, mesh: Mesh) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Place y [m] and its slope between supports where the track turns: the chord stands off by k x (L - x) / 2."""
    supports = np.array(mesh.layout.supports)
    y, slope = _between_supports(mesh)
    if mesh.layout.periodic and track.radius is None:
        return y, slope
    span = np.clip(np.searchsorted(supports, mesh.node_x, side="right") - 1, 0, mesh.layout.n_spans - 1)
    before, beyond = mesh.node_x - supports[span], supports[span + 1] - mesh.node_x
    half = 0.5 * curvature_at(track, 0.5 * (supports[span] + supports[span + 1]))
    return y + half * before * beyond, slope + half * (beyond - before)


def _between_supports(mesh: Mesh) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Place y [m] and its slope on straight lines between supports that have sides of their own."""
    layout, contact = mesh.layout, _with_contact(mesh)
    supports = np.array(layout.supports)
    span = np.clip(np.searchsorted(supports, mesh.node_x, side="right") - 1, 0, layout.n_spans - 1)
    sides = np.array([layout.messenger_side, layout.contact_side])
    y = np.where(contact, *(np.interp(mesh.node_x, supports, side) for side in sides[::-1]))
    return y, (np.diff(sides, axis=1) / np.diff(supports))[contact.astype(np.int64), span]

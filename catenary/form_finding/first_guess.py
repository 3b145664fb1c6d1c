"""Where the wires may hang: heights and sideways positions from which form-finding starts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.layout.geometry import CONTACT, STITCH
from catenary.layout.mesh import Mesh
from catenary.spec.line import CatenarySpec

__all__ = ["GRAVITY", "first_shape", "first_sideways"]

GRAVITY = 9.81


def first_shape(spec: CatenarySpec, mesh: Mesh) -> NDArray[np.float64]:
    """Heights [m] of all nodes for the first guess: contact wire by interpolation, messenger as a parabola."""
    layout = mesh.layout
    supports = np.array(layout.supports)
    x_key = np.concatenate([supports, layout.dropper_x])
    z_key = np.concatenate([0.0 * supports, layout.dropper_height])
    order = np.argsort(x_key)
    contact = np.interp(mesh.node_x, x_key[order], z_key[order])
    load = GRAVITY * (spec.contact_wire.mass_per_length + spec.messenger_wire.mass_per_length)
    which = np.clip(np.searchsorted(supports, mesh.node_x, side="right") - 1, 0, layout.n_spans - 1)
    before, beyond = mesh.node_x - supports[which], supports[which + 1] - mesh.node_x
    sag = load * before * beyond / (2 * spec.messenger_wire.tension)
    messenger = spec.encumbrance - sag
    if spec.stitch is None:
        return np.where(mesh.node_wire == CONTACT, contact, messenger)
    half = 0.5 * spec.stitch.length
    at_clamp = spec.encumbrance - load * half * (spec.mean_span - half) / (2 * spec.messenger_wire.tension)
    return np.where(mesh.node_wire == CONTACT, contact, np.where(mesh.node_wire == STITCH, at_clamp, messenger))


def first_sideways(spec: CatenarySpec, mesh: Mesh) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """First guess of y [m] and its slope at all nodes: straight lines from support to support, wire by wire."""
    supports = mesh.layout.supports
    turns = np.interp(mesh.node_x, supports, np.arange(len(supports)))
    whole = np.minimum(turns, len(supports) - 2).astype(np.int64)
    zigzag = 1.0 - 2.0 * np.abs(turns - 2.0 * np.round(0.5 * turns))
    on_track = np.where(mesh.node_wire == CONTACT, spec.support.stagger, spec.support.messenger_stagger)
    return on_track * zigzag, -2.0 * on_track / np.diff(supports)[whole] * (-1.0) ** whole

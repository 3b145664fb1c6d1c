"""The track in plan and elevation: curvature, places and directions, where cant puts the head.

A line lives in the coordinates of its track: x along it, y to the left of it, z up. Curvature k enters as what it does
to a wire's length, d(length) = (1 - k_y y - k_z z) dx, first order in k: a wire of tension T is pushed by k T a metre
towards the centre of the curve.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.spec.surroundings.track import TrackSpec

__all__ = ["curvature_at", "head_offset", "head_roll", "plan_points"]

Array = NDArray[np.float64]
_XI, _W = np.polynomial.legendre.leggauss(12)  # of a piece: a clothoid of 200 m is exact to 1e-13 m


def curvature_at(track: TrackSpec, x: Array) -> Array:
    """Curvature of the track in plan at stations of the line [m], to the left positive (x,) [1/m]."""
    x = np.asarray(x, dtype=np.float64)
    if track.radius is not None:
        return np.full(x.shape, 1.0 / track.radius)
    if not track.plan:
        return np.zeros(x.shape)
    begins, first, change = _pieces(track)
    s = np.maximum(x + track.begin, 0.0)
    k = np.searchsorted(begins, s, side="right") - 1
    return first[k] + change[k] * (s - begins[k])


def plan_points(track: TrackSpec, x: Array) -> Array:
    """Points of the track's plan at stations of the line: east [m], north [m], direction [rad], (x, 3).

    The plan begins at the origin, towards the east; a left curve turns north.
    """
    s = np.asarray(x, dtype=np.float64) + track.begin
    begins, first, change = _pieces(track)
    ends = [*begins[1:], np.inf]
    start, points = np.zeros(3), np.zeros((s.size, 3))
    for a, b, k, c in zip(begins, ends, first, change, strict=True):
        inside = (s >= a) & (s < b) if a > 0.0 else s < b
        points[inside] = start + _run(s[inside] - a, start[2], k, c)
        if np.isfinite(b):
            start = start + _run(np.array([b - a]), start[2], k, c)[0]
    return points


def _run(length: Array, direction: float, k: float, change: float) -> Array:
    """Way and turn from the beginning of a piece to lengths along it (length, 3)."""
    s = 0.5 * length[:, None] * (1.0 + _XI)
    turned = direction + s * (k + 0.5 * change * s)
    way = 0.5 * length[:, None] * _W
    at_end = length * (k + 0.5 * change * length)
    return np.stack([(way * np.cos(turned)).sum(axis=1), (way * np.sin(turned)).sum(axis=1), at_end], axis=1)


def _pieces(track: TrackSpec) -> tuple[Array, Array, Array]:
    """Station where each piece begins [m], its curvature there [1/m] and the change of it [1/m^2]."""
    if track.radius is not None or not track.plan:
        k = 0.0 if track.radius is None else 1.0 / track.radius
        return np.zeros(1), np.array([k]), np.zeros(1)
    begins, first, change, at, before = [], [], [], 0.0, 0.0
    for piece in track.plan:
        end = 0.0 if piece.radius is None else 1.0 / piece.radius
        begins.append(at)
        first.append(before if piece.kind == "clothoid" else end)
        change.append((end - before) / piece.length if piece.kind == "clothoid" else 0.0)
        at, before = at + piece.length, end
    return np.array(begins), np.array(first), np.array(change)


def head_roll(track: TrackSpec | None, x: Array) -> Array:
    """Angle by which cant turns the head at stations (x,) [rad]: small, positive where its left side sinks."""
    x = np.asarray(x, dtype=np.float64)
    if track is None:
        return np.zeros(x.shape)
    if track.radius is not None:
        return np.full(x.shape, np.sign(track.radius) * track.cant / track.rail_spacing)
    if not track.cants:
        return np.zeros(x.shape)
    at, cant = np.array(track.cants).T
    return np.interp(x + track.begin, at, cant) / track.rail_spacing


def head_offset(track: TrackSpec | None, x: Array) -> Array:
    """How far cant moves the head to the left of the track's axis at stations of the line (x,) [m]."""
    height = 0.0 if track is None else track.wire_height
    return height * head_roll(track, x)

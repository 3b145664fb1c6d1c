"""Follow a line's poles to another line with the same stations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.poles.known import KnownPoles
from dynamics.line_operator.poles.modes import BRISK, CAREFUL, SLOW, Numbered, PoleModes, followed_poles

__all__ = ["follow_poles"]

Complexes = NDArray[np.complexfloating[Any, Any]]

MEETING = 1.0e-4  # rad/s: two poles as near are one that was found twice


def follow_poles(known: KnownPoles, network: LineNetwork, T: float) -> KnownPoles | None:
    """Follow a line's poles to another one with the same stations.

    None where the lines do not compare, or a pole got lost. Each starts from its old place. One that loses its way
    (it does not settle, rises above the axis, moves far or meets another) is followed in steps, which are halved where
    it does so.
    """
    start = known.network
    if start.n != network.n or not all(
        np.array_equal(one, other)
        for one, other in (
            (start.bays.dof, network.bays.dof),
            (start.points.bottom, network.points.bottom),
            (start.points.top, network.points.top),
        )
    ):
        return None
    lines = _numbered(start, known.T), _numbered(network, T)
    found, walked = followed_poles(known.omega, known.modes, lines, False, BRISK)
    for pace in (BRISK, CAREFUL, SLOW):
        lost = np.isnan(found) | _meet(found)
        now = lost & ~walked if pace == BRISK else lost
        if now.any():
            modes = PoleModes(known.modes.seen[now], known.modes.slope[now])
            found[now], _ = followed_poles(known.omega[now], modes, lines, True, pace)
            walked |= now
    lost = np.isnan(found) | _meet(found)
    return None if lost.any() else KnownPoles(network, T, found, known.highest)


def _numbered(network: LineNetwork, T: float) -> Numbered:
    """A line as `followed_poles` is given it."""
    line, numbers = network.arguments(T)
    return *line, *numbers


def _meet(found: Complexes) -> NDArray[np.bool_]:
    """Whether another pole is the same (pole,)."""
    apart = np.abs(found[:, None] - found)
    apart[np.arange(len(found)), np.arange(len(found))] = np.inf
    return np.asarray((apart < MEETING).any(axis=1), dtype=np.bool_)

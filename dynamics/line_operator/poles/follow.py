"""Follow a line's poles to another line with the same stations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.poles.known import KnownPoles
from dynamics.line_operator.poles.modes import ALIKE, ANYHOW, BRISK, CAREFUL, SLOW, Numbered, PoleModes, followed_poles

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
    at_once, walked = followed_poles(known.omega, known.modes, lines, False, (BRISK, ANYHOW))
    _walk_again(at_once, _lost(at_once) & ~walked, known, lines, (BRISK, ANYHOW))
    # short steps find all but some, and those that are as short as modes ask for all but others
    for alike in (ALIKE, ANYHOW):
        found = at_once.copy()
        for pace in (CAREFUL, SLOW):
            _walk_again(found, _lost(found), known, lines, (pace, alike))
        if not _lost(found).any():
            return KnownPoles(network, T, found, known.highest)
    return None


def _walk_again(
    found: Complexes,
    lost: NDArray[np.bool_],
    known: KnownPoles,
    lines: tuple[Numbered, Numbered],
    walk: tuple[float, float],
) -> None:
    """Follow those that are lost in steps, and fill them in."""
    if lost.any():
        modes = PoleModes(known.modes.seen[lost], known.modes.slope[lost])
        found[lost], _ = followed_poles(known.omega[lost], modes, lines, True, walk)


def _lost(found: Complexes) -> NDArray[np.bool_]:
    """Which poles were not found, or are another one (pole,)."""
    apart = np.abs(found[:, None] - found)
    apart[np.arange(len(found)), np.arange(len(found))] = np.inf
    return np.asarray(np.isnan(found) | (apart < MEETING).any(axis=1), dtype=np.bool_)


def _numbered(network: LineNetwork, T: float) -> Numbered:
    """A line as `followed_poles` is given it."""
    line, numbers = network.arguments(T)
    return *line, *numbers

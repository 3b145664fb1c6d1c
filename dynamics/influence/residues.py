r"""Residues of a cell's answers at its poles, each a product of what rises and what causes it.

At a simple pole one wave alone answers, so that its residue is the product of the wave where it is seen and where it is
caused. Where poles meet there are as many products as waves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.influence.condensed import CondensedCell

__all__ = ["Poles", "with_residues"]

Complexes = NDArray[np.complexfloating[Any, Any]]

UNMOVED = 1.0e-6  # residues of what no force moves, over the largest
RADIUS, NODES = 0.02, 8  # of the circle about a pole, over the distance to the nearest other
ANOTHER = 1.0e-5  # of a residue's largest entry: what the circle's nodes leave, and no other wave
BYTES = 2**26  # of answers at a time


@dataclass(frozen=True)
class Poles:
    """Poles that lie below the real axis, with their residues: rise (load,) times cause (load,) of each.

    Attributes
    ----------
    theta : complex array (pole,)
        Angles, real part 0 to pi; each but those of real part 0 has a mirror image at -conj(theta). One whose residue
        is a sum of products is there as often.
    rise, cause : complex array (pole, load)
        Answers at the loads' places, and what forces of the loads give to them.
    """

    theta: Complexes
    rise: Complexes
    cause: Complexes


def with_residues(cell: CondensedCell, poles: Complexes, near: float) -> Poles | None:
    """Poles, angles a period, with their residues by sums over small circles; that of rest has the radius ``near``.

    None where a force moves what travels along the track.
    """
    others = np.concatenate([poles, -poles.conj(), [0.0]])
    gap = np.abs(poles[:, None] - others)
    gap[gap == 0.0] = 1.0
    centre, radius = np.append(poles, 0.0), np.append(RADIUS * np.minimum(1.0, gap.min(axis=1)), near)
    loads = cell.loads.shape[1]
    few = max(1, BYTES // (16 * NODES * loads**2))
    theta, rises, causes, size = [], [], [], 0.0
    for begin in range(0, len(centre), few):
        some = slice(begin, begin + few)
        residues = _residues(cell, centre[some], radius[some])
        size = max(size, float(np.abs(residues).max()))
        for pole, residue in zip(centre[some], residues, strict=True):
            if pole == 0.0:
                if np.abs(residue).max() > UNMOVED * size:
                    return None
                continue
            for rise, cause in _products(residue):
                theta.append(pole / cell.steps)
                rises.append(rise)
                causes.append(cause)
    shape = (len(theta), loads)
    return Poles(np.array(theta, np.complex128), *(np.array(x, np.complex128).reshape(shape) for x in (rises, causes)))


def _residues(cell: CondensedCell, centre: Complexes, radius: NDArray[np.float64]) -> Complexes:
    """Residues at the centres of circles, (pole, load, load)."""
    turn = np.exp(2j * np.pi * (np.arange(NODES) + 0.5) / NODES)
    circles = centre[:, None] + radius[:, None] * turn
    found = cell.answers(circles.ravel() / cell.steps)
    found = found.reshape(*circles.shape, *found.shape[1:])
    return np.einsum("pnab,pn->pab", found, turn * (radius / (NODES * cell.steps))[:, None])


def _products(residue: Complexes) -> list[tuple[Complexes, Complexes]]:
    """Columns and rows whose products are a residue, from its largest entries."""
    found, rest = [], residue
    least = ANOTHER * np.abs(residue).max()
    while len(found) < len(residue):
        size = np.abs(rest)
        row, column = np.unravel_index(int(np.argmax(size)), size.shape)
        if size[row, column] <= least:
            break
        rise, cause = rest[:, column] / rest[row, column], rest[row]
        found.append((rise, cause))
        rest = rest - np.outer(rise, cause)
    return found

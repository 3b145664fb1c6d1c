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

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

UNMOVED = 1.0e-6  # residues of what no force moves, over the largest
RADIUS, NODES = 0.02, 8  # of the circle about a pole, over the distance to the nearest other
ANOTHER = 1.0e-5  # of the largest answer of probes: what the circle's nodes leave, and no other wave
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


def with_residues(cell: CondensedCell, poles: Complexes, near: float, probes: tuple[Floats, Floats]) -> Poles | None:
    """Those of ``poles``, angles a period, that lie below the axis, with their residues.

    Residues are sums over circles, small compared with the distance to any other pole; that of rest has the radius
    ``near``. Each comes from what moves under ``probes`` (key dof, probe), loads and, for the opposite way, places that
    see every wave. None where a force moves what travels along the track.
    """
    others = np.concatenate([poles, -poles.conj(), [0.0]])
    poles = poles[poles.imag < 0.0]
    gap = np.abs(poles[:, None] - others)
    gap[gap == 0.0] = 1.0
    radius = RADIUS * np.minimum(1.0, gap.min(axis=1))
    few = max(1, BYTES // (32 * NODES * probes[0].size))
    theta, rises, causes, size = [], [], [], 0.0
    for begin in range(0, len(poles), few):
        some = slice(begin, begin + few)
        circles, weight = _circles(cell, poles[some], radius[some])
        motion, opposite = (
            np.einsum("pnax,pn->pax", x.reshape(*circles.shape, *x.shape[1:]), weight, optimize=True)
            for x in cell.motions(circles.ravel(), *probes)
        )
        for pole, *columns in zip(poles[some], motion, opposite, strict=True):
            for rise, cause in _products(cell, probes[1], *columns):
                theta.append(pole / cell.steps)
                rises.append(rise)
                causes.append(cause)
                size = max(size, float(np.abs(rise).max() * np.abs(cause).max()))
    circle, weight = _circles(cell, np.zeros(1, np.complex128), np.array([near]))
    if np.abs(np.einsum("nab,n->ab", cell.answers(circle[0]), weight[0])).max() > UNMOVED * size:
        return None
    shape = (len(theta), cell.loads.shape[1])
    return Poles(np.array(theta, np.complex128), *(np.array(x, np.complex128).reshape(shape) for x in (rises, causes)))


def _circles(cell: CondensedCell, centre: Complexes, radius: Floats) -> tuple[Complexes, Complexes]:
    """Angles on circles about the centres, and their weights in the residue (pole, node)."""
    turn = np.exp(2j * np.pi * (np.arange(NODES) + 0.5) / NODES).astype(np.complex128)
    turned = radius[:, None] * turn
    return (centre[:, None] + turned) / cell.steps, turned / (NODES * cell.steps)


def _products(
    cell: CondensedCell, left: Floats, motion: Complexes, opposite: Complexes
) -> list[tuple[Complexes, Complexes]]:
    """Columns and rows whose products are a residue, from some of its columns and, opposite, rows."""
    rise, cause = cell.loads.T @ motion, cell.loads.T @ opposite
    U, size, V = np.linalg.svd(left.T @ motion)
    return [
        (rise @ V[k].conj() / size[k], cause @ U[:, k].conj()) for k in range(len(size)) if size[k] > ANOTHER * size[0]
    ]

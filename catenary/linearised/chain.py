"""A chain of identical span cells as one sparse stiffness matrix, for statics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array

from catenary.linearised.cell import VerticalCell

__all__ = ["AXIAL_HOLD", "chain_stiffness", "held_along"]

# nothing but its far ends holds an infinite line along the track; in statics they are held this softly [N/m]
AXIAL_HOLD = 1.0e3


def chain_stiffness(cell: VerticalCell, spans: int) -> csc_array:
    """Assemble the stiffness of ``spans`` cells and the support that closes them, messenger supports included.

    Row ``c * n_dof + i`` is dof i of cell c; the closing interface comes last.
    """
    n, ni, K = cell.n_dof, cell.n_interface, cell.stiffness
    support = cell.equilibrium.spec.support.messenger_stiffness
    blocks = []

    def add(block: NDArray[np.float64], row: int, col: int) -> None:
        i, j = np.nonzero(block)
        blocks.append((i + row, j + col, block[i, j]))

    for c in range(spans):
        own = K.own.copy()
        if c == 0:
            own[:ni, :ni] = K.interface_right
        own[cell.support_dof, cell.support_dof] += support
        add(own, c * n, c * n)
        add(K.next, c * n, (c + 1) * n)
        add(K.next.T, (c + 1) * n, c * n)
    last = K.interface_left.copy()
    last[cell.support_dof[0], cell.support_dof[0]] += support
    add(last, spans * n, spans * n)
    rows, cols, values = (np.concatenate(x) for x in zip(*blocks, strict=True))
    size = spans * n + ni
    return csc_array(coo_array((values, (rows, cols)), shape=(size, size)))


def held_along(cell: VerticalCell, stiffness: csc_array, spans: int) -> csc_array:
    """Hold both ends of a chain softly along the track."""
    along = np.array([dof for dof, _ in cell.wire_ends])[1::2]
    at = np.concatenate([along, cell.n_dof * spans + along])
    hold = coo_array((np.full(len(at), AXIAL_HOLD), (at, at)), shape=stiffness.shape)
    return csc_array(stiffness + csc_array(hold))

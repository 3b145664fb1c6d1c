"""A chain of identical span cells as one sparse stiffness matrix, for statics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array

from catenary.linearised.cell import VerticalCell
from catenary.linearised.cell_parts.blocks import CellMatrix

__all__ = ["AXIAL_HOLD", "chain_matrix", "chain_stiffness", "held_along"]

# nothing but its far ends holds an infinite line along the track; in statics they are held this softly [N/m]
AXIAL_HOLD = 1.0e3
Coordinates = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def chain_stiffness(cell: VerticalCell, spans: int) -> csc_array:
    """Assemble the stiffness of ``spans`` cells and the support that closes them, messenger supports included.

    Row ``c * n_dof + i`` is dof i of cell c; the closing interface comes last.
    """
    K, support = cell.stiffness, cell.equilibrium.spec.support.messenger_stiffness
    own, before, beyond = K.own.copy(), K.interface_left.copy(), K.interface_right.copy()
    own[cell.support_dof, cell.support_dof] += support
    for block in (before, beyond):
        block[cell.support_dof[0], cell.support_dof[0]] += support
    return chain_matrix(CellMatrix(own, K.next, before, beyond), spans)


def chain_matrix(operator: CellMatrix, spans: int) -> csc_array:
    """Assemble an operator of ``spans`` cells and of the interface that closes them, which comes last."""
    (n, ni), first = operator.next.shape, operator.own.copy()
    first[:ni, :ni] = operator.interface_right  # nothing lies before the first cell
    each = np.arange(spans) * n
    parts = [
        _repeated(first, each[:1], each[:1]),
        _repeated(operator.own, each[1:], each[1:]),
        _repeated(operator.next, each, each + n),
        _repeated(operator.next.T, each + n, each),
        _repeated(operator.interface_left, each[-1:] + n, each[-1:] + n),
    ]
    rows, cols, values = (np.concatenate(x) for x in zip(*parts, strict=True))
    size = spans * n + ni
    return csc_array(coo_array((values, (rows, cols)), shape=(size, size)))


def _repeated(block: NDArray[np.float64], rows: NDArray[np.int64], cols: NDArray[np.int64]) -> Coordinates:
    """Coordinates and values of a block that stands at several places."""
    i, j = np.nonzero(block)
    return (rows[:, None] + i).ravel(), (cols[:, None] + j).ravel(), np.tile(block[i, j], len(rows))


def held_along(cell: VerticalCell, stiffness: csc_array, spans: int) -> csc_array:
    """Hold both ends of a chain softly along the track."""
    along = np.array([dof for dof, _ in cell.wire_ends])[1::2]
    at = np.concatenate([along, cell.n_dof * spans + along])
    hold = coo_array((np.full(len(at), AXIAL_HOLD), (at, at)), shape=stiffness.shape)
    return csc_array(stiffness + csc_array(hold))

"""One operator of a span cell, block tridiagonal over spans, and how its parts are collected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CellBlocks", "CellMatrix"]


@dataclass(frozen=True)
class CellMatrix:
    """One operator of a span cell: block tridiagonal over spans.

    Attributes
    ----------
    own : float array (dof, dof)
        Couples the cell with itself; its interface block holds all elements on both sides of the support.
    next : float array (dof, interface)
        Couples the cell with the interface of the next one.
    interface_left, interface_right : float array (interface, interface)
        Share of the interface block from the elements before and beyond the support.
    """

    own: NDArray[np.float64]
    next: NDArray[np.float64]
    interface_left: NDArray[np.float64]
    interface_right: NDArray[np.float64]


class CellBlocks:
    """Collects the parts of one cell operator; what falls on dof -1 (held) is dropped.

    A cell of several spans has some thousand dofs: no place is touched where nothing falls.
    """

    def __init__(self, n: int, n_interface: int) -> None:
        self.own, self.next = np.zeros((n, n)), np.zeros((n, n_interface))
        self.left = np.zeros((n_interface, n_interface))

    def elements(self, blocks: NDArray[np.float64], dof: NDArray[np.int64], over: NDArray[np.bool_]) -> None:
        """Add element blocks (elem, 4, 4); the second node of an element in ``over`` is the next cell's."""
        inside = ~over
        _add(self.own, dof[inside][:, :, None], dof[inside][:, None, :], blocks[inside])
        for d, block in zip(dof[over], blocks[over], strict=True):
            self.block(block, d, np.array([False, False, True, True]))

    def block(self, block: NDArray[np.float64], dof: NDArray[np.int64], beyond: NDArray[np.bool_]) -> None:
        """Add one block whose dofs marked ``beyond`` are the next cell's."""
        if not beyond.any():
            _add(self.own, dof[:, None], dof, block)
            return
        here, there = dof[~beyond], dof[beyond]
        _add(self.own, here[:, None], here, block[np.ix_(~beyond, ~beyond)])
        _add(self.next, here[:, None], there, block[np.ix_(~beyond, beyond)])
        _add(self.left, there[:, None], there, block[np.ix_(beyond, beyond)])

    def entries(self, rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Add single entries (entry,) of the cell itself."""
        _add(self.own, rows, columns, values)

    def matrix(self) -> CellMatrix:
        """Close the cell: its interface block takes the elements on both sides of the support."""
        i = slice(0, len(self.left))
        right = self.own[i, i].copy()
        self.own[i, i] += self.left
        return CellMatrix(self.own, self.next, self.left, right)


def _add(
    matrix: NDArray[np.float64], rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64]
) -> None:
    """Add values at places of a matrix, but for those of dof -1, in their order."""
    at, across, each = np.broadcast_arrays(rows, columns, values)
    kept = (at >= 0) & (across >= 0)
    np.add.at(matrix, (at[kept], across[kept]), each[kept])

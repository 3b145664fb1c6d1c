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
    """Collects the parts of one cell operator; what falls on dof -1 (held) lands in a last row and is dropped."""

    def __init__(self, n: int, n_interface: int) -> None:
        self.own, self.next, self.left = np.zeros((3, n + 1, n + 1))
        self.n, self.ni = n, n_interface

    def elements(self, blocks: NDArray[np.float64], dof: NDArray[np.int64], over: NDArray[np.bool_]) -> None:
        """Add element blocks (elem, 4, 4); the second node of an element in ``over`` is the next cell's."""
        inside = ~over
        np.add.at(self.own, (dof[inside][:, :, None], dof[inside][:, None, :]), blocks[inside])
        for d, block in zip(dof[over], blocks[over], strict=True):
            self.block(block, d, np.array([False, False, True, True]))

    def block(self, block: NDArray[np.float64], dof: NDArray[np.int64], beyond: NDArray[np.bool_]) -> None:
        """Add one block whose dofs marked ``beyond`` are the next cell's."""
        if not beyond.any():
            np.add.at(self.own, (dof[:, None], dof), block)
            return
        here, there = dof[~beyond], dof[beyond]
        np.add.at(self.own, (here[:, None], here), block[np.ix_(~beyond, ~beyond)])
        np.add.at(self.next, (here[:, None], there), block[np.ix_(~beyond, beyond)])
        np.add.at(self.left, (there[:, None], there), block[np.ix_(beyond, beyond)])

    def entries(self, rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Add single entries (entry,) of the cell itself."""
        np.add.at(self.own, (rows, columns), values)

    def matrix(self) -> CellMatrix:
        """Close the cell: its interface block takes the elements on both sides of the support."""
        i, n = slice(0, self.ni), slice(0, self.n)
        right = self.own[i, i].copy()
        self.own[i, i] += self.left[i, i]
        own, onward = (np.ascontiguousarray(x) for x in (self.own[n, n], self.next[n, i]))
        return CellMatrix(own, onward, self.left[i, i].copy(), right)

"""A cell's elements times what each entry of an operator does to a figure: no operator of the cell is assembled."""

from __future__ import annotations

import numpy as np

from catenary.linearised.cell_parts.blocks import CellBlocks
from dynamics.travelling_window.layout import Floats, Ints

__all__ = ["CellProducts"]


class CellProducts(CellBlocks):
    """Takes what a cell's operator is collected from, and sums its products with weights instead.

    Parameters
    ----------
    weights : tuple of float array (dof, dof)
        What entries do: those among the cell's dofs, from these to the next interface, and of that interface; a last
        row and column of zeros stand for dofs that are held.

    Attributes
    ----------
    total : float
    """

    def __init__(self, weights: tuple[Floats, ...]) -> None:
        self.own, self.next, self.left = weights
        self.total = 0.0

    def elements(self, blocks: Floats, dof: Ints, over: np.ndarray) -> None:
        """Take element blocks (elem, 4, 4); the second node of an element in ``over`` is the next cell's."""
        inside = ~over
        at = dof[inside]
        self.total += float((self.own[at[:, :, None], at[:, None, :]] * blocks[inside]).sum())
        for d, block in zip(dof[over], blocks[over], strict=True):
            self.block(block, d, np.array([False, False, True, True]))

    def block(self, block: Floats, dof: Ints, beyond: np.ndarray) -> None:
        """Take one block whose dofs marked ``beyond`` are the next cell's."""
        if not beyond.any():
            self.total += float((self.own[dof[:, None], dof] * block).sum())
            return
        here, there = dof[~beyond], dof[beyond]
        self.total += float((self.own[here[:, None], here] * block[np.ix_(~beyond, ~beyond)]).sum())
        self.total += float((self.next[here[:, None], there] * block[np.ix_(~beyond, beyond)]).sum())
        self.total += float((self.left[there[:, None], there] * block[np.ix_(beyond, beyond)]).sum())

    def entries(self, rows: Ints, columns: Ints, values: Floats) -> None:
        """Take single entries (entry,) of the cell itself."""
        self.total += float((self.own[rows, columns] * values).sum())

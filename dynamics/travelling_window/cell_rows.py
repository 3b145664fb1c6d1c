"""Operators of a span cell as lists of terms by row, as the compiled march reads them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.linearised.cell import VerticalCell
from catenary.linearised.cell_parts.blocks import CellMatrix
from dynamics.linear_algebra.vector_rows import TERMS, Rows
from dynamics.travelling_window.layout import Ints, Places, Product, RowList

__all__ = ["dropper_rows", "entries", "product_rows", "row_lists"]

Block = tuple[Ints, Ints, Rows]


def row_lists(n: int, *blocks: Block, order: int = 1) -> RowList:
    """Rows (start, column, value) of a sum of coordinate blocks, columns rising or (order -1) falling.

    Every row is filled up to a multiple of TERMS with zeros, which come first.
    """
    rows, cols, values = (np.concatenate(x) for x in zip(*blocks, strict=True))
    by = np.lexsort((order * cols, rows))
    count = np.bincount(rows, minlength=n)
    full = -(-count // TERMS) * TERMS
    end = np.cumsum(full)
    at = np.arange(len(rows)) + np.repeat(end - np.cumsum(count), count)
    column, value = np.zeros(end[-1], np.int64), np.zeros(end[-1])
    column[at], value[at] = cols[by], values[by]
    return RowList(np.concatenate([[0], end]), column, value)


def entries(A: NDArray[np.float64], rows: int = 0, cols: int = 0) -> Places:
    """Coordinates and values of the nonzeros of a block that stands at (rows, cols)."""
    at = np.flatnonzero(A != 0.0)  # a tenth of the time that numpy's nonzero takes on a matrix of numbers
    i, j = np.divmod(at, A.shape[1])
    return Places(i + rows, j + cols, A[i, j])


def dropper_rows(cell: VerticalCell) -> RowList:
    """Stretch of every dropper, as row lists for the kernel."""
    return row_lists(len(cell.dropper_dof), entries(cell.dropper_operator().T))


def product_rows(cell: VerticalCell, M: CellMatrix) -> Product:
    """Products with an operator of the cell, as row lists for the kernel."""
    n, ni = cell.n_dof, cell.n_interface
    own = entries(M.own)
    here = (own.row < ni) | (own.column >= ni)
    rows = row_lists(
        n,
        Places(own.row[here], own.column[here], own.value[here]),
        entries(M.own[ni:, :ni], ni, n + ni),
        entries(M.next[ni:], ni, n),
        entries(np.eye(ni), 0, n + 2 * ni),
    )
    # rows of as many terms one after the other, so that the processor foresees where each ends
    order = np.argsort(np.diff(rows[0]), kind="stable")
    return Product(rows, order, entries(M.next[ni:].T, 0, ni), M.interface_left, M.interface_right)

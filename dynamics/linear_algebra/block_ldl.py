"""L D L^T of a symmetric positive definite banded matrix, solved for in blocks of six rows: a node in space.

Row by row, each row waits for the one before, and loads overlap what was just stored; with six rows known at a time,
those that follow are updated as vectors, at the speed of the cache.

Columns of unit lower L: ``inside[block, :]`` below the diagonal of a block's own six rows, row by row, and
``below[block, c, j]`` of column c in row j after the block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from catenary.kernels.compiled import kernel
from dynamics.linear_algebra.banded_ldl import banded_ldl, farthest_felt

__all__ = ["BlockFactor", "block_ldl", "block_reach", "block_solve", "rows_near"]

Floats = NDArray[np.float64]
ROWS = 6
# half bandwidths that have a loop of their own, with a length known to the compiler (planar, spatial, stitched)
WIDTHS = (12, 18, 24, 36)
_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


class BlockFactor(NamedTuple):
    """``inside`` (block, 15), ``below`` (block, 6, half bandwidth) and 1 / D ``inverse`` (row,)."""

    inside: Floats
    below: Floats
    inverse: Floats


def block_ldl(A: csr_array) -> BlockFactor:
    """Factor a symmetric positive definite sparse matrix in its own order.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is not positive definite.
    """
    rows = banded_ldl(A)
    n, half = rows.low.shape
    width, blocks = next((w for w in WIDTHS if w >= half), half), -(-n // ROWS)
    low = np.zeros((ROWS * blocks, half))
    low[:n] = rows.low
    inside, below = np.zeros((blocks, ROWS * (ROWS - 1) // 2)), np.zeros((blocks, ROWS, width))
    for c in range(ROWS):
        for k in range(half):
            row, column = c + 1 + k, low[c::ROWS, k]
            if row < ROWS:
                inside[:, _place(row, c)] = column
            else:
                below[:, c, row - ROWS] = column
    return BlockFactor(inside, below, rows.inverse)


@kernel(**_OPTIONS)
def _place(row, column):
    """Place of an entry among those below the diagonal of a block."""
    return row * (row - 1) // 2 + column


@kernel(**_OPTIONS)
def _entry(factor, row, column):
    """Entry of L below its diagonal."""
    block, c = column // ROWS, column % ROWS
    at = row - ROWS * block
    return factor.inside[block, _place(at, c)] if at < ROWS else factor.below[block, c, at - ROWS]


@kernel(**_OPTIONS)
def _solve(factor, x, first, last, width):
    """Solve for rows from a block's first one to ``last``; the last ones, whose columns are cut there, one by one."""
    inside, below, inverse = factor
    begin, whole = first // ROWS, max(first // ROWS, (last - width) // ROWS)
    for block in range(begin, whole):
        i, d, low = ROWS * block, inside[block], below[block]
        a = x[i]
        b = x[i + 1] - d[0] * a
        c = x[i + 2] - d[1] * a - d[2] * b
        e = x[i + 3] - d[3] * a - d[4] * b - d[5] * c
        f = x[i + 4] - d[6] * a - d[7] * b - d[8] * c - d[9] * e
        g = x[i + 5] - d[10] * a - d[11] * b - d[12] * c - d[13] * e - d[14] * f
        x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5] = b, c, e, f, g
        for j in range(width):
            taken = low[0, j] * a + low[1, j] * b + low[2, j] * c + low[3, j] * e + low[4, j] * f + low[5, j] * g
            x[i + ROWS + j] -= taken
    _solve_last_rows(factor, x, ROWS * whole, last, width)
    for block in range(whole - 1, begin - 1, -1):
        i, d, low = ROWS * block, inside[block], below[block]
        a, b, c = x[i] * inverse[i], x[i + 1] * inverse[i + 1], x[i + 2] * inverse[i + 2]
        e, f, g = x[i + 3] * inverse[i + 3], x[i + 4] * inverse[i + 4], x[i + 5] * inverse[i + 5]
        for j in range(width):
            y = x[i + ROWS + j]
            a -= low[0, j] * y
            b -= low[1, j] * y
            c -= low[2, j] * y
            e -= low[3, j] * y
            f -= low[4, j] * y
            g -= low[5, j] * y
        f -= d[14] * g
        e -= d[9] * f + d[13] * g
        c -= d[5] * e + d[8] * f + d[12] * g
        b -= d[2] * c + d[4] * e + d[7] * f + d[11] * g
        a -= d[0] * b + d[1] * c + d[3] * e + d[6] * f + d[10] * g
        x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5] = a, b, c, e, f, g


@kernel(**_OPTIONS)
def _solve_last_rows(factor, x, first, last, width):
    """Forward and backward solution of the rows from ``first`` to ``last``, which nothing follows."""
    for i in range(first, last):
        for row in range(i + 1, min(last, ROWS * (i // ROWS + 1) + width)):
            x[row] -= _entry(factor, row, i) * x[i]
    for i in range(last - 1, first - 1, -1):
        total = x[i] * factor.inverse[i]
        for row in range(i + 1, min(last, ROWS * (i // ROWS + 1) + width)):
            total -= _entry(factor, row, i) * x[row]
        x[i] = total


def _solver(width: int) -> Callable[[BlockFactor, Floats, int, int], None]:
    """Kernel for one half bandwidth."""

    @kernel(**_OPTIONS)
    def solve(factor, x, first, last):
        _solve(factor, x, first, last, width)

    return solve


_solve_12, _solve_18, _solve_24, _solve_36 = (_solver(width) for width in WIDTHS)


@kernel(**_OPTIONS)
def block_solve(factor: BlockFactor, x: Floats, first: int, last: int) -> None:
    """Solve in place over rows from a multiple of six, ``first``, to ``last``; outside them load and answer are zero.

    All rows give the solution. Fewer give it where the answer to a load has decayed below rounding at both ends, or
    where no entry couples them to the rest.
    """
    width = factor.below.shape[2]
    if width == 12:
        _solve_12(factor, x, first, last)
    elif width == 18:
        _solve_18(factor, x, first, last)
    elif width == 24:
        _solve_24(factor, x, first, last)
    elif width == 36:
        _solve_36(factor, x, first, last)
    else:
        _solve(factor, x, first, last, width)


@kernel(**_OPTIONS)
def rows_near(first: int, last: int, reach: int, n: int) -> tuple[int, int]:
    """Rows of whole blocks, of ``n`` in all, in which loads on rows ``first`` to ``last`` are felt."""
    return max(0, first - reach) // ROWS * ROWS, min(n, last + reach)


def block_reach(factor: BlockFactor, loaded: Iterable[int]) -> int:
    """Rows away from a load at which the answer is below rounding: the most for unit loads on the rows ``loaded``."""
    n = factor.inverse.size
    return farthest_felt(lambda x: block_solve(factor, x, 0, n), n, loaded)

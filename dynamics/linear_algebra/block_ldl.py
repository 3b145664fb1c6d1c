"""Factor of a symmetric positive definite banded matrix in blocks of rows, six at most: a node in space.

A = G P G^T with P of diagonal blocks and G lower, its diagonal blocks those of the unit matrix: no row of a block waits
for the one before. A block ends early where its columns would reach farther than the width that all blocks share, as at
a node of which a coordinate is held: blocks of whole nodes reach over fewer rows than blocks that begin anywhere.

G is kept twice, once as either direction of a solution reads it, from the first number to the last: a factor that is
larger than the cache is then asked for before it is needed, and nothing is added up across a vector.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from catenary.kernels.compiled import kernel
from dynamics.linear_algebra.banded_ldl import ROUNDING, BandedFactor, banded_ldl, farthest_felt
from dynamics.linear_algebra.block_products import ROWS, put_product, read_ahead, take_product

__all__ = ["BlockFactor", "block_ldl", "block_reach", "block_solve", "rows_near"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# numbers ahead of the one in use that are asked for: those of some twenty blocks
AHEAD = 48 * ROWS**2
_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


class BlockFactor(NamedTuple):
    """Blocks of rows and what is kept of each; a short block has zeros for the rows and columns that it lacks.

    ``start`` (block + 1,) first rows, the number of rows last; ``short`` those of fewer than six; ``below`` (block, 6,
    width) columns of G in the rows after the block, the width a multiple of six; ``back`` (block, 6 + width, 6), the
    last block first: its block of P inverse, and its columns of G again, by rows.
    """

    start: Ints
    short: Ints
    below: Floats
    back: Floats


def block_ldl(A: csr_array) -> BlockFactor:
    """Factor a symmetric positive definite sparse matrix in its own order.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is not positive definite.
    """
    rows = banded_ldl(A)
    width, start = _blocks(rows)
    size, n, half = np.diff(start)[:, None], *rows.low.shape
    c, j = np.arange(ROWS), np.arange(width)
    low = np.zeros((n + ROWS, max(half, width + ROWS)))
    low[:n, :half] = rows.low
    pivots = np.zeros(n + ROWS)
    pivots[:n] = rows.inverse
    column, own = start[:-1, None] + c, c < size
    # L within a block: row, column; that below it: column, row
    row, col = np.tril_indices(ROWS, -1)
    inside = np.tile(np.eye(ROWS), (len(size), 1, 1))
    inside[:, row, col] = np.where(row < size, low[column[:, col], row - col - 1], 0.0)
    place = np.maximum(size[:, :, None] + j - c[:, None] - 1, 0)
    below = np.where(own[:, :, None], low[column[:, :, None], place], 0.0)
    back = np.asarray(np.linalg.inv(inside), dtype=np.float64)
    inverse = np.swapaxes(back, 1, 2) @ (np.where(own, pivots[column], 0.0)[:, :, None] * back)
    short = np.flatnonzero(size[:, 0] < ROWS)
    below = np.ascontiguousarray(np.swapaxes(back, 1, 2) @ below)
    both = np.concatenate([inverse, np.swapaxes(below, 1, 2)], axis=1)
    return BlockFactor(start, short, below, np.ascontiguousarray(both[::-1]))


def _blocks(rows: BandedFactor) -> tuple[int, Ints]:
    """Width of the blocks that keep fewest numbers, and their first rows."""
    half = rows.low.shape[1]
    filled = rows.low[:, ::-1] != 0.0
    ahead = np.where(filled.any(axis=1), half - np.argmax(filled, axis=1), 0)
    most = int(ahead.max(initial=0))
    # half as wide as the farthest column at least, or no block would be whole
    widths = range(ROWS * (most // (2 * ROWS) + 1), max(most, 1) + ROWS, ROWS)
    found: list[tuple[int, int, Ints]] = []
    for width in widths:
        kept = ROWS * (2 * width + ROWS)
        if found and -(-len(ahead) // ROWS) * kept >= min(each[0] for each in found):
            break  # not even blocks that are all whole would keep fewer
        start = _starts(ahead, width)
        if start is not None:
            found.append(((len(start) - 1) * kept, width, start))
    return min(found, key=lambda each: each[0])[1:]


def _starts(ahead: Ints, width: int) -> Ints | None:
    """First rows of blocks as long as may be, by how far each row's column reaches; None where no such blocks exist."""
    n = len(ahead)
    size, farthest = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for c in range(ROWS):
        inside = n - c
        if inside <= 0:
            break
        farthest[:inside] = np.maximum(farthest[:inside], c + ahead[c:])
        size[:inside] = np.where(farthest[:inside] <= c + width, c + 1, size[:inside])
    start, sizes = [0], size.tolist()
    while start[-1] < n:
        if sizes[start[-1]] == 0:
            return None
        start.append(start[-1] + sizes[start[-1]])
    return np.array(start)


@kernel(**_OPTIONS)
def _forward(factor, x, begin, end):
    """Take the answers of whole blocks off the rows that follow."""
    below, first = factor.below, factor.start[begin]
    width = below.shape[2]
    for block in range(begin, end):
        i, at = first + ROWS * (block - begin), block * ROWS * width
        for k in range(0, width, ROWS):
            read_ahead(below, at + ROWS * k + AHEAD)
            take_product(below, at + k, width, x, i, i + ROWS + k)


@kernel(**_OPTIONS)
def _backward(factor, x, begin, end):
    """Solve for whole blocks, the last one first."""
    back, first = factor.back, factor.start[begin]
    blocks, width = back.shape[0], back.shape[1] - ROWS
    for block in range(end - 1, begin - 1, -1):
        i, at = first + ROWS * (block - begin), (blocks - 1 - block) * ROWS * (ROWS + width)
        read_ahead(back, at + AHEAD)
        put_product(back, at, ROWS, x, i, i)
        # what was found last is needed last
        for k in range(width, 0, -ROWS):
            read_ahead(back, at + ROWS * k + AHEAD)
            take_product(back, at + ROWS * k, ROWS, x, i + k, i)


@kernel(**_OPTIONS)
def _short_forward(factor, x, block, last):
    """Take off the answer of a block that is short, or one of whose columns reaches beyond ``last``."""
    first, end, low = factor.start[block], factor.start[block + 1], factor.below[block]
    for c in range(end - first):
        for j in range(min(low.shape[1], last - end)):
            x[end + j] -= low[c, j] * x[first + c]


@kernel(**_OPTIONS)
def _short_backward(factor, x, block, last):
    """Solve for a block that is short, or one of whose columns reaches beyond ``last``."""
    first, end, back = factor.start[block], factor.start[block + 1], factor.back[factor.back.shape[0] - 1 - block]
    found = np.zeros(ROWS)
    for c in range(end - first):
        for d in range(end - first):
            found[c] += back[d, c] * x[first + d]
        for j in range(min(back.shape[0] - ROWS, last - end)):
            found[c] -= back[ROWS + j, c] * x[end + j]
    for c in range(end - first):
        x[first + c] = found[c]


@kernel(**_OPTIONS)
def block_solve(factor: BlockFactor, x: Floats, first: int, last: int) -> None:
    """Solve in place over rows from a block's first one to another's; outside them load and answer are zero.

    All rows give the solution. Fewer give it where the answer to a load has decayed below rounding at both ends, or
    where no entry couples them to the rest.
    """
    start, short = factor.start, factor.short
    begin, end = np.searchsorted(start, first), np.searchsorted(start, last)
    # from here on columns reach beyond the last row
    inner = max(begin, np.searchsorted(start, last - factor.below.shape[2], side="right") - 1)
    one, other = np.searchsorted(short, begin), np.searchsorted(short, inner)
    at = begin
    for k in range(one, other):
        _forward(factor, x, at, short[k])
        _short_forward(factor, x, short[k], last)
        at = short[k] + 1
    _forward(factor, x, at, inner)
    for block in range(inner, end):
        _short_forward(factor, x, block, last)
    for block in range(end - 1, inner - 1, -1):
        _short_backward(factor, x, block, last)
    at = inner
    for k in range(other - 1, one - 1, -1):
        _backward(factor, x, short[k] + 1, at)
        _short_backward(factor, x, short[k], last)
        at = short[k]
    _backward(factor, x, begin, at)


@kernel(**_OPTIONS)
def rows_near(factor: BlockFactor, first: int, last: int, reach: int) -> tuple[int, int]:
    """Rows of whole blocks in which loads on rows ``first`` to ``last`` are felt."""
    start = factor.start
    n = start[start.size - 1]
    begin = np.searchsorted(start, max(0, first - reach), side="right") - 1
    return int(start[begin]), int(start[np.searchsorted(start, min(n, last + reach))])


def block_reach(factor: BlockFactor, loaded: Iterable[int], share: float = ROUNDING) -> int:
    """Rows away from a load at which the answer is below a share: the most for unit loads on the rows ``loaded``."""
    n = int(factor.start[-1])
    return farthest_felt(lambda x: block_solve(factor, x, 0, n), n, loaded, share)

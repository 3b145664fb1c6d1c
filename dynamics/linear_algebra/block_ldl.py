"""Factor of a symmetric positive definite banded matrix in blocks of rows, six at most: a node in space.

A = G P G^T with P of diagonal blocks and G lower, its diagonal blocks those of the unit matrix: no row of a block waits
for the one before, and rows that follow are updated as vectors, at the speed of the cache. A block ends early where its
columns would reach farther than the width that all blocks share, as at a node of which a coordinate is held: blocks of
whole nodes reach over fewer rows than blocks that begin anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from catenary.kernels.compiled import Kernel, kernel
from dynamics.linear_algebra.banded_ldl import ROUNDING, BandedFactor, banded_ldl, farthest_felt

__all__ = ["BlockFactor", "block_ldl", "block_reach", "block_solve", "rows_near"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROWS = 6
# of the packed triangle of a symmetric block
PACKED = ROWS * (ROWS + 1) // 2
# widths that have a loop of their own, with a length known to the compiler (simple lines, stitched and compound ones)
WIDTHS = (12, 18, 24, 36)
_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


class BlockFactor(NamedTuple):
    """Blocks of rows and what is kept of each; a short block has zeros for the rows and columns that it lacks.

    ``start`` (block + 1,) first rows, the number of rows last; ``short`` those of fewer than six; ``below`` (block, 6,
    width) columns of G in the rows after the block; ``inverse`` (block, 21) lower triangle of its block of P inverse,
    row by row.
    """

    start: Ints
    short: Ints
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
    return BlockFactor(start, short, np.swapaxes(back, 1, 2) @ below, inverse[:, *np.tril_indices(ROWS)])


def _blocks(rows: BandedFactor) -> tuple[int, Ints]:
    """Width of the blocks that keep fewest numbers, and their first rows."""
    half = rows.low.shape[1]
    filled = rows.low[:, ::-1] != 0.0
    ahead = np.where(filled.any(axis=1), half - np.argmax(filled, axis=1), 0)
    most = int(ahead.max(initial=0))
    widths = [width for width in WIDTHS if 2 * width > most] + [most] * (most > WIDTHS[-1])
    found: list[tuple[int, int, Ints]] = []
    for width in widths:
        kept = ROWS * width + PACKED
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


def _forward(width: int) -> Kernel:
    """Kernel that takes the answers of whole blocks off the rows that follow; any width is meant by 0."""

    @kernel(**_OPTIONS)
    def forward(factor, x, begin, end):
        below, first = factor.below, factor.start[begin]
        for block in range(begin, end):
            i, low = first + ROWS * (block - begin), below[block]
            a, b, c, e, f, g = x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5]
            for j in range(width or below.shape[2]):
                taken = low[0, j] * a + low[1, j] * b + low[2, j] * c + low[3, j] * e + low[4, j] * f + low[5, j] * g
                x[i + ROWS + j] -= taken

    return forward


def _backward(width: int) -> Kernel:
    """Kernel that solves for whole blocks, the last one first; any width is meant by 0."""

    @kernel(**_OPTIONS)
    def backward(factor, x, begin, end):
        below, inverse, first = factor.below, factor.inverse, factor.start[begin]
        for block in range(end - 1, begin - 1, -1):
            i, low, p = first + ROWS * (block - begin), below[block], inverse[block]
            s, t, u, v, w, y = x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5]
            a = p[0] * s + p[1] * t + p[3] * u + p[6] * v + p[10] * w + p[15] * y
            b = p[1] * s + p[2] * t + p[4] * u + p[7] * v + p[11] * w + p[16] * y
            c = p[3] * s + p[4] * t + p[5] * u + p[8] * v + p[12] * w + p[17] * y
            e = p[6] * s + p[7] * t + p[8] * u + p[9] * v + p[13] * w + p[18] * y
            f = p[10] * s + p[11] * t + p[12] * u + p[13] * v + p[14] * w + p[19] * y
            g = p[15] * s + p[16] * t + p[17] * u + p[18] * v + p[19] * w + p[20] * y
            for j in range(width or below.shape[2]):
                z = x[i + ROWS + j]
                a -= low[0, j] * z
                b -= low[1, j] * z
                c -= low[2, j] * z
                e -= low[3, j] * z
                f -= low[4, j] * z
                g -= low[5, j] * z
            x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5] = a, b, c, e, f, g

    return backward


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
    first, end, low, p = factor.start[block], factor.start[block + 1], factor.below[block], factor.inverse[block]
    found = np.empty(ROWS)
    for c in range(end - first):
        found[c] = 0.0
        for d in range(end - first):
            found[c] += p[max(c, d) * (max(c, d) + 1) // 2 + min(c, d)] * x[first + d]
        for j in range(min(low.shape[1], last - end)):
            found[c] -= low[c, j] * x[end + j]
    for c in range(end - first):
        x[first + c] = found[c]


def _solver(width: int) -> Kernel:
    """Kernel for one width, or for any where it is 0: loops over whole blocks have no branches, which is quicker."""
    forward, backward = _forward(width), _backward(width)

    @kernel(**_OPTIONS)
    def solve(factor, x, first, last):
        start, short = factor.start, factor.short
        begin, end = np.searchsorted(start, first), np.searchsorted(start, last)
        inner = max(begin, np.searchsorted(start, last - factor.below.shape[2], side="right") - 1)
        one, other = np.searchsorted(short, begin), np.searchsorted(short, inner)
        at = begin
        for k in range(one, other):
            forward(factor, x, at, short[k])
            _short_forward(factor, x, short[k], last)
            at = short[k] + 1
        forward(factor, x, at, inner)
        for block in range(inner, end):
            _short_forward(factor, x, block, last)
        for block in range(end - 1, inner - 1, -1):
            _short_backward(factor, x, block, last)
        at = inner
        for k in range(other - 1, one - 1, -1):
            backward(factor, x, short[k] + 1, at)
            _short_backward(factor, x, short[k], last)
            at = short[k]
        backward(factor, x, begin, at)

    return solve


_solve_12, _solve_18, _solve_24, _solve_36, _solve_any = (_solver(width) for width in (*WIDTHS, 0))


@kernel(**_OPTIONS)
def block_solve(factor: BlockFactor, x: Floats, first: int, last: int) -> None:
    """Solve in place over rows from a block's first one to another's; outside them load and answer are zero.

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
        _solve_any(factor, x, first, last)


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

"""L D L^T of symmetric matrices whose rows are stored from their first entry (envelope, or skyline)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from catenary.kernels.compiled import kernel

__all__ = ["envelope_columns", "envelope_ldl", "envelope_solve", "negative_pivots"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel(error_model="numpy")
def _factor(ptr, idx, val, first, start, low, diag):
    """Factor row by row; the lower triangle of the matrix comes in compressed rows."""
    n = first.size
    for i in range(n):
        f, o = first[i], start[i] - first[i]
        diag[i] = 0.0
        for k in range(ptr[i], ptr[i + 1]):
            if idx[k] < i:
                low[o + idx[k]] = val[k]
            elif idx[k] == i:
                diag[i] = val[k]
        for j in range(f, i):
            total = low[o + j]
            p = start[j] - first[j]
            for k in range(max(f, first[j]), j):
                total -= low[o + k] * low[p + k]
            low[o + j] = total
        for j in range(f, i):
            t = low[o + j] / diag[j]
            diag[i] -= t * low[o + j]
            low[o + j] = t


@kernel()
def _subtract(B, i, factor, j):
    """Subtract a multiple of row j from row i; as a loop, since a sum of slices would make a copy each time."""
    for c in range(B.shape[1]):
        B[i, c] -= factor * B[j, c]


@kernel()
def envelope_columns(
    first: Ints, start: Ints, low: Floats, diag: Floats, B: Floats, rows: tuple[int, int, int]
) -> None:
    """Solve in place for loads whose answers have decayed outside a range of rows.

    B, float array (row, load), holds the rows ``rows[0]`` to ``rows[2]``; the loads begin at ``rows[1]``.
    """
    top, begin, end = rows
    for i in range(begin, end):
        for j in range(max(first[i], begin), i):
            _subtract(B, i - top, low[start[i] + j - first[i]], j - top)
    for i in range(begin, end):
        for c in range(B.shape[1]):
            B[i - top, c] /= diag[i]
    for i in range(end - 1, top - 1, -1):
        for j in range(max(first[i], top), i):
            _subtract(B, j - top, low[start[i] + j - first[i]], i - top)


def envelope_solve(first: Ints, start: Ints, low: Floats, diag: Floats, B: Floats) -> None:
    """Solve in place for the rows of B, float array (row, load)."""
    envelope_columns(first, start, low, diag, B, (0, 0, len(B)))


def envelope_ldl(A: csr_array, negative: int = 0) -> tuple[Ints, Ints, Floats, Floats]:
    """Factor a symmetric matrix that has ``negative`` negative eigenvalues (tensions of a mixed form), no pivoting.

    Returns
    -------
    first, start : int array (row,)
        First stored column of every row, and where the row begins in ``low``.
    low : float array
        Rows of the unit lower factor, diagonal left out.
    diag : float array (row,)
        D.

    Raises
    ------
    ValueError
        If the number of negative eigenvalues is another.
    """
    first, start, low, diag = _envelope(A)
    found = int((diag < 0.0).sum())
    if found != negative or not np.isfinite(diag).all():
        raise ValueError(
            f"the effective matrix must have {negative} negative eigenvalues, found {found}: a wire is held nowhere "
            f"or under compression"
        )
    return first, start, low, diag


def negative_pivots(A: csr_array) -> int:
    """Number of negative eigenvalues of a symmetric matrix, by Sylvester's law."""
    return int((_envelope(A)[3] < 0.0).sum())


def _envelope(A: csr_array) -> tuple[Ints, Ints, Floats, Floats]:
    """Factor as `envelope_ldl` returns it, whatever the signs of D."""
    n = A.shape[0]
    A.sort_indices()
    lead = A.indices[A.indptr[:-1]].astype(np.int64)
    first = np.minimum(lead, np.arange(n))
    start = np.concatenate([[0], np.cumsum(np.arange(n) - first)[:-1]]).astype(np.int64)
    low, diag = np.zeros(int((np.arange(n) - first).sum())), np.empty(n)
    _factor(A.indptr.astype(np.int64), A.indices.astype(np.int64), A.data, first, start, low, diag)
    return first, start, low, diag

"""Sparse matrices by rows, and their products with vectors, for compiled kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from catenary.kernels.compiled import kernel

__all__ = ["FixedRows", "SparseRows", "fixed_rows", "multiply", "multiply_fixed", "product", "sparse_rows"]

Floats = NDArray[np.float64]
Unsigned = NDArray[np.uint32]
_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}
# places of a fixed row: planar elements have no more entries in most rows
PLACES = 6


class SparseRows(NamedTuple):
    """Sparse matrix by compressed rows; unsigned indices are quicker."""

    ptr: Unsigned
    idx: Unsigned
    val: Floats


class FixedRows(NamedTuple):
    """Sparse matrix with six places in every row, longer rows completed by ``rest``."""

    idx: Unsigned
    val: Floats
    rest: SparseRows


def sparse_rows(A: csr_array) -> SparseRows:
    """Compressed rows of a matrix, which loses the entries that rounding alone has left in it."""
    A.data[np.abs(A.data) < 1e-12 * np.abs(A.data).max(initial=0.0)] = 0.0
    A.eliminate_zeros()
    return SparseRows(A.indptr.astype(np.uint32), A.indices.astype(np.uint32), A.data)


def fixed_rows(A: csr_array) -> FixedRows:
    """Six entries of every row, and the remaining ones of longer rows."""
    n, first = A.shape[0], A.indptr[:-1]
    idx, val = np.zeros((n, PLACES), dtype=np.uint32), np.zeros((n, PLACES))
    place = np.arange(A.nnz) - np.repeat(first, np.diff(A.indptr))
    row, inside = np.repeat(np.arange(n), np.diff(A.indptr)), place < PLACES
    idx[row[inside], place[inside]], val[row[inside], place[inside]] = A.indices[inside], A.data[inside]
    beside = csr_array(coo_array((A.data[~inside], (row[~inside], A.indices[~inside])), shape=A.shape))
    return FixedRows(idx, val, sparse_rows(beside))


@kernel(**_OPTIONS)
def multiply(A: SparseRows, x: Floats, y: Floats, factor: float) -> None:
    """Add ``factor`` times A x to y."""
    for i in range(y.size):
        total = 0.0
        for k in range(A.ptr[i], A.ptr[i + 1]):
            total += A.val[k] * x[A.idx[k]]
        y[i] += factor * total


@kernel(**_OPTIONS)
def product(A: SparseRows, x: Floats, y: Floats) -> None:
    """Product y = A x."""
    y[:] = 0.0
    multiply(A, x, y, 1.0)


@kernel(**_OPTIONS)
def multiply_fixed(A: FixedRows, x: Floats, y: Floats, first: int, last: int) -> None:
    """Product y = A x in the rows from ``first`` to ``last``; the others stay as they are."""
    for i in range(first, last):
        total = 0.0
        for k in range(PLACES):
            total += A.val[i, k] * x[A.idx[i, k]]
        y[i] = total
    if A.rest.val.size > 0:
        for i in range(first, last):
            for k in range(A.rest.ptr[i], A.rest.ptr[i + 1]):
                y[i] += A.rest.val[k] * x[A.rest.idx[k]]

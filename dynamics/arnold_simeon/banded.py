"""Symmetric banded matrices in compiled loops: product, L D L^T, and solution within a window.

Legend: row i of ``A`` (n, p + 1) holds the entries of columns i - p to i, the last one on the diagonal; p is the half
bandwidth, 3 (Hermite elements) or 0 (a diagonal). A factor is stored likewise, 1/D on the diagonal and the unit lower L
beside it.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

__all__ = ["banded", "factor", "full_band", "product", "reach", "solve"]

Array = NDArray[np.float64]
OPTIONS = {"cache": True, "error_model": "numpy"}


def banded(A: csr_array) -> Array:
    """Lower band of a symmetric sparse matrix, float array (row, 4), or (row, 1) for a diagonal one.

    Raises
    ------
    ValueError
        If an entry lies outside the band.
    """
    coo = A.tocoo()
    coo.eliminate_zeros()
    rows, cols = coo.coords
    lower = rows >= cols
    widest = int((rows - cols).max())
    if widest > 3:
        raise ValueError(f"the matrix must have a half bandwidth of at most 3, got {widest}")
    half_width = 3 if widest else 0
    band = np.zeros((A.shape[0], half_width + 1))
    np.add.at(band, (rows[lower], cols[lower] - rows[lower] + half_width), coo.data[lower])
    return band


def full_band(A: Array) -> Array:
    """The same matrix with half bandwidth 3."""
    return A if A.shape[1] == 4 else np.concatenate([np.zeros((len(A), 3)), A], axis=1)


@njit(**OPTIONS)
def factor(A: Array) -> Array:
    """Factor A = L D L^T without pivoting; beside L stands 1/D, since a step divides by nothing else."""
    n, p = A.shape[0], A.shape[1] - 1
    L = A.copy()
    for i in range(n):
        first = max(0, i - p)
        for j in range(first, i):
            total = L[i, j - i + p]
            for k in range(max(first, j - p), j):
                total -= L[i, k - i + p] * L[j, k - j + p]
            L[i, j - i + p] = total
        for j in range(first, i):
            t = L[i, j - i + p] * L[j, p]
            L[i, p] -= t * L[i, j - i + p]
            L[i, j - i + p] = t
        L[i, p] = 1.0 / L[i, p]
    return L


@njit(**OPTIONS)
def solve(L: Array, x: Array, first: int, last: int) -> None:
    """Solve in place with a factor; ``x`` is zero outside rows ``first`` to ``last``, and so is what is returned.

    The last two rows, a block of their own, are always solved. Outside a window as wide as ``reach`` says the answer
    to a load inside it is smaller than rounding.
    """
    n = L.shape[0]
    if L.shape[1] == 1:
        for i in range(first, last):
            x[i] *= L[i, 0]
        for i in range(max(last, n - 2), n):
            x[i] *= L[i, 0]
        return
    end = min(last, n - 2)
    for i in range(first, min(end, 3)):
        for k in range(1, i + 1):
            x[i] -= L[i, 3 - k] * x[i - k]
    for i in range(max(first, 3), end):
        x[i] -= L[i, 0] * x[i - 3] + L[i, 1] * x[i - 2] + L[i, 2] * x[i - 1]
    x[n - 1] = L[n - 1, 3] * (x[n - 1] - L[n - 1, 2] * x[n - 2])
    x[n - 2] = L[n - 2, 3] * x[n - 2] - L[n - 1, 2] * x[n - 1]
    # nothing couples the last two rows to those before, so that their columns of L are zero here
    for i in range(end - 1, first - 1, -1):
        total = L[i + 1, 2] * x[i + 1] + L[i + 2, 1] * x[i + 2]
        if i + 3 < n:
            total += L[i + 3, 0] * x[i + 3]
        x[i] = L[i, 3] * x[i] - total


def reach(L: Array) -> int:
    """How many rows away from a load the answer has fallen below rounding, the last two rows apart."""
    n = len(L) - 2
    far = 0
    for at in (n // 6, (2 * n) // 3):
        x = np.zeros(n + 2)
        x[at] = 1.0
        solve(L, x, 0, n + 2)
        felt = np.flatnonzero(np.abs(x) > 1e-18 * np.abs(x).max())
        far = max(far, at - int(felt[0]), int(felt[-1]) - at)
    return far + 4


@njit(**OPTIONS)
def product(A: Array, x: Array, y: Array) -> None:
    """Product y = A x of a matrix of half bandwidth 0 or 3."""
    n = A.shape[0]
    if A.shape[1] == 1:
        for i in range(n):
            y[i] = A[i, 0] * x[i]
        return
    for i in range(3, n - 3):
        below = A[i, 0] * x[i - 3] + A[i, 1] * x[i - 2] + A[i, 2] * x[i - 1]
        above = A[i + 1, 2] * x[i + 1] + A[i + 2, 1] * x[i + 2] + A[i + 3, 0] * x[i + 3]
        y[i] = below + A[i, 3] * x[i] + above
    for i in (0, 1, 2, n - 3, n - 2, n - 1):
        total = 0.0
        for j in range(max(0, i - 3), min(n, i + 4)):
            total += (A[i, 3 - i + j] if j <= i else A[j, 3 - j + i]) * x[j]
        y[i] = total

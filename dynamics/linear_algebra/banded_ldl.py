"""L D L^T of a symmetric positive definite banded matrix, stored by columns of one width so that loops are vectors.

Columns of unit lower L: ``low[i, k]`` stands in row i + 1 + k. Vectors to solve for are padded by the width.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.linalg import cholesky_banded
from scipy.sparse import csr_array

__all__ = ["PADDING", "BandedFactor", "banded_ldl", "banded_solve"]

# widths that have a loop of their own, with a length known to the compiler (planar, spatial, stitched lines)
WIDTHS = (12, 18, 24, 36)
PADDING = 96
_OPTIONS: Any = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


class BandedFactor(NamedTuple):
    """``low`` (row, width) and 1 / D ``inverse`` (row,)."""

    low: NDArray[np.float64]
    inverse: NDArray[np.float64]


def banded_ldl(A: csr_array) -> BandedFactor:
    """Factor a symmetric positive definite sparse matrix in its own order.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is not positive definite.
    """
    rows = A.tocoo()
    n, below = A.shape[0], rows.row - rows.col
    half = int(below.max(initial=0))
    width = next((w for w in WIDTHS if w >= half), half)
    if width > PADDING:
        raise ValueError(f"the band must be at most {PADDING} wide: got {half}")
    band = np.zeros((width + 1, n))
    keep = below >= 0
    band[below[keep], rows.col[keep]] = rows.data[keep]
    factor = cholesky_banded(band, lower=True, check_finite=False)
    return BandedFactor(np.ascontiguousarray((factor[1:] / factor[0]).T), 1.0 / factor[0] ** 2)


def _solver(width: int) -> Callable[[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], None]:
    """Kernel for one width."""

    @njit(**_OPTIONS)
    def solve(low, inverse, x):
        for i in range(inverse.size):
            t = x[i]
            for k in range(width):
                x[i + 1 + k] -= low[i, k] * t
        for i in range(inverse.size - 1, -1, -1):
            total = x[i] * inverse[i]
            for k in range(width):
                total -= low[i, k] * x[i + 1 + k]
            x[i] = total

    return solve


_solve_12, _solve_18, _solve_24, _solve_36 = (_solver(width) for width in WIDTHS)


@njit(**_OPTIONS)
def _solve_any(low, inverse, x):
    width = low.shape[1]
    for i in range(inverse.size):
        for k in range(width):
            x[i + 1 + k] -= low[i, k] * x[i]
    for i in range(inverse.size - 1, -1, -1):
        total = x[i] * inverse[i]
        for k in range(width):
            total -= low[i, k] * x[i + 1 + k]
        x[i] = total


@njit(**_OPTIONS)
def banded_solve(factor: BandedFactor, x: NDArray[np.float64]) -> None:
    """Solve in place; ``x`` is (row + PADDING,) and its padding is cleared."""
    x[factor.inverse.size :] = 0.0
    width = factor.low.shape[1]
    if width == 12:
        _solve_12(factor.low, factor.inverse, x)
    elif width == 18:
        _solve_18(factor.low, factor.inverse, x)
    elif width == 24:
        _solve_24(factor.low, factor.inverse, x)
    elif width == 36:
        _solve_36(factor.low, factor.inverse, x)
    else:
        _solve_any(factor.low, factor.inverse, x)

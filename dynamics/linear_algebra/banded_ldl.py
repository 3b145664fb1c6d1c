"""L D L^T of a symmetric positive definite banded matrix, stored by columns of one width so that loops are vectors.

Columns of unit lower L: ``low[i, k]`` stands in row i + 1 + k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky_banded
from scipy.sparse import csr_array

from catenary.kernels.compiled import kernel

__all__ = ["ROUNDING", "BandedFactor", "banded_ldl", "banded_solve", "farthest_felt"]

Floats = NDArray[np.float64]
# half bandwidth of a wire alone, which has a loop of its own, with a length known to the compiler
WIRE = 3
ROUNDING = 1e-18
_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


class BandedFactor(NamedTuple):
    """``low`` (row, width) and 1 / D ``inverse`` (row,)."""

    low: Floats
    inverse: Floats


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
    width = WIRE if half <= WIRE else half
    band = np.zeros((width + 1, n))
    keep = below >= 0
    band[below[keep], rows.col[keep]] = rows.data[keep]
    factor = cholesky_banded(band, lower=True, check_finite=False)
    return BandedFactor(np.ascontiguousarray((factor[1:] / factor[0]).T), 1.0 / factor[0] ** 2)


@kernel(**_OPTIONS)
def _solve(low, inverse, x, width):
    """Solve for every row; a column of the last ones is cut where the rows end."""
    n = x.size
    whole = max(0, n - width)
    for i in range(whole):
        t = x[i]
        for k in range(width):
            x[i + 1 + k] -= low[i, k] * t
    for i in range(whole, n):
        for k in range(n - 1 - i):
            x[i + 1 + k] -= low[i, k] * x[i]
    for i in range(n - 1, whole - 1, -1):
        total = x[i] * inverse[i]
        for k in range(n - 1 - i):
            total -= low[i, k] * x[i + 1 + k]
        x[i] = total
    for i in range(whole - 1, -1, -1):
        total = x[i] * inverse[i]
        for k in range(width):
            total -= low[i, k] * x[i + 1 + k]
        x[i] = total


@kernel(**_OPTIONS)
def _solve_wire(low, inverse, x):
    _solve(low, inverse, x, WIRE)


@kernel(**_OPTIONS)
def banded_solve(factor: BandedFactor, x: Floats, first: int, last: int) -> None:
    """Solve in place over rows ``first`` to ``last``; outside them load and answer are taken for zero.

    All rows give the solution. Fewer give it where the answer to a load has decayed below rounding at both ends, or
    where no entry couples them to the rest.
    """
    low, inverse, rows = factor.low[first:last], factor.inverse[first:last], x[first:last]
    width = low.shape[1]
    if width == WIRE:
        _solve_wire(low, inverse, rows)
    else:
        _solve(low, inverse, rows, width)


def farthest_felt(solve: Callable[[Floats], None], n: int, loaded: Iterable[int], share: float = ROUNDING) -> int:
    """Rows away from a load at which the answer of a solver in place, of ``n`` rows, is below a share of its largest.

    The most for unit loads on the rows ``loaded``.
    """
    far, x = 0, np.zeros(n)
    for at in loaded:
        x[:] = 0.0
        x[at] = 1.0
        solve(x)
        felt = np.flatnonzero(np.abs(x) > share * np.abs(x).max())
        far = max(far, at - int(felt[0]), int(felt[-1]) - at)
    return far

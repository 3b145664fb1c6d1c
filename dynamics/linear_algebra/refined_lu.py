"""Dense equations whose factors are single and whose answers are double: half of the time, then refinement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve

__all__ = ["RefinedFactors"]

Floats = NDArray[np.float64]

CLOSE = 1.0e-11  # residual over right-hand side, both their largest entries
SHARE = 0.1  # of a residual that a round may leave; where more is left, the equations are factored in double


class RefinedFactors:
    """Factors of a matrix (n, n), which is kept and must not change.

    A round of refinement (Wilkinson) leaves some 1e-7 times the condition number of a residual.
    """

    def __init__(self, matrix: Floats) -> None:
        self._matrix = matrix
        # rows are LAPACK's columns: the transpose is factored, in place
        self._single = lu_factor(np.array(matrix, np.float32, order="C").T, overwrite_a=True, check_finite=False)
        self._double: tuple[Floats, NDArray[np.int32]] | None = None

    def solve(self, right: Floats) -> Floats:
        """Answer x (n,) to matrix x = right, with a residual of `CLOSE` or as factors in double have it."""
        if self._double is None:
            found = self._refined(right)
            if found is not None:
                return found
            self._double = lu_factor(self._matrix, check_finite=False)
        return np.asarray(lu_solve(self._double, right, check_finite=False), dtype=np.float64)

    def _refined(self, right: Floats) -> Floats | None:
        """Answer by factors in single precision; None where its rounds do not close in."""
        found, left = np.zeros_like(right), right
        size = wanted = float(np.abs(right).max())
        while not size <= CLOSE * wanted:  # what is not a number is left to factors in double
            # scaled, so that single precision holds it
            step = lu_solve(self._single, (left / size).astype(np.float32), trans=1, check_finite=False)
            found = found + size * step.astype(np.float64)
            left, before = right - self._matrix @ found, size
            size = float(np.abs(left).max())
            if not size < SHARE * before:
                return None
        return found

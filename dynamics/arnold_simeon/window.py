"""Rows of the line that a load is felt in, and solution within them (the pantograph's two rows stand last, apart)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.arnold_simeon.system import Contact
from dynamics.linear_algebra.banded_ldl import BandedFactor, banded_solve, farthest_felt

__all__ = ["reach", "solve", "window"]

Array = NDArray[np.float64]
OPTIONS = {"error_model": "numpy"}


def reach(factor: BandedFactor) -> int:
    """Number of rows from a load after which the answer is below rounding, without the last two rows."""
    n = factor.inverse.size - 2
    return farthest_felt(lambda x: banded_solve(factor, x, 0, n), n, (n // 6, (2 * n) // 3)) + 4


@kernel(**OPTIONS)
def window(contact: Contact, reach: int, n: int) -> tuple[int, int]:
    """Rows that a load on the contact area reaches, the pantograph's two apart."""
    at, row = contact
    return max(0, at - reach), min(n, at + row.shape[1] + reach)


@kernel(**OPTIONS)
def solve(factor: BandedFactor, x: Array, first: int, last: int) -> None:
    """Solve in place for a load on the line that is felt from row ``first`` to ``last``, and on the pantograph."""
    line = x.size - 2
    banded_solve(factor, x, first, min(last, line))
    banded_solve(factor, x, line, line + 2)

"""Compiled covariances of one point with all that was observed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel

__all__ = ["ROOT5", "point_covariances"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROOT5 = np.sqrt(5.0)


@kernel(error_model="numpy")
def point_covariances(
    point: Floats, seen: tuple[Floats, Ints, Ints], scales: tuple[Floats, float]
) -> tuple[Floats, Floats]:
    """Covariances of the value (observation,) and of its derivatives (variable, observation) at a point.

    Parameters
    ----------
    point : float array (variable,)
    seen : tuple
        Points (point, variable), those with derivatives (slope,), variables by which these are (free,).
    scales : tuple
        Lengths (variable,) and scale.
    """
    (points, sloped, free), (lengths, scale) = seen, scales
    count, size = points.shape
    total = count + sloped.size * free.size
    cross, moved, d = np.empty(total), np.empty((size, total)), np.empty(size)
    for a in range(count + sloped.size):
        of_slope = a >= count
        other = points[sloped[a - count]] if of_slope else points[a]
        square = 0.0
        for p in range(size):
            d[p] = (point[p] - other[p]) / lengths[p]
            square += d[p] * d[p]
        r = np.sqrt(square)
        falling = scale * scale * np.exp(-ROOT5 * r)
        c = 5.0 / 3.0 * (1.0 + ROOT5 * r) * falling
        if not of_slope:
            cross[a] = (1.0 + ROOT5 * r + 5.0 / 3.0 * square) * falling
            for p in range(size):
                moved[p, a] = -c * d[p] / lengths[p]
            continue
        first, e = count + (a - count) * free.size, 25.0 / 3.0 * falling
        for k in range(free.size):
            j = free[k]
            cross[first + k] = c * d[j] / lengths[j]
            for p in range(size):
                same = c if p == j else 0.0
                moved[p, first + k] = (same - e * d[p] * d[j]) / (lengths[p] * lengths[j])
    return cross, moved

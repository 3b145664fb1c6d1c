r"""Cubic Hermite shapes of a wire element, and the integrals of their products.

Legend: chi in [0, l0] runs along the unstretched element, xi = chi / l0, ' = d/dchi; N_a are the four shapes,
a = (position 1, slope 1, position 2, slope 2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["curvature_products", "hermite", "shape_products", "slope_products", "slopes_squared"]

Array = NDArray[np.float64]

_SHAPE = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]) / 420.0
_SLOPE = np.array([[36, 3, -36, 3], [3, 4, -3, -1], [-36, -3, 36, -3], [3, -1, -3, 4]]) / 30.0
_CURVATURE = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]], dtype=float)
# a slope's shape is a length times a position's
_LENGTHS = np.array([0, 1, 0, 1]) + np.array([0, 1, 0, 1])[:, None]


def hermite(xi: Array, length: Array | float) -> Array:
    """Evaluate the four Hermite shapes at ``xi`` (PACDIN, eq. 1); returns shape (4, *xi.shape)."""
    square = xi * xi  # products, since powers take several times as long
    cube = square * xi
    beyond = 3 * square - 2 * cube
    return np.array([1 - beyond, length * (xi - 2 * square + cube), beyond, length * (cube - square)])


def shape_products(l0: Array) -> Array:
    """Integrals of N_a N_b over elements of lengths ``l0`` [m], float array (elem, 4, 4)."""
    return _scaled(_SHAPE, 1 + _LENGTHS, l0)[0]


def slope_products(l0: Array) -> tuple[Array, Array]:
    """Integrals of N_a' N_b' over elements of lengths ``l0`` [m], and their derivatives by length, (elem, 4, 4)."""
    return _scaled(_SLOPE, _LENGTHS - 1, l0)


def slopes_squared(z: Array, l0: Array) -> Array:
    """Integrals of z'^2 over elements (..., elem) [m], by values and slopes z (..., elem, 2, 2) at both ends."""
    rise, one, other = z[..., 1, 0] - z[..., 0, 0], z[..., 0, 1], z[..., 1, 1]
    turned = 4 * (one * one + other * other) - 2 * one * other
    return np.asarray((36 * rise * rise / l0 - 6 * rise * (one + other) + l0 * turned) / 30, dtype=np.float64)


def curvature_products(l0: Array) -> tuple[Array, Array]:
    """Integrals of N_a'' N_b'' over elements of lengths ``l0`` [m], and their derivatives by length, (elem, 4, 4)."""
    return _scaled(_CURVATURE, _LENGTHS - 3, l0)


def _scaled(of_unit_length: Array, power: NDArray[np.int64], l0: Array) -> tuple[Array, Array]:
    length = np.asarray(l0, dtype=float)[:, None, None]
    values = of_unit_length * length ** power.astype(float)
    return values, power * values / length

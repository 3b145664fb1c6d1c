"""The distributed contact (Arnold & Simeon, eqs 25, 26, 33): its kernel, and the row F of the wire's dofs it weighs.

Legend: xi = x - x_p distance from the pantograph; eps half the length of the contact area;
delta(xi) = 1/eps - 3 xi^2/eps^3 + 2 |xi|^3/eps^4 the kernel; dx the interval; F, F', F'' the row and its first two time
derivatives for a contact point that moves at v, so that d delta/dt = -v delta'.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel

__all__ = ["contact_row", "kernel_values", "row_width"]

OPTIONS = {"error_model": "numpy"}
# exact for the kernel's cubic times a Hermite cubic
_XI, _WEIGHT = np.polynomial.legendre.leggauss(4)
GAUSS_XI, GAUSS_WEIGHT = 0.5 * (_XI + 1.0), 0.5 * _WEIGHT


def row_width(interval: float, half_width: float, per_node: int) -> int:
    """Most dofs of the wire under a contact area, with ``per_node`` unknowns at each node."""
    return per_node * (int(np.ceil(2.0 * half_width / interval)) + 3)


@kernel(**OPTIONS)
def kernel_values(xi: float, eps: float) -> tuple[float, float, float, float]:
    """Integral from -eps, value, first and second derivative of delta at ``xi`` (Arnold & Simeon, section 4.1)."""
    if xi <= -eps:
        return 0.0, 0.0, 0.0, 0.0
    if xi >= eps:
        return 1.0, 0.0, 0.0, 0.0
    s, side = abs(xi) / eps, (1.0 if xi >= 0.0 else -1.0)
    primitive = 0.5 + side * (s - s**3 + 0.5 * s**4)
    value = (1.0 - 3.0 * s**2 + 2.0 * s**3) / eps
    slope = side * (-6.0 * s + 6.0 * s**2) / eps**2
    return primitive, value, slope, (-6.0 + 12.0 * s) / eps**3


@kernel(**OPTIONS)
def _piece(left, right, node, place, row):
    """Add the integral over one smooth piece of one Hermite element; ``place`` is (x_p, v, eps, dx)."""
    x_p, v, eps, dx = place
    for g in range(GAUSS_XI.size):
        x = left + GAUSS_XI[g] * (right - left)
        w = GAUSS_WEIGHT[g] * (right - left)
        _, value, slope, bend = kernel_values(x - x_p, eps)
        z = (x - node) / dx
        shapes = ((1 - z) ** 2 * (1 + 2 * z), z * (1 - z) ** 2 * dx, z * z * (3 - 2 * z), -z * z * (1 - z) * dx)
        for a in range(4):
            row[0, a] += w * value * shapes[a]
            row[1, a] -= w * v * slope * shapes[a]
            row[2, a] += w * v * v * bend * shapes[a]


@kernel(**OPTIONS)
def contact_row(place: tuple[float, float, float, float], hermite: bool, row: NDArray[np.float64]) -> int:
    """Fill F, F' and F'' for a contact at x_p; returns the node of its first column.

    Parameters
    ----------
    place : tuple of float
        Station x_p [m], its velocity v [m/s], half width eps [m], interval dx [m].
    hermite : bool
        Finite elements (height and slope at every node, Gauss quadrature, eq. 33) or finite differences (heights, the
        kernel's integral over each node's cell).
    row : float array (3, width)
        Overwritten: weights of the dofs from that node on, and their time derivatives.
    """
    x_p, v, eps, dx = place
    row[:] = 0.0
    if not hermite:
        first = int(np.floor((x_p - eps) / dx + 0.5))
        before = kernel_values((first - 0.5) * dx - x_p, eps)
        for k in range(row.shape[1]):
            after = kernel_values((first + k + 0.5) * dx - x_p, eps)
            row[0, k] = after[0] - before[0]
            row[1, k] = -v * (after[1] - before[1])
            row[2, k] = v * v * (after[2] - before[2])
            before = after
        return first
    first = int(np.floor((x_p - eps) / dx))
    for e in range(first, int(np.ceil((x_p + eps) / dx))):
        node = e * dx
        left, right = max(node, x_p - eps), min(node + dx, x_p + eps)
        part = row[:, 2 * (e - first) : 2 * (e - first) + 4]
        if left < x_p < right:
            _piece(left, x_p, node, place, part)
            _piece(x_p, right, node, place, part)
        elif right > left:
            _piece(left, right, node, place, part)
    return first

r"""Gradient-deficient ANCF cable element (Tur et al. 2015, PACDIN, eqs 1-3), in three dimensions.

Legend: chi in [0, l0] runs along the undeformed element, xi = chi / l0; q holds (x, y, z, x', y', z') of both
nodes with ' = d/dchi; eps = (r'.r' - 1)/2 Green strain; kappa = |r''| curvature; N_a the four Hermite shapes,
B_a = dN_a/dchi and H_a = d2N_a/dchi2, a = (position 1, slope 1, position 2, slope 2).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["cable_forces", "cable_mass", "cable_tangent", "hermite"]

Array = NDArray[np.float64]
_XI, _W = np.polynomial.legendre.leggauss(5)
GAUSS_XI = 0.5 * (_XI + 1.0)
GAUSS_W = 0.5 * _W


def hermite(xi: NDArray[np.float64], length: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Evaluate the four Hermite shapes at ``xi`` (paper 000, eq. 1); returns shape (4, *xi.shape)."""
    return np.array(
        [
            1 - 3 * xi**2 + 2 * xi**3,
            length * (xi - 2 * xi**2 + xi**3),
            3 * xi**2 - 2 * xi**3,
            length * (xi**3 - xi**2),
        ]
    )


@njit(cache=True)
def _shape_gradients(xi, l0, B, H, dB, dH):
    """Fill first and second arc-length derivatives of the shapes, and their derivatives by l0."""
    B[0] = (-6 * xi + 6 * xi**2) / l0
    B[1] = 1 - 4 * xi + 3 * xi**2
    B[2] = -B[0]
    B[3] = 3 * xi**2 - 2 * xi
    H[0] = (-6 + 12 * xi) / l0**2
    H[1] = (-4 + 6 * xi) / l0
    H[2] = -H[0]
    H[3] = (6 * xi - 2) / l0
    dB[0], dB[1], dB[2], dB[3] = -B[0] / l0, 0.0, -B[2] / l0, 0.0
    dH[0], dH[1], dH[2], dH[3] = -2 * H[0] / l0, -H[1] / l0, -2 * H[2] / l0, -H[3] / l0


@njit(cache=True)
def cable_forces(q: Array, l0: Array, EA: Array, EI: Array, rho_g: Array) -> tuple[Array, Array, Array]:
    """Internal force minus weight, its tangent and its derivative by unstretched length, for each element.

    Parameters
    ----------
    q : float array (elem, 2, 6)
        Nodal positions [m] and slopes [-].
    l0, EA, EI, rho_g : float array (elem,)
        Unstretched length [m], axial [N] and bending [N m^2] stiffness, weight per length [N/m].

    Returns
    -------
    force : float array (elem, 12)
        [N or N m].
    tangent : float array (elem, 12, 12)
        Derivative of ``force`` by the nodal coordinates.
    force_by_l0 : float array (elem, 12)
        Derivative by the unstretched length [N/m or N].
    """
    n = l0.size
    force = np.zeros((n, 12))
    by_l0 = np.zeros((n, 12))
    tangent = np.zeros((n, 12, 12))
    B, H, dB, dH = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    r1, r2, r1l, r2l = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for e in range(n):
        le = l0[e]
        for g in range(GAUSS_XI.size):
            _shape_gradients(GAUSS_XI[g], le, B, H, dB, dH)
            for c in range(3):
                p1, s1, p2, s2 = q[e, 0, c], q[e, 0, 3 + c], q[e, 1, c], q[e, 1, 3 + c]
                r1[c] = B[0] * p1 + B[1] * s1 + B[2] * p2 + B[3] * s2
                r2[c] = H[0] * p1 + H[1] * s1 + H[2] * p2 + H[3] * s2
                r1l[c] = dB[0] * p1 + dB[2] * p2
                r2l[c] = dH[0] * p1 + dH[1] * s1 + dH[2] * p2 + dH[3] * s2
            eps = 0.5 * (r1[0] ** 2 + r1[1] ** 2 + r1[2] ** 2 - 1.0)
            eps_l = r1[0] * r1l[0] + r1[1] * r1l[1] + r1[2] * r1l[2]
            w = GAUSS_W[g] * le
            for a in range(4):
                for c in range(3):
                    i = 3 * a + c
                    f = EA[e] * eps * B[a] * r1[c] + EI[e] * H[a] * r2[c]
                    force[e, i] += w * f
                    by_l0[e, i] += GAUSS_W[g] * f + w * (
                        EA[e] * (eps_l * B[a] * r1[c] + eps * (dB[a] * r1[c] + B[a] * r1l[c]))
                        + EI[e] * (dH[a] * r2[c] + H[a] * r2l[c])
                    )
                    for b in range(4):
                        material = w * EA[e] * B[a] * B[b] * r1[c]
                        for d in range(3):
                            tangent[e, i, 3 * b + d] += material * r1[d]
                        tangent[e, i, 3 * b + c] += w * (EA[e] * eps * B[a] * B[b] + EI[e] * H[a] * H[b])
        weight = rho_g[e]
        for a, share in ((0, 0.5 * le), (1, le * le / 12), (2, 0.5 * le), (3, -le * le / 12)):
            force[e, 3 * a + 2] += weight * share
            by_l0[e, 3 * a + 2] += weight * (0.5 if a % 2 == 0 else 2 * share / le)
    return force, tangent, by_l0


@njit(cache=True)
def cable_tangent(q: Array, l0: Array, EA: Array, EI: Array) -> tuple[Array, Array]:
    """Split the transverse stiffness of each element from its axial one.

    Returns ``(axial, transverse)``, float arrays (elem, 12, 12): the material part EA r' r'^T of the tangent, and
    the rest (axial force times slope, and bending), which is what a wire free to slide along itself keeps.
    """
    n = l0.size
    axial = np.zeros((n, 12, 12))
    transverse = np.zeros((n, 12, 12))
    B, H, dB, dH = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    r1 = np.empty(3)
    for e in range(n):
        for g in range(GAUSS_XI.size):
            _shape_gradients(GAUSS_XI[g], l0[e], B, H, dB, dH)
            for c in range(3):
                r1[c] = B[0] * q[e, 0, c] + B[1] * q[e, 0, 3 + c] + B[2] * q[e, 1, c] + B[3] * q[e, 1, 3 + c]
            eps = 0.5 * (r1[0] ** 2 + r1[1] ** 2 + r1[2] ** 2 - 1.0)
            w = GAUSS_W[g] * l0[e]
            for a in range(4):
                for b in range(4):
                    for c in range(3):
                        for d in range(3):
                            axial[e, 3 * a + c, 3 * b + d] += w * EA[e] * B[a] * B[b] * r1[c] * r1[d]
                        transverse[e, 3 * a + c, 3 * b + c] += w * (EA[e] * eps * B[a] * B[b] + EI[e] * H[a] * H[b])
    return axial, transverse


def cable_mass(l0: NDArray[np.float64], rho: NDArray[np.float64]) -> NDArray[np.float64]:
    """Consistent mass matrix of each element (paper 000, eq. 3), float array (elem, 12, 12) [kg, kg m, kg m^2]."""
    length = np.asarray(l0)[:, None, None]
    shapes = np.array(
        [
            [156, 22, 54, -13],
            [22, 4, 13, -3],
            [54, 13, 156, -22],
            [-13, -3, -22, 4],
        ]
    )
    powers = np.array([[0, 1, 0, 1], [1, 2, 1, 2], [0, 1, 0, 1], [1, 2, 1, 2]])
    scalar = np.asarray(rho)[:, None, None] * length / 420.0 * shapes * length**powers
    return np.einsum("eab,cd->eacbd", scalar, np.eye(3)).reshape(len(l0), 12, 12)

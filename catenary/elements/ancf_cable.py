r"""Gradient-deficient ANCF cable element (Tur et al. 2015, PACDIN, eqs 1-3), in three dimensions.

Legend: chi in [0, l0] runs along the undeformed element, xi = chi / l0; q holds (x, y, z, x', y', z') of both
nodes with ' = d/dchi; eps = (r'.r' - 1)/2 Green strain; kappa = |r''| curvature; N_a the four Hermite shapes,
B_a = dN_a/dchi and H_a = d2N_a/dchi2, a = (position 1, slope 1, position 2, slope 2).

In `cable_force` r' = d + c P1 + e P2 with the Legendre polynomials of the element: d is the slope of the chord, a and
b what the ends turn beyond it, c = (b - a)/2 and e = (a + b)/2; g_ij are products of these vectors and m_ij the
integrals of 2 eps P_i P_j over xi, in closed form.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.elements.hermite import shape_products
from catenary.kernels.compiled import kernel

__all__ = ["cable_force", "cable_forces", "cable_mass", "cable_tangent"]

Array = NDArray[np.float64]
_XI, _W = np.polynomial.legendre.leggauss(5)
GAUSS_XI = 0.5 * (_XI + 1.0)
GAUSS_W = 0.5 * _W


@kernel()
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


@kernel()
def _add_tangent(tangent, w, stiffness, B, H, r1):
    """Add one integration point's share of an element's tangent; ``stiffness`` is EA, EI and the strain."""
    EA, EI, eps = stiffness
    for a in range(4):
        for b in range(4):
            stretch = w * EA * B[a] * B[b]
            turn = w * (EA * eps * B[a] * B[b] + EI * H[a] * H[b])
            i, j = 3 * a, 3 * b
            for c in (0, 2):
                material = stretch * r1[c]
                tangent[i + c, j] += material * r1[0]
                tangent[i + c, j + 2] += material * r1[2]
            if r1[1] != 0.0:  # not in the plane
                material = stretch * r1[1]
                for d in range(3):
                    tangent[i + 1, j + d] += material * r1[d]
                tangent[i, j + 1] += stretch * r1[0] * r1[1]
                tangent[i + 2, j + 1] += stretch * r1[2] * r1[1]
            for c in range(3):
                tangent[i + c, j + c] += turn


@kernel()
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
            _add_tangent(tangent[e], w, (EA[e], EI[e], eps), B, H, r1)
        weight = rho_g[e]
        for a, share in ((0, 0.5 * le), (1, le * le / 12), (2, 0.5 * le), (3, -le * le / 12)):
            force[e, 3 * a + 2] += weight * share
            by_l0[e, 3 * a + 2] += weight * (0.5 if a % 2 == 0 else 2 * share / le)
    return force, tangent, by_l0


@kernel(fastmath={"contract", "nsz"})
def cable_force(q: Array, l0: float, EA: float, EI: float, out: Array) -> None:
    """Internal force of one element without its weight, for loops of every step.

    Parameters
    ----------
    q : float array (2, 6)
        Nodal positions [m] and slopes [-].
    l0, EA, EI : float
        Unstretched length [m], axial [N] and bending [N m^2] stiffness.
    out : float array (12,)
        Filled with the force in the order of ``q`` [N or N m].
    """
    r = 1.0 / l0
    dx, dy, dz = (q[1, 0] - q[0, 0]) * r, (q[1, 1] - q[0, 1]) * r, (q[1, 2] - q[0, 2]) * r
    ax, ay, az = q[0, 3] - dx, q[0, 4] - dy, q[0, 5] - dz
    bx, by, bz = q[1, 3] - dx, q[1, 4] - dy, q[1, 5] - dz
    cx, cy, cz = 0.5 * (bx - ax), 0.5 * (by - ay), 0.5 * (bz - az)
    ex, ey, ez = 0.5 * (bx + ax), 0.5 * (by + ay), 0.5 * (bz + az)
    g00 = dx * dx + dy * dy + dz * dz - 1.0
    g01, g02 = dx * cx + dy * cy + dz * cz, dx * ex + dy * ey + dz * ez
    g11, g12, g22 = cx * cx + cy * cy + cz * cz, cx * ex + cy * ey + cz * ez, ex * ex + ey * ey + ez * ez
    # means over xi: P1^2 1/3, P2^2 1/5, P1^2 P2 2/15, P2^3 2/35, P1^4 1/5, P1^2 P2^2 11/105, P2^4 3/35
    m00 = g00 + g11 * (1.0 / 3.0) + g22 * (1.0 / 5.0)
    m01 = g01 * (2.0 / 3.0) + g12 * (4.0 / 15.0)
    m02 = g02 * (2.0 / 5.0) + g11 * (2.0 / 15.0) + g22 * (2.0 / 35.0)
    m11 = g00 * (1.0 / 3.0) + g02 * (4.0 / 15.0) + g11 * (1.0 / 5.0) + g22 * (11.0 / 105.0)
    m12 = g01 * (4.0 / 15.0) + g12 * (22.0 / 105.0)
    m22 = g00 * (1.0 / 5.0) + g02 * (4.0 / 35.0) + g11 * (11.0 / 105.0) + g22 * (3.0 / 35.0)
    S, n, E = 0.5 * EA, 0.25 * EA * l0, 2.0 * EI * r
    px, sx = n * (m01 * dx + m11 * cx + m12 * ex), n * (m02 * dx + m12 * cx + m22 * ex)
    py, sy = n * (m01 * dy + m11 * cy + m12 * ey), n * (m02 * dy + m12 * cy + m22 * ey)
    pz, sz = n * (m01 * dz + m11 * cz + m12 * ez), n * (m02 * dz + m12 * cz + m22 * ez)
    ux, vx = sx - px + E * (2.0 * ax + bx), sx + px + E * (ax + 2.0 * bx)
    uy, vy = sy - py + E * (2.0 * ay + by), sy + py + E * (ay + 2.0 * by)
    uz, vz = sz - pz + E * (2.0 * az + bz), sz + pz + E * (az + 2.0 * bz)
    fx = S * (m00 * dx + m01 * cx + m02 * ex) - (ux + vx) * r
    fy = S * (m00 * dy + m01 * cy + m02 * ey) - (uy + vy) * r
    fz = S * (m00 * dz + m01 * cz + m02 * ez) - (uz + vz) * r
    out[0], out[1], out[2], out[3], out[4], out[5] = -fx, -fy, -fz, ux, uy, uz
    out[6], out[7], out[8], out[9], out[10], out[11] = fx, fy, fz, vx, vy, vz


@kernel()
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


def cable_mass(l0: Array, rho: Array) -> Array:
    """Consistent mass matrix of each element (PACDIN, eq. 3), float array (elem, 12, 12) [kg, kg m, kg m^2]."""
    scalar = np.asarray(rho)[:, None, None] * shape_products(l0)
    return np.einsum("eab,cd->eacbd", scalar, np.eye(3)).reshape(len(l0), 12, 12)

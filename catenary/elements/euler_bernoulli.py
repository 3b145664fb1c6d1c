r"""Euler-Bernoulli beam element under tension, in the line's fixed axes (PantoCat, eq. 2: K_L + T K_G).

Legend: chi in [0, l0] runs along the unstretched element, ' = d/dchi; q holds (x, y, z, x', y', z') of both nodes, x'
unused (0); x runs linearly along the element, y and z by the cubic Hermite shapes N_a; G_ab and H_ab are the
integrals of N_a' N_b' and N_a'' N_b''.

One axial strain an element, the mean of Green's, so that the cubic slopes cannot lock it:

    e = (x'^2 - 1) / 2 + (y'Gy + z'Gz) / 2 l0,    U = EA l0 e^2 / 2 + EI (yHy + zHz) / 2,    S = EA e
    f = dU/dq:  -S x' and S x' in x;  (S G + EI H) y and (S G + EI H) z

About a straight element f's tangent is K_L (EA / l0 x'^2 and EI H) plus S times K_G (G, and 1 / l0 in x). The square
of x' keeps the pull along the wire: with e = x' - 1 + ... a turned element would pull T / EA askew (1e-3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.elements.hermite import curvature_products, shape_products, slope_products
from catenary.kernels.compiled import kernel

__all__ = ["beam_force", "beam_forces", "beam_mass", "beam_tangent", "linear_along"]

Array = NDArray[np.float64]
_ALONG = np.array([[1.0, -1.0], [-1.0, 1.0]])
# entries of the 12 of an element by component: x of both nodes; position and slope of y, of z
_X = np.array([0, 6])
_ACROSS = np.array([[1, 4, 7, 10], [2, 5, 8, 11]])


def linear_along(xi: Array, length: Array | float) -> Array:
    """Weights of (x1, x1', x2, x2') in the place along the track at ``xi``; returns shape (4, *xi.shape)."""
    del length  # the other elements' shapes need it
    none = np.zeros_like(xi)
    return np.array([1.0 - xi, none, xi, none])


@kernel(fastmath={"contract", "nsz"})
def beam_force(q: Array, l0: float, EA: float, EI: float, out: Array) -> None:
    """Internal force of one element without its weight, for loops of every step.

    Parameters
    ----------
    q : float array (2, 6)
        Nodal positions [m] and slopes [-]; x' is not read.
    l0, EA, EI : float
        Unstretched length [m], axial [N] and bending [N m^2] stiffness.
    out : float array (12,)
        Filled with the force in the order of ``q`` [N or N m]; zero in x'.
    """
    r = 1.0 / l0
    gx = (q[1, 0] - q[0, 0]) * r
    # slopes of the chord, and what the ends turn beyond it
    gy, gz = (q[1, 1] - q[0, 1]) * r, (q[1, 2] - q[0, 2]) * r
    ay, by, az, bz = q[0, 4] - gy, q[1, 4] - gy, q[0, 5] - gz, q[1, 5] - gz
    # mean of z'^2 = chord^2 + (2 a^2 - a b + 2 b^2) / 15
    bent = 2.0 * (ay * ay + by * by + az * az + bz * bz) - ay * by - az * bz
    S = EA * 0.5 * (gx * gx + gy * gy + gz * gz - 1.0 + bent * (1.0 / 15.0))
    near, far = S * l0 * (2.0 / 15.0) + 4.0 * EI * r, 2.0 * EI * r - S * l0 * (1.0 / 30.0)
    my1, my2, mz1, mz2 = near * ay + far * by, far * ay + near * by, near * az + far * bz, far * az + near * bz
    fx, fy, fz = S * gx, S * gy - (my1 + my2) * r, S * gz - (mz1 + mz2) * r
    out[0], out[1], out[2], out[3], out[4], out[5] = -fx, -fy, -fz, 0.0, my1, mz1
    out[6], out[7], out[8], out[9], out[10], out[11] = fx, fy, fz, 0.0, my2, mz2


def beam_forces(q: Array, l0: Array, EA: Array, EI: Array, rho_g: Array) -> tuple[Array, Array, Array]:
    """Internal force minus weight, its tangent and its derivative by unstretched length, for each element.

    Parameters
    ----------
    q : float array (elem, 2, 6)
        Nodal positions [m] and slopes [-]; x' is not read.
    l0, EA, EI, rho_g : float array (elem,)
        Unstretched length [m], axial [N] and bending [N m^2] stiffness, weight per length [N/m].

    Returns
    -------
    force : float array (elem, 12)
        [N or N m]; zero in x'.
    tangent : float array (elem, 12, 12)
        Derivative of ``force`` by the nodal coordinates.
    force_by_l0 : float array (elem, 12)
        Derivative by the unstretched length [N/m or N].
    """
    S, S_l, strain_by_q = _axial_force(q, l0, EA)
    (G, G_l), (H, H_l) = slope_products(l0), curvature_products(l0)
    across = q.reshape(-1, 12)[:, _ACROSS]
    stretch = (q[:, 1, 0] - q[:, 0, 0]) / l0
    force, by_l0 = np.zeros((2, len(l0), 12))
    force[:, _X] = np.outer(S * stretch, [-1.0, 1.0])
    by_l0[:, _X] = np.outer((S_l - S / l0) * stretch, [-1.0, 1.0])
    S, S_l, bending = S[:, None, None], S_l[:, None, None], EI[:, None, None]
    force[:, _ACROSS] = np.einsum("eab,ecb->eca", S * G + bending * H, across)
    by_l0[:, _ACROSS] = np.einsum("eab,ecb->eca", S_l * G + S * G_l + bending * H_l, across)
    axial, transverse = _tangent((S, strain_by_q), G, H, l0, (EA, EI))
    for entry, share, change in (
        (2, 0.5 * l0, np.full(len(l0), 0.5)),
        (5, l0**2 / 12, l0 / 6),
        (8, 0.5 * l0, np.full(len(l0), 0.5)),
        (11, -(l0**2) / 12, -l0 / 6),
    ):
        force[:, entry] += rho_g * share
        by_l0[:, entry] += rho_g * change
    return force, axial + transverse, by_l0


def beam_tangent(q: Array, l0: Array, EA: Array, EI: Array) -> tuple[Array, Array]:
    """Split the transverse stiffness of each element from its axial one.

    Returns ``(axial, transverse)``, float arrays (elem, 12, 12): the stiffness EA against the element's strain, and
    the rest (axial force S times K_G, and bending), which is what a wire free to slide along itself keeps.
    """
    S, _, strain_by_q = _axial_force(q, l0, EA)
    return _tangent((S[:, None, None], strain_by_q), slope_products(l0)[0], curvature_products(l0)[0], l0, (EA, EI))


def beam_mass(l0: Array, rho: Array) -> Array:
    """Consistent mass matrix of each element, float array (elem, 12, 12) [kg, kg m, kg m^2]; zero in x'."""
    mass = np.zeros((len(l0), 12, 12))
    mass[np.ix_(np.arange(len(l0)), _X, _X)] = (rho * l0 / 6.0)[:, None, None] * np.array([[2.0, 1.0], [1.0, 2.0]])
    for entries in _ACROSS:
        mass[np.ix_(np.arange(len(l0)), entries, entries)] = rho[:, None, None] * shape_products(l0)
    return mass


def _axial_force(q: Array, l0: Array, EA: Array) -> tuple[Array, Array, Array]:
    """Axial force S (elem,) [N], its derivative by l0, and that of the strain by the coordinates (elem, 12)."""
    G, G_l = slope_products(l0)
    across = q.reshape(-1, 12)[:, _ACROSS]
    stretch = (q[:, 1, 0] - q[:, 0, 0]) / l0
    slopes = np.einsum("eca,eab,ecb->e", across, G, across)
    by_length = np.einsum("eca,eab,ecb->e", across, G_l - G / l0[:, None, None], across)
    strain = 0.5 * (stretch**2 - 1.0) + 0.5 * slopes / l0
    strain_by_q = np.zeros((len(l0), 12))
    strain_by_q[:, _X] = np.outer(stretch / l0, [-1.0, 1.0])
    strain_by_q[:, _ACROSS] = np.einsum("eab,ecb->eca", G, across) / l0[:, None, None]
    return EA * strain, EA * (0.5 * by_length - stretch**2) / l0, strain_by_q


def _tangent(
    axial_force: tuple[Array, Array], G: Array, H: Array, l0: Array, stiffness: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Axial and transverse part from (S, derivative of the strain), the products of slopes and of curvatures."""
    (S, strain_by_q), (EA, EI) = axial_force, stiffness
    axial = (EA * l0)[:, None, None] * strain_by_q[:, :, None] * strain_by_q[:, None, :]
    transverse = np.zeros_like(axial)
    every = np.arange(len(l0))
    transverse[np.ix_(every, _X, _X)] = S / l0[:, None, None] * _ALONG
    for entries in _ACROSS:
        transverse[np.ix_(every, entries, entries)] = S * G + EI[:, None, None] * H
    return axial, transverse

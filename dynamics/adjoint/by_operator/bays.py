r"""Compiled derivatives of what a bay's stiffness pairs, by all that the bay is made of.

The bay's stiffness is that of `dynamics.line_operator.kernel`: with l and r the ends' multipliers and motions,

    l^T B r = (s0 W + s1 X + s2 Y + a0 W' - a1 X' + a2 Y') / 2 + spring e_l e_r,

W, X, Y products of sums and differences of the ends, e the stretch by a change of tension.

Legend: p, q, r1, r2, s0 ... a2, t, m, a as there; half the bay's length is h; ds, da the changes of (s0, s1, s2) and
(a0, a1, a2); kept numbers of a bay (number,): see `NUMBERS`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.line_operator.kernel import OPTIONS

__all__ = ["NUMBERS", "add_bay_slopes", "bay_waves"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

NUMBERS = ("length", "tension", "bending", "mass", "curvature", "slope at the left", "slope at the right", "compliance")
WAVES = 4  # of those, by which the six stiffnesses change


@kernel(**OPTIONS)
def _changed_half(roots, moved, p, dp, a, da, out, at):
    """Stiffness of one half of a bay (3,), and its change; see `dynamics.line_operator.kernel._half`."""
    (R1, R2), (dR1, dR2) = roots, moved
    D = p[1] - p[0]
    s2 = a * (R2 - R1) / D
    s1 = a * (p[1] * R1 - p[0] * R2) / D
    less = (dp[1] - dp[0]) / D
    more = da / a - less
    out[at + 2] = s2 * (more + (dR2 - dR1) / (R2 - R1))
    out[at] = (dp[0] * p[1] + p[0] * dp[1]) * s2 + p[0] * p[1] * out[at + 2]
    out[at + 1] = a * (dp[1] * R1 + p[1] * dR1 - dp[0] * R2 - p[0] * dR2) / D + s1 * more
    return p[0] * p[1] * s2, s1, s2


@kernel(**OPTIONS)
def bay_waves(
    bay: tuple[float, float, float, float], tau: complex, mu: complex, values: Complexes, slopes: Complexes
) -> None:
    """Six stiffnesses of a bay (6,), and their derivatives by length, tension, bending and mass (4, 6).

    ``bay`` holds these four.
    """
    length, tension, bending, mass = bay
    m, a, t, h = mass * mu, bending * tau, tension * tau, 0.5 * length
    root = np.sqrt(t * t - 4.0 * a * m)
    R1, R2 = 2.0 * m / (t + root), (t + root) / (2.0 * a)
    r1, r2 = np.sqrt(R1), np.sqrt(R2)
    near = np.exp(-2.0 * r2 * h)
    near, sech2 = (1.0 - near) / (1.0 + near), 4.0 * near / ((1.0 + near) * (1.0 + near))
    sinh, cosh = np.sinh(r1 * h), np.cosh(r1 * h)
    tanh, coth = sinh / cosh, cosh / sinh
    far2, csch2 = 1.0 / (cosh * cosh), 1.0 / (sinh * sinh)
    p, q = (r1 * tanh, r2 * near), (r1 * coth, r2 / near)
    p_r, p_h = (tanh + r1 * h * far2, near + r2 * h * sech2), (R1 * far2, R2 * sech2)
    near2 = sech2 / (near * near)
    q_r, q_h = (coth - r1 * h * csch2, 1.0 / near - r2 * h * near2), (-R1 * csch2, -R2 * near2)
    none = 0.0 + 0.0j
    for k in range(WAVES):
        dh = 0.5 if k == 0 else 0.0
        dt, da, dm = tau if k == 1 else none, tau if k == 2 else none, mu if k == 3 else none
        turned = (dt + (t * dt - 2.0 * a * dm - 2.0 * m * da) / root) / (t + root)
        dR1, dR2 = R1 * (dm / m - turned), R2 * (turned - da / a)
        d1, d2 = 0.5 * dR1 / r1, 0.5 * dR2 / r2
        dp = (p_r[0] * d1 + p_h[0] * dh, p_r[1] * d2 + p_h[1] * dh)
        dq = (q_r[0] * d1 + q_h[0] * dh, q_r[1] * d2 + q_h[1] * dh)
        values[0], values[1], values[2] = _changed_half((R1, R2), (dR1, dR2), p, dp, a, da, slopes[k], 0)
        values[3], values[4], values[5] = _changed_half((R1, R2), (dR1, dR2), q, dq, a, da, slopes[k], 3)


@kernel(**OPTIONS)
def add_bay_slopes(
    bay: Floats,
    factors: tuple[complex, complex, complex, complex, bool],
    waves: tuple[Complexes, Complexes],
    ends: tuple[Complexes, Complexes],
    out: Floats,
) -> None:
    """Add the derivatives of ``weight`` times the real part of l^T B r by the bay's numbers to out (8,).

    Parameters
    ----------
    bay : float array (8,)
        Its `NUMBERS`.
    factors : tuple
        Weight, tau, mass per length times mu, mu, and whether the tension changes.
    waves : tuple
        What `bay_waves` found.
    ends : tuple of complex array (6,)
        lam and r: height and slope at the left and at the right, positions along the track.
    out : float array (8,)
    """
    (weight, tau, m, mu, changes), (values, slopes), (lam, r) = factors, waves, ends
    ls, ld, la, lg = lam[0] + lam[2], lam[3] - lam[1], lam[0] - lam[2], lam[1] + lam[3]
    rs, rd, ra, rg = r[0] + r[2], r[3] - r[1], r[0] - r[2], r[1] + r[3]
    W, X, Y = ls * rs, ls * rd + ld * rs, ld * rd
    V, U, Z = la * ra, la * rg + lg * ra, lg * rg
    for k in range(WAVES):
        d = slopes[k]
        total = 0.5 * (d[0] * W + d[1] * X + d[2] * Y + d[3] * V - d[4] * U + d[5] * Z)
        out[k] += (weight * total).real
    if not changes:
        return
    length, curvature, left, right, compliance = bay[0], bay[4], bay[5], bay[6], bay[7]
    s0, s1 = values[0] / m, values[1] / m
    hang = length - 2.0 * s0
    soft = compliance + curvature * curvature * tau * hang / m
    spring = tau / soft
    el = -left * lam[0] + right * lam[2] - curvature * (s0 * ls + s1 * ld) - lam[4] + lam[5]
    er = -left * r[0] + right * r[2] - curvature * (s0 * rs + s1 * rd) - r[4] + r[5]
    by_soft = -spring * spring / tau * el * er
    square = curvature * curvature * tau / m
    for k in range(WAVES):
        heavier = mu / m if k == 3 else 0.0 + 0.0j
        d0, d1 = slopes[k, 0] / m - s0 * heavier, slopes[k, 1] / m - s1 * heavier
        longer = (1.0 if k == 0 else 0.0) - 2.0 * d0
        dl, dr = -curvature * (d0 * ls + d1 * ld), -curvature * (d0 * rs + d1 * rd)
        change = by_soft * square * (longer - hang * heavier) + spring * (dl * er + el * dr)
        out[k] += (weight * change).real
    dl, dr = -(s0 * ls + s1 * ld), -(s0 * rs + s1 * rd)
    change = by_soft * 2.0 * curvature * tau * hang / m + spring * (dl * er + el * dr)
    out[4] += (weight * change).real
    out[5] -= (weight * spring * (lam[0] * er + el * r[0])).real
    out[6] += (weight * spring * (lam[2] * er + el * r[2])).real
    out[7] += (weight * by_soft).real

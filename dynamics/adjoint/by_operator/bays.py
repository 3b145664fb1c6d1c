r"""Compiled derivatives of what a bay's stiffness pairs, by all that the bay is made of.

The bay's stiffness is that of `dynamics.line_operator.kernel`: with l and r the ends' multipliers and motions,

    l^T B r = (s0 W + s1 X + s2 Y + a0 V - a1 U + a2 Z) / 2 + spring e_l e_r,

W, X, Y and V, U, Z products of sums and differences of the ends, in height and across the track, e the stretch by a
change of tension.

Legend: p, q, r1, r2, s0 ... a2, t, m, a as there; R1, R2 the squares of r1, r2; h is half of the bay's length; dR1,
dp1 ... are changes by length, tension, bending and mass; kept numbers of a bay (number,): see `NUMBERS`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.line_operator.kernel import OPTIONS
from dynamics.linear_algebra.complex_numbers import exponential, inverse, root

__all__ = ["NUMBERS", "PRODUCTS", "WAVES", "add_bay_slopes", "add_products", "bay_waves"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

NUMBERS = (
    "length", "tension", "bending", "mass", "curvature", "slope at the left", "slope at the right", "compliance",
    "veer",
)  # fmt: skip
WAVES = 4  # of those, by which the six stiffnesses change
PRODUCTS = 12  # of multipliers and motions at the ends


@kernel(**OPTIONS)
def _changed_half(roots, p, a, changes, out, at):
    """Stiffness of one half of a bay (3,), and its changes (4, 3); see `dynamics.line_operator.kernel._half`."""
    (R1, R2), (dR1, dR2, dp1, dp2, more) = roots, changes
    apart = inverse(p[1] - p[0])
    scale, both = a * apart, p[0] * p[1]
    s1, s2 = scale * (p[1] * R1 - p[0] * R2), scale * (R2 - R1)
    for k in range(WAVES):
        own = more[k] - (dp2[k] - dp1[k]) * apart
        d2 = s2 * own + scale * (dR2[k] - dR1[k])
        out[k, at + 2] = d2
        out[k, at] = (dp1[k] * p[1] + p[0] * dp2[k]) * s2 + both * d2
        out[k, at + 1] = scale * (dp2[k] * R1 + p[1] * dR1[k] - dp1[k] * R2 - p[0] * dR2[k]) + s1 * own
    return both * s2, s1, s2


@kernel(**OPTIONS)
def bay_waves(
    bay: tuple[float, float, float, float], tau: complex, mu: complex, values: Complexes, slopes: Complexes
) -> None:
    """Six stiffnesses of a bay (6,), and their derivatives by length, tension, bending and mass (4, 6).

    ``bay`` holds these four.
    """
    length, tension, bending, mass = bay
    m, a, t, h = mass * mu, bending * tau, tension * tau, 0.5 * length
    apart = root(t * t - 4.0 * a * m)
    of_root, of_sum = inverse(apart), inverse(t + apart)
    R1, R2 = 2.0 * m * of_sum, (t + apart) * inverse(2.0 * a)
    r1, r2 = root(R1), root(R2)
    near = exponential(-2.0 * r2 * h)
    of_near = inverse(1.0 + near)
    near, sech2 = (1.0 - near) * of_near, 4.0 * near * of_near * of_near
    of_near, wave = inverse(near), exponential(r1 * h)
    back = inverse(wave)
    sinh, cosh = 0.5 * (wave - back), 0.5 * (wave + back)
    of_sinh, of_cosh = inverse(sinh), inverse(cosh)
    tanh, coth, far2, csch2 = sinh * of_cosh, cosh * of_sinh, of_cosh * of_cosh, of_sinh * of_sinh
    p, q = (r1 * tanh, r2 * near), (r1 * coth, r2 * of_near)
    # by r and by h; then by what each number changes of r1 and r2
    p_r, p_h = (tanh + r1 * h * far2, near + r2 * h * sech2), (R1 * far2, R2 * sech2)
    near2 = sech2 * of_near * of_near
    q_r, q_h = (coth - r1 * h * csch2, of_near - r2 * h * near2), (-R1 * csch2, -R2 * near2)
    half1, half2, none = 0.5 * inverse(r1), 0.5 * inverse(r2), 0.0 + 0.0j
    of_t, of_a, of_m = (
        (tau + t * tau * of_root) * of_sum,
        -2.0 * m * tau * of_root * of_sum,
        -2.0 * a * mu * of_root * of_sum,
    )
    stiffer, heavier = 1.0 / bending + none, 1.0 / mass + none
    dR1 = (none, -R1 * of_t, -R1 * of_a, R1 * (heavier - of_m))
    dR2 = (none, R2 * of_t, R2 * (of_a - stiffer), R2 * of_m)
    more = (none, none, stiffer, none)
    dp1, dp2 = _by_numbers(p_r, 0.5 * p_h[0], 0.5 * p_h[1], dR1, dR2, half1, half2)
    dq1, dq2 = _by_numbers(q_r, 0.5 * q_h[0], 0.5 * q_h[1], dR1, dR2, half1, half2)
    values[0], values[1], values[2] = _changed_half((R1, R2), p, a, (dR1, dR2, dp1, dp2, more), slopes, 0)
    values[3], values[4], values[5] = _changed_half((R1, R2), q, a, (dR1, dR2, dq1, dq2, more), slopes, 3)


@kernel(**OPTIONS)
def _by_numbers(by_root, long1, long2, dR1, dR2, half1, half2):
    """Changes of p (or q) of both roots by length, tension, bending and mass."""
    one, two = by_root[0] * half1, by_root[1] * half2
    return (long1, one * dR1[1], one * dR1[2], one * dR1[3]), (long2, two * dR2[1], two * dR2[2], two * dR2[3])


@kernel(**OPTIONS)
def _add_waves(lam, r, out):
    """Add W, X, Y, V, U, Z of place and slope at both ends; returns sum and difference of each."""
    ls, ld, la, lg = lam[0] + lam[2], lam[3] - lam[1], lam[0] - lam[2], lam[1] + lam[3]
    rs, rd, ra, rg = r[0] + r[2], r[3] - r[1], r[0] - r[2], r[1] + r[3]
    out[0] += ls * rs
    out[1] += ls * rd + ld * rs
    out[2] += ld * rd
    out[3] += la * ra
    out[4] += la * rg + lg * ra
    out[5] += lg * rg
    return ls, ld, rs, rd


@kernel(**OPTIONS)
def add_products(
    bay: Floats,
    stiff: tuple[complex, complex, bool, bool],
    ends: tuple[Complexes, Complexes],
    out: Complexes,
) -> None:
    """Add the products of ends of which a bay's derivatives are made to out (`PRODUCTS`,).

    Parameters
    ----------
    bay : float array (9,)
        Its `NUMBERS`.
    stiff : tuple
        s0 and s1 over mass per length times mu, whether the tension changes, and whether ends move across the track.
    ends : tuple of complex array (12,)
        lam and r: height and slope at the left and at the right, positions along the track, heights altogether, with
        whatever field runs over the bare wire, and place and slope across the track at the left and at the right.
    out : complex array (12,)
        W, X, Y, V, U, Z, then those with the elongation e: e e, e with sum, difference, left and right height, and with
        what one end moves across the track more than the other.
    """
    (s0, s1, changes, spatial), (lam, r) = stiff, ends
    ls, ld, rs, rd = _add_waves(lam, r, out)
    if spatial:
        _add_waves(lam[8:], r[8:], out)
    if changes:
        curvature, left, right = bay[4], bay[5], bay[6]
        el = -left * lam[6] + right * lam[7] - curvature * (s0 * ls + s1 * ld) - lam[4] + lam[5]
        er = -left * r[6] + right * r[7] - curvature * (s0 * rs + s1 * rd) - r[4] + r[5]
        if spatial:
            aside_l, aside_r = lam[10] - lam[8], r[10] - r[8]
            el, er = el + bay[8] * aside_l, er + bay[8] * aside_r
            out[11] += aside_l * er + el * aside_r
        out[6] += el * er
        out[7] += ls * er + el * rs
        out[8] += ld * er + el * rd
        out[9] += lam[6] * er + el * r[6]
        out[10] += lam[7] * er + el * r[7]


@kernel(**OPTIONS)
def add_bay_slopes(
    bay: Floats,
    factors: tuple[complex, complex, complex, bool],
    waves: tuple[Complexes, Complexes],
    products: Complexes,
    out: Floats,
) -> None:
    """Add the derivatives of ``weight`` times the real part of l^T B r by the bay's numbers to out (9,).

    Parameters
    ----------
    bay : float array (8,)
        Its `NUMBERS`.
    factors : tuple
        Weight, tau, mass per length times mu, and whether the tension changes.
    waves : tuple
        What `bay_waves` found.
    products : complex array (12,)
        What `add_products` found.
    out : float array (9,)
    """
    (weight, tau, m, changes), (values, slopes) = factors, waves
    W, X, Y, V, U, Z = products[0], products[1], products[2], products[3], products[4], products[5]
    for k in range(WAVES):
        d = slopes[k]
        total = 0.5 * (d[0] * W + d[1] * X + d[2] * Y + d[3] * V - d[4] * U + d[5] * Z)
        out[k] += (weight * total).real
    if not changes:
        return
    length, curvature, compliance, lighter = bay[0], bay[4], bay[7], inverse(m)
    s0, s1 = values[0] * lighter, values[1] * lighter
    square, hang = curvature * curvature * tau * lighter, length - 2.0 * s0
    harder = inverse(compliance + square * hang)
    spring, by_soft = weight * tau * harder, -weight * tau * harder * harder * products[6]
    turned, drawn = spring * curvature * products[7], spring * curvature * products[8]
    for k in range(WAVES):
        d0, d1 = slopes[k, 0] * lighter, slopes[k, 1] * lighter
        longer = -2.0 * d0
        if k == 0:
            longer += 1.0
        if k == 3:  # whatever is divided by m falls with the mass
            heavier = 1.0 / bay[3]
            d0, d1, longer = d0 - s0 * heavier, d1 - s1 * heavier, longer + (2.0 * s0 - hang) * heavier
        out[k] += (by_soft * square * longer - turned * d0 - drawn * d1).real
    out[4] += (by_soft * 2.0 * curvature * tau * hang * lighter - spring * (s0 * products[7] + s1 * products[8])).real
    out[5] -= (spring * products[9]).real
    out[6] += (spring * products[10]).real
    out[7] += by_soft.real
    out[8] += (spring * products[11]).real

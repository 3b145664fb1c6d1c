r"""Compiled derivatives of pairings by all numbers of a line's network.

A small change of the network changes a pairing (`pairings`) by -l^T dD r, where r answers to the loads and l to those
of the multipliers, under the opposite Bloch phase: one solution each gives the derivatives by all numbers, and what the
network itself is at a frequency serves all figures.

Legend: as in `pairings`; ``to`` (c,) the figure that a column of multipliers belongs to, f.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.adjoint.by_operator.bays import PRODUCTS, WAVES, add_bay_slopes, add_products, bay_waves
from dynamics.adjoint.by_operator.pairings import Acting, Multipliers, add_lifted, take_field
from dynamics.influence.kernel import answers_taken, bloch_opposite, bloch_solution, bloch_work
from dynamics.line_operator.condensed.parts import Bays, Damping, Points, Ports
from dynamics.line_operator.kernel import OPTIONS, add_attached, add_bays, clear, damped_at, damped_bays
from dynamics.line_operator.ports import acted_loads, station_forces, stretches

__all__ = ["NetworkSlopes", "network_slopes"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]


class NetworkSlopes(NamedTuple):
    """Derivatives of the pairings of every figure by the network's numbers.

    ``bay`` (figure, bay, number), by `dynamics.adjoint.by_operator.bays.NUMBERS`; ``mass``, ``drag``, ``stiffness``,
    ``held``, ``dashpot`` (figure, dof) of what is attached; ``upright``, ``sway``, ``mixed`` and ``across`` (figure,
    dropper) of stiffnesses, ``axis`` (figure, dropper, 2), ``skew`` (figure, support). ``dropper`` (figure, dropper) is
    that of the droppers' own stiffness, of which the network has none.
    """

    bay: Floats
    mass: Floats
    drag: Floats
    stiffness: Floats
    held: Floats
    dashpot: Floats
    dropper: Floats
    upright: Floats
    sway: Floats
    axis: Floats
    mixed: Floats
    across: Floats
    skew: Floats


@kernel(**OPTIONS)
def _add_next(x, n, phase):
    """Motion of the next period's interface behind that of the own dofs (dof + interface, column)."""
    for j in range(x.shape[0] - n):
        for c in range(x.shape[1]):
            x[n + j, c] = phase * x[j, c]


@kernel(**OPTIONS)
def _add_held(w, omega, motions, columns, slopes):
    """Add the derivatives by what holds supports, of which the bare wire knows nothing."""
    (lam, r), (of, to) = motions, columns
    for i in range(slopes.held.shape[1]):
        for c in range(of.size):
            product = w * lam[i, c] * r[i, of[c]]
            slopes.held[to[c], i] -= product.real
            slopes.dashpot[to[c], i] -= (1j * omega * product).real


@kernel(**OPTIONS)
def _add_points(w, damped, motions, points, columns, slopes):
    """Add the derivatives by what else is attached; lam and r are total motions at the contact wire."""
    (omega, _, of_dropper, of_arm), (lam, r), (of, to) = damped, motions, columns
    for i in range(slopes.mass.shape[1]):
        for c in range(of.size):
            product = w * lam[i, c] * r[i, of[c]]
            slopes.mass[to[c], i] += (omega * omega * product).real
            slopes.drag[to[c], i] -= (1j * omega * product).real
            slopes.stiffness[to[c], i] -= (of_arm * product).real
    for d in range(points.dropper.size):
        low, high = points.bottom[d], points.top[d]
        back, forth = points.swaying[d]
        for c in range(of.size):
            product = (lam[high, c] - lam[low, c]) * (r[high, of[c]] - r[low, of[c]])
            slopes.upright[to[c], d] -= (w * (of_dropper - points.loose[d]) * product).real
            if back >= 0:
                product = (lam[forth, c] - lam[back, c]) * (r[forth, of[c]] - r[back, of[c]])
                slopes.sway[to[c], d] -= (w * of_dropper * product).real


@kernel(**OPTIONS)
def _apart(x, ends, c):
    """What the upper end of a dropper moves more than the lower one, each 0 where held."""
    low, high = ends
    return (x[high, c] if high >= 0 else 0.0j) - (x[low, c] if low >= 0 else 0.0j)


@kernel(**OPTIONS)
def _add_askew(w, damped, motions, points, columns, slopes):
    """Add the derivatives by what pulls across the track: droppers that hang askew, and arms."""
    (_, _, of_dropper, of_arm), (lam, r), (of, to) = damped, motions, columns
    for d in range(points.aside.shape[0]):
        ends, aside = (points.bottom[d], points.top[d]), (points.aside[d, 0], points.aside[d, 1])
        own = w * (of_dropper - points.loose[d])
        for c in range(of.size):
            up_l, up_r = _apart(lam, ends, c), _apart(r, ends, of[c])
            aside_l, aside_r = _apart(lam, aside, c), _apart(r, aside, of[c])
            slopes.mixed[to[c], d] -= (own * (up_l * aside_r + aside_l * up_r)).real
            slopes.across[to[c], d] -= (own * aside_l * aside_r).real
    for s in range(points.arm.shape[0]):
        height, side = points.arm[s]
        for c in range(of.size):
            product = lam[height, c] * r[side, of[c]] + lam[side, c] * r[height, of[c]]
            slopes.skew[to[c], s] -= (w * of_arm * product).real


@kernel(**OPTIONS)
def _add_axes(w, motions, points, droppers, columns, slopes):
    """Add the derivatives by the droppers' axes, along which they are squeezed, and stretch.

    ``droppers`` are what squeezes them, and the multipliers of their stretches.
    """
    (lam, r), (squeezes, tests), (of, to) = motions, droppers, columns
    for d in range(points.dropper.size):
        ends = points.bottom[d], points.top[d]
        for c in range(of.size):
            squeeze, test = w * squeezes[d, of[c]], w * tests[d, c]
            up = squeeze * _apart(lam, ends, c) - test * _apart(r, ends, of[c])
            slopes.axis[to[c], d, 1] += up.real
            if d < points.aside.shape[0]:
                across = points.aside[d, 0], points.aside[d, 1]
                aside = squeeze * _apart(lam, across, c) - test * _apart(r, across, of[c])
                slopes.axis[to[c], d, 0] += aside.real


@kernel(**OPTIONS)
def _empty_slopes(figures, bays, points):
    dofs, droppers = points.mass.size, points.dropper.size
    return NetworkSlopes(
        np.zeros((figures, bays, 9)),
        np.zeros((figures, dofs)),
        np.zeros((figures, dofs)),
        np.zeros((figures, dofs)),
        np.zeros((figures, dofs)),
        np.zeros((figures, dofs)),
        np.zeros((figures, droppers)),
        np.zeros((figures, droppers)),
        np.zeros((figures, droppers)),
        np.zeros((figures, droppers, 2)),
        np.zeros((figures, droppers)),
        np.zeros((figures, droppers)),
        np.zeros((figures, points.skew.size)),
    )


@kernel(**OPTIONS)
def _tabled(bays):
    """Numbers of all bays (bay, number)."""
    table = np.empty((bays.length.size, 9))
    table[:, 0], table[:, 1], table[:, 2], table[:, 3] = bays.length, bays.tension, bays.bending, bays.mass
    table[:, 4], table[:, 5:7], table[:, 7], table[:, 8] = bays.curvature, bays.slope, bays.compliance, bays.veer
    return table


@kernel(**OPTIONS)
def _assembled(S, damped, of_bays, line, table, waves):
    """Dynamic stiffness as `assemble` has it, and what `bay_waves` finds of all bays."""
    (tau, mu), (values, slopes), (bays, points, first) = of_bays, waves, line
    clear(S, first)
    for b in range(bays.length.size):
        bay_waves((table[b, 0], table[b, 1], table[b, 2], table[b, 3]), tau[b], mu[b], values[b], slopes[b])
    add_bays(S, bays, tau, bays.mass * mu, values)
    add_attached(S, points, damped)


@kernel(**OPTIONS)
def _take_side(ends, x, side, turn, c):
    """Fill in place and slope across the track at both ends of a bay, in the sense of its left end."""
    for k in range(4):
        own = x[side[k], c] if side[k] >= 0 else 0.0j
        ends[8 + k] = own if k < 2 else turn * own


@kernel(**OPTIONS)
def _add_bays(w, of_bays, bays, table, waves, motions, columns, slopes):
    """Add the derivatives by the bays' numbers to all figures.

    Waves of the contact wire's bays run on its bare bays, and chords move with it altogether (``total``).
    """
    (tau, mu), (lam, r, total_lam, total_r), (of, to), (values, changed) = of_bays, motions, columns, waves
    figures = slopes.bay.shape[0]
    products = np.empty((figures, PRODUCTS), np.complex128)
    le, re = np.zeros(12, np.complex128), np.zeros(12, np.complex128)
    for b in range(bays.length.size):
        changes, m = bays.along[b, 0] >= 0, table[b, 3] * mu[b]
        products[:, :] = 0.0
        spatial = b < bays.side.shape[0]
        stiff = values[b, 0] / m, values[b, 1] / m, changes, spatial
        for c in range(of.size):
            for k in range(4):
                le[k], re[k] = lam[bays.dof[b, k], c], r[bays.dof[b, k], of[c]]
            if changes:
                for k in range(2):
                    le[4 + k], re[4 + k] = lam[bays.along[b, k], c], r[bays.along[b, k], of[c]]
                    height = bays.dof[b, 2 * k]
                    le[6 + k], re[6 + k] = total_lam[height, c], total_r[height, of[c]]
            if spatial:
                _take_side(le, lam, bays.side[b], bays.turn[b], c)
                _take_side(re, r, bays.side[b], bays.turn[b], of[c])
            add_products(table[b], stiff, (le, re), products[to[c]])
        for f in range(figures):
            add_bay_slopes(table[b], (-w, tau[b], m, changes), (values[b], changed[b]), products[f], slopes.bay[f, b])


@kernel(**OPTIONS)
def _totals(x, field, ports, n, phase):
    """Motions less a field on the bare wire; fill in the next period's interface behind both."""
    total = x.copy()
    take_field(total, field, ports)
    _add_next(x, n, phase)
    _add_next(total, n, phase)
    return total


@kernel(**OPTIONS)
def _fill_answers(out, t, total, ports, dropper, at, sign):
    """Fill in forces of stations, and stretches of droppers, by total motions (dof, column); sign -1 of multipliers."""
    forces, droppers = out
    station_forces(forces[t], total, ports, dropper, at, sign)
    stretches(droppers[t], total, ports)
    droppers[t] *= sign


@kernel(**OPTIONS)
def network_slopes(
    omega: tuple[Complexes, Complexes],
    line: tuple[Bays, Points, Ints],
    numbers: tuple[int, float, Damping],
    ports: Ports,
    both: tuple[Acting, Multipliers, Ints],
    to: Ints,
) -> tuple[NetworkSlopes, tuple[Complexes, Complexes], tuple[Complexes, Complexes]]:
    """Derivatives of the sum of the pairings' real parts, weighted, by the network's numbers.

    Parameters
    ----------
    omega : tuple of complex array (omega,)
        Frequencies and weights.
    line, numbers, ports, both
        As those of `pairings`.
    to : int array (column,)
        Figure whose derivatives a column of multipliers adds to.

    Returns
    -------
    NetworkSlopes
    tuple of complex array (omega, station, action), (omega, station, column)
        Derivatives of the pairing by multipliers of stations' forces, and by heights of the field.
    tuple of complex array (omega, dropper, action), (omega, dropper, column)
        Derivatives of the pairing by multipliers of stretches, and by squeezes.
    """
    (bays, points, first), (ni, T, damping) = line, numbers
    acting, multipliers, of = both
    n, actions, columns = points.mass.size, acting.station.shape[2], of.size
    right, left = np.empty((n, actions), np.complex128), np.empty((n, columns), np.complex128)
    r, lam = np.empty((n + ni, actions), np.complex128), np.empty((n + ni, columns), np.complex128)
    table, count = _tabled(bays), bays.length.size
    slopes, work = _empty_slopes(to.max() + 1, count, points), bloch_work(n, ni, actions)
    waves = np.empty((count, 6), np.complex128), np.empty((count, WAVES, 6), np.complex128)
    by_acting = np.empty_like(acting.station), np.empty_like(acting.dropper)
    by_tests = np.empty_like(multipliers.station), np.empty_like(multipliers.dropper)
    for t in range(omega[0].size):
        w, at = 2.0 * omega[1][t], omega[0][t]
        damped, of_bays = damped_at(at, damping), damped_bays(at, bays)
        phase, fields = np.exp(-1j * at * T), (acting.station[t], acting.dropper[t])
        tests = multipliers.station[t], multipliers.dropper[t]
        _assembled(work.S, damped, of_bays, line, table, waves)
        acted_loads(right, ports, fields, damped, phase, 1.0)
        bloch_solution(phase, ni, first, right, work)
        answers_taken(work, r[:n])
        acted_loads(left, ports, tests, damped, 1.0 / phase, -1.0)
        add_lifted(left, multipliers.lifted[t], ports)
        bloch_opposite(phase, ni, first, left, work, lam)
        total_r, total_lam = _totals(r, fields[0], ports, n, phase), _totals(lam, tests[0], ports, n, 1.0 / phase)
        _add_bays(w, of_bays, bays, table, waves, (lam, r, total_lam, total_r), (of, to), slopes)
        _add_held(w, at, (lam, r), (of, to), slopes)
        _add_points(w, damped, (total_lam, total_r), points, (of, to), slopes)
        _add_askew(w, damped, (total_lam, total_r), points, (of, to), slopes)
        _add_axes(w, (total_lam, total_r), points, (fields[1], tests[1]), (of, to), slopes)
        _fill_answers(by_acting, t, total_r, ports, fields[1], (damped, phase), 1.0)
        _fill_answers(by_tests, t, total_lam, ports, tests[1], (damped, 1.0 / phase), -1.0)
    return slopes, (by_acting[0], by_tests[0] + multipliers.lifted), (by_acting[1], by_tests[1])

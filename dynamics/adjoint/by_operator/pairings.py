r"""Compiled pairings of what acts on a line's network with multipliers, and their derivatives by the network's numbers.

What acts is a field on the bare contact wire (its height at every station) and forces that squeeze droppers; what is
answered are forces of the stations on that wire and stretches of the droppers (`port_answers`). With multipliers of
both, J = weight * left^T Q right, summed over frequencies, Q D^-1 between loads of the network. A small change of the
network changes J by -l^T dD r, where r answers to the loads and l to those of the multipliers, under the opposite
Bloch phase: one solution each gives the derivatives by all numbers.

Legend: as in `dynamics.line_operator.kernel`; n frequency, s station, d dropper, c column of multipliers, a of actions,
``of`` (c,) the action that a column pairs with; u total height or stretch, incident field less answer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.adjoint.by_operator.bays import add_bay_slopes, bay_waves
from dynamics.influence.kernel import BlochWork, bloch_answers, bloch_solution, bloch_work
from dynamics.line_operator.kernel import OPTIONS, assemble
from dynamics.line_operator.network import Bays, Points, Ports

__all__ = ["Acting", "Multipliers", "NetworkSlopes", "network_slopes", "pairings"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]


class Acting(NamedTuple):
    """Heights of a field at ``station`` (omega, station, action), squeezes of ``dropper`` (omega, dropper, action)."""

    station: Complexes
    dropper: Complexes


class Multipliers(NamedTuple):
    """Multipliers of a ``station``'s force (omega, station, column), a ``dropper``'s stretch (omega, dropper, column).

    ``lifted`` (omega, station, column) are those of the contact wire's height at stations.
    """

    station: Complexes
    dropper: Complexes
    lifted: Complexes


class NetworkSlopes(NamedTuple):
    """Derivatives of the pairing of every column by the network's numbers.

    ``bay`` (column, bay, number), by `dynamics.adjoint.by_operator.bays.NUMBERS`; ``mass``, ``stiffness``, ``held``,
    ``dashpot`` (column, dof) of what is attached, ``dropper`` (column, dropper) of stiffnesses.
    """

    bay: Floats
    mass: Floats
    stiffness: Floats
    held: Floats
    dashpot: Floats
    dropper: Floats


@kernel(**OPTIONS)
def _acted(rhs, t, points, ports, acting, grounds, sign, station_dof):
    """Loads of the network by what acts, or by multipliers (sign -1), a column each."""
    (station, dropper), (ground, tau) = acting, grounds
    rhs[:, :] = 0.0
    for c in range(station.shape[2]):
        for s in range(station_dof.size):
            rhs[station_dof[s], c] += ground[s] * station[t, s, c]
        for d in range(points.dropper.size):
            pull = sign * dropper[t, d, c] - tau * points.dropper[d] * station[t, ports.at[d], c]
            rhs[points.top[d], c] += pull
            rhs[points.bottom[d], c] -= pull


@kernel(**OPTIONS)
def _add_lifted(rhs, t, lifted, station_dof):
    """Add the loads of multipliers of the contact wire's heights."""
    for c in range(lifted.shape[2]):
        for s in range(station_dof.size):
            rhs[station_dof[s], c] -= lifted[t, s, c]


@kernel(**OPTIONS)
def _taken(work, out):
    """Copy the answers of the network (dof, column) out of its memory."""
    for i in range(out.shape[0]):
        for c in range(out.shape[1]):
            out[i, c] = complex(work.Br[i, c], work.Bi[i, c])


@kernel(**OPTIONS)
def _paired(t, r, points, ports, acting, multipliers, grounds, station_dof, of, out):
    """What multipliers pair with, by column."""
    (ground, tau), (station, dropper, lifted) = grounds, multipliers
    for c in range(of.size):
        a, total = of[c], 0.0 + 0.0j
        for s in range(station_dof.size):
            u = acting.station[t, s, a] - r[station_dof[s], a]
            total += (lifted[t, s, c] - ground[s] * station[t, s, c]) * u
        for d in range(points.dropper.size):
            at, squeeze = ports.at[d], acting.dropper[t, d, a]
            own = r[points.top[d], a] - r[points.bottom[d], a]
            stretch = tau * points.dropper[d] * (own + acting.station[t, at, a])
            total += station[t, at, c] * (squeeze - stretch) - dropper[t, d, c] * (own + acting.station[t, at, a])
        out[t, c] = total


@kernel(**OPTIONS)
def pairings(
    omega: Complexes,
    line: tuple[Bays, Points, Ints],
    numbers: tuple[int, float, float, float],
    ports: tuple[Ports, Ints],
    both: tuple[Acting, Multipliers, Ints],
) -> Complexes:
    """What multipliers pair with at every frequency (omega, column).

    Parameters
    ----------
    omega : complex array (omega,)
    line, numbers : tuple
        `LineNetwork.arguments`.
    ports : tuple of Ports and int array (station,)
        And height dofs of the stations.
    both : tuple of Acting, Multipliers and int array (column,)
        And the action that each column of multipliers pairs with.
    """
    (bays, points, first), (ni, T, alpha, beta) = line, numbers
    (ports_, station_dof), (acting, multipliers, of) = ports, both
    n, actions = points.mass.size, acting.station.shape[2]
    rhs, r = np.empty((n, actions), np.complex128), np.empty((n, actions), np.complex128)
    work, out = bloch_work(n, ni, actions), np.empty((omega.size, of.size), np.complex128)
    for t in range(omega.size):
        tau, mu = 1.0 + 1j * omega[t] * beta, -omega[t] * omega[t] + 1j * omega[t] * alpha
        ground = tau * ports_.stiffness + mu * ports_.mass
        assemble(work.S, omega[t], bays, points, alpha, beta)
        _acted(rhs, t, points, ports_, acting, (ground, tau), 1.0, station_dof)
        bloch_solution(np.exp(-1j * omega[t] * T), ni, first, rhs, work)
        _taken(work, r)
        _paired(t, r, points, ports_, acting, multipliers, (ground, tau), station_dof, of, out)
    return out


@kernel(**OPTIONS)
def _with_next(x, ni, phase, out):
    """Motion of the own dofs and of the next period's interface (dof + interface, column)."""
    n = x.shape[0]
    out[:n] = x
    for j in range(ni):
        for c in range(x.shape[1]):
            out[n + j, c] = phase * x[j, c]


@kernel(**OPTIONS)
def _add_held(w, omega, lam, r, of, slopes):
    """Add the derivatives by what holds supports, of which the bare wire knows nothing."""
    for c in range(of.size):
        for i in range(lam.shape[0]):
            product = w * lam[i, c] * r[i, of[c]]
            slopes.held[c, i] -= product.real
            slopes.dashpot[c, i] -= (1j * omega * product).real


@kernel(**OPTIONS)
def _add_points(w, damped, motions, points, of, slopes):
    """Add the derivatives by what else is attached; lam and r are total motions at the contact wire."""
    (tau, mu), (lam, r) = damped, motions
    for c in range(of.size):
        a = of[c]
        for i in range(lam.shape[0]):
            product = w * lam[i, c] * r[i, a]
            slopes.mass[c, i] -= (mu * product).real
            slopes.stiffness[c, i] -= (tau * product).real
        for d in range(points.dropper.size):
            low, high = points.bottom[d], points.top[d]
            slopes.dropper[c, d] -= (w * tau * (lam[high, c] - lam[low, c]) * (r[high, a] - r[low, a])).real


@kernel(**OPTIONS)
def _empty_slopes(columns, bays, dofs, droppers):
    return NetworkSlopes(
        np.zeros((columns, bays, 8)),
        np.zeros((columns, dofs)),
        np.zeros((columns, dofs)),
        np.zeros((columns, dofs)),
        np.zeros((columns, dofs)),
        np.zeros((columns, droppers)),
    )


@kernel(**OPTIONS)
def _add_bays(w, damped, bays, motions, of, slopes):
    """Add the derivatives by the bays' numbers to all columns."""
    (tau, mu), (lam, r) = damped, motions
    values, waves = np.empty(6, np.complex128), np.empty((4, 6), np.complex128)
    le, re, numbers = np.zeros(6, np.complex128), np.zeros(6, np.complex128), np.empty(8)
    for b in range(bays.length.size):
        numbers[0], numbers[1], numbers[2], numbers[3] = bays.length[b], bays.tension[b], bays.bending[b], bays.mass[b]
        numbers[4], numbers[5], numbers[6] = bays.curvature[b], bays.slope[b, 0], bays.slope[b, 1]
        numbers[7] = bays.compliance[b]
        bay_waves((numbers[0], numbers[1], numbers[2], numbers[3]), tau, mu, values, waves)
        changes = bays.along[b, 0] >= 0
        for c in range(of.size):
            for k in range(4):
                le[k], re[k] = lam[bays.dof[b, k], c], r[bays.dof[b, k], of[c]]
            if changes:
                for k in range(2):
                    le[4 + k], re[4 + k] = lam[bays.along[b, k], c], r[bays.along[b, k], of[c]]
            add_bay_slopes(
                numbers, (-w, tau, bays.mass[b] * mu, mu, changes), (values, waves), (le, re), slopes.bay[c, b]
            )


@kernel(**OPTIONS)
def network_slopes(
    omega: tuple[Complexes, Complexes],
    line: tuple[Bays, Points, Ints],
    numbers: tuple[int, float, float, float],
    ports: tuple[Ports, Ints],
    both: tuple[Acting, Multipliers, Ints],
) -> tuple[NetworkSlopes, Complexes, Complexes]:
    """Derivatives of the sum of the pairings' real parts, weighted, by the network's numbers.

    Parameters
    ----------
    omega : tuple of complex array (omega,)
        Frequencies and weights.
    line, numbers, ports, both
        As those of `pairings`.

    Returns
    -------
    NetworkSlopes
    complex array (omega, station, action), complex array (omega, station, column)
        Forces of stations on the bare wire by what acts, and the same of the multipliers: derivatives of the pairing by
        multipliers of forces, and by heights of the field.
    """
    (bays, points, first), (ni, T, alpha, beta) = line, numbers
    (ports_, station_dof), (acting, multipliers, of) = ports, both
    n, actions, columns, stations = points.mass.size, acting.station.shape[2], of.size, station_dof.size
    right, left = np.empty((n, actions), np.complex128), np.empty((n, columns), np.complex128)
    r, lam = np.empty((n, actions), np.complex128), np.empty((n, columns), np.complex128)
    rn, ln = np.empty((n + ni, actions), np.complex128), np.empty((n + ni, columns), np.complex128)
    slopes = _empty_slopes(columns, bays.length.size, n, points.dropper.size)
    work, other = bloch_work(n, ni, actions), bloch_work(n, ni, columns)
    adjoint = BlochWork(work.S, work.low, work.diag, other.Br, other.Bi)  # one cell, and its factor, for both
    by_left = np.empty((omega[0].size, stations, actions), np.complex128)
    by_right = np.empty((omega[0].size, stations, columns), np.complex128)
    for t in range(omega[0].size):
        w, at = 2.0 * omega[1][t], omega[0][t]
        tau, mu = 1.0 + 1j * at * beta, -at * at + 1j * at * alpha
        ground, phase = tau * ports_.stiffness + mu * ports_.mass, np.exp(-1j * at * T)
        assemble(work.S, at, bays, points, alpha, beta)
        _acted(right, t, points, ports_, acting, (ground, tau), 1.0, station_dof)
        bloch_solution(phase, ni, first, right, work)
        _taken(work, r)
        _acted(left, t, points, ports_, (multipliers.station, multipliers.dropper), (ground, tau), -1.0, station_dof)
        _add_lifted(left, t, multipliers.lifted, station_dof)
        bloch_answers(1.0 / phase, ni, first, left, adjoint)
        _taken(adjoint, lam)
        _with_next(r, ni, phase, rn)
        _with_next(lam, ni, 1.0 / phase, ln)
        _add_bays(w, (tau, mu), bays, (ln, rn), of, slopes)
        _add_held(w, at, lam, r, of, slopes)
        for s in range(stations):
            for c in range(actions):
                r[station_dof[s], c] -= acting.station[t, s, c]
            for c in range(columns):
                lam[station_dof[s], c] -= multipliers.station[t, s, c]
        _add_points(w, (tau, mu), (lam, r), points, of, slopes)
        _station_forces(t, r, points, ports_, acting.dropper, (ground, tau), 1.0, station_dof, by_left)
        _station_forces(t, lam, points, ports_, multipliers.dropper, (ground, tau), -1.0, station_dof, by_right)
        by_right[t] += multipliers.lifted[t]
    return slopes, by_left, by_right


@kernel(**OPTIONS)
def _station_forces(t, u, points, ports, dropper, grounds, sign, station_dof, out):
    """Forces of stations on the bare wire from total motions (dof, column), squeezes or multipliers of stretches."""
    ground, tau = grounds
    for c in range(u.shape[1]):
        for s in range(station_dof.size):
            out[t, s, c] = ground[s] * u[station_dof[s], c]
        for d in range(points.dropper.size):
            pull = tau * points.dropper[d] * (u[points.top[d], c] - u[points.bottom[d], c])
            out[t, ports.at[d], c] += sign * dropper[t, d, c] - pull

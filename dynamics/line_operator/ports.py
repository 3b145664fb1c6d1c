r"""Compiled answers of a line's network at its ports: stations of the contact wire, and droppers.

What acts is a field on the bare contact wire (its height at every station) and forces that squeeze droppers. What is
attached pulls at the bare wire by -B y, y the total motion: to loads B i, i the field, the network answers i - y at the
stations, and total motions with their sign turned everywhere else, across the track, too, where a field has no part.

Legend: s station, d dropper, b bay of the contact wire from a station to the next, c column; S stations, D droppers, C
columns; u total motions with their sign turned; turn what the next period's first station does by this one's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.influence.kernel import answers_taken, bloch_solution, bloch_work
from dynamics.line_operator.condensed.parts import Bays, Damping, Points, Ports
from dynamics.line_operator.kernel import OPTIONS, assemble, damped_at
from dynamics.linear_algebra.complex_numbers import inverse

__all__ = ["acted_loads", "port_answers", "station_forces", "stretches"]

Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]


@kernel(**OPTIONS)
def _add_row(row, factor, other):
    """Add so many times another row."""
    for c in range(row.size):
        row[c] += factor * other[c]


@kernel(**OPTIONS)
def _onward(b, stations, phase):
    """Station at the right end of a bay; what the next period does by this one there, and the inverse."""
    if b + 1 < stations:
        return b + 1, 1.0 + 0.0j, 1.0 + 0.0j
    return 0, phase, inverse(phase)


@kernel(**OPTIONS)
def _held(s, ports, omega, of_arm):
    """Dynamic stiffness to the ground of a station."""
    return of_arm * ports.stiffness[s] + omega * (1j * ports.drag[s] - omega * ports.mass[s])


@kernel(**OPTIONS)
def acted_loads(
    rhs: Complexes,
    ports: Ports,
    acting: tuple[Complexes, Complexes],
    damped: tuple[complex, complex, complex, complex],
    phase: complex,
    sign: float,
) -> None:
    """Fill in the network's loads by what acts, or by multipliers (sign -1), a column each.

    Parameters
    ----------
    rhs : complex array (dof, column)
    ports : Ports
    acting : tuple of complex array (station, column), (dropper, column)
        Heights of a field on the bare contact wire, and forces that squeeze droppers.
    damped : tuple of complex
        `damped_at` of the frequency.
    phase : complex
        What the next period does by what this one does.
    sign : float
    """
    (station, dropper), (omega, tau, of_dropper, of_arm) = acting, damped
    S, D = ports.height.size, ports.at.size
    rhs[:, :] = 0.0
    spatial = ports.side.size > 0
    for s in range(S):
        _add_row(rhs[ports.height[s]], _held(s, ports, omega, of_arm), station[s])
        if spatial and ports.skew[s] != 0.0:
            _add_row(rhs[ports.side[s]], of_arm * ports.skew[s], station[s])
    for d in range(D):
        top, bottom, own = rhs[ports.top[d]], rhs[ports.bottom[d]], of_dropper - ports.loose[d]
        pull = own * ports.upright[d]
        if spatial:
            for at, turned in ((ports.aside[d, 1], 1.0), (ports.aside[d, 0], -1.0)):
                if at >= 0:
                    _add_row(rhs[at], turned * sign * ports.axis[d, 0], dropper[d])
                    _add_row(rhs[at], -turned * own * ports.mixed[d], station[ports.at[d]])
        _add_row(top, sign * ports.axis[d, 1], dropper[d])
        _add_row(bottom, -sign * ports.axis[d, 1], dropper[d])
        _add_row(top, -pull, station[ports.at[d]])
        _add_row(bottom, pull, station[ports.at[d]])
    for b in range(ports.chord.size):
        (right, turn, back), (less, more) = _onward(b, ports.height.size, phase), ports.tilt[b]
        for value, at in ((tau * ports.chord[b] * more * turn, right), (-tau * ports.chord[b] * less, b)):
            _add_row(rhs[ports.height[b]], -less * value, station[at])
            _add_row(rhs[ports.along[b]], -value, station[at])
            _add_row(rhs[ports.height[right]], more * back * value, station[at])
            _add_row(rhs[ports.along[right]], back * value, station[at])
            if spatial:
                _add_row(rhs[ports.side[b]], -ports.veer[b] * value, station[at])
                _add_row(rhs[ports.side[right]], ports.turn[b] * ports.veer[b] * back * value, station[at])


@kernel(**OPTIONS)
def station_forces(
    out: Complexes,
    u: Complexes,
    ports: Ports,
    dropper: Complexes,
    at: tuple[tuple[complex, complex, complex, complex], complex],
    sign: float,
) -> None:
    """Fill in the forces of stations on the bare contact wire (station, column).

    Parameters
    ----------
    out : complex array (station, column)
    u : complex array (dof, column)
        What the network answers to `acted_loads`, less the field: total motions, with their sign turned.
    ports : Ports
    dropper : complex array (dropper, column)
        Forces that squeeze droppers, or multipliers of stretches.
    at : tuple
        ``damped`` and ``phase`` as those of `acted_loads`.
    sign : float
        As that of `acted_loads`.
    """
    (omega, tau, of_dropper, of_arm), phase = at
    S, spatial = ports.height.size, ports.side.size > 0
    out[:, :] = 0.0
    for s in range(S):
        _add_row(out[s], _held(s, ports, omega, of_arm), u[ports.height[s]])
        if spatial and ports.skew[s] != 0.0:
            _add_row(out[s], of_arm * ports.skew[s], u[ports.side[s]])
    for d in range(ports.at.size):
        force, own, up = out[ports.at[d]], of_dropper - ports.loose[d], sign * ports.axis[d, 1]
        pull = own * ports.upright[d]
        if spatial:
            for end, turned in ((ports.aside[d, 1], -1.0), (ports.aside[d, 0], 1.0)):
                if end >= 0:
                    _add_row(force, turned * own * ports.mixed[d], u[end])
        _add_row(force, up, dropper[d])
        _add_row(force, -pull, u[ports.top[d]])
        _add_row(force, pull, u[ports.bottom[d]])
    for b in range(ports.chord.size):
        (right, turn, back), (less, more) = _onward(b, ports.height.size, phase), ports.tilt[b]
        for value, end in ((-tau * ports.chord[b] * less, out[b]), (tau * ports.chord[b] * more * back, out[right])):
            _add_row(end, value * turn * more, u[ports.height[right]])
            _add_row(end, value * turn, u[ports.along[right]])
            _add_row(end, -value * less, u[ports.height[b]])
            _add_row(end, -value, u[ports.along[b]])
            if spatial:
                _add_row(end, value * turn * ports.turn[b] * ports.veer[b], u[ports.side[right]])
                _add_row(end, -value * ports.veer[b], u[ports.side[b]])


@kernel(**OPTIONS)
def stretches(out: Complexes, u: Complexes, ports: Ports) -> None:
    """Fill in the stretches of droppers, out (dropper, column), by motions u (dof, column) with their sign turned."""
    out[:, :] = 0.0
    for d in range(ports.at.size):
        _add_row(out[d], ports.axis[d, 1], u[ports.bottom[d]])
        _add_row(out[d], -ports.axis[d, 1], u[ports.top[d]])
        if ports.side.size > 0:
            for at, aside in ((ports.aside[d, 0], ports.axis[d, 0]), (ports.aside[d, 1], -ports.axis[d, 0])):
                if at >= 0:
                    _add_row(out[d], aside, u[at])


@kernel(**OPTIONS)
def port_answers(
    omega: Complexes, line: tuple[Bays, Points, Ints], numbers: tuple[int, float, Damping], ports: Ports
) -> tuple[Complexes, Complexes]:
    """What the contact wire's stations and the droppers do at complex frequencies.

    Parameters
    ----------
    omega : complex array (omega,)
        [rad/s].
    line, numbers : tuple
        `LineNetwork.arguments`.
    ports : Ports

    Returns
    -------
    complex array (omega, station + dropper, station + dropper)
        Forces of the stations on the bare contact wire [N] and stretches of the droppers [m], by a field that runs over
        the bare wire (its height at each station [m]), and by forces that squeeze droppers [N].
    complex array (omega, support, station + dropper)
        Heights of the contact wire at supports [m], by the same.
    """
    (_, points, first), (ni, T, damping) = line, numbers
    n, S, D = points.mass.size, ports.height.size, ports.at.size
    C = S + D
    station, dropper = np.eye(S, C) + 0j, np.eye(D, C, S) + 0j
    Q, lift = np.empty((omega.size, C, C), np.complex128), np.empty((omega.size, ports.support.size, C), np.complex128)
    work, u = bloch_work(n, ni, C), np.empty((n, C), np.complex128)
    for t in range(omega.size):
        damped, phase = damped_at(omega[t], damping), np.exp(-1j * omega[t] * T)
        assemble(work.S, omega[t], line, damping)
        acted_loads(u, ports, (station, dropper), damped, phase, 1.0)
        bloch_solution(phase, ni, first, u, work)
        answers_taken(work, u)
        for s in range(S):
            u[ports.height[s], s] -= 1.0
        station_forces(Q[t, :S], u, ports, dropper, (damped, phase), 1.0)
        stretches(Q[t, S:], u, ports)
        for c in range(C):
            for k in range(ports.support.size):
                lift[t, k, c] = -u[ports.height[ports.support[k]], c]
    return Q, lift

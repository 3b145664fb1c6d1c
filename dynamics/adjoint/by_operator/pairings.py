r"""Compiled pairings of what acts on a line's network with multipliers.

What acts is a field on the bare contact wire (its height at every station) and forces that squeeze droppers; what is
answered are forces of the stations on that wire and stretches of the droppers (`port_answers`). With multipliers of
both, J = weight * left^T Q right, summed over frequencies, Q D^-1 between loads of the network.

Legend: as in `dynamics.line_operator.kernel`; n frequency, s station, d dropper, c column of multipliers, a of actions,
``of`` (c,) the action that a column pairs with; u total motion with its sign turned, answer less incident field.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.influence.kernel import answers_taken, bloch_solution, bloch_work
from dynamics.line_operator.condensed.parts import Bays, Damping, Points, Ports
from dynamics.line_operator.kernel import OPTIONS, assemble, damped_at
from dynamics.line_operator.ports import acted_loads, station_forces, stretches

__all__ = ["Acting", "Multipliers", "add_lifted", "pairings", "take_field"]

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


@kernel(**OPTIONS)
def add_lifted(rhs: Complexes, lifted: Complexes, ports: Ports) -> None:
    """Add the loads of multipliers of the contact wire's heights (station, column)."""
    for c in range(lifted.shape[1]):
        for s in range(ports.height.size):
            rhs[ports.height[s], c] -= lifted[s, c]


@kernel(**OPTIONS)
def take_field(u: Complexes, station: Complexes, ports: Ports) -> None:
    """Take a field on the bare wire (station, column) away from what the network answers to it."""
    for c in range(station.shape[1]):
        for s in range(ports.height.size):
            u[ports.height[s], c] -= station[s, c]


@kernel(**OPTIONS)
def _paired(u, forces, stretch, ports, multipliers, of, out):
    """What multipliers pair with, by column; u are total motions with their sign turned."""
    station, dropper, lifted = multipliers
    for c in range(of.size):
        a, total = of[c], 0.0 + 0.0j
        for s in range(ports.height.size):
            total += station[s, c] * forces[s, a] - lifted[s, c] * u[ports.height[s], a]
        for d in range(ports.at.size):
            total += dropper[d, c] * stretch[d, a]
        out[c] = total


@kernel(**OPTIONS)
def pairings(
    omega: Complexes,
    line: tuple[Bays, Points, Ints],
    numbers: tuple[int, float, Damping],
    ports: Ports,
    both: tuple[Acting, Multipliers, Ints],
) -> Complexes:
    """What multipliers pair with at every frequency (omega, column).

    Parameters
    ----------
    omega : complex array (omega,)
    line, numbers : tuple
        `LineNetwork.arguments`.
    ports : Ports
    both : tuple of Acting, Multipliers and int array (column,)
        And the action that each column of multipliers pairs with.
    """
    (_, points, first), (ni, T, damping) = line, numbers
    acting, multipliers, of = both
    n, actions, S = points.mass.size, acting.station.shape[2], ports.height.size
    u, forces = np.empty((n, actions), np.complex128), np.empty((S, actions), np.complex128)
    stretch = np.empty((ports.at.size, actions), np.complex128)
    work, out = bloch_work(n, ni, actions), np.empty((omega.size, of.size), np.complex128)
    for t in range(omega.size):
        damped = damped_at(omega[t], damping)
        phase, fields = np.exp(-1j * omega[t] * T), (acting.station[t], acting.dropper[t])
        assemble(work.S, omega[t], line, damping)
        acted_loads(u, ports, fields, damped, phase, 1.0)
        bloch_solution(phase, ni, first, u, work)
        answers_taken(work, u)
        take_field(u, fields[0], ports)
        station_forces(forces, u, ports, fields[1], (damped, phase), 1.0)
        stretches(stretch, u, ports)
        tests = multipliers.station[t], multipliers.dropper[t], multipliers.lifted[t]
        _paired(u, forces, stretch, ports, tests, of, out[t])
    return out

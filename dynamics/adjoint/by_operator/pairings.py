r"""Compiled pairings of what acts on a line's network with multipliers.

What acts is a field on the bare contact wire (its height at every station) and forces that squeeze droppers; what is
answered are forces of the stations on that wire and stretches of the droppers (`port_answers`). With multipliers of
both, J = weight * left^T Q right, summed over frequencies, Q D^-1 between loads of the network.

Legend: as in `dynamics.line_operator.kernel`; n frequency, s station, d dropper, c column of multipliers, a of actions,
``of`` (c,) the action that a column pairs with; u total height or stretch, incident field less answer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.influence.kernel import BlochWork, bloch_solution, bloch_work
from dynamics.line_operator.kernel import OPTIONS, assemble
from dynamics.line_operator.network import Bays, Points, Ports

__all__ = ["Acting", "Multipliers", "acted_loads", "add_lifted", "answers_taken", "pairings"]

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
def acted_loads(
    rhs: Complexes,
    t: int,
    line: tuple[Points, Ports, Ints],
    acting: Acting | tuple[Complexes, Complexes],
    grounds: tuple[Complexes, complex],
    sign: float,
) -> None:
    """Loads of the network by what acts, or by multipliers (sign -1), a column each."""
    (points, ports, station_dof), (station, dropper), (ground, tau) = line, acting, grounds
    rhs[:, :] = 0.0
    for c in range(station.shape[2]):
        for s in range(station_dof.size):
            rhs[station_dof[s], c] += ground[s] * station[t, s, c]
        for d in range(points.dropper.size):
            pull = sign * dropper[t, d, c] - tau * points.dropper[d] * station[t, ports.at[d], c]
            rhs[points.top[d], c] += pull
            rhs[points.bottom[d], c] -= pull


@kernel(**OPTIONS)
def add_lifted(rhs: Complexes, t: int, lifted: Complexes, station_dof: Ints) -> None:
    """Add the loads of multipliers of the contact wire's heights."""
    for c in range(lifted.shape[2]):
        for s in range(station_dof.size):
            rhs[station_dof[s], c] -= lifted[t, s, c]


@kernel(**OPTIONS)
def answers_taken(work: BlochWork, out: Complexes) -> None:
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
        acted_loads(rhs, t, (points, ports_, station_dof), acting, (ground, tau), 1.0)
        bloch_solution(np.exp(-1j * omega[t] * T), ni, first, rhs, work)
        answers_taken(work, r)
        _paired(t, r, points, ports_, acting, multipliers, (ground, tau), station_dof, of, out)
    return out

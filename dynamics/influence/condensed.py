r"""One cell of the infinite line, condensed to the ends of its bays.

Within a bay (from a dropper, support or clamp of a wire to the next) the dynamic stiffness is tau K + mu M with
tau = 1 + i W beta and mu = -W^2 + i W alpha of its wire, so that the modes of the bay between held ends answer one by
one, at any frequency. What remains are key dofs: the ends of the bays and their tensions, a tenth of all.

Legend: q mass between a bay's modes and its ends, p stiffness, g = p - omega2 q; omega2 the modes' squared angular
frequencies; ``ends`` numbers key dofs, those of the next cell's interface behind the cell's own.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from catenary.linearised.cell import VerticalCell
from catenary.linearised.cell_parts.blocks import CellBlocks, CellMatrix
from catenary.linearised.cell_parts.operators import add_operators
from catenary.linearised.contact_wire import running_height
from catenary.linearised.own_damping import wire_factors
from dynamics.influence.key_dofs import KeyMatrices, key_answers, key_motions
from dynamics.spec.case import CaseSpec

__all__ = ["THREADS", "CondensedCell", "ContactBay"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

THREADS = 2  # every value is formed by one thread alone, so that their number changes nothing
FEW = 32  # angles that one thread solves alone


@dataclass(frozen=True)
class _Bay:
    """Modes of a bay: its wire's alpha and beta, its dofs, their ends (key dofs), squared frequencies, shapes.

    ``q`` and ``g`` (mode, end).
    """

    damping: tuple[float, float]
    dofs: Ints
    ends: Ints
    omega2: Floats
    shapes: Floats
    q: Floats
    g: Floats


@dataclass(frozen=True)
class ContactBay:
    """Steps of the contact over one stretch of the wire, and what they take of its modes and of key dofs.

    ``steps`` (step,), ``modes`` (step, mode) and ``shares`` (step, end): the height at each step; the ends move the
    modes, too, by -g / (omega2 + r). ``loads`` (end,) numbers the ends among the loads, ``over`` (end,) is 1
    where an end is the next cell's.
    """

    steps: Ints
    modes: Floats
    shares: Floats
    loads: Ints
    over: Ints
    omega2: Floats
    g: Floats


class CondensedCell:
    """Key dofs of one cell, and the contact's way over it.

    Parameters
    ----------
    case : CaseSpec
        Line, speed and step.
    cell : VerticalCell
        Its cell.

    Attributes
    ----------
    dt, steps, spans
        Step [s], steps a period and spans of it.
    loads : float array (key dof, load)
        Unit loads on key dofs of the contact wire, then pairs that squeeze the droppers.
    droppers : int
        Number of droppers, the last loads.
    of_contact_wire : (float, float)
        Alpha [1/s] and beta [s] of the contact wire.
    contact : tuple of ContactBay
        Stretches of the contact wire that the steps fall on.
    z0 : float array (step,)
        Static height at x_n [m].
    """

    def __init__(self, case: CaseSpec, cell: VerticalCell) -> None:
        self.dt, self.steps, self.spans = case.time_step, case.steps_per_period, len(case.line.spans)
        wire = case.catenary.damping.of("contact_wire")
        self.of_contact_wire = wire.alpha, wire.beta
        n, ni = cell.n_dof, cell.n_interface
        K, M, C = (_with_next(each.own, each.next) for each in (cell.stiffness, cell.mass, _damping(cell)))
        inside = _interiors(cell)
        key = np.setdiff1d(np.arange(n + ni), np.concatenate([np.zeros(0, np.int64), *(dofs for _, dofs in inside)]))
        number = np.full(n + ni, -1)
        number[key] = np.arange(len(key))
        bays = [_bay(own, dofs, K, M, number) for own, dofs in inside]
        self.matrices = _key_matrices(
            case, (K[np.ix_(key, key)], M[np.ix_(key, key)], C[np.ix_(key, key)]), number[cell.support_dof], ni, bays
        )
        _, beta = wire_factors(cell.equilibrium)
        strained = beta[cell.equilibrium.mesh.group_elems[:, 0]] > 0.0
        # degree of the determinant in the frequency
        self.degree = 2 * (n - len(cell.tensions)) + int(np.count_nonzero(strained))
        x = np.arange(self.steps, dtype=np.float64) * (case.line.period / self.steps)
        dof, phi = cell.contact_operator(x)
        own = len(key) - ni
        self.contact, used = _contact_bays(dof, phi, bays, number, own)
        squeeze = cell.dropper_operator()[key[:own]]
        unit = np.zeros((own, len(used)))
        unit[used, np.arange(len(used))] = 1.0
        self.loads, self.droppers = np.ascontiguousarray(np.hstack([unit, squeeze])), squeeze.shape[1]
        self.z0 = running_height(cell.equilibrium, x)

    def answers(self, theta: Complexes) -> Complexes:
        """Answers of the loads' own places at complex angles, (angle, load, load)."""
        return self.solve(theta, self.loads)[0]

    def solve(self, theta: Complexes, loads: Floats) -> tuple[Complexes, Floats]:
        """Answers to loads (key dof, load) in their own places, (angle, load, load), and phase of det D (angle,)."""
        return _on_threads(lambda angles: key_answers(angles, self.dt, self.steps, self.matrices, loads), theta)

    def motions(self, theta: Complexes, right: Floats, left: Floats) -> tuple[Complexes, Complexes]:
        """Motions D^-1 right of all key dofs under loads (key dof, load), and D^-T left, (angle, key dof, load)."""
        loads = right.astype(np.complex128), left.astype(np.complex128)
        return _on_threads(lambda angles: key_motions(angles, self.dt, self.steps, self.matrices, *loads), theta)


def _on_threads(part: Callable[[Complexes], tuple[Any, Any]], theta: Complexes) -> tuple[Any, Any]:
    """Two results of a part for every angle."""
    if len(theta) < FEW:
        return part(theta)
    with ThreadPoolExecutor(THREADS) as pool:
        one, other = zip(*pool.map(part, np.array_split(theta, THREADS)), strict=True)
    return np.concatenate(one), np.concatenate(other)


def _with_next(own: Floats, onward: Floats) -> Floats:
    """Matrix of one cell and of the next one's interface, symmetric."""
    return np.block([[own, onward], [onward.T, np.zeros((onward.shape[1],) * 2)]])


def _damping(cell: VerticalCell) -> CellMatrix:
    """Alpha of every component times its mass, plus beta times its stiffness."""
    M, K, C = (CellBlocks(cell.n_dof, cell.n_interface) for _ in range(3))
    add_operators(cell.equilibrium, (cell.dof_of, cell.tensions), (M, K, C))
    return C.matrix()


def _interiors(cell: VerticalCell) -> list[tuple[tuple[float, float], Ints]]:
    """Damping of, and dofs between the ends of, every bay that has any."""
    mesh, (alpha, beta) = cell.equilibrium.mesh, wire_factors(cell.equilibrium)
    first, last = mesh.group_elems.T
    key_nodes = np.union1d(mesh.elem_nodes[first, 0], mesh.elem_nodes[last, 1])
    across = [c + d for c in mesh.axes[1:] for d in (0, 3)]
    found = []
    for low, high in zip(first, last, strict=True):
        nodes = np.setdiff1d(mesh.elem_nodes[low : high + 1], key_nodes)
        if len(nodes):
            own = float(alpha[low]), float(beta[low])
            found.append((own, np.sort(cell.dof_of[mesh.dof[nodes][:, across]].ravel())))
    return found


def _bay(damping: tuple[float, float], dofs: Ints, K: Floats, M: Floats, number: Ints) -> _Bay:
    """Modes of a bay between held ends."""
    linked = np.setdiff1d(np.flatnonzero(((K[dofs] != 0.0) | (M[dofs] != 0.0)).any(axis=0)), dofs)
    omega2, shapes = eigh(K[np.ix_(dofs, dofs)], M[np.ix_(dofs, dofs)])
    p, q = (shapes.T @ matrix[np.ix_(dofs, linked)] for matrix in (K, M))
    return _Bay(damping, dofs, number[linked], omega2, shapes, q, p - omega2[:, None] * q)


def _key_matrices(
    case: CaseSpec, matrices: tuple[Floats, Floats, Floats], support: Ints, ni: int, bays: list[_Bay]
) -> KeyMatrices:
    """Lay the key dofs' matrices, stiffness, mass and damping, out for the kernel, entry by entry."""
    K, M, C = matrices
    spec, own = case.catenary, len(K) - ni
    pattern = (K != 0.0) | (M != 0.0)
    for bay in bays:
        at, both = np.ix_(bay.ends, bay.ends), bay.g.T @ bay.q
        pattern[at] = True
        stiffness, mass, (alpha, beta) = (
            both + both.T + bay.q.T @ (bay.omega2[:, None] * bay.q),
            bay.q.T @ bay.q,
            bay.damping,
        )
        K[at] -= stiffness
        M[at] -= mass
        C[at] -= alpha * mass + beta * stiffness
    pattern[np.arange(len(K)), np.arange(len(K))] = True
    inner = pattern[:own, :own].copy()
    inner[:, :ni] = False
    inner[np.arange(own), np.arange(own)] = True
    row, col = np.nonzero(np.tril(pattern))
    width = max((len(bay.ends) for bay in bays), default=0)
    modes = np.cumsum([0, *(len(bay.omega2) for bay in bays)])
    g = np.zeros((width, modes[-1]))
    ends = np.full((len(bays), width), -1)
    for bay, low, high, end in zip(bays, modes[:-1], modes[1:], ends, strict=True):
        order = np.argsort(bay.ends)
        end[: len(order)] = bay.ends[order]
        g[: len(order), low:high] = bay.g.T[order]
    K[support, support] += spec.support.messenger_stiffness
    C[support, support] += spec.support.messenger_damping
    alpha, beta = np.array([bay.damping for bay in bays]).reshape(-1, 2).T
    return KeyMatrices(
        row,
        col,
        K[row, col],
        M[row, col],
        C[row, col],
        np.argmax(inner, axis=1),
        ni,
        modes,
        np.concatenate([np.zeros(0), *(bay.omega2 for bay in bays)]),
        g,
        ends,
        np.ascontiguousarray(alpha),
        np.ascontiguousarray(beta),
    )


def _contact_bays(
    dof: Ints, phi: Floats, bays: list[_Bay], number: Ints, own: int
) -> tuple[tuple[ContactBay, ...], Ints]:
    """Sort the contact's steps by the bay that they fall on; the own key dofs that their heights take."""
    bay_of = np.full(len(number), -1)
    place = np.zeros(len(number), np.int64)
    for b, bay in enumerate(bays):
        bay_of[bay.dofs], place[bay.dofs] = b, np.arange(len(bay.dofs))
    at = bay_of[dof].max(axis=1)
    found, used = [], []
    for b in np.unique(at):
        steps = np.flatnonzero(at == b)
        bay = bays[b] if b >= 0 else None
        direct = np.unique(number[dof[steps]][bay_of[dof[steps]] < 0])
        ends = direct if bay is None else np.union1d(bay.ends, direct)
        column = {int(end): j for j, end in enumerate(ends)}
        count = 0 if bay is None else len(bay.omega2)
        modes, shares = np.zeros((len(steps), count)), np.zeros((len(steps), len(ends)))
        for row, step in enumerate(steps):
            for d, share in zip(dof[step], phi[step], strict=True):
                if bay_of[d] >= 0 and bay is not None:
                    modes[row] += share * bay.shapes[place[d]]
                else:
                    shares[row, column[int(number[d])]] += share
        g = np.zeros((count, len(ends)))
        if bay is not None:
            at_ends = np.searchsorted(ends, bay.ends)
            g[:, at_ends] = bay.g
            shares[:, at_ends] -= modes @ bay.q
        over = (ends >= own).astype(np.int64)
        folded = ends - own * over
        used.append(folded)
        found.append((steps, modes, shares, folded, over, np.zeros(0) if bay is None else bay.omega2, g))
    loads = np.unique(np.concatenate(used))
    return tuple(ContactBay(s, m, c, np.searchsorted(loads, f), *rest) for s, m, c, f, *rest in found), loads

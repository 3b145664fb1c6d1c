r"""Compiled answers of a cell's key dofs, bays between them condensed by their modes.

The modes of a bay between held ends take off the ends' stiffness

    sum_j (tau p + mu q)(tau p' + mu q') / (tau omega2 + mu) = tau sum_j g g' / (omega2 + r) + tau A + mu B

with g = p - omega2 q, r = mu / tau. A and B do not depend on the angle and are part of K and M here, alpha B + beta A
of C, so that one real product of two numbers is left for each mode, the same at every angle.

Legend: tau = 1 + i W beta, mu = -W^2 + i W alpha, those of a bay's wire; S key dofs' dynamic stiffness, lower
triangle, the next cell's interface behind the cell's own; ni interface dofs come first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.influence.kernel import answers_taken, bloch_opposite, bloch_solution, bloch_work, load_answers

__all__ = ["KeyMatrices", "key_answers", "key_motions"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

_OPTIONS = {"error_model": "numpy", "nogil": True, "fastmath": {"contract", "nsz", "arcp", "reassoc"}}
AT_ONCE = 16  # angles whose bays are condensed together, a few vectors wide


class KeyMatrices(NamedTuple):
    """Key dofs' stiffness, mass and damping by entry, and the modes of the bays between them.

    ``row``, ``col``, ``K``, ``M``, ``C`` (entry,) of the lower triangle, what holds supports among them, with what the
    bays' modes take off at any angle; ``first`` (own key dof,) the first entry of a row right of the interface;
    ``modes`` (bay + 1,) where a bay's modes begin; ``omega2`` (mode,) their squared angular frequencies; ``g`` (end,
    mode); ``ends`` (bay, end), -1 where a bay has fewer; ``alpha``, ``beta`` (bay,).
    """

    row: Ints
    col: Ints
    K: Floats
    M: Floats
    C: Floats
    first: Ints
    ni: int
    modes: Ints
    omega2: Floats
    g: Floats
    ends: Ints
    alpha: Floats
    beta: Floats


@kernel(**_OPTIONS)
def _flexibility(omega2, re, im, flex, turned):
    """1 / (omega2 + r) of one bay's modes at r = re + i im, (part, mode, angle); ``turned`` by their product."""
    for j in range(omega2.size):
        for t in range(re.size):
            x, y = omega2[j] + re[t], im[t]
            size = x * x + y * y
            flex[0, j, t], flex[1, j, t] = x / size, -y / size
            less = 1.0 / (abs(x) + abs(y))
            u, v = turned[0, t], turned[1, t]
            turned[0, t], turned[1, t] = (u * x - v * y) * less, (u * y + v * x) * less


@kernel(**_OPTIONS)
def _condensed(W, cell, flex, shares, phase):
    """Sums over the modes of every bay's tau g g' / (omega2 + r), (entry of a bay, part, angle).

    And the phase of the product of all tau (omega2 + r).
    """
    entry, turned = 0, np.empty((2, W.size))
    tau, re, im = np.empty(W.size, np.complex128), np.empty(W.size), np.empty(W.size)
    for b in range(cell.ends.shape[0]):
        low, high = cell.modes[b], cell.modes[b + 1]
        for t in range(W.size):
            tau[t] = 1.0 + 1j * W[t] * cell.beta[b]
            r = (-W[t] * W[t] + 1j * W[t] * cell.alpha[b]) / tau[t]
            re[t], im[t] = r.real, r.imag
        turned[0], turned[1] = 1.0, 0.0
        _flexibility(cell.omega2[low:high], re, im, flex, turned)
        for t in range(re.size):
            phase[t] += np.arctan2(turned[1, t], turned[0, t]) + (high - low) * np.arctan2(tau[t].imag, tau[t].real)
        for a in range(cell.ends.shape[1]):
            if cell.ends[b, a] < 0:
                break
            for c in range(a + 1):
                shares[entry] = 0.0
                for j in range(high - low):
                    both = cell.g[a, low + j] * cell.g[c, low + j]
                    for t in range(re.size):
                        shares[entry, 0, t] += both * flex[0, j, t]
                        shares[entry, 1, t] += both * flex[1, j, t]
                for t in range(re.size):
                    x, y = shares[entry, 0, t], shares[entry, 1, t]
                    shares[entry, 0, t] = tau[t].real * x - tau[t].imag * y
                    shares[entry, 1, t] = tau[t].real * y + tau[t].imag * x
                entry += 1


@kernel(**_OPTIONS)
def _assemble(W, cell, shares, t, S):
    """Key dofs' dynamic stiffness at W, less what the bays' modes take off."""
    for e in range(cell.row.size):
        S[cell.row[e], cell.col[e]] = cell.K[e] + W * (1j * cell.C[e] - W * cell.M[e])
    entry = 0
    for b in range(cell.ends.shape[0]):
        for a in range(cell.ends.shape[1]):
            if cell.ends[b, a] < 0:
                break
            for c in range(a + 1):
                S[cell.ends[b, a], cell.ends[b, c]] -= complex(shares[entry, 0, t], shares[entry, 1, t])
                entry += 1


@kernel(**_OPTIONS)
def _bays_at(theta, dt, cell, flex, shares, phase):
    """Condense the bays at a few angles; W there."""
    W = 2.0 / dt * np.tan(0.5 * theta)
    _condensed(W, cell, flex[:, :, : W.size], shares[:, :, : W.size], phase)
    return W


@kernel(**_OPTIONS)
def _bay_work(cell):
    """Memory for the bays at a few angles."""
    bays, width = cell.ends.shape
    flex = np.empty((2, max(1, np.max(cell.modes[1:] - cell.modes[:-1])), AT_ONCE))
    return flex, np.empty((bays * width * (width + 1) // 2, 2, AT_ONCE))


@kernel(**_OPTIONS)
def key_answers(theta: Complexes, dt: float, steps: int, cell: KeyMatrices, rhs: Floats) -> tuple[Complexes, Floats]:
    """Answers rhs^T D(theta)^-1 rhs, (theta, load, load), to loads rhs (key dof, load); phase of det D (theta,)."""
    n, m = rhs.shape
    flex, shares = _bay_work(cell)
    out, phase = np.zeros((theta.size, m, m), np.complex128), np.zeros(theta.size)
    work = bloch_work(n, cell.ni, m)
    for begin in range(0, theta.size, AT_ONCE):
        W = _bays_at(theta[begin : begin + AT_ONCE], dt, cell, flex, shares, phase[begin:])
        for t in range(W.size):
            at = begin + t
            _assemble(W[t], cell, shares, t, work.S)
            own = bloch_solution(np.exp(-1j * theta[at] * steps), cell.ni, cell.first, rhs, work)
            phase[at] += own.imag
            load_answers(rhs, work, out[at])
    return out, phase


@kernel(**_OPTIONS)
def key_motions(
    theta: Complexes, dt: float, steps: int, cell: KeyMatrices, right: Complexes, left: Complexes
) -> tuple[Complexes, Complexes]:
    """Motions D(theta)^-1 right of all key dofs, and D(theta)^-T left, (theta, key dof, load) each."""
    n, m = right.shape
    flex, shares = _bay_work(cell)
    motion, opposite = np.empty((theta.size, n, m), np.complex128), np.empty((theta.size, n, m), np.complex128)
    work, unused = bloch_work(n, cell.ni, m), np.zeros(theta.size)
    for begin in range(0, theta.size, AT_ONCE):
        W = _bays_at(theta[begin : begin + AT_ONCE], dt, cell, flex, shares, unused[begin:])
        for t in range(W.size):
            at = begin + t
            _assemble(W[t], cell, shares, t, work.S)
            turn = np.exp(-1j * theta[at] * steps)
            bloch_solution(turn, cell.ni, cell.first, right, work)
            answers_taken(work, motion[at])
            bloch_opposite(turn, cell.ni, cell.first, left, work, opposite[at])
    return motion, opposite

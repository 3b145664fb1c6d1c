r"""Compiled solution of one span cell under Bloch conditions, frequency by frequency.

At the angle theta = omega dt the time-stepped line (Newmark 1/4-1/2, the bilinear rule) has the dynamic stiffness
D = -W^2 M + i W C + K with W = (2/dt) tan(theta/2), and u(x + L, t + T) = u(x, t) turns the next cell's interface into
exp(-i theta N) times the cell's own.

Legend: ni interface dofs come first; rows of the interior's factor are stored from their first entry; B = Br + i Bi
right-hand sides, then answers; S, top the interface's matrix and its loads; X, Y, Z answers by load, by step of the
contact, and turned round.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["CellMatrices", "ContactTable", "accumulate_contact", "bloch_answers"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complex128]

# no interior dof reaches further along its column of L than this: bays are shorter
MOST_REACH = 400
_OPTIONS = {"cache": True, "error_model": "numpy", "nogil": True, "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


class CellMatrices(NamedTuple):
    """One cell, (dof, dof), and what links it to the next, (dof, interface dof); ``first`` entry of every row."""

    M: Floats
    C: Floats
    K: Floats
    M_next: Floats
    C_next: Floats
    K_next: Floats
    first: Ints
    ni: int


class ContactTable(NamedTuple):
    """Dofs under the contact by their numbers among the loads, and their shares, (step, 4) each.

    ``wrap`` is 1 where the dof belongs to the next cell, whose answer and load carry the Bloch phase of ``steps``
    steps a span.
    """

    at: Ints
    phi: Floats
    wrap: Ints
    steps: int


class _Work(NamedTuple):
    """Memory of one frequency: factor of the interior, and right-hand sides in real and imaginary part."""

    low: Complexes
    diag: Complexes
    Br: Floats
    Bi: Floats


@njit(**_OPTIONS)
def _factor(cell, W, low, diag):
    """L D L^T of the interior, complex symmetric, on its envelope."""
    M, C, K, first, ni = cell.M, cell.C, cell.K, cell.first, cell.ni
    for i in range(ni, M.shape[0]):
        for j in range(first[i], i + 1):
            total = complex(K[i, j] - W * W * M[i, j], W * C[i, j])
            for k in range(max(first[i], first[j]), j):
                total -= low[i, k] * diag[k] * low[j, k]
            if j < i:
                low[i, j] = total / diag[j]
            else:
                diag[i] = total


@njit(**_OPTIONS)
def _subtract(Br, Bi, i, j, t):
    """Row i of B minus t times row j, real and imaginary parts apart so that it vectorises."""
    tr, ti = t.real, t.imag
    for c in range(Br.shape[1]):
        Br[i, c] -= tr * Br[j, c] - ti * Bi[j, c]
        Bi[i, c] -= tr * Bi[j, c] + ti * Br[j, c]


@njit(**_OPTIONS)
def _solve(low, diag, first, ni, Br, Bi):
    """Solve the interior for many right-hand sides, rows of B = Br + i Bi from ni on."""
    n = Br.shape[0]
    for i in range(ni, n):
        for j in range(first[i], i):
            if low[i, j] != 0.0:
                _subtract(Br, Bi, i, j, low[i, j])
    for i in range(n - 1, ni - 1, -1):
        inverse = 1.0 / diag[i]
        for c in range(Br.shape[1]):
            re = Br[i, c] * inverse.real - Bi[i, c] * inverse.imag
            Bi[i, c] = Br[i, c] * inverse.imag + Bi[i, c] * inverse.real
            Br[i, c] = re
        # row i still holds D^-1 y minus what the rows beyond it take away
        for j in range(i + 1, min(n, i + 1 + MOST_REACH)):
            if first[j] <= i and low[j, i] != 0.0:
                _subtract(Br, Bi, i, j, low[j, i])


@njit(**_OPTIONS)
def _cell_solution(theta, dt, steps, cell, rhs, work):
    """Solve one cell for all loads; the first columns of (Br, Bi) hold the answer."""
    M, C, K, Mn, Cn, Kn, first, ni = cell
    low, diag, Br, Bi = work
    n, m = rhs.shape
    W = 2.0 / dt * np.tan(0.5 * theta)
    phase = np.exp(-1j * theta * steps)
    right, left = np.zeros((n, ni), np.complex128), np.zeros((ni, n), np.complex128)
    for i in range(ni, n):
        for j in range(ni):
            own = complex(K[i, j] - W * W * M[i, j], W * C[i, j])
            link = complex(Kn[i, j] - W * W * Mn[i, j], W * Cn[i, j])
            right[i, j] = own + phase * link
            left[j, i] = own + np.conj(phase) * link
    Br[:, :m] = rhs
    Bi[:, :m] = 0.0
    Br[:, m:] = right.real
    Bi[:, m:] = right.imag
    _factor(cell, W, low, diag)
    _solve(low, diag, first, ni, Br, Bi)
    S = np.empty((ni, ni), np.complex128)
    top = np.empty((ni, m), np.complex128)
    for i in range(ni):
        for j in range(ni):
            S[i, j] = complex(K[i, j] - W * W * M[i, j], W * C[i, j])
        for c in range(m):
            top[i, c] = rhs[i, c]
        for k in range(ni, n):
            if left[i, k] != 0.0:
                for j in range(ni):
                    S[i, j] -= left[i, k] * complex(Br[k, m + j], Bi[k, m + j])
                for c in range(m):
                    top[i, c] -= left[i, k] * complex(Br[k, c], Bi[k, c])
    top = np.linalg.solve(S, top)
    Br[:ni, :m] = top.real
    Bi[:ni, :m] = top.imag
    for k in range(ni, n):
        for j in range(ni):
            t = complex(Br[k, m + j], Bi[k, m + j])
            for c in range(m):
                Br[k, c] -= t.real * Br[j, c] - t.imag * Bi[j, c]
                Bi[k, c] -= t.real * Bi[j, c] + t.imag * Br[j, c]


@njit(**_OPTIONS)
def bloch_answers(theta: Floats, dt: float, steps: int, cell: CellMatrices, rhs: Floats) -> Complexes:
    """Answers rhs^T D(theta)^-1 rhs, complex array (theta, load, load), for unit loads rhs (dof, load)."""
    n, m = rhs.shape
    width = m + cell.ni
    out = np.zeros((theta.size, m, m), np.complex128)
    work = _Work(
        np.zeros((n, n), np.complex128), np.zeros(n, np.complex128), np.empty((n, width)), np.empty((n, width))
    )
    for t in range(theta.size):
        _cell_solution(theta[t], dt, steps, cell, rhs, work)
        for p in range(m):
            for i in range(n):
                if rhs[i, p] != 0.0:
                    for c in range(m):
                        out[t, p, c] += rhs[i, p] * complex(work.Br[i, c], work.Bi[i, c])
    return out


@njit(**_OPTIONS)
def accumulate_contact(theta: Floats, weight: Floats, X: Complexes, table: ContactTable, I_cc: Floats) -> None:
    """Add the contact-to-contact part of some frequencies to I_cc (step, step).

    X (theta, load, node) holds, transposed, the answers at contact-wire dofs.
    """
    at, phi, wrap, steps = table
    N, nc = at.shape[0], X.shape[2]
    Yr, Yi = np.empty((N, nc)), np.empty((N, nc))
    for t in range(theta.size):
        Xr, Xi = np.ascontiguousarray(X[t].real), np.ascontiguousarray(X[t].imag)
        Yr[:] = 0.0
        Yi[:] = 0.0
        for m in range(N):
            for k in range(4):
                turn = np.exp(-1j * theta[t] * (m - steps * wrap[m, k])) * phi[m, k] * weight[t]
                cr, ci, j = turn.real, turn.imag, at[m, k]
                for i in range(nc):
                    Yr[m, i] += cr * Xr[j, i] - ci * Xi[j, i]
                    Yi[m, i] += cr * Xi[j, i] + ci * Xr[j, i]
        Zr, Zi = np.ascontiguousarray(Yr.T), np.ascontiguousarray(Yi.T)
        for n in range(N):
            for k in range(4):
                turn = np.exp(1j * theta[t] * (n - steps * wrap[n, k])) * phi[n, k]
                cr, ci, j = turn.real, turn.imag, at[n, k]
                for m in range(N):
                    I_cc[n, m] += cr * Zr[j, m] - ci * Zi[j, m]

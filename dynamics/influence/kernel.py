r"""Compiled solution of one condensed cell under Bloch conditions, at complex angles.

At the angle theta = omega dt the time-stepped line (Newmark 1/4-1/2, the bilinear rule) has the dynamic stiffness
D = -W^2 M + i W C + K with W = (2/dt) tan(theta/2), and u(x + L, t + T) = u(x, t) turns the next cell's interface into
exp(-i theta N) times the cell's own.

Legend: S key dofs' dynamic stiffness, lower triangle, the next cell's interface behind the cell's own; ni interface
dofs come first; rows of the factor are stored from their first entry; B = Br + i Bi right-hand sides, then answers;
top, load the interface's matrix and its loads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel

__all__ = ["BlochWork", "bloch_opposite", "bloch_solution", "bloch_work", "load_answers"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

_OPTIONS = {"error_model": "numpy", "nogil": True, "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


class BlochWork(NamedTuple):
    """Memory of one frequency: stiffness, factor and pivots, right-hand sides and answers."""

    S: Complexes
    low: Complexes
    diag: Complexes
    Br: Floats
    Bi: Floats


@kernel(**_OPTIONS)
def _factor(S, first, ni, low, diag):
    """L D L^T of the key dofs right of the interface, complex symmetric, on its envelope."""
    for i in range(ni, diag.size):
        for j in range(first[i], i + 1):
            total = S[i, j]
            for k in range(max(first[i], first[j]), j):
                total -= low[i, k] * low[j, k] * diag[k]
            if j < i:
                low[i, j] = total / diag[j]
            else:
                diag[i] = total


@kernel(**_OPTIONS)
def _subtract(Br, Bi, i, j, t):
    """Row i of B minus t times row j, real and imaginary parts apart so that it vectorises."""
    tr, ti = t.real, t.imag
    for c in range(Br.shape[1]):
        Br[i, c] -= tr * Br[j, c] - ti * Bi[j, c]
        Bi[i, c] -= tr * Bi[j, c] + ti * Br[j, c]


@kernel(**_OPTIONS)
def _solve(low, diag, first, ni, Br, Bi):
    """Solve the key dofs right of the interface for many right-hand sides, rows of B = Br + i Bi from ni on."""
    n = diag.size
    for i in range(ni, n):
        for j in range(first[i], i):
            _subtract(Br, Bi, i, j, low[i, j])
    for i in range(ni, n):
        inverse = 1.0 / diag[i]
        for c in range(Br.shape[1]):
            re = Br[i, c] * inverse.real - Bi[i, c] * inverse.imag
            Bi[i, c] = Br[i, c] * inverse.imag + Bi[i, c] * inverse.real
            Br[i, c] = re
    for i in range(n - 1, ni - 1, -1):
        for j in range(first[i], i):
            _subtract(Br, Bi, j, i, low[i, j])


@kernel(**_OPTIONS)
def _square(x):
    """Square of a number's size."""
    return x.real * x.real + x.imag * x.imag


@kernel(**_OPTIONS)
def _eliminate(A, B):
    """Solve A x = B in place of B, with pivots; logarithm of the determinant. What is singular gives no numbers."""
    n, log = A.shape[0], 0.0 + 0.0j
    for k in range(n):
        pivot, largest = k, _square(A[k, k])
        for i in range(k + 1, n):
            if _square(A[i, k]) > largest:
                pivot, largest = i, _square(A[i, k])
        if pivot != k:
            log += 1j * np.pi
            for j in range(n):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
            for j in range(B.shape[1]):
                B[k, j], B[pivot, j] = B[pivot, j], B[k, j]
        log += np.log(A[k, k])
        A[k, k] = 1.0 / A[k, k]
        for i in range(k + 1, n):
            t = A[i, k] * A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= t * A[k, j]
            for j in range(B.shape[1]):
                B[i, j] -= t * B[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(B.shape[1]):
            total = B[k, j]
            for i in range(k + 1, n):
                total -= A[k, i] * B[i, j]
            B[k, j] = total * A[k, k]
    return log


@kernel(**_OPTIONS)
def bloch_solution(phase: complex, ni: int, first: Ints, rhs: Floats | Complexes, work: BlochWork) -> complex:
    """Solve one cell for loads rhs (dof, load), into the first columns of (Br, Bi); logarithm of the determinant.

    The lower triangle of S holds the cell and, behind it, the interface of the next one, which moves ``phase`` times as
    the cell's own; ``first`` (own dof,) is the first entry of a row right of the interface. Columns behind the answers
    keep what the cell answers to its interface, and the inverse of the interface's matrix.
    """
    S, low, diag, Br, Bi = work
    n, m = diag.size, rhs.shape[1]
    _factor(S, first, ni, low, diag)
    Br[:, :m] = rhs.real
    Bi[:, :] = 0.0
    Bi[:, :m] = rhs.imag
    for i in range(ni, n):
        for j in range(ni):
            right = S[i, j] + phase * S[n + j, i]
            Br[i, m + j], Bi[i, m + j] = right.real, right.imag
    _solve(low, diag, first, ni, Br, Bi)
    top, load = np.empty((ni, ni), np.complex128), np.zeros((ni, m + ni), np.complex128)
    load[:, :m] = rhs[:ni]
    for i in range(ni):
        load[i, m + i] = 1.0
        for j in range(ni):
            top[i, j] = S[max(i, j), min(i, j)] + S[n + max(i, j), n + min(i, j)]
            top[i, j] += phase * S[n + j, i] + S[n + i, j] / phase
        for k in range(ni, n):
            left = S[k, i] + S[n + i, k] / phase
            if left != 0.0:
                for j in range(ni):
                    top[i, j] -= left * complex(Br[k, m + j], Bi[k, m + j])
                for c in range(m):
                    load[i, c] -= left * complex(Br[k, c], Bi[k, c])
    log = _eliminate(top, load)
    Br[:ni], Bi[:ni] = load.real, load.imag
    for k in range(ni, n):
        for j in range(ni):
            t = complex(Br[k, m + j], Bi[k, m + j])
            for c in range(m):
                Br[k, c] -= t.real * Br[j, c] - t.imag * Bi[j, c]
                Bi[k, c] -= t.real * Bi[j, c] + t.imag * Br[j, c]
    return log + np.log(diag[ni:]).sum()


@kernel(**_OPTIONS)
def bloch_opposite(phase: complex, ni: int, first: Ints, rhs: Complexes, work: BlochWork, out: Complexes) -> None:
    """Answers (dof, load) of a cell that `bloch_solution` has solved to other loads, under the phase 1 / ``phase``.

    The matrix of all equations is then the transpose of that which was solved.
    """
    S, low, diag, Br, Bi = work
    n, behind = diag.size, Br.shape[1] - ni
    load, answer = rhs[:ni].copy(), np.zeros((ni, rhs.shape[1]), np.complex128)
    re, im = np.ascontiguousarray(rhs.real), np.ascontiguousarray(rhs.imag)
    for k in range(ni, n):
        for j in range(ni):
            t = complex(Br[k, behind + j], Bi[k, behind + j])
            for c in range(rhs.shape[1]):
                load[j, c] -= t * rhs[k, c]
    for i in range(ni):
        for j in range(ni):
            t = complex(Br[j, behind + i], Bi[j, behind + i])
            for c in range(rhs.shape[1]):
                answer[i, c] += t * load[j, c]
    for k in range(ni, n):
        for j in range(ni):
            right = S[k, j] + S[n + j, k] / phase
            if right != 0.0:
                for c in range(rhs.shape[1]):
                    part = right * answer[j, c]
                    re[k, c] -= part.real
                    im[k, c] -= part.imag
    _solve(low, diag, first, ni, re, im)
    for i in range(n):
        for c in range(rhs.shape[1]):
            out[i, c] = answer[i, c] if i < ni else complex(re[i, c], im[i, c])


@kernel(**_OPTIONS)
def bloch_work(n: int, ni: int, loads: int) -> BlochWork:
    """Memory for cells of n dofs with an interface of ni, and so many loads."""
    return BlochWork(
        np.zeros((n + ni, n + ni), np.complex128),
        np.zeros((n, n), np.complex128),
        np.zeros(n, np.complex128),
        np.empty((n, loads + ni)),
        np.empty((n, loads + ni)),
    )


@kernel(**_OPTIONS)
def load_answers(rhs: Floats, work: BlochWork, out: Complexes) -> None:
    """Add the answers of the loads' own places, rhs^T (Br + i Bi), to out (load, load)."""
    for p in range(rhs.shape[1]):
        for i in range(rhs.shape[0]):
            if rhs[i, p] != 0.0:
                for c in range(rhs.shape[1]):
                    out[p, c] += rhs[i, p] * complex(work.Br[i, c], work.Bi[i, c])

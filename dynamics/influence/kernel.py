r"""Compiled solution of one condensed cell under Bloch conditions, at complex angles.

At the angle theta = omega dt the time-stepped line (Newmark 1/4-1/2, the bilinear rule) has the dynamic stiffness
D = -W^2 M + i W C + K with W = (2/dt) tan(theta/2), and u(x + L, t + T) = u(x, t) turns the next cell's interface into
exp(-i theta N) times the cell's own.

Legend: S key dofs' dynamic stiffness, lower triangle, the next cell's interface behind the cell's own; ni interface
dofs come first; rows of the factor are stored from their first entry; B = Br + i Bi right-hand sides, then answers;
top the interface's matrix. Behind the rows of the key dofs B has memory for the interface's loads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.linear_algebra.complex_numbers import inverse, square
from dynamics.linear_algebra.complex_rows import padded, row_less_rows, rows_less_row

__all__ = [
    "BlochWork",
    "answers_taken",
    "bloch_opposite",
    "bloch_solution",
    "bloch_work",
    "load_answers",
    "log_product",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

_OPTIONS = {"error_model": "numpy", "nogil": True, "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


class BlochWork(NamedTuple):
    """Memory of one frequency: stiffness, factor and inverse pivots, right-hand sides and answers."""

    S: Complexes
    low: Complexes
    pivots: Complexes
    Br: Floats
    Bi: Floats


@kernel(**_OPTIONS)
def _factor(S, first, ni, low, pivots):
    """L D L^T of the key dofs right of the interface, complex symmetric, on its envelope: row by row L D, then L."""
    for i in range(ni, pivots.size):
        for j in range(first[i], i):
            total = S[i, j]
            for k in range(max(first[i], first[j]), j):
                total -= low[i, k] * low[j, k]
            low[i, j] = total
        total = S[i, i]
        for j in range(first[i], i):
            scaled = low[i, j] * pivots[j]
            total -= low[i, j] * scaled
            low[i, j] = scaled
        pivots[i] = inverse(total)


@kernel(**_OPTIONS)
def log_product(values: Complexes) -> complex:
    """Logarithm of a product, up to whole turns."""
    log, product = 0.0 + 0.0j, 1.0 + 0.0j
    for value in values:
        product *= value
        if not 1.0e-200 < square(product) < 1.0e200:
            log, product = log + np.log(product), 1.0 + 0.0j
    return log + np.log(product)


@kernel(**_OPTIONS)
def _solve(low, pivots, first, ni, Br, Bi):
    """Solve the key dofs right of the interface for many right-hand sides, rows of B = Br + i Bi from ni on."""
    n = pivots.size
    for i in range(ni, n):
        row_less_rows(Br, Bi, low, i * n + first[i], i, first[i], i)
    for i in range(ni, n):
        pivot = pivots[i]
        for c in range(Br.shape[1]):
            re = Br[i, c] * pivot.real - Bi[i, c] * pivot.imag
            Bi[i, c] = Br[i, c] * pivot.imag + Bi[i, c] * pivot.real
            Br[i, c] = re
    for i in range(n - 1, ni - 1, -1):
        rows_less_row(Br, Bi, low, i * n + first[i], i, first[i], i)


@kernel(**_OPTIONS)
def _eliminate(A, B):
    """Solve A x = B in place of B, with pivots; logarithm of the determinant. What is singular gives no numbers."""
    n, log = A.shape[0], 0.0 + 0.0j
    pivots = np.empty(n, np.complex128)
    for k in range(n):
        pivot, largest = k, square(A[k, k])
        for i in range(k + 1, n):
            if square(A[i, k]) > largest:
                pivot, largest = i, square(A[i, k])
        if pivot != k:
            log += 1j * np.pi
            for j in range(n):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
            for j in range(B.shape[1]):
                B[k, j], B[pivot, j] = B[pivot, j], B[k, j]
        pivots[k] = A[k, k]
        A[k, k] = inverse(A[k, k])
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
    return log + log_product(pivots)


@kernel(**_OPTIONS)
def _interface_solution(Br, Bi, n, behind, inverted):
    """Solve the interface, whose matrix stands from column ``behind`` on, for the loads in front of it.

    Fills in the inverse of that matrix, which is left zero, and returns the logarithm of its determinant.
    """
    ni = inverted.shape[0]
    top = np.empty((ni, ni), np.complex128)
    for i in range(ni):
        for j in range(ni):
            top[i, j] = complex(Br[i, behind + j], Bi[i, behind + j])
            inverted[i, j] = 1.0 if i == j else 0.0
    log = _eliminate(top, inverted)
    top[:, :] = -inverted
    for B in (Br, Bi):
        B[:ni, behind:] = 0.0
        B[n:] = B[:ni]
        B[:ni] = 0.0
    for i in range(ni):
        row_less_rows(Br, Bi, top, i * ni, i, n, n + ni)
    return log


@kernel(**_OPTIONS)
def bloch_solution(phase: complex, ni: int, first: Ints, rhs: Floats | Complexes, work: BlochWork) -> complex:
    """Solve one cell for loads rhs (dof, load), into the first columns of (Br, Bi); logarithm of the determinant.

    The lower triangle of S holds the cell and, behind it, the interface of the next one, which moves ``phase`` times as
    the cell's own; ``first`` (own dof,) is the first entry of a row right of the interface. Columns behind the answers
    (`padded`) keep what the cell answers to its interface, and the inverse of the interface's matrix.
    """
    S, low, pivots, Br, Bi = work
    n, m, behind, back = pivots.size, rhs.shape[1], padded(rhs.shape[1]), inverse(phase)
    _factor(S, first, ni, low, pivots)
    Br[:, m:] = 0.0
    Bi[:, m:] = 0.0
    Br[:n, :m] = rhs.real
    Bi[:n, :m] = rhs.imag
    for i in range(ni):
        for j in range(ni):
            top = S[max(i, j), min(i, j)] + S[n + max(i, j), n + min(i, j)] + phase * S[n + j, i] + back * S[n + i, j]
            Br[i, behind + j], Bi[i, behind + j] = top.real, top.imag
    for i in range(ni, n):
        for j in range(ni):
            right = S[i, j] + phase * S[n + j, i]
            Br[i, behind + j], Bi[i, behind + j] = right.real, right.imag
    _solve(low, pivots, first, ni, Br, Bi)
    factors = np.empty(ni, np.complex128)
    for k in range(ni, n):
        for i in range(ni):
            factors[i] = S[k, i] + back * S[n + i, k]
            if factors[i] != 0.0:
                row_less_rows(Br, Bi, factors, i, i, k, k + 1)
    inverted = np.empty((ni, ni), np.complex128)
    log = _interface_solution(Br, Bi, n, behind, inverted)
    answers_re, answers_im = Br[:, :behind], Bi[:, :behind]
    for k in range(ni, n):
        for j in range(ni):
            factors[j] = complex(Br[k, behind + j], Bi[k, behind + j])
        row_less_rows(answers_re, answers_im, factors, 0, k, 0, ni)
    Br[:ni, behind : behind + ni] = inverted.real
    Bi[:ni, behind : behind + ni] = inverted.imag
    return log - log_product(pivots[ni:])


@kernel(**_OPTIONS)
def bloch_opposite(phase: complex, ni: int, first: Ints, rhs: Complexes, work: BlochWork, out: Complexes) -> None:
    """Answers (dof, load) of a cell that `bloch_solution` has solved to other loads, under the phase 1 / ``phase``.

    The matrix of all equations is then the transpose of that which was solved.
    """
    S, low, pivots, Br, Bi = work
    n, behind = pivots.size, Br.shape[1] - padded(ni)
    load, answer = rhs[:ni].copy(), np.zeros((ni, rhs.shape[1]), np.complex128)
    re, im = np.zeros((n, padded(rhs.shape[1]))), np.zeros((n, padded(rhs.shape[1])))
    re[:, : rhs.shape[1]], im[:, : rhs.shape[1]] = rhs.real, rhs.imag
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
    _solve(low, pivots, first, ni, re, im)
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
        np.zeros((n + ni, padded(loads) + padded(ni))),
        np.zeros((n + ni, padded(loads) + padded(ni))),
    )


@kernel(**_OPTIONS)
def answers_taken(work: BlochWork, out: Complexes) -> None:
    """Copy the answers (dof, column) of a cell out of its memory."""
    for i in range(out.shape[0]):
        for c in range(out.shape[1]):
            out[i, c] = complex(work.Br[i, c], work.Bi[i, c])


@kernel(**_OPTIONS)
def load_answers(rhs: Floats, work: BlochWork, out: Complexes) -> None:
    """Add the answers of the loads' own places, rhs^T (Br + i Bi), to out (load, load)."""
    for p in range(rhs.shape[1]):
        for i in range(rhs.shape[0]):
            if rhs[i, p] != 0.0:
                for c in range(rhs.shape[1]):
                    out[p, c] += rhs[i, p] * complex(work.Br[i, c], work.Bi[i, c])

"""Set-up of the travelling window: effective matrix, its factor, local columns of its inverse, contact table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.linalg import cholesky_banded, cho_solve_banded

from catenary.linearise import CellMatrix, VerticalCell, static_height

__all__ = ["WindowOperators", "build_window"]

DECAYED = 1.0e-12
RowList = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
EvenRows = tuple[int, NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True)
class WindowOperators:
    """Everything about a window that does not change while it travels (tuples in the kernel's order)."""

    cell: VerticalCell
    dt: float
    steps: int
    operators: tuple[Any, ...]
    contact: tuple[Any, ...]
    ends: tuple[NDArray[np.int64], NDArray[np.float64]]


def build_window(cell: VerticalCell, dt: float, steps: int) -> WindowOperators:
    """Factor the effective matrix of one cell and tabulate what the march needs.

    Parameters
    ----------
    cell : VerticalCell
    dt : float
        Time step [s].
    steps : int
        Steps per span.

    Raises
    ------
    ValueError
        If neighbouring supports act on each other within one step (dt too large for this span).
    """
    spec = cell.equilibrium.spec
    gam, kap = 2.0 / dt + spec.damping.alpha, 0.5 * dt + spec.damping.beta
    parts = {
        name: gam * getattr(cell.mass, name) + kap * getattr(cell.stiffness, name)
        for name in ("own", "next", "interface_left", "interface_right")
    }
    A = CellMatrix(**parts)
    support = spec.support.messenger_damping + 0.5 * dt * spec.support.messenger_stiffness
    for block in (A.own, A.interface_left, A.interface_right):
        block[cell.support_dof, cell.support_dof] += support
    end_dof = np.array([d for d, _ in cell.wire_ends])
    end_imp = np.array([z for _, z in cell.wire_ends])
    x = np.arange(steps + 1) * (spec.span_length / steps)
    cdof, cphi = cell.contact_operator(x)
    z0 = static_height(cell.equilibrium, x)
    columns, G_contact = _columns(cell, A, cdof)
    absorb = np.zeros((cell.n_interface, cell.n_interface))
    absorb[end_dof, end_dof] = end_imp
    return WindowOperators(
        cell=cell,
        dt=dt,
        steps=steps,
        operators=(_factor(cell, A, absorb), _mass_rows(cell), columns[0], columns[1], G_contact, *columns[2:]),
        contact=(np.ascontiguousarray(cdof), np.ascontiguousarray(cphi), z0),
        ends=(end_dof, end_imp),
    )


def _row_lists(n: int, *blocks: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]) -> RowList:
    """Compressed rows (start, column, value) of a sum of coordinate blocks (row, column, value)."""
    rows, cols, values = (np.concatenate(x) for x in zip(*blocks, strict=True))
    order = np.lexsort((cols, rows))
    start = np.searchsorted(rows[order], np.arange(n + 1))
    return start.astype(np.int64), cols[order].astype(np.int64), values[order]


def _even_rows(n: int, *blocks: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]) -> EvenRows:
    """Rows as `_row_lists`, all padded to the longest one: equal loops are what branch predictors like."""
    start, col, value = _row_lists(n, *blocks)
    count = np.diff(start)
    longest = int(count.max())
    cols, values = np.zeros((n, longest), np.int64), np.zeros((n, longest))
    at = np.arange(len(col)) - np.repeat(start[:-1], count), np.repeat(np.arange(n), count)
    cols[at[1], at[0]], values[at[1], at[0]] = col, value
    return longest, cols.ravel(), values.ravel()


def _entries(A: NDArray[np.float64], rows: int = 0, cols: int = 0) -> Any:
    """Coordinates and values of the nonzeros of a block that stands at (rows, cols)."""
    i, j = np.nonzero(A)
    return i + rows, j + cols, A[i, j]


def _factor(cell: VerticalCell, A: CellMatrix, absorb: NDArray[np.float64]) -> tuple[Any, ...]:
    """Factor the interior (L D L^T on its envelope) and the interfaces, as row lists for the kernel."""
    n, ni = cell.n_dof, cell.n_interface
    first, start, low, dinv = _envelope_ldl(A.own[ni:, ni:])
    links = np.hstack([A.own[ni:, :ni], A.next[ni:, :]])
    G = links.copy()
    _ldl_solve(first, start, low, 1.0 / dinv, G)
    GL, GR = G[:, :ni], G[:, ni:]
    left_term, right_term = A.own[:ni, ni:] @ GL, A.next[ni:].T @ GR
    coupling = np.abs(A.own[:ni, ni:] @ GR).max() / np.abs(A.own[:ni, :ni]).max()
    if coupling > 1e-12:
        raise ValueError(
            f"the time step is too large for this span: supports must not act on each other within one step "
            f"(coupling {coupling:.1e}, allowed 1e-12); use a smaller dt or more elements per bay"
        )
    blocks = (
        A.interface_right - left_term + absorb,
        A.own[:ni, :ni] - left_term - right_term,
        A.interface_left - right_term + absorb,
    )
    GL, GR = (np.where(np.abs(g) > DECAYED * np.abs(G).max(), g, 0.0) for g in (GL, GR))
    i, j, value = _lower_entries(first, start, low)
    forward = _even_rows(
        n,
        (i + ni, j + ni, -value),
        _entries(-A.own[ni:, :ni], ni, n + ni),
        _entries(-A.next[ni:, :], ni, n),
    )
    return (
        ni,
        n,
        ni + np.flatnonzero(np.abs(GL).max(axis=1) + np.abs(GR).max(axis=1)),
        _row_lists(ni, _entries(-GL.T, 0, ni)),
        _row_lists(ni, _entries(-GR.T, 0, ni)),
        np.array([np.linalg.inv(b) for b in blocks]),
        forward,
        np.concatenate([np.ones(ni), dinv]),
        _even_rows(n, (j + ni, i + ni, -value)),
    )


def _mass_rows(cell: VerticalCell) -> tuple[Any, ...]:
    """Products with the mass matrix, as row lists for the kernel."""
    n, ni, M = cell.n_dof, cell.n_interface, cell.mass
    inner = M.own.copy()
    inner[ni:, :ni] = 0.0
    rows = _even_rows(n, _entries(inner), _entries(M.own[ni:, :ni], ni, n + ni), _entries(M.next[ni:], ni, n))
    return rows, _row_lists(ni, _entries(M.next[ni:].T, 0, ni)), M.interface_left, M.interface_right


def _lower_entries(
    first: NDArray[np.int64], start: NDArray[np.int64], low: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Coordinates of the factor's envelope."""
    n = len(first)
    count = np.arange(n) - first
    i = np.repeat(np.arange(n), count)
    return i, np.arange(len(low)) - np.repeat(start - first, count), low


@njit(cache=True)
def _ldl(A, first, start, low, d):  # noqa: ANN001, ANN202
    n = A.shape[0]
    for i in range(n):
        for j in range(first[i], i):
            t = A[i, j]
            for k in range(max(first[i], first[j]), j):
                t -= low[start[i] + k - first[i]] * d[k] * low[start[j] + k - first[j]]
            low[start[i] + j - first[i]] = t / d[j]
        t = A[i, i]
        for k in range(first[i], i):
            t -= low[start[i] + k - first[i]] ** 2 * d[k]
        d[i] = t


@njit(cache=True)
def _ldl_solve(first, start, low, d, B):  # noqa: ANN001, ANN202
    n = B.shape[0]
    for i in range(n):
        for j in range(first[i], i):
            B[i] -= low[start[i] + j - first[i]] * B[j]
    for i in range(n):
        B[i] /= d[i]
    for i in range(n - 1, -1, -1):
        for j in range(first[i], i):
            B[j] -= low[start[i] + j - first[i]] * B[i]


def _envelope_ldl(
    A: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """LDL^T of a symmetric positive matrix, rows stored from their first entry."""
    n = len(A)
    first = np.argmax(A != 0.0, axis=1).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(np.arange(n) - first)[:-1]]).astype(np.int64)
    low = np.zeros(int((np.arange(n) - first).sum()))
    d = np.empty(n)
    _ldl(A, first, start, low, d)
    if not (d > 0.0).all():
        raise ValueError("the effective matrix must be positive definite: a wire is held nowhere or under compression")
    return first, start, low, 1.0 / d


def three_cells(cell: VerticalCell, A: CellMatrix) -> NDArray[np.float64]:
    """Upper band storage of three neighbouring cells and the interface that closes them."""
    n, ni = cell.n_dof, cell.n_interface
    rows, cols = np.nonzero(np.triu(A.own))
    nr, nc = np.nonzero(A.next)
    over = n - nr + nc
    band = max(int((cols - rows).max()), int(over.max()))
    ab = np.zeros((band + 1, 3 * n + ni))
    for c in range(3):
        ab[band + rows - cols, cols + c * n] += A.own[rows, cols]
        ab[band - over, nc + (c + 1) * n] += A.next[nr, nc]
    i, j = np.nonzero(np.triu(A.own[:ni, :ni]))
    ab[band + i - j, j + 3 * n] += A.own[:ni, :ni][i, j]
    return ab


def _columns(
    cell: VerticalCell, A: CellMatrix, cdof: NDArray[np.int64]
) -> tuple[tuple[Any, ...], NDArray[np.float64]]:
    """Columns of A^-1 for contact-wire dofs and dropper pairs of the middle of three cells, cut where decayed."""
    n = cell.n_dof
    dofs = np.unique(cdof)
    nd = len(cell.dropper_low)
    rhs = np.zeros((3 * n + cell.n_interface, len(dofs) + nd))
    rhs[dofs + n, np.arange(len(dofs))] = 1.0
    rhs[cell.dropper_high + n, len(dofs) + np.arange(nd)] = 1.0
    rhs[cell.dropper_low + n, len(dofs) + np.arange(nd)] = -1.0
    columns = cho_solve_banded((cholesky_banded(three_cells(cell, A)), False), rhs)
    small = np.abs(columns) > DECAYED * np.abs(columns).max(axis=0)
    lo = np.argmax(small, axis=0)
    count = len(columns) - np.argmax(small[::-1], axis=0) - lo
    values = np.zeros((len(lo), int(count.max())))
    for q, (a, k) in enumerate(zip(lo, count, strict=True)):
        values[q, :k] = columns[a : a + k, q]
    number = np.full(2 * n, -1)
    number[dofs] = np.arange(len(dofs))
    node_col = number[cdof]
    index = np.arange(len(columns))
    G = columns[np.repeat(cdof[:, :, None], 4, axis=2) + n, np.repeat(node_col[:, None, :], 4, axis=1)]
    k = len(dofs) + np.arange(nd)
    G_drop = columns[cell.dropper_high + n, k] - columns[cell.dropper_low + n, k]
    return ((lo, count, values, index // n - 1, index % n), node_col, G_drop, len(dofs)), G

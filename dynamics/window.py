"""Set-up of the travelling window: effective matrix, its factor, local columns of its inverse, contact table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from catenary.cell import VerticalCell
from catenary.cell_matrix import CellMatrix
from catenary.contact_wire import static_height
from catenary.errors import InputError
from dynamics.envelope import envelope_ldl, envelope_solve
from dynamics.simd import TERMS

__all__ = ["WindowOperators", "build_window", "dropper_rows", "product_rows"]

# what is cut is made good once a span, when elastic forces are formed anew from displacements
DECAYED = 1.0e-8
COLUMN_DECAYED = 1.0e-7
# neighbouring supports feel each other within a step through the bays' tensions; the first correction is made
LARGEST_COUPLING = 1.0e-3
RowList = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
NearFields = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


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
    InputError
        If neighbouring supports act on each other too much within one step (dt too large for this span), or a
        component has damping of its own: K w then no longer follows from A w and M w.
    """
    spec = cell.equilibrium.spec
    refusal = spec.damping.refusal("a travelling window")
    if refusal is not None:
        raise InputError([refusal])
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
    x = np.arange(steps + 1, dtype=np.float64) * (spec.span_length / steps)
    cdof, cphi = cell.contact_operator(x)
    z0 = static_height(cell.equilibrium, x)
    absorb = np.zeros((cell.n_interface, cell.n_interface))
    absorb[end_dof, end_dof] = end_imp
    return WindowOperators(
        cell=cell,
        dt=dt,
        steps=steps,
        operators=(_factor(cell, A, absorb, dt), product_rows(cell, cell.mass), *_columns(cell, A, cdof)),
        contact=(np.ascontiguousarray(cdof), np.ascontiguousarray(cphi), z0),
        ends=(end_dof, end_imp),
    )


def dropper_rows(cell: VerticalCell) -> RowList:
    """Stretch of every dropper, as row lists for the kernel."""
    return _row_lists(len(cell.dropper_dof), _entries(cell.dropper_operator().T))


def _row_lists(n: int, *blocks: RowList, order: int = 1) -> RowList:
    """Rows (start, column, value) of a sum of coordinate blocks, columns rising or (order -1) falling.

    Every row is filled up to a multiple of TERMS with zeros, which come first.
    """
    rows, cols, values = (np.concatenate(x) for x in zip(*blocks, strict=True))
    by = np.lexsort((order * cols, rows))
    count = np.bincount(rows, minlength=n)
    full = -(-count // TERMS) * TERMS
    end = np.cumsum(full)
    at = np.arange(len(rows)) + np.repeat(end - np.cumsum(count), count)
    column, value = np.zeros(end[-1], np.int64), np.zeros(end[-1])
    column[at], value[at] = cols[by], values[by]
    return np.concatenate([[0], end]), column, value


def _entries(A: NDArray[np.float64], rows: int = 0, cols: int = 0) -> Any:
    """Coordinates and values of the nonzeros of a block that stands at (rows, cols)."""
    i, j = np.nonzero(A)
    return i + rows, j + cols, A[i, j]


def _factor(cell: VerticalCell, A: CellMatrix, absorb: NDArray[np.float64], dt: float) -> tuple[Any, ...]:
    """Factor the interior (L D L^T on its envelope) and the interfaces, as row lists for the kernel."""
    n, ni, spec = cell.n_dof, cell.n_interface, cell.equilibrium.spec
    first, start, low, diag = envelope_ldl(csr_array(A.own[ni:, ni:]), len(cell.equilibrium.mesh.group_elems))
    dinv = 1.0 / diag
    links = np.hstack([A.own[ni:, :ni], A.next[ni:, :]])
    G = links.copy()
    envelope_solve(first, start, low, diag, G)
    GL, GR = G[:, :ni], G[:, ni:]
    left_term, right_term = A.own[:ni, ni:] @ GL, A.next[ni:].T @ GR
    blocks = (
        A.interface_right - left_term + absorb,
        A.own[:ni, :ni] - left_term - right_term,
        A.interface_left - right_term + absorb,
    )
    inverse = np.array([np.linalg.inv(b) for b in blocks])
    coupling = -A.own[:ni, ni:] @ GR
    strength = float(np.abs(inverse[1] @ coupling).max())
    if strength > LARGEST_COUPLING:
        raise InputError(
            [
                f"dt must be small enough that neighbouring supports hardly act on each other within one step: at "
                f"dt = {dt:g} s on spans of {spec.span_length:g} m they do by {strength:.1e}, allowed "
                f"{LARGEST_COUPLING:.0e}; use a smaller dt"
            ]
        )
    coupling[np.abs(coupling) < DECAYED * np.abs(blocks[1]).max()] = 0.0
    # nothing loads a tension and nothing reads its rate: those rows need not be kept
    G[cell.tensions - ni] = 0.0
    GL, GR = (np.where(np.abs(g) > DECAYED * np.abs(G).max(), g, 0.0) for g in (GL, GR))
    i, j, value = _lower_entries(first, start, low)
    i, j, value = i[value != 0.0], j[value != 0.0], value[value != 0.0]
    forward = _row_lists(
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
        _support_lists(inverse, coupling, n + ni),
        _entries(coupling),
        forward,
        np.concatenate([np.ones(ni), dinv]),
        # what was found last comes last: a sum need not wait for it
        _row_lists(n, (j + ni, i + ni, -value), order=-1),
    )


def _support_lists(inverse: NDArray[np.float64], coupling: NDArray[np.float64], at: int) -> tuple[Any, ...]:
    """Entries that copy the interface rows to ``at``, that solve them there, and once more for what is coupled."""
    ni = len(coupling)
    touched = np.flatnonzero(np.abs(coupling).max(axis=0) + np.abs(coupling).max(axis=1))
    middle, again = inverse[1], np.zeros((ni, ni))
    again[:, touched] = -inverse[1][:, touched]
    return (
        _row_lists(ni, _entries(np.eye(ni))),
        _row_lists(ni, _entries(middle, 0, at)),
        _row_lists(ni, _entries(again, 0, at)),
        touched,
        np.ascontiguousarray(inverse[[0, 2]]),
    )


def product_rows(cell: VerticalCell, M: CellMatrix) -> tuple[Any, ...]:
    """Products with an operator of the cell, as row lists for the kernel."""
    n, ni = cell.n_dof, cell.n_interface
    inner = M.own.copy()
    inner[ni:, :ni] = 0.0
    rows = _row_lists(
        n,
        _entries(inner),
        _entries(M.own[ni:, :ni], ni, n + ni),
        _entries(M.next[ni:], ni, n),
        _entries(np.eye(ni), 0, n + 2 * ni),
    )
    # rows of as many terms one after the other, so that the processor foresees where each ends
    order = np.argsort(np.diff(rows[0]), kind="stable")
    return rows, order, _entries(M.next[ni:].T, 0, ni), M.interface_left, M.interface_right


def _lower_entries(
    first: NDArray[np.int64], start: NDArray[np.int64], low: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Coordinates of the factor's envelope."""
    n = len(first)
    count = np.arange(n) - first
    i = np.repeat(np.arange(n), count)
    return i, np.arange(len(low)) - np.repeat(start - first, count), low


def _three_cells(cell: VerticalCell, A: CellMatrix) -> csr_array:
    """Three neighbouring cells and the interface that closes them."""
    n, ni = cell.n_dof, cell.n_interface
    parts = []
    for c in range(3):
        parts.append(_entries(A.own, c * n, c * n))
        parts.append(_entries(A.next, c * n, (c + 1) * n))
        parts.append(_entries(A.next.T, (c + 1) * n, c * n))
    parts.append(_entries(A.own[:ni, :ni], 3 * n, 3 * n))
    rows, cols, values = (np.concatenate(x) for x in zip(*parts, strict=True))
    return csr_array(coo_array((values, (rows, cols)), shape=(3 * n + ni, 3 * n + ni)))


def _columns(cell: VerticalCell, A: CellMatrix, cdof: NDArray[np.int64]) -> tuple[Any, ...]:
    """Columns of A^-1 in the middle of three cells, cut where decayed: for contact points and for droppers.

    Returns the contact's near fields by element (four columns each), the droppers' (one column each), the element
    of every contact point, the compliances (step, 4, 4) among its dofs, those between contact and droppers (element,
    cell before to cell after, dropper, 4), and the droppers' among each other (cell before to after, felt by, from).
    """
    n, pair = cell.n_dof, cell.dropper_operator()
    nd = pair.shape[1]
    elements, which = np.unique(cdof, axis=0, return_inverse=True)
    rhs = np.zeros((3 * n + cell.n_interface, 4 * len(elements) + nd))
    rhs[elements.ravel() + n, np.arange(4 * len(elements))] = 1.0
    rhs[n : 2 * n, 4 * len(elements) :] = pair
    factor = envelope_ldl(_three_cells(cell, A), 3 * len(cell.equilibrium.mesh.group_elems))
    envelope_solve(*factor, rhs)
    stretch = np.einsum("nd,cnk->cdk", pair, rhs[: 3 * n].reshape(3, n, -1), optimize=True)
    rhs[(np.arange(3)[:, None] * n + cell.tensions).ravel()] = 0.0
    contact = rhs[:, : 4 * len(elements)].reshape(len(rhs), -1, 4)
    own = contact[elements[:, :, None] + n, np.arange(len(elements))[:, None, None], np.arange(4)]
    near = _near_fields(contact, n), _near_fields(rhs[:, 4 * len(elements) :, None], n)
    by_contact = np.ascontiguousarray(stretch[:, :, : 4 * len(elements)].reshape(3, nd, -1, 4).transpose(2, 0, 1, 3))
    among = np.ascontiguousarray(stretch[:, :, 4 * len(elements) :])
    return *near, which.reshape(-1), own[which.reshape(-1)], by_contact, among


def _near_fields(columns: NDArray[np.float64], n: int) -> NearFields:
    """Keep what matters of groups of columns (dof, group, column): group starts, cells, dofs and values."""
    size = np.abs(columns).max(axis=2)
    group, at = np.nonzero((size > COLUMN_DECAYED * size.max(axis=0)).T)
    start = np.searchsorted(group, np.arange(columns.shape[1] + 1))
    return start, at // n - 1, at % n, np.ascontiguousarray(columns[at, group])

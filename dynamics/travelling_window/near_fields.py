"""Columns of the inverse of the effective matrix near contact points and droppers, cut where they have decayed.

The effective matrix is governed by the mass, so that a load is felt within some metres in its own step; beyond, the
bays' tensions carry a little of it from bay to bay.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from catenary.linearised.cell import VerticalCell
from catenary.linearised.cell_parts.blocks import CellMatrix
from dynamics.linear_algebra.skyline import envelope_columns, envelope_ldl
from dynamics.travelling_window.cell_rows import entries, row_lists
from dynamics.travelling_window.layout import AtEnds, NearField, SqueezedRows

__all__ = ["near_fields", "squeezed_rows"]

COLUMN_DECAYED = 1.0e-7
# columns are formed for so many elements at once, and this many mean bays beyond them
TOGETHER, BAYS_BEYOND = 6, 5.0
Array = NDArray[np.float64]
NearFields = tuple[NearField, NearField, NDArray[np.int64], Array, Array, Array, SqueezedRows, AtEnds]
"""The operators from ``near_contact`` on."""
Factor = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]


def near_fields(cell: VerticalCell, A: CellMatrix, cdof: NDArray[np.int64], absorb: Array) -> NearFields:
    """Tabulate answers to loads at contact points and droppers in the middle of three cells, to droppers at ends too.

    Parameters
    ----------
    cell : VerticalCell
    A : CellMatrix
        Effective matrix [N s/m].
    cdof : int array (step, 4)
        Dofs of every contact point.
    absorb : float array (interface dof, interface dof)
        Impedance that stands for the line beyond the window's ends [N s/m].

    Returns
    -------
    tuple
        The contact's near fields by element (four columns each), the droppers' (one column each), the element of
        every contact point, the compliances (step, 4, 4) among its dofs, those between contact and droppers (element,
        cell before to cell after, dropper, 4), the droppers' among each other (cell before to after, then in the
        window's first cell and in its last; felt by, from), the droppers' near fields once more, as `squeezed_rows`,
        and what is to be added to them in the first cell and in the last.
    """
    n = cell.n_dof
    elements, which = np.unique(cdof, axis=0, return_inverse=True)
    which = which.reshape(-1)
    factor = envelope_ldl(_three_cells(cell, A), 3 * len(cell.equilibrium.mesh.group_elems))
    beyond = int(BAYS_BEYOND * n / (len(cell.dropper_dof) + 1))
    nd, unit, size = len(cell.dropper_dof), np.eye(4), 3 * n + cell.n_interface
    own, by_contact, fields = np.empty((len(elements), 4, 4)), np.empty((len(elements), 3, nd, 4)), []
    held = np.ones(size)
    held[(np.arange(3)[:, None] * n + cell.tensions).ravel()] = 0.0  # nothing reads the rate of a tension
    order = np.argsort(elements.min(axis=1), kind="stable")
    for at in np.split(order, range(TOGETHER, len(order), TOGETHER)):
        columns, top = _columns(factor, [(n + elements[e], unit) for e in at], beyond, size)
        groups = columns.reshape(len(columns), -1, 4)
        own[at] = groups[n + elements[at] - top, np.arange(len(at))[:, None]]
        by_contact[at] = np.moveaxis(_stretch(cell, columns, top).reshape(3, nd, -1, 4), 2, 0)
        fields += zip(at, _cut(cell, groups, top, held), strict=True)
    # a squeezed dropper pulls at both wires' bays, and is felt farther along the track than a push in height
    loads = [(n + dof, weight[:, None]) for dof, weight in zip(cell.dropper_dof, cell.dropper_weight, strict=True)]
    columns, top = _columns(factor, loads, size, size)
    among, hung = _stretch(cell, columns, top), _cut(cell, columns[:, :, None], top, held)
    near, hung_near = _joined(cell, [field for _, field in sorted(fields, key=lambda f: f[0])]), _joined(cell, hung)
    ends, among_ends = _at_ends(cell, (A, absorb), factor, columns)
    among = np.concatenate([among, among_ends])
    return near, hung_near, which, own[which], by_contact, among, squeezed_rows(cell, hung_near), ends


def _at_ends(
    cell: VerticalCell, matrices: tuple[CellMatrix, Array], factor: Factor, middle: Array
) -> tuple[AtEnds, Array]:
    """What the answers to droppers have beyond those of the ``middle`` in the first cell of the window and in its last.

    There an impedance stands in place of a neighbour. Without it the forces of droppers that are slack at an end
    would not be balanced, elastic forces would drift away from what displacements demand, and the line would run away.
    Returns it with the compliances among the droppers of the end's own cell (end, felt by, from).
    """
    (A, absorb), n, ni, size = matrices, cell.n_dof, cell.n_interface, len(middle)
    nd, read = len(cell.dropper_dof), np.setdiff1d(np.arange(size), (np.arange(3)[:, None] * n + cell.tensions).ravel())
    largest, fields, among = np.abs(middle[read]).max(axis=0), [], np.empty((2, nd, nd))
    for end, block in enumerate((A.interface_right, A.interface_left)):
        own, first = 2 * n * end, n * end
        loads = [(own + d, weight[:, None]) for d, weight in zip(cell.dropper_dof, cell.dropper_weight, strict=True)]
        rows = 3 * n * end + np.arange(ni)
        columns, _ = _columns(factor, [*loads, (rows, np.eye(ni))], size, size)
        answer, by_end = columns[:, :nd], columns[:, nd:]
        change = block + absorb - A.own[:ni, :ni]  # three cells have neighbours at both ends
        answer -= by_end @ np.linalg.solve(np.eye(ni) + change @ by_end[rows], change @ answer[rows])
        among[end] = _stretch(cell, answer, 0)[2 * end]
        here = read[(read >= first) & (read < first + size - n)]
        more = answer[here] - middle[here + n - 2 * first]
        cut = [np.abs(more[:, k]) > COLUMN_DECAYED * largest[k] for k in range(nd)]
        parts = [(here[at] // n - 2 * end, here[at] % n, more[at, k, None]) for k, at in enumerate(cut)]
        fields.append(_joined(cell, parts))
    return AtEnds(*fields), among


def squeezed_rows(cell: VerticalCell, hung: NearField) -> SqueezedRows:
    """Answers to the droppers' squeezes as rows that hold any, and a row list over the window's spans.

    Its columns are four times the droppers: squeezes moved by a span to where they are felt in the span before, in
    their own, in the one after, and there by interfaces, which the window's last column has as well.
    """
    start, cells, dofs, value, _ = hung
    nd = len(start) - 1
    dropper = np.repeat(np.arange(nd), np.diff(start))
    after = np.where((cells == 1) & (dofs < cell.n_interface), 2, cells)
    lists = row_lists(cell.n_dof, (dofs, (after + 1) * nd + dropper, value[:, 0]))
    return SqueezedRows(np.flatnonzero(np.diff(lists.start)), *lists)


def _columns(
    factor: Factor, loads: list[tuple[NDArray[np.int64], NDArray[np.float64]]], beyond: int, size: int
) -> tuple[NDArray[np.float64], int]:
    """Answers to loads (their dofs, and values by column) from some dofs before to some beyond them, and the first."""
    low, high = min(dof.min() for dof, _ in loads), max(dof.max() for dof, _ in loads)
    top, end = max(0, low - beyond), min(size, high + 1 + beyond)
    columns = np.zeros((end - top, sum(values.shape[1] for _, values in loads)))
    at = 0
    for dof, values in loads:
        columns[dof - top, at : at + values.shape[1]] = values
        at += values.shape[1]
    envelope_columns(*factor, columns, (top, low, end))
    return columns, top


def _stretch(cell: VerticalCell, columns: NDArray[np.float64], top: int) -> NDArray[np.float64]:
    """Stretch of the droppers of three cells (cell, dropper, column) in some columns that begin at dof ``top``."""
    dof = np.arange(3)[:, None, None] * cell.n_dof + cell.dropper_dof - top
    inside = (dof >= 0) & (dof < len(columns))
    felt = np.where(inside[..., None], columns[np.where(inside, dof, 0)], 0.0)
    return np.einsum("dk,cdkj->cdj", cell.dropper_weight, felt)


def _cut(
    cell: VerticalCell, groups: NDArray[np.float64], top: int, held: NDArray[np.float64]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]:
    """Cells, dofs and values of what matters of each group of columns (dof, group, column) that begin at ``top``."""
    n, each = cell.n_dof, np.moveaxis(np.abs(groups), 2, 0)
    # column by column: numpy takes five times as long over a short last axis
    size = reduce(np.maximum, each) * held[top : top + len(groups), None]
    kept = size > COLUMN_DECAYED * size.max(axis=0)
    found = []
    for k in range(groups.shape[1]):
        at = np.flatnonzero(kept[:, k])
        found.append(((at + top) // n - 1, (at + top) % n, groups[at, k]))
    return found


def _joined(
    cell: VerticalCell, groups: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]
) -> NearField:
    """Near fields one after the other: where each starts, cells, dofs and values."""
    start = np.cumsum([0, *(len(dof) for _, dof, _ in groups)])
    cells, dofs, values = (np.concatenate(x) for x in zip(*groups, strict=True))
    return NearField(start, cells, dofs, np.ascontiguousarray(values), cell.n_interface)


def _three_cells(cell: VerticalCell, A: CellMatrix) -> csr_array:
    """Three neighbouring cells and the interface that closes them."""
    n, ni = cell.n_dof, cell.n_interface
    blocks = (entries(A.own), (0, 0)), (entries(A.next), (0, n)), (entries(A.next.T), (n, 0))
    parts = [(i + c * n + down, j + c * n + right, a) for c in range(3) for (i, j, a), (down, right) in blocks]
    parts.append(entries(A.own[:ni, :ni], 3 * n, 3 * n))
    rows, cols, values = (np.concatenate(x) for x in zip(*parts, strict=True))
    return csr_array(coo_array((values, (rows, cols)), shape=(3 * n + ni, 3 * n + ni)))

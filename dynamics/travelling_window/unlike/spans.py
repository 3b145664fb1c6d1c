"""What every span of a long period has other than the cell of the line as designed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, diags_array

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.mesh import Mesh
from catenary.linearised.cell import VerticalCell
from catenary.linearised.cell_parts.blocks import CellBlocks, CellMatrix
from catenary.linearised.cell_parts.operators import add_operators

__all__ = ["ABSENT", "Terms", "UnlikeSpans", "unlike_spans"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# a difference of mass or of stiffness below one part in these of the diagonal of A does nothing that could be seen
SHARES = 1.0e5, 1.0e7
ABSENT = -1.0e6  # static force of a dropper that is not there: it hangs loose by far [N]


class Terms(NamedTuple):
    """Entries of what the spans' own matrices are more than the cell's.

    Span, dof of the row and of the column, those of the interface to the next span after the span's own; mass [kg] and
    stiffness [N/m].
    """

    span: Ints
    row: Ints
    column: Ints
    mass: Floats
    stiffness: Floats


@dataclass(frozen=True)
class UnlikeSpans:
    """Spans of a period, each like the cell but for small differences.

    Attributes
    ----------
    equilibrium : Equilibrium
        Of the whole period.
    spans : int
    terms : Terms
        Tensions of bays eliminated; without the stiffness that a missing dropper would have.
    force, dropper_stiffness : float array (dropper, span)
        At rest [N], ABSENT where the dropper is missing, and of each spring [N/m].
    present : tuple of int array (dropper of the period,)
        Number in its span, and span, of every dropper that is there.
    """

    equilibrium: Equilibrium
    spans: int
    terms: Terms
    force: Floats
    dropper_stiffness: Floats
    present: tuple[Ints, Ints]


def unlike_spans(eq: Equilibrium, cell: VerticalCell, scales: tuple[float, float]) -> UnlikeSpans | None:
    """Compare the spans of a period with the cell of the line as designed; None where their meshes are not alike.

    ``scales`` are the factors of mass [1/s] and stiffness [s] in the effective matrix A.
    """
    mesh, short = eq.mesh, cell.equilibrium.mesh
    spans = round(mesh.layout.length / short.layout.length)
    if len(mesh.node_x) != spans * len(short.node_x) or len(mesh.group_elems) != spans * len(short.group_elems):
        return None
    node, span = _nodes(mesh, short)
    number = {int(k): d for d, k in enumerate(short.dropper_bottom)}
    which, where = np.array([number[int(node[k])] for k in mesh.dropper_bottom]), span[mesh.dropper_bottom]
    force = np.full((len(cell.dropper_dof), spans), ABSENT)
    springs = np.repeat(cell.equilibrium.dropper_stiffness[:, None], spans, axis=1)
    force[which, where], springs[which, where] = eq.dropper_spring_force, eq.dropper_stiffness
    mass, stiffness = _SpanBlocks(cell, spans), _SpanBlocks(cell, spans)
    add_operators(eq, _numbers(cell, mesh, node, span), (mass, stiffness))
    for d, k in np.argwhere(force == ABSENT):  # the march releases a missing dropper as it does a slack one
        weight, dof = cell.dropper_weight[d], cell.dropper_dof[d] + cell.n_dof * k
        stiffness.entries(dof[:, None], dof[None, :], springs[d, k] * np.outer(weight, weight))
    terms = _differences(cell, (mass.whole(), stiffness.whole()), spans, scales)
    return UnlikeSpans(eq, spans, terms, force, springs, (which, where))


class _SpanBlocks(CellBlocks):
    """Collects one operator of every span by itself, each with the interface to the next one at its end.

    What `add_operators` adds is numbered span after span; the element that leads into the next is the span's own.
    """

    def __init__(self, cell: VerticalCell, spans: int) -> None:
        self._n, self._size, self._spans = cell.n_dof, cell.n_dof + cell.n_interface, spans
        self._parts: list[tuple[Ints, Ints, Floats]] = []

    def elements(self, blocks: Floats, dof: Ints, over: NDArray[np.bool_]) -> None:
        """Add element blocks (elem, 4, 4); ``over`` is of the period, spans within it end likewise."""
        own = self._own(dof, dof[:, :2].max(axis=1)[:, None] // self._n)
        self._add(own[:, :, None], own[:, None, :], blocks)

    def block(self, block: Floats, dof: Ints, beyond: NDArray[np.bool_]) -> None:
        """Add the block of a bay, whose tension, the last dof where it has one, is numbered in its own span."""
        low, high = np.unique(dof[dof >= 0] // self._n)[[0, -1]]
        first = low if high == low + 1 or (high == low and not beyond.any()) else self._spans - 1
        own = self._own(dof, int(first))
        self._add(own[:, None], own[None, :], block)

    def entries(self, rows: Ints, columns: Ints, values: Floats) -> None:
        """Add single entries."""
        rows, columns = (self._own(x, x // self._n) for x in (rows, columns))
        self._add(rows, columns, values)

    def _own(self, dof: Ints, span: Ints | int) -> Ints:
        """Number of a dof in the blocks of spans one after the other; -1 of what is held."""
        further = (dof // self._n != span) * self._n
        return np.where(dof < 0, -1, span * self._size + dof % self._n + further)

    def _add(self, rows: Ints, columns: Ints, values: Floats) -> None:
        rows, columns, values = np.broadcast_arrays(rows, columns, values)
        kept = (rows >= 0) & (columns >= 0)
        self._parts.append((rows[kept], columns[kept], values[kept]))

    def whole(self) -> csr_array:
        """Sum of all parts."""
        rows, columns, values = (np.concatenate(x) for x in zip(*self._parts, strict=True))
        size = self._size * self._spans
        return csr_array(coo_array((values, (rows, columns)), shape=(size, size)))


def _nodes(mesh: Mesh, short: Mesh) -> tuple[Ints, Ints]:
    """Node of a short cell at the same place as every node of a long one, and the span in which this one is."""
    period = short.layout.length
    node, span = np.empty(len(mesh.node_x), np.int64), np.floor(mesh.node_x / period + 1.0e-9).astype(np.int64)
    for wire in np.unique(mesh.node_wire):
        here, known = np.flatnonzero(mesh.node_wire == wire), np.flatnonzero(short.node_wire == wire)
        apart = np.abs((mesh.node_x[here] - span[here] * period)[:, None] - short.node_x[known])
        node[here] = known[apart.argmin(axis=1)]
    return node, span


def _numbers(cell: VerticalCell, mesh: Mesh, node: Ints, span: Ints) -> tuple[Ints, Ints]:
    """Dofs of the period, those of one span after the other in the cell's own order: of the mesh, and of tensions."""
    short, n = cell.equilibrium.mesh, cell.n_dof
    dof_of = np.full(mesh.n_dof, -1)
    theirs = cell.dof_of[short.dof[node]]
    known = (mesh.dof >= 0) & (short.dof[node] >= 0) & (theirs >= 0)
    dof_of[mesh.dof[known]] = (theirs + (span * n)[:, None])[known]
    (a, b), (left, right) = _bay_ends(short), _bay_ends(mesh)
    tension = dict(zip(zip(a.tolist(), b.tolist(), strict=True), cell.tensions.tolist(), strict=True))
    pairs = zip(node[left].tolist(), node[right].tolist(), span[left].tolist(), strict=True)
    return dof_of, np.array([tension[a, b] + k * n for a, b, k in pairs])


def _bay_ends(mesh: Mesh) -> tuple[Ints, Ints]:
    """First and last node of every bay."""
    first, last = mesh.group_elems.T
    return mesh.elem_nodes[first, 0], mesh.elem_nodes[last, 1]


def _span_matrix(own: CellMatrix) -> csr_array:
    """Operator of one span of equal ones by itself, with the interface to the next at its end."""
    ni = len(own.interface_left)
    whole = np.block([[own.own, own.next], [own.next.T, own.interface_left]])
    whole[:ni, :ni] = own.interface_right
    return csr_array(whole)


def _condensed(K: csr_array, tensions: Ints) -> csr_array:
    """Stiffness without the tensions of bays, which follow from the displacements: the march does not carry them."""
    across, others = K[:, tensions], np.ones(K.shape[0])
    others[tensions] = 0.0
    across = diags_array(others) @ across
    kept = diags_array(others) @ K @ diags_array(others)
    return csr_array(kept - across @ diags_array(1.0 / K.diagonal()[tensions]) @ across.T)


def _differences(
    cell: VerticalCell, whole: tuple[csr_array, csr_array], spans: int, scales: tuple[float, float]
) -> Terms:
    """Differences of mass and stiffness in one list of places, those dropped that do nothing."""
    size = cell.n_dof + cell.n_interface
    tensions = (cell.tensions + size * np.arange(spans)[:, None]).ravel()
    mass, stiffness = _span_matrix(cell.mass), _condensed(_span_matrix(cell.stiffness), cell.tensions)
    diagonal = np.abs(scales[0] * mass.diagonal() + scales[1] * stiffness.diagonal())
    diagonal[cell.n_dof :] = diagonal[: cell.n_interface] = diagonal[: cell.n_interface] + diagonal[cell.n_dof :]
    parts = whole[0], _condensed(whole[1], tensions)
    found = [
        _notable(part - _repeated(own, spans), scale * least, diagonal)
        for part, own, scale, least in zip(parts, (mass, stiffness), scales, SHARES, strict=True)
    ]
    row, column = (np.concatenate([getattr(part, name) for part in found]).astype(np.int64) for name in ("row", "col"))
    # entries of masses, then those of stiffnesses: a place that has both is there twice
    value, first = np.concatenate([part.data for part in found]), len(found[0].data)
    masses = np.arange(len(value)) < first
    return Terms(row // size, row % size, column % size, np.where(masses, value, 0.0), np.where(masses, 0.0, value))


def _repeated(own: csr_array, spans: int) -> csr_array:
    """The same matrix for every span, none coupled to another."""
    part, size = coo_array(own), own.shape[0]
    at = size * np.arange(spans)[:, None]
    places = (at + part.row).ravel(), (at + part.col).ravel()
    return csr_array(coo_array((np.tile(part.data, spans), places), shape=(size * spans, size * spans)))


def _notable(difference: csr_array, share: float, diagonal: Floats) -> coo_array:
    """Entries of a difference that, times their share, are not small against the diagonal of A (dof of a span,)."""
    part, root = coo_array(difference), np.sqrt(diagonal)
    kept = np.abs(part.data) * share > root[part.row % len(root)] * root[part.col % len(root)]
    return coo_array((part.data[kept], (part.row[kept], part.col[kept])), shape=part.shape)

"""Mass matrix of wires by nodes: the same 2 x 2 blocks for every direction, of a node and towards its neighbours.

A sparse row is read with the place of each of its entries, and every direction has that row again. By nodes a product
reads a quarter of that, and finds what it multiplies side by side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from catenary.kernels.compiled import Kernel, kernel
from dynamics.linear_algebra.sparse_rows import SparseRows

__all__ = ["NO_NODES", "NodeRows", "add_node_product", "node_rows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Unsigned = NDArray[np.uint32]
# places (row, column) of a block's numbers, position 0 and slope 1: of a node's own, and of that towards a neighbour
OWN, BESIDE = ((0, 0), (0, 1), (1, 1)), ((0, 0), (0, 1), (1, 0), (1, 1))
# share of the largest entry below which what blocks leave of the matrix is rounding
ROUNDING = 1e-15
NO_NODES = np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


class NodeRows(NamedTuple):
    """Symmetric matrix of nodes with consecutive dofs, ``components`` positions and as many slopes.

    ``node`` (node, 3) first dof of each, of the one after it and of the one before; ``block`` (node, 11) three numbers
    of its own block and four towards each of these. ``rest`` is what blocks leave, in ``rows``.
    """

    components: int
    node: Unsigned
    block: Floats
    rest: SparseRows
    rows: Unsigned


def node_rows(A: csr_array, nodes: Ints, elements: Ints) -> NodeRows:
    """Sort a symmetric matrix (dof, dof) by nodes.

    Parameters
    ----------
    A : sparse array
    nodes : int array (node, 2 x components)
        Dofs of every node, positions and slopes; one whose dofs are not consecutive, as where one is held, is left to
        the rest.
    elements : int array (elem, 2)
        First and second node of every element.
    """
    w, n = nodes.shape[1] // 2, A.shape[0]
    whole = (nodes[:, 0] >= 0) & (np.diff(nodes, axis=1) == 1).all(axis=1)
    place, first = np.cumsum(whole) - 1, nodes[whole, 0]
    a, b = place[elements[whole[elements].all(axis=1)]].T
    after, before = first.copy(), first.copy()
    after[a], before[b] = first[b], first[a]
    block = np.zeros((len(first), len(OWN) + 2 * len(BESIDE)))
    for k, (row, column) in enumerate(OWN):
        block[:, k] = _entries(A, first + w * row, first + w * column)
    for k, (row, column) in enumerate(BESIDE):
        block[a, 3 + k] = _entries(A, first[a] + w * row, first[b] + w * column)
        block[b, 7 + k] = _entries(A, first[b] + w * row, first[a] + w * column)
    node = np.stack([first, after, before], axis=1)
    left = csr_array(A - _of_blocks(w, node, block, n))
    left.data[np.abs(left.data) < ROUNDING * np.abs(A.data).max(initial=0.0)] = 0.0
    left.eliminate_zeros()
    rest = SparseRows(left.indptr.astype(np.uint32), left.indices.astype(np.uint32), left.data)
    rows = np.flatnonzero(np.diff(left.indptr)).astype(np.uint32)
    order = np.argsort(first)
    return NodeRows(w, node[order].astype(np.uint32), block[order], rest, rows)


def _entries(A: csr_array, row: Ints, column: Ints) -> Floats:
    """Entries of a matrix at places."""
    return np.asarray(A[row, column], dtype=np.float64).ravel() if len(row) else np.zeros(0)


def _of_blocks(components: int, node: Ints, block: Floats, n: int) -> csr_array:
    """Sparse matrix of the blocks in all directions."""
    places = [(0, row, column) for row, column in (*OWN, (1, 0))]
    places += [(side, row, column) for side in (1, 2) for row, column in BESIDE]
    numbers = [0, 1, 2, 1, *range(3, block.shape[1])]
    row = [node[:, 0] + components * r + c for _, r, _ in places for c in range(components)]
    column = [node[:, side] + components * k + c for side, _, k in places for c in range(components)]
    value = [block[:, k] for k in numbers for _ in range(components)]
    if not len(node):
        return csr_array((n, n))
    return csr_array(coo_array((np.concatenate(value), (np.concatenate(row), np.concatenate(column))), shape=(n, n)))


def _adder(w: int) -> Kernel:
    """Kernel for that many components."""

    @kernel(**_OPTIONS)
    def add(A, x, y):
        for k in range(A.node.shape[0]):
            i, j, h, m = A.node[k, 0], A.node[k, 1], A.node[k, 2], A.block[k]
            for c in range(w):
                at, turned = x[i + c], x[i + w + c]
                one, one_turned, other, other_turned = x[j + c], x[j + w + c], x[h + c], x[h + w + c]
                y[i + c] += (
                    (m[0] * at + m[1] * turned)
                    + (m[3] * one + m[4] * one_turned)
                    + (m[7] * other + m[8] * other_turned)
                )
                y[i + w + c] += (
                    (m[1] * at + m[2] * turned)
                    + (m[5] * one + m[6] * one_turned)
                    + (m[9] * other + m[10] * other_turned)
                )

    return add


_add_in_plane, _add_in_space = _adder(2), _adder(3)


@kernel(**_OPTIONS)
def add_node_product(A: NodeRows, x: Floats, y: Floats) -> None:
    """Add A x to y."""
    if A.components == 3:
        _add_in_space(A, x, y)
    elif A.components == 2:
        _add_in_plane(A, x, y)
    rest = A.rest
    for k in range(A.rows.size):
        i = A.rows[k]
        total = 0.0
        for at in range(rest.ptr[i], rest.ptr[i + 1]):
            total += rest.val[at] * x[rest.idx[at]]
        y[i] += total

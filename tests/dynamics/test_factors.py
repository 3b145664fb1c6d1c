"""Factors and products of sparse matrices for compiled kernels, against dense linear algebra."""

import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array

from dynamics.linear_algebra.banded_ldl import banded_ldl, banded_solve
from dynamics.linear_algebra.block_ldl import block_ldl, block_reach, block_solve, rows_near
from dynamics.linear_algebra.node_rows import NO_NODES, add_node_product, node_rows
from dynamics.linear_algebra.skyline import envelope_ldl, envelope_solve, negative_pivots
from dynamics.linear_algebra.sparse_rows import fixed_rows, multiply, multiply_fixed, product, sparse_rows


def symmetric(n, half, diagonal, seed=0):
    """Random symmetric matrix of that half bandwidth; a large ``diagonal`` makes it definite."""
    full = np.random.default_rng(seed).uniform(-1.0, 1.0, (n, n))
    band = np.tril(np.triu(full + full.T, -half), half)
    return csr_array(band + np.diag(np.broadcast_to(diagonal, n)))


@pytest.mark.parametrize("n", [1, 2, 5, 40, 130])
@pytest.mark.parametrize("half", [0, 1, 3, 8, 12, 20, 36, 40])
def test_a_banded_factor_solves_as_dense_algebra_does(n, half):
    A = symmetric(n, half, 4.0 * half + 3.0)
    b = np.random.default_rng(1).normal(size=n)
    x = b.copy()
    banded_solve(banded_ldl(A), x, 0, n)
    np.testing.assert_allclose(x, np.linalg.solve(A.toarray(), b), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("half", [3, 12])
def test_a_window_gives_the_whole_answer_to_a_load_that_decays_inside_it_and_touches_nothing_else(half):
    line, rest = 400, 2
    A = csr_array(block_diag([symmetric(line, half, 40.0 * half), symmetric(rest, 1, 3.0)], format="csr"))
    factor, load = banded_ldl(A), np.zeros(line + rest)
    load[200:204], load[line:] = [1.0, -2.0, 0.5, 1.0], [3.0, 4.0]
    whole, part = load.copy(), load.copy()
    banded_solve(factor, whole, 0, line + rest)
    banded_solve(factor, part, 100, 300)
    assert part[line:].tolist() == [3.0, 4.0]
    banded_solve(factor, part, line, line + rest)
    np.testing.assert_allclose(part, whole, rtol=0.0, atol=1e-15 * np.abs(whole).max())
    assert not part[:100].any() and not part[300:line].any()


@pytest.mark.parametrize("n", [1, 2, 6, 17, 40, 131])
@pytest.mark.parametrize("half", [0, 1, 5, 8, 12, 17, 23, 36, 40])
def test_a_factor_in_blocks_solves_as_dense_algebra_does(n, half):
    A = symmetric(n, half, 4.0 * half + 3.0)
    b = np.random.default_rng(1).normal(size=n)
    x = b.copy()
    block_solve(block_ldl(A), x, 0, n)
    np.testing.assert_allclose(x, np.linalg.solve(A.toarray(), b), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("half", [11, 17])
def test_rows_near_a_load_give_the_whole_answer_and_no_others_are_touched(half):
    n = 1001
    factor, load = block_ldl(symmetric(n, half, 20.0 * half)), np.zeros(n)
    load[500:504] = [1.0, -2.0, 0.5, 1.0]
    reach = block_reach(factor, range(400, 420))
    first, last = rows_near(factor, 500, 504, reach)
    assert 0 < first <= 500 - reach < 504 + reach <= last < n and {first, last} <= set(factor.start.tolist())
    whole, part = load.copy(), load.copy()
    block_solve(factor, whole, 0, n)
    block_solve(factor, part, first, last)
    np.testing.assert_allclose(part, whole, rtol=0.0, atol=1e-16 * np.abs(whole).max())
    assert not part[:first].any() and not part[last:].any()


def test_a_matrix_that_is_not_positive_definite_has_no_factor():
    with pytest.raises(np.linalg.LinAlgError):
        block_ldl(symmetric(30, 3, np.where(np.arange(30) == 17, -40.0, 40.0)))
    with pytest.raises(np.linalg.LinAlgError):
        banded_ldl(symmetric(30, 3, np.where(np.arange(30) == 17, -40.0, 40.0)))


@pytest.mark.parametrize("seed", range(5))
def test_pivots_tell_how_many_eigenvalues_are_negative(seed):
    A = symmetric(60, 5, 0.0, seed)
    values = np.linalg.eigvalsh(A.toarray())
    for shift in (-2.0, 0.0, 1.3):
        assert negative_pivots(csr_array(A - shift * csr_array(np.eye(60)))) == (values < shift).sum()


def test_an_envelope_solves_an_indefinite_matrix_and_refuses_another_inertia():
    A = symmetric(50, 6, np.where(np.arange(50) % 10 == 9, -30.0, 30.0))
    b = np.random.default_rng(2).normal(size=(50, 3))
    x = b.copy()
    envelope_solve(*envelope_ldl(A, 5), x)
    np.testing.assert_allclose(x, np.linalg.solve(A.toarray(), b), rtol=1e-11, atol=1e-13)
    with pytest.raises(ValueError, match="must have 4 negative eigenvalues, found 5"):
        envelope_ldl(A, 4)


def test_products_by_rows():
    """Rows shorter and longer than the six places of fixed ones; an entry of rounding is dropped."""
    dense = symmetric(40, 5, 0.0).toarray()
    dense[3, 30] = 1e-15
    A = csr_array(dense)
    x, y, z = np.random.default_rng(3).normal(size=(3, 40))
    expected, added = dense @ x, z + 0.5 * (dense @ x)
    multiply_fixed(fixed_rows(A), x, y, 0, y.size)
    np.testing.assert_allclose(y, expected, rtol=1e-13, atol=1e-13)
    rows = sparse_rows(A)
    assert rows.val.size == np.count_nonzero(dense) - 1
    product(rows, x, y)
    np.testing.assert_allclose(y, expected, rtol=1e-13, atol=1e-13)
    multiply(rows, x, z, 0.5)
    np.testing.assert_allclose(z, added, rtol=1e-13, atol=1e-13)


def wires(components, seed=4):
    """Mass of two wires side by side with masses of their own, one dof held: matrix, dofs by node, elements."""
    rng, w = np.random.default_rng(seed), components
    nodes = np.arange(20 * 2 * w).reshape(20, 2 * w)
    nodes[7, w:], nodes[8:] = np.where(np.arange(w) < 1, -1, nodes[7, w:] - 1), nodes[8:] - 1
    elements = np.array([(k, k + 2) for k in range(18)])
    dense = np.zeros((nodes.max() + 1,) * 2)
    for a, b in elements:
        block = rng.uniform(-1.0, 1.0, (4, 4))
        for c in range(w):
            dof = np.array([nodes[a, c], nodes[a, w + c], nodes[b, c], nodes[b, w + c]])
            kept = np.flatnonzero(dof >= 0)
            dense[np.ix_(dof[kept], dof[kept])] += (block + block.T)[np.ix_(kept, kept)]
    dense[nodes[4, 0], nodes[4, 0]] += 2.0
    dense[nodes[5, 1], nodes[11, 0]] = dense[nodes[11, 0], nodes[5, 1]] = 0.3
    return csr_array(dense), nodes, elements


@pytest.mark.parametrize("components", [2, 3])
def test_a_product_by_nodes_is_that_by_rows(components):
    """With what blocks leave: a held dof, a mass that moves one way, an entry between nodes that no element ties."""
    A, nodes, elements = wires(components)
    x, begun = np.random.default_rng(5).normal(size=(2, A.shape[0]))
    by_nodes, y = node_rows(A, nodes, elements), begun.copy()
    assert 0 < by_nodes.rows.size < A.shape[0] // 2 and len(by_nodes.node) == 19
    add_node_product(by_nodes, x, y)
    np.testing.assert_allclose(y, begun + A @ x, rtol=1e-13, atol=1e-13)
    alone, z = node_rows(A, *NO_NODES), begun.copy()
    add_node_product(alone, x, z)
    np.testing.assert_allclose(z, begun + A @ x, rtol=1e-13, atol=1e-13)


def test_blocks_of_whole_nodes_reach_less_far_than_the_band():
    """Two wires, a node of six rows in turn of each, some of five: half bandwidth 17, and width 12 does."""
    size = np.where(np.arange(60) % 11 == 3, 5, 6)
    node = np.repeat(np.arange(60), size)
    near = np.abs(node[:, None] - node) <= 2
    full = np.where(near, np.random.default_rng(6).uniform(-1.0, 1.0, near.shape), 0.0)
    A = csr_array(full + full.T + 60.0 * np.eye(len(node)))
    factor, b = block_ldl(A), np.random.default_rng(7).normal(size=len(node))
    assert factor.below.shape == (60, 6, 12)
    assert np.array_equal(np.diff(factor.start)[:55], size[:55])  # the last ones have nothing after them
    x = b.copy()
    block_solve(factor, x, 0, len(node))
    np.testing.assert_allclose(x, np.linalg.solve(A.toarray(), b), rtol=1e-12, atol=1e-13)

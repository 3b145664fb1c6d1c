"""Every row operation of the travelling window against what it says in plain numbers."""

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from dynamics.linear_algebra.row_widths import BLOCK, LANES, row_lanes, widths_apart
from dynamics.linear_algebra.vector_rows import TERMS, row_advance, row_combine, row_rhs, row_stretch, row_sum

ROWS = 9


def weighted(src, entries):
    """Sum over the terms of value[k] times row index[k] of ``src``."""
    index, value, first, last = entries
    total = np.zeros(src.shape[1], src.dtype)
    for k in range(first, last):
        total += value[k] * src[index[k]]
    return total


def combine_rows(dst, i, scale, src, entries):
    dst[i] = scale * dst[i] + weighted(src, entries)


def right_hand_side(dst, i, memory, entries):
    a, s = memory
    dst[i] = a[i] - s[i] + weighted(dst, entries)


def add_rows(dst, i, entries):
    dst[i] += weighted(dst, entries)


def stretch_rows(dst, i, u, w, dt, entries):
    dst[i] = weighted(u + dt * w, entries)


def advance_row(i, kind, arrays, factors, entries):
    """Newmark's update for the mean velocity of a step, C = alpha M + beta K, momentum less what the sponge takes."""
    u, a, s, w, sponge = arrays
    dt, gamma, gain, four = factors
    m = weighted(w, entries)
    s[i] += gain * (a[i] - s[i] - gamma * m)
    a[i] = sponge[kind] * (four * m - a[i])
    u[i] += dt * w[i]


# compiled code takes an intrinsic from the module that it stands in
@njit
def compiled_combine(lanes, *args):
    row_combine(lanes, *args)


@widths_apart()
def combine_apart(lanes, dst, i, scale, src, entries):
    row_combine(lanes, dst, i, scale, src, entries)


@njit
def combine_of_any_length(lanes, *args):
    combine_apart(lanes, *args)


@njit
def compiled_rhs(lanes, *args):
    row_rhs(lanes, *args)


@njit
def compiled_sum(lanes, *args):
    row_sum(lanes, *args)


@njit
def compiled_stretch(lanes, *args):
    row_stretch(lanes, *args)


@njit
def compiled_advance(lanes, *args):
    row_advance(lanes, *args)


@pytest.fixture(params=[("float64", 1), ("float64", 3), ("float64", 8), ("float64", 11), ("float32", 2)], ids=str)
def window(request):
    """Five arrays of random rows, terms of a row, and how many chunks it has."""
    number, chunks = request.param
    rng = np.random.default_rng(5)
    arrays = [rng.normal(size=(ROWS, chunks * LANES[number])).astype(number) for _ in range(5)]
    index, value = rng.integers(0, ROWS, 5 * TERMS), rng.normal(size=5 * TERMS).astype(number)
    return arrays, (index, value), (0,) * chunks if chunks <= BLOCK else chunks


def equal(window, compiled, reference, arguments):
    """Hold all five arrays against each other after both, for no term, one group of them, and many."""
    arrays, (index, value), lanes = window
    rounding = 1e-13 if arrays[0].dtype == np.float64 else 2e-5
    for first, last in ((0, 0), (TERMS, 2 * TERMS), (0, 5 * TERMS)):
        found, expected = ([x.copy() for x in arrays] for _ in range(2))
        entries = (index, value, first, last)
        compiled(lanes, *arguments(found), entries)
        reference(*arguments(expected), entries)
        changed = [not np.array_equal(x, y) for x, y in zip(expected, arrays, strict=True)]
        assert any(changed) or last == 0
        for x, y in zip(found, expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=0.0, atol=rounding)


def test_a_row_is_scaled_and_others_are_added(window):
    equal(window, compiled_combine, combine_rows, lambda x: (x[0], 4, 0.3, x[1]))


def test_a_row_is_combined_with_rows_of_its_own_array(window):
    equal(window, compiled_combine, combine_rows, lambda x: (x[0], 4, 1.0, x[0]))


def test_a_right_hand_side_is_momentum_less_elastic_force_and_terms(window):
    equal(window, compiled_rhs, right_hand_side, lambda x: (x[0], 2, (x[1], x[2])))


def test_many_terms_are_added_to_a_row(window):
    equal(window, compiled_sum, add_rows, lambda x: (x[0], 7))


def test_stretches_are_those_at_the_end_of_a_step(window):
    equal(window, compiled_stretch, stretch_rows, lambda x: (x[0], 3, x[1], x[2], 0.002))


@pytest.mark.parametrize("kind", [0, 1])
def test_a_row_is_advanced_by_one_step(window, kind):
    factors = (0.02, 1.3, 0.7, 2.1)
    equal(window, compiled_advance, advance_row, lambda x: (5, kind, (*x[:4], x[4]), factors))


def test_rows_of_all_lengths_share_a_kernel_that_gives_what_one_of_their_own_would():
    rng = np.random.default_rng(6)
    for chunks in range(1, BLOCK + 4):
        source, found = rng.normal(size=(2, ROWS, chunks * LANES["float64"]))
        expected, entries = found.copy(), (rng.integers(0, ROWS, TERMS), rng.normal(size=TERMS), 0, TERMS)
        combine_of_any_length(row_lanes(source.shape[1], "float64"), found, 4, 0.3, source, entries)
        compiled_combine((0,) * chunks, expected, 4, 0.3, source, entries)
        assert np.array_equal(found, expected)
    assert len(combine_of_any_length.signatures) == 1


def test_a_row_of_no_known_length_is_refused():
    array = np.zeros((1, 8))
    entries = (np.zeros(TERMS, np.int64), np.zeros(TERMS), 0, TERMS)
    with pytest.raises(TypingError, match="No implementation of function"):
        compiled_sum(1.0, array, 0, entries)

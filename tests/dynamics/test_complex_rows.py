"""Row operations on complex matrices against what they say in plain numbers."""

import numpy as np
import pytest
from numba import njit

from dynamics.linear_algebra.complex_rows import CHUNK, padded, row_less_rows, rows_less_row

ROWS = 7


@njit
def compiled_row_less_rows(Br, Bi, factors, entry, i, first, last):
    row_less_rows(Br, Bi, factors, entry, i, first, last)


@njit
def compiled_rows_less_row(Br, Bi, factors, entry, i, first, last):
    rows_less_row(Br, Bi, factors, entry, i, first, last)


# rows in one block of chunks, in single ones, and in both
@pytest.fixture(params=(1, 3, 4, 5, 9))
def matrix(request):
    rng = np.random.default_rng(request.param)
    shape = ROWS, CHUNK * request.param
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


@pytest.fixture
def factors():
    rng = np.random.default_rng(1)
    return rng.normal(size=(4, ROWS)) + 1j * rng.normal(size=(4, ROWS))


def after(operation, matrix, *arguments):
    parts = matrix.real.copy(), matrix.imag.copy()
    operation(*parts, *arguments)
    return parts[0] + 1j * parts[1]


def test_rows_are_subtracted_from_one(matrix, factors):
    found = after(compiled_row_less_rows, matrix, factors, 2 * ROWS + 1, 5, 1, 4)
    expected = matrix.copy()
    expected[5] -= factors[2, 1:4] @ matrix[1:4]
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-13)


def test_a_row_is_subtracted_from_others(matrix, factors):
    found = after(compiled_rows_less_row, matrix, factors, ROWS, 6, 2, 6)
    expected = matrix.copy()
    expected[2:6] -= np.outer(factors[1, :4], matrix[6])
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-13)


def test_no_rows_change_nothing(matrix, factors):
    for operation in (compiled_row_less_rows, compiled_rows_less_row):
        np.testing.assert_array_equal(after(operation, matrix, factors, 0, 3, 3, 3), matrix)


def test_rows_are_filled_up_to_whole_chunks():
    columns = [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK]
    assert [padded.py_func(n) for n in columns] == [0, CHUNK, CHUNK, 2 * CHUNK, 3 * CHUNK]

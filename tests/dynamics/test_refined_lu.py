"""Factors in single precision with refinement: answers of double, and double factors where single ones do not do."""

import numpy as np
import pytest

from dynamics.linear_algebra.refined_lu import RefinedFactors


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_answers_are_those_of_double_factors(size):
    rng = np.random.default_rng(3)
    matrix = np.eye(300) + 0.05 * rng.normal(size=(300, 300))
    right = size * rng.normal(size=300)
    factors = RefinedFactors(matrix)
    np.testing.assert_allclose(factors.solve(right), np.linalg.solve(matrix, right), rtol=1e-9, atol=1e-10 * size)
    assert factors._double is None


@pytest.mark.parametrize("condition", [1e6, 1e12])
def test_equations_that_single_factors_cannot_solve_are_factored_in_double(condition):
    rng = np.random.default_rng(4)
    left, _ = np.linalg.qr(rng.normal(size=(80, 80)))
    right, _ = np.linalg.qr(rng.normal(size=(80, 80)))
    matrix = left @ np.diag(np.geomspace(1.0, 1.0 / condition, 80)) @ right
    wanted = rng.normal(size=80)
    factors = RefinedFactors(matrix)
    found = factors.solve(matrix @ wanted)
    np.testing.assert_allclose(found, wanted, atol=1e-14 * condition * 80)
    if condition > 1e8:
        assert factors._double is not None


def test_what_is_not_a_number_is_not_answered_by_one():
    assert np.isnan(RefinedFactors(np.eye(3)).solve(np.array([1.0, np.nan, 0.0]))).any()


def test_nothing_answers_to_nothing():
    assert not RefinedFactors(np.eye(3)).solve(np.zeros(3)).any()

"""Compiled complex numbers without guards are NumPy's, in all quarters of the plane."""

import numpy as np
import pytest

from dynamics.influence.kernel import log_product
from dynamics.linear_algebra.complex_numbers import exponential, inverse, root, square

NUMBERS = [x + 1j * y for x in (-3.0, -1e-3, 0.0, 2e-4, 7.0) for y in (-5.0, -1e-4, 0.0, 1e-3, 4.0) if x or y]


@pytest.mark.parametrize("z", NUMBERS)
def test_they_are_those_of_numpy(z):
    assert inverse(z) == pytest.approx(1.0 / z, rel=1e-14)
    assert root(z) == pytest.approx(np.sqrt(z), rel=1e-14)
    assert exponential(z) == pytest.approx(np.exp(z), rel=1e-14)
    assert square(z) == pytest.approx(abs(z) ** 2, rel=1e-14)


def test_the_logarithm_of_a_product_is_that_of_its_factors_up_to_whole_turns():
    values = np.random.default_rng(2).normal(size=(400, 2)) @ [1e3, 1e3j]  # their product is beyond any float
    turns = (log_product(values) - np.log(values).sum()) / (2j * np.pi)
    assert abs(turns - round(turns.real)) < 1e-10

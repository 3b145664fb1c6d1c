"""Loads of spans that differ, against the products of whole matrices in every column."""

import numpy as np
import pytest

from dynamics.linear_algebra.predicted_loads import Recurring, put_loads, take_loads, unlike_of
from dynamics.travelling_window.cell_rows import row_lists

DOFS, FACTORS = 12, (0.7, 0.3, 5.0)


@pytest.mark.parametrize(("width", "stride"), [(24, 8), (24, 3), (40, 3)])  # 3, 8 and 13 columns a place
def test_loads_are_those_of_whole_matrices(width, stride):
    rng = np.random.default_rng(1)
    dof, first = np.array([2, 5, 11, 2]), np.array([0, 0, 1, 2])
    columns = -(-(width - first.max()) // stride)
    places = Recurring(dof, first, np.full(4, columns))
    masses, stiffnesses = rng.normal(size=(2, 4, 4))
    at, place = (x.ravel() for x in np.indices((4, 4)))
    rows = row_lists(4, (at, place, masses.ravel()), (at, 4 + place, stiffnesses.ravel()))
    unlike = unlike_of(places, places, (rows.start, rows.column, rows.value), stride, FACTORS)
    s, u, w = rng.normal(size=(3, DOFS, width))
    given, gamma, kappa, scale = s.copy(), *FACTORS
    rate, before, velocity = (np.zeros((DOFS, width)) for _ in range(3))
    for _ in range(3):  # what is remembered comes in from the second step on
        expected = given.copy()
        predicted = 2.0 * rate - before
        for k in range(columns):
            here = dof, first + stride * k
            hurried, moved = (gamma * predicted - scale * velocity)[here], (kappa * predicted + u)[here]
            np.add.at(expected, here, masses @ hurried + stiffnesses @ moved)
        put_loads(s, u, unlike)
        np.testing.assert_allclose(s, expected, rtol=0.0, atol=1e-12)
        take_loads(s, w, unlike)
        np.testing.assert_allclose(s, given, rtol=0.0, atol=1e-12)
        before, rate = rate, w.copy()
        velocity, w = 2.0 * rate - velocity, rng.normal(size=w.shape)

"""Coordinates of a result's file: where the pantograph is, and when a support rises."""

import numpy as np
import pytest

from dynamics.results.dataset import solution_dataset
from dynamics.solution import solve


def test_a_supports_uplift_has_its_times_and_the_force_its_positions(build_case):
    case = build_case("bruni_2015", 275.0, mean_force_N=143.4, dt=4e-3)
    solution = solve(case)
    found = solution_dataset(solution)
    assert {"position", "uplift_time"} <= set(found.coords) and found.position.dims == ("time",)
    time = found.uplift_time.values
    np.testing.assert_allclose(np.diff(time), case.time_step, rtol=1e-9)
    assert found.uplift_time.attrs["units"] == "s"
    # as the pantograph passes the support, the contact point is that support's contact wire
    at_support = float(found.support_uplift.sel(uplift_time=0.0, method="nearest"))
    assert at_support == pytest.approx(float(found.contact_height[-1]), abs=1e-6)
    assert found.position[-1] == pytest.approx(case.catenary.period)
    assert abs(time[found.support_uplift.values.argmax()]) < 0.2

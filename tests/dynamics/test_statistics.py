"""What statistics of a contact force are, whatever the force."""

from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dynamics.contact_force.statistics import FilteredForce, force_statistics

FORCES = arrays(np.float64, st.integers(2, 60), elements=st.floats(-500.0, 500.0, allow_subnormal=False))
SHIFTED = ("mean_N", "max_N", "min_N", "statistical_max_N", "statistical_min_N")


def of(force):
    """Statistics by the end of their names, of one force in every band."""
    found = asdict(force_statistics(force, FilteredForce(force, force, force)))
    return {name.removeprefix("contact_force_"): value for name, value in found.items()}


@given(FORCES)
def test_sigma_is_that_of_the_whole_population(force):
    found, n = of(force), len(force)
    mean = sum(force.tolist()) / n
    assert found["mean_N"] == pytest.approx(mean, abs=1e-9)
    assert found["std_N"] ** 2 == pytest.approx(sum((x - mean) ** 2 for x in force.tolist()) / n, rel=1e-9, abs=1e-9)
    assert found["statistical_max_N"] - found["mean_N"] == pytest.approx(3.0 * found["std_N"], abs=1e-9)
    assert found["mean_N"] - found["statistical_min_N"] == pytest.approx(3.0 * found["std_N"], abs=1e-9)
    assert found["contact_loss_percent"] == pytest.approx(100.0 * sum(x <= 0.0 for x in force.tolist()) / n)


@given(FORCES, st.floats(-300.0, 300.0), st.floats(0.1, 10.0))
def test_a_shift_moves_means_and_extremes_a_scale_everything(force, shift, scale):
    one, moved, larger = of(force), of(force + shift), of(scale * force)
    for name in one.keys() - {"contact_loss_percent"}:
        assert moved[name] == pytest.approx(one[name] + (shift if name in SHIFTED else 0.0), abs=1e-8)
        assert larger[name] == pytest.approx(scale * one[name], rel=1e-9, abs=1e-8)
    assert larger["contact_loss_percent"] == one["contact_loss_percent"]

"""A bundle's conditions: the speed gives way to whole steps, and a mean force that follows from it goes with it."""

import pytest

from dynamics.rig.exported import bundle_case
from dynamics.spec.case import RIG_STEP
from dynamics.spec.mean_force import reference_mean_force


def test_the_reference_mean_force_goes_with_the_speed_and_a_typed_one_stays(build_case):
    asked = build_case("re330", 280.0, dt=RIG_STEP, mean_force_N=reference_mean_force(280.0))
    found = bundle_case(asked)
    assert found.speed_kmh == pytest.approx(279.904, abs=1e-3) and asked.mean_force_N == pytest.approx(146.048)
    assert found.mean_force_N == pytest.approx(70.0 + 9.7e-4 * found.speed_kmh**2, abs=1e-6)
    assert asked.mean_force_N - found.mean_force_N == pytest.approx(2.0 * 9.7e-4 * 280.0 * 0.0957, rel=1e-2)
    assert bundle_case(asked, force_typed=True).mean_force_N == asked.mean_force_N
    other = asked.model_copy(update={"mean_force_N": 150.0})
    assert bundle_case(other).mean_force_N == 150.0
    pressed = asked.model_copy(update={"mean_force_N": None, "applied_force_N": 140.0})
    assert (bundle_case(pressed).mean_force_N, bundle_case(pressed).applied_force_N) == (None, 140.0)

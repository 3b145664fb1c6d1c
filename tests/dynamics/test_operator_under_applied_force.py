"""Steady states by the operator where the applied force is given: the mean force that follows, and derivatives."""

import numpy as np
import pytest
from operator_differences import FIGURES, Solved, case_of, changed, settled_equations

from dynamics.solution import solve


@pytest.fixture(scope="module", autouse=True)
def settled():
    """Solved to the last digits."""
    with settled_equations():
        yield


@pytest.fixture(scope="module")
def pressed():
    """The applied force is given, which holds the head by a spring to the base; droppers slacken near and far."""
    solved = Solved.of(case_of("bruni_2015", "bruni_2015", 310.0, applied_force_N=190.0))
    slack = solved.found.operator_state.slack
    assert np.count_nonzero((slack.squeeze > 0.0) & ~slack.sought), "some are those of coarse samples"
    return solved


def test_the_state_is_that_of_its_own_mean_force(pressed):
    """And the mean that of the march, within what a march leaves."""
    statistics = pressed.found.statistics
    mean = {"mean_force_N": statistics.contact_force_mean_N, "applied_force_N": None}
    held = solve(pressed.case.with_changes(**mean))
    assert pressed.found.applied_force_N == pytest.approx(190.0, abs=1e-8)
    assert held.applied_force_N == pytest.approx(190.0, abs=1e-3)
    assert np.abs(held.contact_force - pressed.found.contact_force).max() < 1e-2
    march = {"periodic": {"method": "march", "spans_behind": 30, "spans_ahead": 32}}
    marched = solve(pressed.case.with_changes(**march)).statistics
    assert statistics.contact_force_mean_N == pytest.approx(marched.contact_force_mean_N, abs=0.1)
    assert statistics.contact_force_mean_N < 185.0, "the spring to the base holds the head"


def test_a_lift_of_the_air_is_an_applied_force(pressed):
    """Derivatives by the speed have what the air presses more."""
    lift = 20.0
    air = {"aerodynamic": (0.0, 0.0, lift / pressed.case.speed**2)}
    lifted = Solved.of(pressed.case.with_changes(applied_force_N=190.0 - lift, pantograph=air))
    assert lifted.found.applied_force_N == pytest.approx(190.0 - lift, abs=1e-8)
    assert np.abs(lifted.found.contact_force - pressed.found.contact_force).max() < 1e-5
    by = changed(lifted.case, None, "speed_kmh")
    found, wanted = lifted.both(by, 2e-3)
    assert found == pytest.approx(wanted, rel=2e-3)
    without = pressed.exact(changed(pressed.case, None, "speed_kmh"), 2e-3)
    assert not np.allclose(found, without, rtol=1e-2), "the air presses more at more speed"


BY = [
    ("pantograph", "stiffnesses", 2, 0.05), (None, "applied_force_N", None, 5e-3), ("contact", "stiffness", None, 50.0),
    ("pantograph", "masses", 0, 2e-3), ("damping", "beta", None, 1e-7), (None, "speed_kmh", None, 2e-3),
    ("droppers", "contact_wire_heights", 2, 1e-6), ("droppers", "positions", 6, 1.6e-4),
]  # fmt: skip


@pytest.mark.parametrize(("part", "key", "index", "step"), BY, ids=[f"{i[0]}.{i[1]}" for i in BY])
def test_derivatives_are_those_of_the_whole_computation(pressed, part, key, index, step):
    """The mean force follows, and what it does to the figures."""
    by = changed(pressed.case, part, key, index)
    found, wanted = pressed.both(by, step)
    assert dict(zip(FIGURES, found, strict=True)) == pytest.approx(dict(zip(FIGURES, wanted, strict=True)), rel=2e-3)

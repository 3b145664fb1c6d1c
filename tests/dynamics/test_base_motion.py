"""Motion of the train's roof: drawn records against their spectrum, and heads that the vehicle moves to the side."""

import numpy as np
import pytest
from scipy.signal import welch

from dynamics.pantograph.base_record import STEP, base_record, drawn_motion, rocking_spectrum
from dynamics.solution import solve
from dynamics.spec.train import BaseMotionSpec, RockingSpec

ROCKING = RockingSpec(deviation_m=0.03, frequency_hz=1.2, damping_ratio=0.2)
HEAD = {"roll_inertia": 1.5, "roll_stiffness": 1750.0, "roll_damping": 5.0}
TIME = [0.05 * k for k in range(200)]


def test_the_spectrum_of_a_rocking_body_integrates_to_its_variance():
    f = np.linspace(0.0, 400.0, 2_000_001)
    assert np.trapezoid(rocking_spectrum(ROCKING, f), f) == pytest.approx(0.03**2, rel=1e-3)


def test_drawn_motion_has_its_spectrum():
    """Means over bands of half an octave within 5 % of the target, and the standard deviation."""
    motion = drawn_motion(ROCKING, 1_500_000, np.random.default_rng(4))
    assert motion.std() == pytest.approx(0.03, rel=0.03)
    f, power = welch(motion, fs=1.0 / STEP, nperseg=4096)
    for low in (0.4, 0.6, 0.85, 1.2, 1.7, 2.4):
        band = (f >= low) & (f < 1.41 * low)
        assert power[band].mean() == pytest.approx(rocking_spectrum(ROCKING, f[band]).mean(), rel=0.05)


@pytest.fixture
def swaying(build_case):
    """Build a case of an open line in space, a head that rolls on a vehicle that moves."""

    def build(motion, **changes):
        settings = {"spans": 7, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
        case = build_case("bruni_2015", 200.0, solver="open_line", applied_force_N=120.0, dt=4e-3, open_line=settings)
        mesh = {"elements_per_bay": 2, "largest_element_length": 6.0}
        line = case.catenary.with_changes(dimension="spatial", mesh=mesh)
        panto = case.pantograph.with_changes(head=HEAD)
        content = {**case.model_dump(), "catenary": line, "pantograph": panto, "base_motion": motion, **changes}
        return type(case).model_validate(content)

    return build


def test_a_head_to_the_side_meets_the_wire_elsewhere_and_rolls_by_it(swaying):
    """Place y - s, and over two spans k mean(roll) = -mean(F (y - s)); one that stays in the middle is bit-equal."""
    none, zero, aside = (
        solve(swaying(motion)).leading
        for motion in (None, {"time_s": TIME, "side_m": [0.0] * 200}, {"time_s": TIME, "side_m": [0.1] * 200})
    )
    assert np.array_equal(zero.contact_force, none.contact_force)
    assert aside.place == pytest.approx(none.place - 0.1, abs=1e-12)
    cut = aside.evaluated
    moment = (aside.contact_force * aside.place)[cut].mean()
    assert 1750.0 * aside.roll[cut].mean() == pytest.approx(-moment, rel=0.05)
    assert abs(moment) > 5.0


def test_the_contact_in_space_is_found_where_the_head_stands(swaying):
    """Newton on wire and head finds the place that the simple contact takes from the line at rest."""
    motion = {"time_s": TIME, "side_m": [0.08 * np.sin(4.0 * t) for t in TIME]}
    simple = solve(swaying(motion)).leading
    sought = solve(swaying(motion, kinematics="nonlinear", contact={"space": {"friction": 0.0}})).leading
    cut = simple.evaluated
    assert sought.place[cut] == pytest.approx((simple.place + simple.side_motion)[cut], abs=8e-3)
    assert np.ptp(simple.place[cut] - sought.place[cut]) < 0.1 * np.ptp(simple.place[cut])


def test_followers_pass_the_same_places_with_the_same_side(swaying):
    motion = {"time_s": TIME, "side_m": [0.05 * np.sin(3.0 * t) for t in TIME]}
    trailing = {"distances_m": [20.0], "entry_length_m": 30.0}
    first, second = solve(swaying(motion, trailing=trailing)).pantographs
    both = (second.position > 40.0) & (second.position < 200.0)
    there = np.interp(second.position[both], first.position, first.place)
    assert second.place[both] == pytest.approx(there, abs=2e-3)


def test_one_seed_is_one_ride(swaying):
    drawn = {"drawn_height": {"deviation_m": 0.01, "frequency_hz": 1.0}, "drawn_side": ROCKING.model_dump()}
    a, b, c = (base_record(swaying({**drawn, "seed": seed})) for seed in (1, 1, 2))
    assert np.array_equal(a.side, b.side) and np.array_equal(a.height, b.height)
    assert not np.array_equal(a.side, c.side)
    assert a.time[-1] >= swaying(None).run_time
    # heights alone are the same ride
    alone = base_record(swaying({"drawn_height": drawn["drawn_height"], "seed": 1}))
    assert np.array_equal(alone.height, a.height) and not alone.side.any()


@pytest.mark.parametrize(
    ("motion", "said"),
    [
        ({"time_s": TIME}, "height_m or side_m is missing"),
        ({"time_s": TIME, "side_m": [0.0]}, "side_m must give one value per time: 200 times, 1 places"),
        ({"time_s": TIME, "drawn_side": ROCKING}, "must be left out where drawn_height or drawn_side"),
        ({}, "time_s must list 2 times or more"),
    ],
)
def test_incomplete_motions_are_refused(motion, said):
    with pytest.raises(ValueError, match=said):
        BaseMotionSpec.model_validate(motion)


def test_nothing_moves_sideways_in_the_plane(build_case):
    motion = {"time_s": TIME, "side_m": [0.1] * 200}
    with pytest.raises(ValueError, match=r"base_motion\.side_m and drawn_side need"):
        build_case("bruni_2015", 200.0, solver="open_line", applied_force_N=120.0, base_motion=motion)

"""Several pantographs by the line's operator: against marches, contours, one alone, PACDIN, and central differences."""

from dataclasses import replace

import numpy as np
import pytest
from operator_differences import Solved, case_of, changed, settled_equations

from catenary.form_finding.equilibrium import periodic_equilibrium
from dynamics.accuracy.numerical_error import estimate_error
from dynamics.adjoint.figures import refusal_of_derivatives
from dynamics.adjoint.inputs import input_slopes
from dynamics.adjoint.motions import motion_of
from dynamics.adjoint.steady_slopes import SteadySlopes
from dynamics.solution import solve
from dynamics.steady_state import by_operator
from dynamics.steady_state.by_operator import solve_by_operator

SPATIAL = {"dimension": "spatial"}
EXACT = 5.0e-4  # of the largest component
# mean forces and applied forces of case 3 of the PACDIN table, leading and trailing pantograph [N]
HELD = {230.0: (121.313, (127.63, 127.61)), 275.0: (143.356, (152.23, 151.29)), 320.0: (169.328, (182.12, 183.06))}


def train(line, pantograph, speed, distances, **content):
    behind = {"distances_m": distances, **content.pop("trailing", {})}
    return case_of(line, pantograph, speed, trailing=behind, **content)


def deviations(found):
    return np.array([one.statistics.contact_force_std_N for one in found.pantographs])


@pytest.mark.parametrize(
    ("case", "close", "apart"),
    [
        # where droppers are not slack for long a mesh of 0.4 m keeps the waves behind a pantograph well enough
        (("bruni_2015", "bruni_2015", 320.0, (200.0,), {"mean_force_N": 90.0}), 3e-3, 0.04),
        (("bruni_2015", "bruni_2015", 275.0, (30.0, 100.0), {"mean_force_N": 70.0}), 4e-3, 0.04),
        (("re330", "dsa380", 275.0, (50.0,), {"catenary": {"mesh": {"largest_element_length": 0.2}}}), 6e-3, 0.04),
        (("bruni_2015", "bruni_2015", 250.0, (80.0,), {"mean_force_N": 70.0, "catenary": SPATIAL}), 1e-2, 0.07),
    ],
    ids=["two", "three", "stitched", "in space"],
)  # fmt: skip
def test_every_pantograph_has_the_force_of_a_march_station_by_station(case, close, apart):
    *what, content = case
    case = train(*what, dt=1e-3, **content)
    marched = solve(case.with_changes(periodic={"method": "march", "tolerance": 1e-4}))
    found = solve(case)
    assert (found.method, marched.method) == ("operator", "march")
    for one, other in zip(found.pantographs, marched.pantographs, strict=True):
        np.testing.assert_allclose(one.position, other.position, atol=1e-9)
        sigma = other.statistics.contact_force_std_N
        assert one.statistics.contact_force_std_N == pytest.approx(sigma, rel=close)
        assert (one.contact_force_filtered - other.contact_force_filtered).std() < apart * sigma
        assert one.applied_force_N == pytest.approx(other.applied_force_N, abs=0.05)
    assert found.support_uplift.max() == pytest.approx(marched.support_uplift.max(), rel=1e-2)


def test_another_contour_gives_the_same_forces(monkeypatch):
    """More images, and less of each, change nothing, so no image of a train reaches another of its pantographs."""
    case = train("bruni_2015", "bruni_2015", 320.0, (90.0, 200.0))
    here, own = deviations(solve(case)), by_operator.contour_of
    for more, decay in ((2, 8.0), (8, 8.0), (8, 10.0)):
        monkeypatch.setattr(
            by_operator,
            "contour_of",
            lambda *given, more=more, decay=decay: replace(c := own(*given), images=c.images + more, decay=decay),
        )
        np.testing.assert_allclose(deviations(solve(case)), here, rtol=1e-3)


def test_the_first_of_two_far_apart_is_as_it_is_alone():
    """On a line whose waves die away within some spans."""
    still = {"catenary": {"damping": {"alpha": 0.8}}}
    alone = solve(case_of("bruni_2015", "bruni_2015", 275.0, **still))
    both = solve(train("bruni_2015", "bruni_2015", 275.0, (400.0,), **still))
    assert both.method == "operator"
    first, second = deviations(both)
    assert first == pytest.approx(alone.statistics.contact_force_std_N, rel=1e-3)
    assert abs(second - first) > 0.01 * first, "the second meets the waves of the first"


@pytest.mark.parametrize("speed", list(HELD))
def test_forces_that_hold_the_mean_of_both_are_those_of_pacdin(speed):
    """Table 1, case 3, 1.5 N."""
    mean, printed = HELD[speed]
    found = solve(train("bruni_2015", "bruni_2015", speed, (200.0,), mean_force_N=mean))
    assert found.method == "operator"
    assert [one.applied_force_N for one in found.pantographs] == pytest.approx(printed, abs=1.5)


def test_each_has_the_mean_force_that_goes_with_its_own_applied_one():
    """Those means, held, bring the applied forces back where they are the same for all."""
    given = {"mean_force_N": None, "applied_force_N": 150.0}
    pressed = solve(
        train("re330", "dsa380", 275.0, (60.0, 130.0), trailing={"applied_forces_N": (130.0, 160.0)}, **given)
    )
    assert pressed.method == "operator"
    assert [one.applied_force_N for one in pressed.pantographs] == pytest.approx([150.0, 130.0, 160.0], abs=1e-4)
    means = [one.statistics.contact_force_mean_N for one in pressed.pantographs]
    assert means == pytest.approx([150.0, 130.0, 160.0], abs=0.1), "this pantograph hardly feels the line's height"
    assert means != [150.0, 130.0, 160.0]


def test_the_spectrum_of_lost_contact_is_each_one_s_own():
    """The force of no pantograph is negative, and the mean of each is the one that is held."""
    found = solve(train("bruni_2015", "bruni_2015", 320.0, (200.0,), mean_force_N=90.0))
    assert found.method == "operator"
    lost = [one.statistics.contact_loss_percent for one in found.pantographs]
    assert all(x > 0.0 for x in lost) and lost[0] != lost[1]
    for one in found.pantographs:
        assert one.contact_force.min() == 0.0
        assert one.statistics.contact_force_mean_N == pytest.approx(90.0, abs=by_operator.MISSED)


DERIVED = [
    (("droppers", "contact_wire_heights", 3), 2e-7),
    (("droppers", "positions", 2), 1e-4),
    (("messenger_wire", "tension"), 2.0),
    (("damping", "alpha"), 1e-5),
    (("contact", "stiffness"), 20.0),
    (("trailing", "distances_m", 8e-6), 2e-5),
    ((None, "speed_kmh"), 1e-3),
]


@pytest.fixture(scope="module")
def held():
    with settled_equations():
        yield Solved.of(train("bruni_2015", "bruni_2015", 275.0, (97.0,)))


@pytest.fixture(scope="module")
def pressed():
    given = {"mean_force_N": None, "applied_force_N": 143.0, "trailing": {"applied_forces_N": (130.0, 150.0)}}
    with settled_equations():
        yield Solved.of(train("re330", "dsa380", 275.0, (51.0, 121.0), **given))


@pytest.mark.parametrize(("of", "step"), DERIVED, ids=["-".join(map(str, of)) for of, _ in DERIVED])
@pytest.mark.parametrize("solved", ["held", "pressed"])
def test_derivatives_are_those_of_the_worst_pantograph_and_equal_differences(solved, of, step, request):
    """Where a sample slackens within the step, the difference has a kink."""
    solved = request.getfixturevalue(solved)
    by = changed(solved.case, *of)
    with settled_equations():
        wanted, same = solved.differences(by, step)
        exact = 0.5 * (solved.exact(by, step) + solved.exact(by, -step))
    np.testing.assert_allclose(exact, wanted, rtol=20.0 * EXACT if same else 0.1, atol=EXACT * np.abs(wanted).max())


def test_derivatives_by_each_applied_force():
    """Each moves the mean forces of both, where a spring to the base holds the head, and the other one's otherwise."""
    given = {"mean_force_N": None, "applied_force_N": 130.0, "trailing": {"applied_forces_N": (115.0,)}}
    with settled_equations():
        solved = Solved.of(train("bruni_2015", "bruni_2015", 230.0, (57.0,), **given))
        for of in ((None, "applied_force_N"), ("trailing", "applied_forces_N", 0)):
            by = changed(solved.case, *of)
            wanted, same = solved.differences(by, 2e-3)
            assert same
            exact = 0.5 * (solved.exact(by, 2e-3) + solved.exact(by, -2e-3))
            np.testing.assert_allclose(exact, wanted, rtol=1e-3)


def test_the_numerical_error_is_that_of_the_worst_pantograph():
    """It runs in the waves of the first and is less sure than that one."""
    case = train("bruni_2015", "bruni_2015", 275.0, (50.0,))
    found = solve(case)
    error, finer = estimate_error(case, found), solve(case.with_changes(periodic={"resolution": 2.0}))
    sigma, fine = deviations(found), deviations(finer)
    assert sigma[1] > 1.2 * sigma[0] and (error.pantograph, error.sigma_N) == (1, sigma[1])
    asked = case, found.equilibrium, found.operator_start, 2.0, found.operator_state
    companion = deviations(solve_by_operator(*asked))[1]
    assert error.total >= abs(fine[1] - sigma[1]) and f"{companion:.3f} N with 200 %" in error.parts[0].message


def test_the_second_pantograph_has_an_error_of_its_own_that_holds():
    """By three times the harmonics, and by marches at 1, 0.5 and 0.25 ms on finer meshes, that tend to 27.24 N."""
    case = train("bruni_2015", "bruni_2015", 260.0, (87.3,), mean_force_N=135.57)
    found = solve(case)
    error, finest = estimate_error(case, found), deviations(solve(case.with_changes(periodic={"resolution": 3.0})))
    sigma = deviations(found)
    assert sigma[0] > sigma[1] and [each.pantograph for each in error.of_train] == [0, 1]
    for each, own, fine in zip(error.of_train, sigma, finest, strict=True):
        assert each.sigma_N == own and abs(fine - own) <= each.total < 0.01 * own
    assert abs(27.24 - sigma[1]) < error.of_train[1].total
    assert error.of_train[1].others["contact_force_min_N"] != error.others["contact_force_min_N"]


def test_derivatives_by_inputs_are_those_of_small_steps():
    """Far behind the first one, the waves that meet a pantograph turn within centimetres of its distance."""
    case = train("bruni_2015", "bruni_2015", 240.0, (200.0,), mean_force_N=125.0)
    slopes = SteadySlopes(solve(case))
    rows = {row.name: row for row in input_slopes(slopes)}
    for name, of, step in (
        ("trailing.distances_m[0]", ("trailing", "distances_m", 0), 1e-5),
        ("speed_kmh", (None, "speed_kmh"), 1e-5),
    ):
        by = changed(case, *of)
        wanted = slopes.towards(by(step), step).mean_with(slopes.towards(by(-step), -step))
        np.testing.assert_allclose(rows[name].slopes[:4], wanted[:4], rtol=2e-2)


def test_a_train_that_is_marched_has_no_derivatives(build_case):
    marched = build_case("bruni_2015", 275.0, mean_force_N=143.36, trailing={"distances_m": [200.0]})
    assert "trailing.distances_m" in refusal_of_derivatives(marched)
    case = train("bruni_2015", "bruni_2015", 275.0, (200.0,))
    assert refusal_of_derivatives(case) is None and refusal_of_derivatives(case, marched=True)
    found = solve(marched, equilibrium=periodic_equilibrium(marched.catenary))
    assert motion_of(found) is None and motion_of(solve(case)) is not None

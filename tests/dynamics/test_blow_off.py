"""Blow-off as heads pass: the wire's side motion in the steady state against the open line, and places in gusts."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import periodic_equilibrium
from catenary.linearised.blow_off import farthest_place, in_gust
from catenary.linearised.contact_wire import place_on_head
from dynamics.solution import solve
from dynamics.wind.blow_off import blow_off_of

DRAG = {"diameter": 0.0132, "drag_coefficient": 1.2}
WIND = {"speed": 20.0, "contact_wire": DRAG, "messenger_wire": DRAG, "aerodynamic_damping": False, "gust_factor": 1.5}
COARSE = {"elements_per_bay": 3, "largest_element_length": 5.0}


@pytest.fixture(scope="module")
def case(build_case):
    """Two spans of a line in wind that repeat, and a pantograph."""
    found = build_case("bruni_2015", dt=2e-3, speed_kmh=275.0, applied_force_N=150.0, mean_force_N=None)
    line = found.catenary.with_changes(dimension="spatial", wind=WIND, mesh=COARSE, repeat={"spans": 2})
    return type(found).model_validate({**found.model_dump(), "catenary": line})


@pytest.fixture(scope="module")
def steady(case):
    return solve(case)


def test_side_motion_of_the_steady_state_is_that_of_an_open_line(case, steady):
    """Motion rebuilt from the window's mean velocities, against displacements of the march of a whole line."""
    open_line = {"spans": 16, "first_evaluated": 11, "last_evaluated": 12, "spans_after": 2}
    line = case.catenary.model_copy(update={"repeat": None})
    content = {**case.model_dump(), "catenary": line, "solver": "open_line", "open_line": open_line}
    marched = solve(type(case).model_validate(content)).leading
    cut, one = marched.evaluated, steady.leading
    assert marched.place[cut] == pytest.approx(one.place, abs=1e-3)
    found, n = marched.side_motion[cut], len(one.side_motion)
    largest = np.abs(one.side_motion).max()
    assert 1e-3 < largest < 0.05
    assert found[-n:] == pytest.approx(one.side_motion, abs=0.15 * largest)
    assert np.corrcoef(found[-n:], one.side_motion)[0, 1] > 0.98


def test_places_in_gusts_add_up(steady):
    """At rest the farther of both sides; as heads pass the places at rest in the gust with the wire's own motion."""
    eq, one, found = steady.equilibrium, steady.leading, blow_off_of(steady)
    sides = [abs(farthest_place(in_gust(eq, side))[1]) for side in ("left", "right")]
    assert found.at_rest_m == pytest.approx(max(sides), abs=1e-12)
    # two spans with staggers on either side: winds from left and right are mirror images
    assert sides[0] == pytest.approx(sides[1], abs=1e-6)
    # between supports the gust moves the wire farther than the wind
    middle = np.array([27.5])
    assert place_on_head(in_gust(eq), middle) > place_on_head(eq, middle) + 0.02
    passing = [place_on_head(in_gust(eq, side), one.position) + one.side_motion for side in ("left", "right")]
    assert found.passing_m == pytest.approx(np.abs(passing).max(), abs=1e-9)
    assert steady.on_head[0].passing_place_max_m == pytest.approx(np.abs(one.place + one.side_motion).max())
    assert found.margin_m is None


def test_a_gust_presses_as_its_factor_says(case):
    """The move from still air is that of 1.5 times the load, the line's stiffness to the side being nearly even."""
    still = case.catenary.with_changes(wind={"speed": 0.0})
    eq = periodic_equilibrium(case.catenary)
    y = [e.q[e.mesh.dropper_bottom, 1] for e in (periodic_equilibrium(still), eq, in_gust(eq))]
    assert y[2] - y[0] == pytest.approx(1.5 * (y[1] - y[0]), rel=0.02)
    heights = eq.spec.model_copy(update={"wind": eq.spec.wind.gust()})
    assert in_gust(eq).q == pytest.approx(periodic_equilibrium(heights).q, abs=1e-12)

"""A line whose contact wire hangs from an auxiliary wire, and one of two contact wires, in motion."""

import numpy as np
import pytest

from catenary.linearised.blow_off import in_gust
from catenary.linearised.contact_wire import place_on_head
from dynamics.adjoint.steady_slopes import SteadySlopes
from dynamics.solution import solve
from dynamics.spec.checks.operator_scope import outside_the_operator
from dynamics.wind.blow_off import blow_off_of
from studies.validation.overlaps.built import in_sections

COARSE = {"elements_per_bay": 3, "largest_element_length": 2.0}


@pytest.fixture(scope="module")
def steady(build_line, build_case):
    """Steady state of a compound line with more damping than a real one has: it forgets its ends within few spans."""
    line = build_line("shinkansen_compound").with_changes(mesh=COARSE, damping={"alpha": 0.5})
    case = build_case(line, 250, applied_force_N=130.0)
    return case, solve(case)


def test_a_long_line_tends_to_the_steady_state(steady):
    case, periodic = steady
    open_line = {"spans": 20, "first_evaluated": 12, "last_evaluated": 14}
    whole = solve(case.with_changes(solver="open_line", open_line=open_line))
    here, there = (each.statistics.contact_force_std_N for each in (whole, periodic))
    assert here == pytest.approx(there, rel=5e-3)
    slack = [each.dropper_slack_time for each in (whole, periodic)]
    assert len(slack[0]) == len(slack[1]) == 15
    np.testing.assert_allclose(*slack, atol=3.1 * case.time_step)
    largest = whole.dropper_peaks.force
    assert len(largest) == 15 and (largest > periodic.equilibrium.dropper_force).all()
    assert largest.max() <= whole.histories.dropper_force.max()
    assert slack[1][:10].max() > 0.0 and slack[1][10:].max() == 0.0  # main droppers stay taut


def test_in_wind_a_long_line_tends_to_the_steady_state(steady):
    """Forces, the wire's place and its motion to the side, on two spans blown to one side; gusts move it farther."""
    drag = {"diameter": 0.016, "drag_coefficient": 1.2}
    wires = dict.fromkeys(("contact_wire", "messenger_wire", "auxiliary_wire"), drag)
    wind = {"speed": 20.0, **wires, "aerodynamic_damping": False, "gust_factor": 1.5}
    line = {"dimension": "spatial", "wind": wind, "repeat": {"spans": 2}, "support": {"stagger": 0.3}}
    case = steady[0].with_changes(catenary=line)
    periodic = solve(case)
    open_line = {"spans": 20, "first_evaluated": 13, "last_evaluated": 14}
    whole = solve(case.with_changes(solver="open_line", open_line=open_line, catenary={"repeat": None}))
    here, there = (each.statistics.contact_force_std_N for each in (whole, periodic))
    assert here == pytest.approx(there, rel=5e-3)
    still = solve(case.with_changes(catenary={"wind": {"speed": 0.0}})).statistics.contact_force_std_N
    assert abs(there - still) > 1e-4 * still
    cut, one = whole.leading.evaluated, periodic.leading
    assert whole.leading.place[cut] == pytest.approx(one.place, abs=1e-3)
    moved, n = whole.leading.side_motion[cut], len(one.side_motion)
    largest = np.abs(one.side_motion).max()
    assert largest > 1e-4 and moved[-n:] == pytest.approx(one.side_motion, abs=0.15 * largest)
    gusts = [in_gust(periodic.equilibrium, side) for side in ("left", "right")]
    middle = np.array([25.0])
    assert place_on_head(gusts[0], middle) > place_on_head(periodic.equilibrium, middle) + 0.01
    passing = [place_on_head(gust, one.position) + one.side_motion for gust in gusts]
    assert blow_off_of(periodic).passing_m == pytest.approx(np.abs(passing).max(), abs=1e-9)


def test_large_deformation_is_near_the_linearised_line(steady):
    case, _ = steady
    open_line = {"spans": 8, "first_evaluated": 3, "last_evaluated": 4}
    line = case.with_changes(solver="open_line", open_line=open_line)
    sigma = [
        solve(line.with_changes(kinematics=kind)).statistics.contact_force_std_N for kind in ("linearised", "nonlinear")
    ]
    assert sigma[0] == pytest.approx(sigma[1], rel=0.02) and sigma[0] != sigma[1]


def test_derivatives_by_the_auxiliary_wire_are_differences(steady):
    window = {"tolerance": 1e-6, "spans_behind": 14, "spans_ahead": 16}
    light = {"speed_kmh": 200.0, "applied_force_N": 40.0, "catenary": {"mesh": {"elements_per_bay": 2}}}
    case, step = steady[0].with_changes(periodic=window, **light), 10.0
    tension = case.catenary.auxiliary_wire.tension
    moved = [case.with_changes(catenary={"auxiliary_wire": {"tension": tension + by}}) for by in (step, -step)]
    found = SteadySlopes(solve(case)).towards(moved[0], step)
    sigma = [solve(each).statistics.contact_force_std_N for each in moved]
    assert found.known and found.sigma == pytest.approx((sigma[0] - sigma[1]) / (2.0 * step), rel=0.02)


def test_the_operator_leaves_it_to_the_march(steady):
    case, _ = steady
    assert outside_the_operator(case) == "an auxiliary wire"


def test_two_half_wires_named_by_their_count_are_the_whole_one(build_line, build_case):
    """The gate of halves has two wires under one head; their count has one wire of both: the same figure."""
    whole, spans = build_line("bruni_2015", mesh=COARSE), {"spans": 8, "first_evaluated": 3, "last_evaluated": 4}
    half = {k: 0.5 * getattr(whole.contact_wire, k) for k in ("tension", "mass_per_length", "axial_stiffness")}
    bending = 0.5 * whole.contact_wire.bending_stiffness
    two = whole.with_changes(contact_wire={**half, "bending_stiffness": bending, "count": 2})
    given = {"solver": "open_line", "open_line": spans, "applied_force_N": 150.0}
    runs = [solve(build_case(in_sections(line, 8, ((0, 8),)), 200, **given)).statistics for line in (whole, two)]
    assert runs[0].contact_force_std_N == runs[1].contact_force_std_N > 1.0

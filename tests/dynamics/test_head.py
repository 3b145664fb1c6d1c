"""Heads that roll: roll at rest, strips, limits of a stiff head, mirror images, the window against the open line."""

import numpy as np
import pytest

from catenary.errors import InputError
from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.linearised.cell import vertical_cell
from catenary.linearised.contact_wire import place_on_head
from dynamics.open_line.build import build_pantographs, build_whole_line
from dynamics.open_line.static_start import static_start
from dynamics.pantograph.head import strip_forces
from dynamics.pantograph.linear import linear_pantograph
from dynamics.pantograph.lumped import pantograph_matrices
from dynamics.pantograph.on_head import OnHead, figures_on_head
from dynamics.solution import solve
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.mechanics.head import HeadSpec
from dynamics.travelling_window.window import TravellingWindow

HEAD = {"roll_inertia": 1.5, "roll_stiffness": 1750.0, "roll_damping": 5.0}
CASE = {"dt": 2e-3, "speed_kmh": 275.0, "applied_force_N": 150.0, "mean_force_N": None}
# for runs that are compared with each other: ends of the window that are felt are felt by both
SHORT = {"spans_behind": 12, "spans_ahead": 14}
COARSE = {"elements_per_bay": 4, "largest_element_length": 5.0}
CURVE = {"radius": 3000.0}


@pytest.fixture
def rolling(build_case):
    """Build a case in space of a head that rolls, on a curve or between staggers that change sides."""

    def build(head=None, track=None, **changes):
        case = build_case("bruni_2015", **CASE, **changes)
        line = case.catenary.with_changes(dimension="spatial", track=track, mesh=COARSE)
        panto = case.pantograph.with_changes(head={**HEAD, **(head or {})})
        return type(case).model_validate({**case.model_dump(), "catenary": line, "pantograph": panto})

    return build


def test_strips_share_the_force_and_the_moment():
    """F / 2 +- M / b, M = mu F h; the front one carries all where the rear one would pull."""
    head = HeadSpec(roll_inertia=1.0, roll_stiffness=1e3, strip_spacing=0.58, shaft_depth=0.1, friction=0.2)
    F = np.array([100.0, 250.0])
    front, rear = strip_forces(head, F)
    assert front + rear == pytest.approx(F, rel=1e-14)
    assert 0.5 * (front - rear) * 0.58 == pytest.approx(0.2 * F * 0.1, rel=1e-6)
    heavy = head.with_changes(friction=1.0, shaft_depth=0.5)
    assert strip_forces(heavy, F)[1] == pytest.approx(0.0)


def test_only_lumped_masses_on_a_line_have_a_head_that_rolls():
    with pytest.raises((InputError, ValueError), match="head must be left out: kind is articulated"):
        load_pantograph("articulated").with_changes(head=HEAD)
    lumped = load_pantograph("bruni_2015").with_changes(head=HEAD)
    with pytest.raises(InputError, match=r"pantograph\.head must be left out on the rig"):
        pantograph_matrices(lumped)
    own = linear_pantograph(lumped)
    assert own.rolls and (own.mass[-1], own.stiffness[-1, -1], own.damping[-1, -1]) == (1.5, 1750.0, 5.0)
    # a rigid lift, the applied force and a base that moves do not turn the head, and records show heights alone
    assert [own.lift[-1], own.applied[-1], own.base_stiffness[-1], own.base_damping[-1]] == [0.0] * 4
    assert own.shown.shape == (len(lumped.masses), len(lumped.masses) + 1)


@pytest.mark.parametrize("track", [CURVE, None])
def test_roll_at_rest_is_moment_over_stiffness(rolling, track):
    """F y / k, positive where the left side rises: the wire presses its own side down, in window and open line."""
    case = rolling(track=track)
    eq = periodic_equilibrium(case.catenary)
    window = TravellingWindow(case, vertical_cell(eq), 2, 2)
    state, _ = window.static_start()
    force = 50e3 * (state.z[0, 0] + place_on_head(eq, np.zeros(1))[0] * state.z[0, -1] - _height(window, state))
    assert state.z[0, -1] == pytest.approx(-force * place_on_head(eq, np.zeros(1))[0] / 1750.0, rel=1e-6)
    whole = open_line_equilibrium(case.catenary, 5)
    line, panto = build_whole_line(whole), build_pantographs(case, 100.0)
    start = static_start(case, line, panto)
    y = place_on_head(whole, np.array([100.0]))[0]
    assert start.z[0, -1] == pytest.approx(-start.force[0] * y / 1750.0, rel=1e-6)


def _height(window, state):
    """Contact wire's height over the leading pantograph of a window."""
    contact, n = window.operators.contact, window.cell.n_dof
    return contact.height[0, 0] + sum(
        w * (state.u[d, window.behind] if d < n else state.u[d - n, window.behind + 1])
        for d, w in zip(contact.dof[0, 0], contact.weight[0, 0], strict=True)
    )


def test_a_stiff_head_does_not_roll(rolling, build_case):
    stiff = solve(rolling({"roll_stiffness": 1e6, "roll_inertia": 40.0}, CURVE, periodic=SHORT))
    flat = rolling(track=CURVE, periodic=SHORT)
    flat = solve(flat.model_copy(update={"pantograph": flat.pantograph.with_changes(head=None)}))
    assert stiff.statistics.contact_force_std_N == pytest.approx(flat.statistics.contact_force_std_N, rel=1e-3)
    assert np.abs(stiff.leading.roll).max() < 3e-4


def test_left_and_right_curves_are_mirror_images(rolling):
    left, right = (solve(rolling(track={"radius": side * 3000.0}, periodic=SHORT)) for side in (1.0, -1.0))
    assert right.leading.contact_force == pytest.approx(left.leading.contact_force, abs=0.05)
    assert right.leading.roll == pytest.approx(-left.leading.roll, abs=1e-5)
    assert right.leading.place == pytest.approx(-left.leading.place, abs=1e-9)


def test_a_mirrored_span_is_half_of_two(rolling):
    """Roll changes its sense from span to span: one span that is mirrored runs as two that repeat."""
    case = rolling(periodic={"spans_behind": 24, "spans_ahead": 28})
    one = solve(case)
    two = solve(case.model_copy(update={"catenary": case.catenary.with_changes(repeat={"spans": 2})}))
    n = len(one.leading.contact_force)
    assert two.leading.contact_force[:n] == pytest.approx(one.leading.contact_force, abs=1.5)
    assert two.leading.roll[:n] == pytest.approx(one.leading.roll, abs=8e-4)
    assert two.leading.roll[n:] == pytest.approx(-two.leading.roll[:n], abs=1e-3)
    assert np.abs(one.leading.roll).max() > 5e-3


def test_open_line_rolls_as_the_steady_state(rolling):
    steady = solve(rolling(track=CURVE))
    settings = {"spans": 18, "first_evaluated": 11, "last_evaluated": 13}
    line = solve(rolling(track=CURVE, solver="open_line", open_line=settings))
    n, one = len(steady.leading.roll), line.leading
    last = one.roll[one.evaluated][-n:]
    assert last == pytest.approx(steady.leading.roll, abs=0.15 * np.abs(steady.leading.roll).max())
    assert one.place[one.evaluated][-n:] == pytest.approx(steady.leading.place, abs=1e-3)


def test_figures_of_a_head():
    """A wire that sweeps a head evenly wears it evenly, but for where it presses more."""
    place = np.linspace(-0.2, 0.2, 4001)
    force = np.where(place > 0.0, 200.0, 100.0)
    head = HeadSpec(**HEAD, working_half_width=0.4, half_length=0.8)
    strips = np.stack([0.75 * force, 0.25 * force])
    turned = np.full(4001, -2e-3), np.linspace(0.0, 3e-3, 4001)
    found = figures_on_head(1, head, OnHead(place, force, *turned, strips, np.full(4001, 0.05)))
    assert (found.working_margin_m, found.lost_margin_m) == pytest.approx((0.2, 0.6))
    assert (found.passing_place_max_m, found.passing_margin_m) == pytest.approx((0.25, 0.15))
    assert (found.roll_max_mrad, found.pitch_max_mrad) == pytest.approx((2.0, 3.0))
    assert (found.front_strip_max_N, found.rear_strip_max_N) == pytest.approx((150.0, 50.0))
    assert found.strip_shares == pytest.approx([0.75, 0.25])
    share, edges = np.array(found.wear_share), np.array(found.wear_edges_m)
    assert share.sum() == pytest.approx(1.0)
    middle = 0.5 * (edges[1:] + edges[:-1])
    assert share[middle > 0.0].sum() == pytest.approx(2.0 / 3.0, rel=1e-3)

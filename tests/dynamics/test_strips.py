"""Strips on springs of their own: shares at rest, the limit of one contact, their equations, window and open line."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import open_line_equilibrium, periodic_equilibrium
from catenary.linearised.cell import vertical_cell
from dynamics.open_line.build import build_pantographs, build_whole_line
from dynamics.open_line.static_start import static_start
from dynamics.solution import solve
from dynamics.steady_state.periodic import solve_periodic
from dynamics.steady_state.span_map import SpanMap
from dynamics.travelling_window.window import TravellingWindow

MU, DEPTH, APART = 0.2, 0.1, 0.58
OWN = {"strip_mass": 1.5, "stiffness": 10e3, "damping": 20.0, "pitch_inertia": 0.15}
HEAD = {"roll_inertia": 1.5, "roll_stiffness": 1750.0, "roll_damping": 5.0, "friction": MU, "shaft_depth": DEPTH}
CASE = {"dt": 2e-3, "speed_kmh": 275.0, "applied_force_N": 150.0, "mean_force_N": None}
# for runs that are compared with each other or with their own forces: ends of the window that are felt are in both
SHORT = {"spans_behind": 12, "spans_ahead": 14}
COARSE = {"elements_per_bay": 4, "largest_element_length": 5.0}


@pytest.fixture
def on_curve(build_case):
    """Build a case on a curve whose head has strips of its own, or none."""

    def build(own, head=None, contact=50e3, control=None, **changes):
        case = build_case("bruni_2015", **CASE, contact={"stiffness": contact}, **changes)
        line = case.catenary.with_changes(dimension="spatial", track={"radius": 3000.0}, mesh=COARSE)
        panto = case.pantograph.with_changes(head={**HEAD, "suspension": own, **(head or {})}, control=control)
        return type(case).model_validate({**case.model_dump(), "catenary": line, "pantograph": panto})

    return build


def test_friction_presses_the_front_strip_more_at_rest(on_curve):
    """(F_front - F_rear) b / 2 = mu F h of a head that pitches freely, in the window and on the open line."""
    case = on_curve(OWN)
    window = TravellingWindow(case, vertical_cell(periodic_equilibrium(case.catenary)), 2, 2)
    state, _ = window.static_start()
    front, rear = state.z[0, 4:6] - state.z[0, 0] - np.array([0.5, -0.5]) * APART * state.z[0, 3]
    front, rear = -OWN["stiffness"] * front, -OWN["stiffness"] * rear
    assert 100.0 < front + rear < 150.0  # a spring to the base takes the rest
    assert 0.5 * APART * (front - rear) == pytest.approx(MU * (front + rear) * DEPTH, rel=1e-6)
    line = build_whole_line(open_line_equilibrium(case.catenary, 5))
    force = static_start(case, line, build_pantographs(case, 100.0)).force
    assert 0.5 * APART * (force[0] - force[1]) == pytest.approx(MU * force.sum() * DEPTH, rel=1e-6)
    assert 100.0 < force.sum() < 150.0


def test_a_spring_against_pitch_takes_its_part_of_the_moment(on_curve):
    """Static figures of three springs: M = mu F h is shared by k_pitch and by strips whose springs hold k b^2 / 2."""
    case = on_curve({**OWN, "pitch_stiffness": 2000.0})
    window = TravellingWindow(case, vertical_cell(periodic_equilibrium(case.catenary)), 2, 2)
    state, _ = window.static_start()
    pitch = state.z[0, 3]
    strips = OWN["stiffness"] * (state.z[0, 0] + np.array([0.5, -0.5]) * APART * pitch - state.z[0, 4:6])
    moment = MU * strips.sum() * DEPTH
    assert 0.5 * APART * (strips[0] - strips[1]) + 2000.0 * pitch == pytest.approx(moment, rel=1e-9)
    assert 0.0 < 2000.0 * pitch < moment


def test_stiff_strips_side_by_side_are_one_contact(on_curve):
    """Two contacts of half the stiffness, 6 cm apart on stiff springs, press as one does."""
    near = {"strip_spacing": 0.06, "friction": 0.0}
    own = {"strip_mass": 0.5, "stiffness": 1e6, "damping": 300.0, "pitch_inertia": 0.01}
    two, one = solve(on_curve(own, near, contact=25e3, periodic=SHORT)), solve(on_curve(None, near, periodic=SHORT))
    for name in ("contact_force_std_N", "contact_force_max_N", "contact_force_min_N"):
        assert getattr(two.statistics, name) == pytest.approx(getattr(one.statistics, name), rel=0.01), name
    difference = two.leading.contact_force_filtered - one.leading.contact_force_filtered
    assert np.abs(difference).max() < 0.03 * np.ptp(one.leading.contact_force_filtered)


def test_head_and_strips_move_as_their_own_equations_say(on_curve):
    """In the steady state: heights and pitch by the strips' forces, from equations written down here, by harmonics."""
    case = on_curve(OWN, {"roll_stiffness": 1e6, "roll_inertia": 40.0}, periodic=SHORT)
    found = solve_periodic(case)
    span_map = SpanMap(case, found.equilibrium)
    span_map.unpack(found.warm_start.state)
    record = span_map.window.march(span_map.state)
    forces, dt = record.strip_forces[0], span_map.window.dt
    m, k, c = (getattr(case.pantograph, name) for name in ("masses", "stiffnesses", "dampings"))
    s, inertia, a = OWN["strip_mass"], OWN["pitch_inertia"], 0.5 * APART
    # carrier, two lower masses, pitch, front, rear: every spring and damper by what it joins
    joints = [
        ([1, -1, 0, 0, 0, 0], k[0], c[0]), ([0, 1, -1, 0, 0, 0], k[1], c[1]), ([0, 0, 1, 0, 0, 0], k[2], c[2]),
        ([1, 0, 0, a, -1, 0], OWN["stiffness"], OWN["damping"]),
        ([1, 0, 0, -a, 0, -1], OWN["stiffness"], OWN["damping"]),
    ]  # fmt: skip
    K, C = (sum(joint[j] * np.outer(joint[0], joint[0]) for joint in joints) for j in (1, 2))
    M, push = np.diag([m[0] - 2 * s, m[1], m[2], inertia, s, s]), np.zeros((6, 2))
    push[4, 0] = push[5, 1] = -1.0  # the wire presses strips down
    push[3] = MU * DEPTH  # and drags them backwards, over the shaft: the front rises
    spectrum, motion = np.fft.rfft(forces, axis=1), np.zeros((6, forces.shape[1] // 2 + 1), complex)
    for h in range(1, 40):
        w = 2j * np.pi * h / (forces.shape[1] * dt)
        motion[:, h] = np.linalg.solve(w**2 * M + w * C + K, push @ spectrum[:, h])
    z = np.fft.irfft(motion, forces.shape[1], axis=1)
    for seen, own in ((record.heads[0], z[0]), (record.pitches[0], z[3])):
        seen = seen - seen.mean()
        assert np.abs(seen - own).max() < 0.02 * np.abs(own).max()
    assert np.abs(record.pitches[0]).max() > 1e-3


@pytest.mark.parametrize("own", [OWN, {**OWN, "stiffness": 1e6, "strip_mass": 0.5}])
def test_strips_press_by_their_penetration_at_a_step_s_end(on_curve, own):
    """Force is stiffness times strip less wire, both as all forces of the step have moved them."""
    case = on_curve(own)
    window = TravellingWindow(case, vertical_cell(periodic_equilibrium(case.catenary)), 2, 2)
    state, _ = window.static_start()
    force = window.march(state).strip_forces[0, :, -1]
    contact, n = window.operators.contact, window.cell.n_dof
    assert (force > 10.0).all() and abs(force[0] - force[1]) > 1.0
    for k in range(2):
        dof, column = contact.dof[k, -1], window.behind + contact.column[k, -1]
        wire = contact.height[k, -1] + contact.weight[k, -1] @ state.u[dof % n, column + dof // n]
        strip = state.z[0, 4 + k] + contact.lever[k, -1] * state.z[0, -1]
        assert force[k] == pytest.approx(50e3 * (strip - wire), abs=1e-5)


def test_open_line_presses_as_the_steady_state(on_curve):
    steady = solve(on_curve(OWN))
    settings = {"spans": 18, "first_evaluated": 11, "last_evaluated": 13}
    line = solve(on_curve(OWN, solver="open_line", open_line=settings))
    n, one = len(steady.leading.pitch), line.leading
    last = slice(one.evaluated.stop - n, one.evaluated.stop)
    for seen, own in (
        (one.strip_forces[:, last], steady.leading.strip_forces),
        (one.pitch[last], steady.leading.pitch),
    ):
        assert seen == pytest.approx(own, abs=0.15 * np.abs(own - own.mean()).max())
    assert one.strip_forces[:, last].sum(axis=0) == pytest.approx(one.contact_force_filtered[last], abs=1e-9)
    (figures,) = steady.on_head
    share = 0.5 + MU * DEPTH / APART
    assert figures.strip_shares == pytest.approx([share, 1.0 - share], rel=2e-3)
    assert figures.pitch_max_mrad == pytest.approx(1e3 * np.abs(steady.leading.pitch).max())


def test_a_head_that_turns_over_or_has_no_mass_left_is_refused(on_curve):
    with pytest.raises(ValueError, match=r"friction x shaft_depth must stay below half of the way"):
        on_curve(OWN, {"friction": 1.0, "shaft_depth": 0.5})
    with pytest.raises(ValueError, match=r"strip_mass must leave mass for what carries the strips"):
        on_curve({**OWN, "strip_mass": 5.0})
    with pytest.raises(ValueError, match=r"control\.feedback must be left out with head\.suspension"):
        on_curve(OWN, control={"feedback": {"contact_stiffness": 3000.0}, "actuator": {"lag_s": 0.02}})

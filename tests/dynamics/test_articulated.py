"""An articulated pantograph: as bodies with constraints, as its own matrices, as lumped masses under a line."""

import numpy as np
import pytest
from linkage_bodies import Bodies, guessed, stepped

from catenary.errors import InputError
from dynamics.pantograph.articulated import linkage, mechanism_of
from dynamics.pantograph.linear import linear_pantograph
from dynamics.simulation import run_case
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.pantograph import PantographSpec

OPEN_LINE = {"spans": 6, "start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
FORCE = 150.0


def arms(**changes):
    return load_pantograph("articulated").with_changes(articulated={"friction": [0.0] * 4, **changes})


@pytest.fixture
def alone(build_case):
    def made(head):
        return build_case(
            "bruni_2015", 275.0, applied_force_N=FORCE, pantograph=head, solver="open_line", open_line=OPEN_LINE
        )

    return made


def test_the_linkage_closes():
    spec = arms().articulated
    found = linkage(spec, np.deg2rad(np.linspace(15.0, 50.0, 30)))
    knee, apex, middle = (
        found.centres[0] * spec.lower_arm.length / spec.lower_arm.centre,
        found.apex,
        found.centres[2],
    )
    base = np.array([[spec.rod_joint_x], [spec.rod_joint_z]])
    heel = 2.0 * middle - base
    np.testing.assert_allclose(np.hypot(*knee), spec.lower_arm.length, rtol=1e-12)
    np.testing.assert_allclose(np.hypot(*(apex - knee)), spec.upper_arm.length, rtol=1e-12)
    np.testing.assert_allclose(np.hypot(*(heel - base)), spec.rod_length, rtol=1e-12)
    np.testing.assert_allclose(np.hypot(*(heel - knee)), spec.heel_length, rtol=1e-12)


@pytest.mark.parametrize("height", [1.0, 1.5])
def test_large_motion_is_that_of_three_bodies_with_constraints(alone, height):
    """Released 0.2 m off its working height under a force that changes: all terms of the one coordinate act."""
    head = arms(lifting="torque")
    spec = head.articulated
    bodies, force = Bodies(spec, FORCE), lambda t: FORCE + 40.0 * np.sin(15.0 * t)
    guess = guessed(spec, height)
    balanced = bodies.assembled(spec.working_height, guess)
    bodies.balance(balanced)
    q, v, dt, steps = bodies.assembled(height, guess), np.zeros(10), 2e-3, 150
    found = [(q[9], bodies.apex(q)[1] - spec.working_height)]
    for k in range(steps):
        t = k * dt
        a1 = bodies.accelerations(q, v, force(t))
        a2 = bodies.accelerations(q + dt / 2 * v, v + dt / 2 * a1, force(t + dt / 2))
        a3 = bodies.accelerations(q + dt / 2 * v + dt**2 / 4 * a1, v + dt / 2 * a2, force(t + dt / 2))
        a4 = bodies.accelerations(q + dt * v + dt**2 / 2 * a2, v + dt * a3, force(t + dt))
        q, v = q + dt * v + dt**2 / 6 * (a1 + a2 + a3), v + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        found.append((q[9], bodies.apex(q)[1] - spec.working_height))
    found = np.array(found)
    one = stepped(alone(head), found[0], force, dt, steps)
    moved = np.abs(found - found[0]).max()
    assert moved > 0.02
    assert np.abs(bodies.gaps(q)).max() < 1e-6
    np.testing.assert_allclose(one, found, atol=2e-4 * moved)


def test_small_motion_is_that_of_its_own_matrices(alone):
    head = arms(lifting="torque")
    own = linear_pantograph(head, FORCE)
    force = lambda t: FORCE + np.sin(20.0 * t)  # noqa: E731
    rest = np.array([-FORCE / 7000.0, 0.0])
    full = stepped(alone(head), rest, force, 1e-3, 600) - rest
    M, y, linear = np.diag(own.mass), np.zeros(4), np.zeros((601, 2))

    def rate(t, y):
        f = -own.stiffness @ y[:2] - own.damping @ y[2:] - np.array([np.sin(20.0 * t), 0.0])
        return np.concatenate([y[2:], np.linalg.solve(M, f)])

    for k in range(600):
        t, dt = k * 1e-3, 1e-3
        a = rate(t, y)
        b = rate(t + dt / 2, y + dt / 2 * a)
        c = rate(t + dt / 2, y + dt / 2 * b)
        y = y + dt / 6 * (a + 2 * b + 2 * c + rate(t + dt, y + dt * c))
        linear[k + 1] = y[:2]
    assert np.abs(full - linear).max() < 5e-3 * np.abs(linear).max()


def test_dry_friction_stops_a_small_force_and_the_mass_is_felt_with_its_height():
    free, rubbing = (mechanism_of(spec.articulated, FORCE) for spec in (arms(), load_pantograph("articulated")))
    assert not free.table[:, 3].any() and rubbing.table[:, 3].min() > 1.0
    middle = len(free.table) // 2
    assert free.table[middle, 5] == pytest.approx(1.0, abs=1e-9)
    z, mass = free.begin + free.step * np.arange(len(free.table)), free.masses[-1] / free.table[:, 5]
    np.testing.assert_allclose(np.gradient(mass, z)[5:-5], 2.0 * free.table[5:-5, 4], rtol=1e-4)


def lumped_like(head):
    own = linear_pantograph(head, FORCE)
    content = {"name": "like", "masses": own.mass.tolist(), "stiffnesses": [7000.0, 0.0]}
    return PantographSpec.model_validate({**content, "dampings": [45.0, float(own.damping[1].sum())]})


def test_the_steady_state_is_that_of_lumped_masses(build_case):
    head = load_pantograph("articulated")
    runs = [
        run_case(
            build_case(
                "bruni_2015", 275.0, mean_force_N=143.0, pantograph=p, periodic={"spans_behind": 4, "spans_ahead": 6}
            ),
            error_estimate=False,
        )
        for p in (head, lumped_like(head))
    ]
    assert runs[0].contact_force_std_N == pytest.approx(runs[1].contact_force_std_N, rel=1e-6)


def test_an_open_line_feels_arms_as_lumped_masses_and_a_little_friction(build_case):
    """At 1 ms without friction the arms move so little that their masses do; both integrators agree with friction."""

    def run(head, **line):
        settings = {"solver": "open_line", "open_line": {**OPEN_LINE, **line}, "dt": 1e-3, "applied_force_N": FORCE}
        return run_case(build_case("bruni_2015", 275.0, pantograph=head, **settings), error_estimate=False)

    like, free, rubbing = run(lumped_like(arms())), run(arms()), run(load_pantograph("articulated"))
    other = run(load_pantograph("articulated"), integrator="hht", hht_alpha=-0.02)
    assert free.contact_force_std_N == pytest.approx(like.contact_force_std_N, rel=0.02)
    assert free.contact_force_std_N != like.contact_force_std_N
    assert other.contact_force_std_N == pytest.approx(rubbing.contact_force_std_N, rel=0.02)
    assert abs(rubbing.contact_force_std_N - free.contact_force_std_N) > 1e-3


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"working_height": 4.0}, "working_height must lie where the arms reach, .* m: got 4 m"),
        ({"rod_length": 4.9}, "must close to a linkage"),
    ],
)
def test_arms_that_do_not_reach_are_refused(changes, sentence):
    with pytest.raises(InputError, match=sentence):
        mechanism_of(arms(**changes).articulated, FORCE)


def test_a_moving_base_is_refused(build_case):
    moved = {"base_motion": {"time_s": [0.05 * k for k in range(200)], "height_m": [0.0] * 200}}
    with pytest.raises(ValueError, match="base_motion must be left out with"):
        build_case(
            "bruni_2015", 275.0, applied_force_N=FORCE, pantograph=arms(), solver="open_line", open_line=OPEN_LINE,
            **moved,
        )  # fmt: skip

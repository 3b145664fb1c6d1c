"""Bodies and joints of an articulated pantograph: against multipliers, momentum, and its own torque."""

import numpy as np
import pytest
import xarray as xr
from linkage_bodies import Bodies, guessed

from dynamics.pantograph.arms_of_run import TrainMotion, arms_of_run
from dynamics.pantograph.bodies import ApexMotion, arms_in_motion
from dynamics.simulation import run_case
from dynamics.spec.case_input import load_pantograph

FORCE = 150.0
GRAVITY = 9.81


def arms(**changes):
    return load_pantograph("articulated").with_changes(articulated={"friction": [0.0] * 4, **changes}).articulated


def moving(spec, bodies, height, rate):
    """Coordinates of bodies that move with the apex rising at a rate, and what makes the apex do so."""
    guess = guessed(spec, height)
    q = bodies.assembled(height, guess)
    q[9] += 0.01
    J, _ = bodies.constraints(q, np.zeros(10))
    up, _ = bodies.rows(q, np.zeros(10), 1, bodies.apex_point)
    v = np.append(np.linalg.solve(np.vstack([J[:, :9], up[1:, :9]]), np.append(np.zeros(8), rate)), 0.3)
    return q, v


@pytest.mark.parametrize(("height", "rate"), [(1.3, 0.0), (1.0, 0.8), (1.6, -1.5)])
def test_forces_in_the_joints_are_the_multipliers_of_bodies_with_constraints(height, rate):
    """A second formulation that knows neither heights nor springs: bodies, constraints, one linear system."""
    spec = arms()
    bodies = Bodies(spec, FORCE)
    bodies.lifting = 900.0
    q, v = moving(spec, bodies, height, rate)
    a = bodies.accelerations(q, v, 120.0)
    up, turned = bodies.rows(q, v, 1, bodies.apex_point)
    rise = bodies.apex(q)[1] - spec.working_height
    load = spec.head.stiffnesses[0] * (q[9] - rise) + spec.head.dampings[0] * (v[9] - rate)
    apex = ApexMotion(*(np.array([x]) for x in (rise, rate, (up @ a + turned)[1], load)))
    found = arms_in_motion(spec, apex)
    np.testing.assert_allclose(found.reaction[0], bodies.joint_forces(q, v, 120.0), rtol=1e-5, atol=1e-3)
    assert found.torque[0] == pytest.approx(bodies.lifting - spec.damping * -v[2], rel=1e-6)
    np.testing.assert_allclose(np.exp(1j * found.angle[0]), np.exp(1j * q[[2, 5, 8]]), atol=1e-8)
    assert np.abs(found.angle).max() < np.pi
    np.testing.assert_allclose(found.rate[0], v[[2, 5, 8]], atol=1e-7)
    np.testing.assert_allclose(found.position[0, [0, 2]], q[[0, 1, 6, 7]].reshape(2, 2), atol=1e-8)
    np.testing.assert_allclose(found.velocity[0, [0, 2]], v[[0, 1, 6, 7]].reshape(2, 2), atol=1e-7)
    np.testing.assert_allclose(found.acceleration[0, [0, 2]], a[[0, 1, 6, 7]].reshape(2, 2), atol=1e-5)


@pytest.fixture(scope="module")
def rubbing_run(build_case):
    """A run with dry friction whose arms swing."""
    line = {"spans": 6, "start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
    head = load_pantograph("articulated").with_changes(articulated={"lifting": "torque", "spring_stiffness": 300.0})
    case = build_case(
        "bruni_2015", 275.0, applied_force_N=FORCE, pantograph=head, solver="open_line", open_line=line, dt=1e-3
    )
    return run_case(case, error_estimate=False)


def test_the_torque_of_the_bodies_balance_is_the_one_that_lifts(rubbing_run):
    """Virtual work: what the march's one coordinate says of the torque is what three bodies need in every step."""
    run, spec = rubbing_run, rubbing_run.case.pantograph.articulated
    found, kept = run.arms[0], run.solution.histories
    at_work = arms_in_motion(spec, ApexMotion(*np.zeros((3, 1)), np.array([-FORCE])))  # at rest under what is applied
    fallen = found.angle[:, 0] - at_work.angle[0, 0]
    expected = at_work.torque[0] + spec.spring_stiffness * fallen + spec.damping * found.rate[:, 0]
    np.testing.assert_allclose(found.torque, expected, rtol=0, atol=2e-3 * np.ptp(found.torque))
    assert np.ptp(found.torque) > 5.0 and np.abs(kept.mass_velocity[:, 0, -1]).max() > 0.05


def test_momentum_of_all_bodies_is_what_roof_head_and_weight_give(rubbing_run):
    """From the file alone: differences of what moves are the forces on the whole, joints within drop out."""
    run, spec = rubbing_run, rubbing_run.case.pantograph.articulated
    kept = run.to_xarray()
    body, joint = kept["body_velocity"].values[:, 0], kept["joint_reaction"].values[:, 0]
    masses = np.array([spec.lower_arm.mass, spec.upper_arm.mass, spec.rod_mass])
    apex = np.stack([np.gradient(kept["apex_forwards"].values[:, 0], 1e-3), kept["mass_velocity"].values[:, 0, 1]], 1)
    momentum = np.einsum("b,tbx->tx", masses, body) + spec.apex_mass * apex
    head = spec.head
    z, v = kept["mass_height"].values[:, 0], kept["mass_velocity"].values[:, 0]
    load = head.stiffnesses[0] * (z[:, 0] - z[:, 1]) + head.dampings[0] * (v[:, 0] - v[:, 1])
    weight = GRAVITY * (masses.sum() + spec.apex_mass + sum(head.masses))
    outside = joint[:, 0] + joint[:, 2] + np.stack([0.0 * load, load - weight], 1)
    dt = run.case.time_step
    change = np.diff(momentum, axis=0)[50:-50] / dt
    mean = 0.5 * (outside[1:] + outside[:-1])[50:-50]
    size = np.abs(change).max()
    assert size > 5.0
    np.testing.assert_allclose(mean, change, atol=0.02 * size)


def test_the_file_names_dimensions_and_units(rubbing_run):
    kept: xr.Dataset = rubbing_run.to_xarray()
    assert kept["joint_reaction"].dims == ("time", "pantograph", "joint", "plane_axis")
    assert kept["joint_reaction"].attrs["units"] == "N" and kept["body_angle"].attrs["units"] == "rad"
    figures = rubbing_run.solution.arm_figures[0]
    assert figures.joints[0].force_max_N > figures.joints[0].force_mean_N > 100.0
    assert figures.lower_arm_angle_max_deg > figures.lower_arm_angle_min_deg


def test_arms_stand_on_a_base_that_is_raised_where_a_pantograph_enters(build_case):
    """A pantograph that rises with its base does not turn its arms, and its joints carry what they carry at rest."""
    line = {"spans": 8, "start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
    head = load_pantograph("articulated").with_changes(articulated={"friction": [0.0] * 4})
    case = build_case(
        "bruni_2015", 275.0, applied_force_N=FORCE, pantograph=head, solver="open_line", open_line=line,
        trailing={"distances_m": [100.0], "entry_length_m": 40.0, "entry_drop_m": 0.2},
    )  # fmt: skip
    time = np.linspace(0.01, 1.4, 140)
    at = np.column_stack([55.0 + case.speed * time, -45.0 + case.speed * time])
    raised = -0.2 * (1.0 - np.clip(at[:, 1] / 40.0, 0.0, 1.0))
    moving = np.gradient(raised, time)
    inside = (np.abs(at[:, 1]) > 1.0) & (np.abs(at[:, 1] - 40.0) > 1.0)  # away from the kinks of its way
    height = np.zeros((140, 2, 2))
    height[:, 1], velocity = raised[:, None], np.zeros((140, 2, 2))
    velocity[:, 1] = moving[:, None]
    none = np.zeros((140, 0))
    lead, other = arms_of_run(case, TrainMotion(time, at, height, velocity, 0.0 * height, none))
    assert raised[0] == -0.2 and raised[-1] == 0.0
    np.testing.assert_allclose(other.angle[inside], lead.angle[inside], atol=1e-9)
    np.testing.assert_allclose(other.reaction[inside], lead.reaction[inside], atol=1e-3)

"""A whole open line, linearised and with large deformation: forces, orders of the integrators, trains, ends."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import eigsh

from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.spec.mesh import per_bay
from dynamics.open_line.build import build_pantographs, build_system
from dynamics.open_line.forces import local_forces
from dynamics.open_line.integrators import INTEGRATORS, Request, make_work, start_accelerations
from dynamics.open_line.integrators.compiled import begin
from dynamics.open_line.integrators.stability import longest_step
from dynamics.open_line.march import march, march_step
from dynamics.open_line.run import build_matrices, prepare_line, run_whole_line
from dynamics.open_line.run_record import RunRecord
from dynamics.open_line.static_start import static_start
from dynamics.open_line.system import Motion, Touch
from dynamics.spec.train import BaseMotionSpec, TrailingSpec


def _force(system, state, u):
    """Local force of the line displaced by u, pantographs out of reach."""
    out, work = np.zeros_like(u), make_work(u.size, *state.z.shape)
    z = np.full_like(state.z, -1.0)
    contact = Touch(work.contacts, work.contacts.force, 1.0, work.corrections.marks[:0])
    local_forces(system, state, 0.0, Motion(u, np.zeros_like(u), z, np.zeros_like(z)), out, contact)
    return out


@pytest.fixture
def prepared(build_line, build_case):
    """A case on a short line and the line itself."""

    def make(name="bruni_2015", dimension="planar", formulation="ancf", *, spans=3, **case):
        line = build_line(name, dimension=dimension, formulation=formulation)
        line = line.model_copy(update={"mesh": per_bay(2)})
        made = build_case(
            line, case.pop("speed", 320.0), applied_force_N=case.pop("applied", 182.17), solver="open_line", **case
        )
        return made, prepare_line(made, open_line_equilibrium(line, spans))

    return make


@pytest.mark.parametrize("formulation", ["ancf", "beam"])
@pytest.mark.parametrize(
    ("name", "dimension"), [("bruni_2015", "planar"), ("bruni_2015", "spatial"), ("re330", "spatial")]
)
def test_the_full_force_has_the_linearised_stiffness_as_its_tangent(prepared, name, dimension, formulation):
    """A force that lost a sign or a component anywhere differs from K u in the first order."""
    case, line = prepared(name, dimension, formulation, kinematics="nonlinear")
    pantographs = build_pantographs(case, 10.0)
    system, state = build_system(case, line, pantographs), static_start(case, line, pantographs)
    direction = np.random.default_rng(1).standard_normal(line.mass.shape[0])
    assert np.abs(_force(system, state, 0.0 * direction)).max() < 1e-6
    h = 1e-7
    slope = (_force(system, state, h * direction) - _force(system, state, -h * direction)) / (2.0 * h)
    expected = line.stiffness @ direction
    assert np.abs(slope - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("formulation", ["ancf", "beam"])
def test_small_motion_is_linear(prepared, formulation):
    """The full force and its linearisation part with the load: relatively more at 100 than at 10 N."""
    differences = []
    for applied in (10.0, 100.0):
        runs = []
        for kinematics in ("linearised", "nonlinear"):
            case, line = prepared(
                "bruni_2015", "spatial", formulation, applied=applied, kinematics=kinematics, speed=60.0
            )
            runs.append(run_whole_line(case, line, 1.32, 0.1).histories.contact_force[:, 0])
        differences.append(np.abs(runs[1] - runs[0]).max() / applied)
    assert differences[0] < 1e-3
    assert differences[1] > 3.0 * differences[0]


@pytest.mark.parametrize("kinematics", ["linearised", "nonlinear"])
@pytest.mark.parametrize("name", ["newmark", "hht"])
def test_implicit_methods_have_second_order_and_tend_to_runge_kutta(prepared, name, kinematics):
    """Errors against the explicit method, which shares no step, fall with dt^2.

    At 5 km/h the contact stays inside one element, where everything is smooth.
    """
    errors = []
    exact = None
    for dt in (1e-3, 5e-4, 2.5e-4):
        case, line = prepared(speed=5.0, kinematics=kinematics, dt=dt, applied=60.0)
        spans = 0.06 * case.speed / case.catenary.span_length
        if exact is None:
            runge = case.model_copy(update={"open_line": case.open_line.model_copy(update={"integrator": "rk4"})})
            exact = run_whole_line(runge, line, 1.02, spans).histories
        settings = case.open_line.model_copy(update={"integrator": name, "tolerance": 1e-13})
        found = run_whole_line(case.model_copy(update={"open_line": settings}), line, 1.02, spans).histories
        force = np.interp(exact.time, found.time, found.contact_force[:, 0])
        errors.append(np.abs(force - exact.contact_force[:, 0])[10:].max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx(INTEGRATORS[name].order, abs=0.15)


def test_runge_kutta_has_fourth_order(prepared):
    """A mode at a fifth of the mesh's highest frequency, no pantograph on the line: halving the step divides by 16."""
    case, line = prepared()
    system = build_system(case, line, build_pantographs(case, -1000.0))
    matrices = build_matrices(case, line, system)
    longest = longest_step(matrices)
    top = eigsh(line.stiffness, k=1, M=line.mass, which="LM", return_eigenvectors=False)[0]
    _, mode = eigsh(line.stiffness.tocsc(), k=1, M=line.mass.tocsc(), sigma=0.04 * top)
    shapes = []
    for parts in (1, 2, 4):
        scheme = INTEGRATORS["rk4"].init(matrices, Request(longest / parts))._replace(substeps=1)
        pantographs = build_pantographs(case, -1000.0)
        state = static_start(case, line, pantographs)
        state.v[:] = 1e-2 * mode[:, 0] / np.abs(mode).max()
        steps, work = 100 * parts, make_work(state.u.size, 1, 3)
        march(system, state, scheme, work, RunRecord(case, line, steps, system.pantographs).record(0, steps), 0)
        shapes.append(state.u.copy())
    order = np.log2(np.abs(shapes[0] - shapes[1]).max() / np.abs(shapes[1] - shapes[2]).max())
    assert order == pytest.approx(INTEGRATORS["rk4"].order, abs=0.15)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_the_loop_takes_the_steps_of_its_integrator(prepared, name):
    """A loop of one step at a time, as that of heads and controllers from outside, meets the march, to rounding."""
    case, line = prepared()
    pantographs = build_pantographs(case, 60.0)
    system = build_system(case, line, pantographs)
    integrator, steps = INTEGRATORS[name], 5
    scheme = integrator.init(build_matrices(case, line, system), Request(case.time_step))
    marched, stepped = (static_start(case, line, pantographs) for _ in range(2))
    work, own = (make_work(line.mass.shape[0], 1, 3) for _ in range(2))
    for state, memory in ((marched, work), (stepped, own)):
        start_accelerations(system, state, line.mass, memory)
    whole, single = (RunRecord(case, line, steps, system.pantographs).record(0, steps) for _ in range(2))
    march(system, marched, scheme, work, whole, 0)
    begin(system, stepped, scheme, own)
    for k in range(steps):
        count, _ = march_step(system, stepped, scheme, own, single, (k, k))
        assert count == whole.iterations[k]
    assert type(scheme) is integrator.scheme
    assert single.force == pytest.approx(whole.force, rel=1e-12) and whole.force.all()
    assert marched.u == pytest.approx(stepped.u, rel=1e-12, abs=1e-18)
    assert np.abs(stepped.u).max() > 1e-3


def test_corrections_near_the_contact_are_those_of_the_whole_line(prepared):
    """Slack droppers and two contacts among them; with rows that end too soon the whole line is solved for instead."""
    case, line = prepared(spans=10, dt=5.0e-4, applied=220.0)
    case = case.model_copy(update={"trailing": TrailingSpec(distances_m=(40.0,))})
    pantographs = build_pantographs(case, 300.0)
    system = build_system(case, line, pantographs)
    scheme = INTEGRATORS["newmark"].init(build_matrices(case, line, system), Request(case.time_step))
    n, found = line.mass.shape[0], []
    assert 0 < scheme.reach < n // 3
    for reach in (n, scheme.reach, 6):
        state, work = static_start(case, line, pantographs), make_work(n, 2, 3)
        start_accelerations(system, state, line.mass, work)
        record = RunRecord(case, line, 400, system.pantographs).record(0, 400)
        done, _, _ = march(system, state, scheme._replace(reach=reach), work, record, 0)
        assert done == 400 and (record.dropper <= 0.0).any()
        found.append((record.force.copy(), state.a.copy()))
    for force, a in found[1:]:
        np.testing.assert_allclose(force, found[0][0], rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(a, found[0][1], rtol=0.0, atol=1e-9 * np.abs(a).max())


def test_the_stability_limit_is_where_runge_kutta_grows(prepared):
    """Just below it a run stays finite, a fifth above it does not (the bound covers all damping up to the largest)."""
    case, line = prepared()
    system = build_system(case, line, build_pantographs(case, 60.0))
    matrices = build_matrices(case, line, system)
    limit = longest_step(matrices)
    outcomes = []
    for part in (0.95, 1.2):
        request = Request(part * limit)
        scheme = INTEGRATORS["rk4"].init(matrices, request)._replace(substeps=1)
        pantographs = build_pantographs(case, 60.0)
        state = static_start(case, line, pantographs)
        state.v[:] = 1e-9 * np.random.default_rng(2).standard_normal(state.v.size)
        work = make_work(state.u.size, 1, 3)
        kept = RunRecord(case, line, 1500, system.pantographs)
        done, _, _ = march(system, state, scheme, work, kept.record(0, 1500), 0)
        outcomes.append(done == 1500 and np.abs(state.v).max() < 10.0)
    assert outcomes == [True, False]


def test_a_head_that_the_wire_would_have_to_pull_leaves_the_other_as_alone(prepared):
    """Its own height is that of its springs under the applied force; the other's contact does not know of it."""
    alone, line = prepared(spans=4, applied=500.0)
    both = alone.model_copy(update={"trailing": TrailingSpec(distances_m=(10.0,), applied_forces_N=(10.0,))})
    one, two = (static_start(case, line, build_pantographs(case, 90.0)) for case in (alone, both))
    assert two.force[1] == 0.0 and one.force[0] > 50.0
    assert two.force[0] == pytest.approx(one.force[0], rel=1e-12)
    assert two.u == pytest.approx(one.u, rel=1e-12, abs=1e-15)
    own = np.asarray(build_pantographs(both, 90.0).stiffness)
    assert own @ two.z[1] == pytest.approx([0.0, 0.0, 10.0], abs=1e-6)


def test_a_distant_pantograph_changes_nothing_at_first_and_something_later(prepared):
    alone, line = prepared(spans=8)
    both = alone.model_copy(update={"trailing": TrailingSpec(distances_m=(150.0,))})
    one, two = (run_whole_line(c, line, 4.2, 2.0).histories.contact_force for c in (alone, both))
    # transverse waves run at 128 m/s: 150 m behind a train of 89 m/s they need 3.9 s; bending and axial ones are small
    early = int(0.1 / alone.time_step)
    assert np.abs(two[:early, 0] - one[:early, 0]).max() < 0.2
    assert np.abs(two[:, 1]).max() > 100.0
    assert np.abs(two[:, 1] - one[:, 0]).max() > 1.0


def test_a_trailing_pantograph_enters_at_the_first_support(prepared):
    """Nothing before the first support, a rise over 70 m, then the mean that its applied force gives."""
    case, line = prepared(spans=8)
    case = case.model_copy(update={"trailing": TrailingSpec(distances_m=(60.0,))})
    kept = run_whole_line(case, line, 0.5, 7.0).histories
    force, x = kept.contact_force[:, 1], kept.position[:, 1]
    assert x[0] < 0.0
    assert np.all(force[x < 0.0] == 0.0)
    assert force[(x > 0.0) & (x < 5.0)].max() < 10.0
    assert force[x > 150.0].mean() == pytest.approx(kept.contact_force[x > 150.0, 0].mean(), rel=0.05)
    assert kept.mass_height[0, 1, 0] == pytest.approx(-case.trailing.entry_drop_m, abs=1e-4)


def test_a_raised_base_acts_as_its_spring_does(prepared):
    """A base that stands 50 mm higher is the applied force plus 160 N/m times 50 mm."""
    case, line = prepared()
    height = 0.05
    force = case.applied_force_N + height * case.pantograph.stiffnesses[-1]
    motion = BaseMotionSpec(time_s=(0.0, 0.05, 0.1, 0.15, 0.2, 0.3), height_m=(height,) * 6)
    raised = run_whole_line(case.model_copy(update={"base_motion": motion}), line, 1.3, 0.2).histories
    pushed = run_whole_line(case.model_copy(update={"applied_force_N": force}), line, 1.3, 0.2).histories
    # the static start does not know of the base's motion: the lowest mass sets out under the spring's 8 N more, from
    # which its own damper and springs take their part within the first step of Newmark's method
    own, half = build_pantographs(case, 0.0), 0.5 * case.time_step
    mass, drag = case.pantograph.masses[-1], half * (own.damping[-1, -1] + half * own.stiffness[-1, -1])
    begun = (force - case.applied_force_N) * (1.0 - drag / mass) / (mass + drag)
    accelerations = raised.mass_acceleration[0, 0, -1] - pushed.mass_acceleration[0, 0, -1]
    assert accelerations == pytest.approx(begun, rel=1e-3)
    # and both settle towards the same force
    assert raised.contact_force[-1, 0] - pushed.contact_force[-1, 0] == pytest.approx(0.0, abs=4.0)
    flat = BaseMotionSpec(time_s=motion.time_s, height_m=(0.0,) * 6)
    still = run_whole_line(case.model_copy(update={"base_motion": flat}), line, 1.3, 0.2).histories
    none = run_whole_line(case, line, 1.3, 0.2).histories
    assert np.array_equal(still.contact_force, none.contact_force)


def test_absorbing_ends_send_back_less_than_held_ones(prepared):
    """Against a line so long that nothing comes back, near the end of a short one: four fifths, as measured."""
    runs = {}
    for name, spans, first in (("long", 9, 5.3), ("held", 4, 0.3), ("absorbing", 4, 0.3)):
        case, _ = prepared(spans=3)
        settings = case.open_line.model_copy(update={"ends": "held" if name == "long" else name})
        case = case.model_copy(update={"open_line": settings})
        line = prepare_line(case, open_line_equilibrium(case.catenary, spans))
        runs[name] = run_whole_line(case, line, first, 2.0).histories.contact_force[:, 0]
    errors = {name: np.sqrt(np.mean((runs[name] - runs["long"]) ** 2)) for name in ("held", "absorbing")}
    assert errors["absorbing"] == pytest.approx(0.82 * errors["held"], rel=0.05)


def test_hysteresis_follows_the_approach_speed(prepared):
    """F = k d^n (1 + 3/4 (1 - e^2) d'/d'_impact): more on the way in than on the way out, never pulling."""
    case, line = prepared()
    law = case.contact.model_copy(update={"exponent": 1.5, "restitution": 0.6, "stiffness": 1e6})
    case = case.model_copy(update={"contact": law})
    pantographs = build_pantographs(case, 60.0)
    system, state = build_system(case, line, pantographs), static_start(case, line, pantographs)
    u, work = np.zeros_like(state.u), make_work(state.u.size, 1, 3)
    out, contact = np.zeros_like(u), Touch(work.contacts, work.contacts.force, 1.0, work.corrections.marks[:0])
    local_forces(system, state, 0.0, Motion(u, u, state.z - 1.0, state.zv), out, contact)
    wire, drift = work.contacts.height[0], work.contacts.approach[0]
    state.force[0], state.impact[0] = 1.0, 0.2
    z, forces = state.z.copy(), []
    z[0, 0] = wire + 2e-3
    for rate in (0.1, 0.0, -0.1, -10.0):
        zv = np.zeros_like(z)
        zv[0, 0] = rate - drift
        local_forces(system, state, 0.0, Motion(u, u, z, zv), out, contact)
        forces.append(work.contacts.force[0])
    elastic = 1e6 * 2e-3**1.5
    factor = 0.75 * (1.0 - 0.6**2) * 0.5
    assert forces == pytest.approx([elastic * (1 + factor), elastic, elastic * (1 - factor), 0.0], rel=1e-9)


def test_histories_in_a_file_are_those_in_memory(prepared, monkeypatch):
    case, line = prepared()
    plain = run_whole_line(case, line, 1.3, 0.2).histories
    monkeypatch.setattr("dynamics.open_line.run_record.IN_MEMORY", 0)
    filed = run_whole_line(case, line, 1.3, 0.2).histories
    assert isinstance(filed.dropper_force, np.memmap)
    assert np.array_equal(filed.dropper_force, plain.dropper_force)
    assert np.array_equal(filed.support_uplift, plain.support_uplift)

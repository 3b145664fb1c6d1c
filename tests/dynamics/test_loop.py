"""The emulated loop against the steady state solved at once, and its parts one by one."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from catenary.errors import InputError
from dynamics.rig.loop.device import lumped_device, mass_device
from dynamics.rig.loop.emulation import emulate
from dynamics.rig.loop.engine import ForceError, LoopEngine, filtered_model
from dynamics.rig.loop.harmonics import harmonic_filter, harmonics_up_to, highest_frequency, largest_count
from dynamics.rig.loop.model import model_of
from dynamics.rig.loop.spec import ActuatorSpec, LoopSettings, RigSettings, SensorSpec
from dynamics.rig.loop.status import LoopStatus
from dynamics.rig.loop.steady import solve_steady
from dynamics.spec.case import PantographSpec

CONF = Path(__file__).resolve().parents[2] / "conf"
STIFF = 600.0e3


class Remote:
    """A device that is known by the interface alone."""

    def __init__(self, device):
        self.device = device

    def start(self, height):
        self.device.start(height)

    def force(self, height):
        return self.device.force(height)


@pytest.fixture(scope="module")
def model(influence):
    return model_of(influence)


@pytest.fixture
def pantograph(model):
    text = (CONF / "pantograph" / "bruni_2015.yaml").read_text(encoding="utf-8")
    return lumped_device(PantographSpec.model_validate(yaml.safe_load(text)), 165.0, STIFF, model.dt)


def rig(**loop):
    return RigSettings(loop=LoopSettings(**{"height_harmonics": 14, "ramp_s": 2.0, **loop}))


def rms(difference):
    return float(np.sqrt(np.mean(difference**2)))


def test_filter_is_that_of_the_equations():
    """Eqs 4 to 6 written out, for odd and even periods; the full count changes nothing, so Nyquist is not doubled."""
    for N in (15, 16):
        for count in (1, 4, 8):
            m, n = np.arange(count), np.arange(N)
            forth = np.exp(-2j * np.pi / N * np.outer(m, n))
            doubled = np.where(m == 0, 1.0, 2.0)
            literal = (np.exp(2j * np.pi / N * np.outer(n, m)) * doubled / N @ forth).real
            np.testing.assert_allclose(harmonic_filter(count, N), literal, atol=1e-14)
        np.testing.assert_allclose(harmonic_filter(largest_count(N), N), np.eye(N), atol=1e-13)
    assert highest_frequency(27, 390, 2e-3) == pytest.approx(33.33, abs=0.01)
    assert harmonics_up_to(25.0, 390, 2e-3) == 20 and harmonics_up_to(25.0, 360, 2e-3) == 19


@pytest.mark.parametrize(
    ("loop", "seconds", "tolerance"),
    [
        ({"contact_relaxation": 0.2}, 55.0, 0.2),
        ({"contact_relaxation": 0.2, "dropper_harmonics": 60}, 55.0, 0.2),
        # forgets slowly: 1 % a span
        ({"contact_relaxation": 0.1, "delay_steps": 1, "strategy": "step_by_step", "height_harmonics": 8}, 100.0, 0.6),
    ],
)
def test_settled_loop_is_the_steady_state_solved_at_once(model, pantograph, loop, seconds, tolerance):
    chosen = rig(**loop)
    run = emulate(model, pantograph, chosen, seconds)
    steady = solve_steady(model, pantograph, chosen.loop)
    assert run.status is steady.status is LoopStatus.OK, run.message
    assert (steady.correction_force > 0.0).sum() >= 5
    assert rms(run.mean_force - steady.contact_force) < tolerance
    assert np.abs(run.mean_correction - steady.correction_force).max() < 0.01 * steady.correction_force.max()
    np.testing.assert_allclose(run.mean_position, steady.height, atol=2e-5)


def test_steady_state_fulfils_the_loops_equations(model, pantograph):
    """Eqs 8, 11, 12 and the slack law, each written out; the device is stepped for some periods on that height."""
    settings = LoopSettings(height_harmonics=14, dropper_harmonics=60)
    found = solve_steady(model, pantograph, settings)
    line = filtered_model(model, settings).line
    f, fd, M = found.contact_force, found.correction_force, model.dropper_steps
    z = line.z0 + line.I_cc @ f + np.einsum("ndk,dk->n", line.I_cd, fd)
    np.testing.assert_allclose(found.height, z, atol=1e-12)
    e = line.I_dc @ f
    for d in range(model.droppers):
        for c in range(model.droppers):
            for k in np.flatnonzero(fd[c]):
                e[d] += model.K_dd[d, c, M - 1 - k : 2 * M - 1 - k] * fd[c, k]
    law = np.maximum(0.0, -(model.dropper_force[:, None] + model.dropper_stiffness * e))
    np.testing.assert_allclose(fd, law, atol=1e-4)
    pantograph.start(float(z[-1]))
    force = [pantograph.force(float(height)) for _ in range(60) for height in z][-model.steps :]
    np.testing.assert_allclose(force, f, atol=1e-3)


def test_without_slack_the_force_is_another(model, pantograph):
    with_slack, without = (solve_steady(model, pantograph, LoopSettings(height_harmonics=14, slack=s)) for s in (1, 0))
    assert without.correction_force.max() == 0.0
    assert rms(with_slack.contact_force - without.contact_force) > 1.0


def test_a_delay_that_is_not_compensated_shows(model, pantograph):
    ahead = emulate(model, pantograph, rig(contact_relaxation=0.2), 40.0)
    late = emulate(model, pantograph, rig(contact_relaxation=0.05, compensation=False), 40.0)
    assert rms(ahead.mean_force - late.mean_force) > 1.0


def test_a_remote_device_sees_the_same_rig(model, pantograph):
    """Through the interface and in compiled code: the same numbers, noise, ramp and quantisation included."""
    settings = RigSettings(
        loop=LoopSettings(height_harmonics=14, ramp_s=1.0),
        actuator=ActuatorSpec(ramp_steps=5, resolution_m=1e-5),
        sensor=SensorSpec(noise_N=2.0, resolution_N=0.5, seed=3),
    )
    compiled = emulate(model, pantograph, settings, 2.2)
    remote = emulate(model, Remote(pantograph), settings, 2.2)
    np.testing.assert_array_equal(compiled.force, remote.force)
    np.testing.assert_array_equal(compiled.command, remote.command)
    np.testing.assert_allclose(compiled.force % 0.5, 0.0, atol=1e-12)
    np.testing.assert_allclose(
        (compiled.position / 1e-5) % 1.0 % 1.0, np.round((compiled.position / 1e-5) % 1.0), atol=1e-6
    )


def test_heights_are_reached_after_the_delay_on_the_motors_ramp(model, pantograph):
    """Alone the motor is where it was sent 8 steps before; on its ramp it moves on lines between every fifth step."""
    plain = emulate(model, pantograph, rig(delay_steps=8), 3.0)
    np.testing.assert_array_equal(plain.position[8:], plain.command[:-8])
    ramped = emulate(
        model, pantograph, rig(delay_steps=8).model_copy(update={"actuator": ActuatorSpec(ramp_steps=5)}), 3.0
    )
    knots = np.arange(10, len(ramped.position), 5)
    np.testing.assert_array_equal(ramped.position[knots], ramped.command[knots - 8])
    between = ramped.position[knots[:-1]] + 0.4 * np.diff(ramped.position[knots])
    np.testing.assert_allclose(ramped.position[knots[:-1] + 2], between, atol=1e-12)


def test_the_ramp_scales_the_height_sent(model, pantograph):
    rest = replace(model, I_cc=0.0 * model.I_cc)
    run = emulate(rest, pantograph, rig(slack=False, ramp_s=1.0, height_harmonics=None), 4.0)
    k = np.arange(len(run.command))
    sent = model.z0[(k + 8) % model.steps] * np.minimum(1.0, (k + 1) / 500)
    np.testing.assert_allclose(run.command, sent, atol=1e-15)


def test_a_mass_returns_its_inertia_and_the_added_force_only_the_line_feels(model):
    mass = mass_device(6.6, STIFF, model.dt)
    plain = solve_steady(model, mass, LoopSettings(height_harmonics=14))
    pressed = solve_steady(model, mass, LoopSettings(height_harmonics=14, added_force_N=160.0))
    for found in (plain, pressed):
        assert found.status is LoopStatus.OK
        acceleration = (np.roll(found.height, -1) - 2.0 * found.height + np.roll(found.height, 1)) / model.dt**2
        assert found.contact_force.mean() == pytest.approx(0.0, abs=1e-8)
        # what differs is the joint's compliance: (f/48 Hz)^2, up to 14 % at 18 Hz
        assert rms(found.contact_force + 6.6 * acceleration) < 0.2 * found.contact_force.std()
    assert pressed.height.mean() > plain.height.mean() + 0.02


def test_a_force_that_is_not_a_number_is_refused_and_changes_nothing(model):
    engine = LoopEngine(model, LoopSettings(height_harmonics=14))
    engine.step(100.0)
    now = [*engine.state.now, *engine.state.frozen, engine.state.zm, *engine.state.sweep]
    before = [np.copy(a) for a in now]
    for force in (float("nan"), float("inf"), -3001.0):
        with pytest.raises(ForceError, match="must be a number within"):
            engine.step(force)
    assert engine.step_number == 1
    for was, array in zip(before, now, strict=True):
        np.testing.assert_array_equal(was, array)


def test_a_loop_that_runs_away_is_stopped_with_its_record(model, pantograph):
    chosen = rig(strategy="step_by_step", delay_steps=8, contact_relaxation=0.5, ramp_s=0.0)
    run = emulate(model, pantograph, chosen, 20.0)
    assert run.status is LoopStatus.STOPPED and "the loop was stopped at step" in run.message
    assert 0 < len(run.force) == len(run.time) < 10000
    assert np.isfinite(run.force).all()


def test_more_harmonics_than_a_span_holds_are_refused(model):
    with pytest.raises(InputError, match="height_harmonics must be at most 181"):
        LoopEngine(model, LoopSettings(height_harmonics=182))

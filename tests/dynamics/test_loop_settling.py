"""When a test has settled, and tests that start from a predicted steady state."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from dynamics.rig.loop.device import lumped_device
from dynamics.rig.loop.emulation import SPANS_AVERAGED, LoopRun, emulate
from dynamics.rig.loop.model import model_of
from dynamics.rig.loop.settling import CURVE_N, SIGMA_PERCENT, own_band, settling
from dynamics.rig.loop.spec import LoopSettings, RigSettings
from dynamics.rig.loop.status import LoopStatus
from dynamics.rig.loop.steady import slackened_model, solve_steady
from dynamics.rig.stability.search import radii
from dynamics.spec.case import PantographSpec

CONF = Path(__file__).resolve().parents[2] / "conf"
LOOP = LoopSettings(height_harmonics=14, contact_relaxation=0.2, ramp_s=3.0)


@pytest.fixture(scope="module")
def model(influence):
    return model_of(influence)


@pytest.fixture(scope="module")
def spec():
    text = (CONF / "pantograph" / "bruni_2015.yaml").read_text(encoding="utf-8")
    return PantographSpec.model_validate(yaml.safe_load(text))


class Remote:
    """A device that is known by the interface alone."""

    def __init__(self, device):
        self.start, self.force = device.start, device.force


def device(model, spec, head=1.0, applied=165.0):
    masses = (head * spec.masses[0], *spec.masses[1:])
    return lumped_device(spec.model_copy(update={"masses": masses}), applied, 600.0e3, model.dt)


def record_of(model, steady, excess):
    """Test whose spans are the steady force and what is in excess of it, (span, step)."""
    none = np.zeros(0)
    force = (steady.contact_force + excess).ravel()
    return LoopRun(LoopStatus.OK, "", none, force, none, none, none, none, none, none, SPANS_AVERAGED)


def test_a_known_decay_is_read_as_it_is(model, spec):
    """An error of one harmonic that falls by 5 % a span: factor, error and times by hand."""
    steady = solve_steady(model, device(model, spec), LOOP)
    factor, size, spans = 0.95, 6.0, 120
    # of a phase that does not move sigma to first order; its square does so by less than half a per cent at 1 N
    wave = np.sqrt(2.0) * np.cos(2.0 * np.pi * 12 * np.arange(model.steps) / model.steps)
    spectrum = np.fft.rfft(steady.contact_force)[12]
    wave = np.roll(wave, round((np.pi / 2.0 - np.angle(spectrum)) / (2.0 * np.pi * 12) * model.steps))
    fall = size * factor ** np.arange(spans)
    found = settling(model, LOOP, record_of(model, steady, fall[:, None] * wave), steady, factor)
    gain = found.error[0] / size
    assert 0.5 < gain < 1.0  # the twelfth harmonic of thirteen lies inside the band
    np.testing.assert_allclose(found.error, gain * fall, rtol=1e-9)
    assert found.factor == pytest.approx(factor, rel=1e-9)
    ten = np.mean(factor ** np.arange(SPANS_AVERAGED))
    np.testing.assert_allclose(found.curve, gain * ten * fall[: spans - SPANS_AVERAGED + 1], rtol=1e-9)
    inside = (found.curve <= CURVE_N) & (np.abs(found.sigma) <= SIGMA_PERCENT)
    first = int(np.argmax(inside))
    assert first > 5 and inside[first:].all()
    passage = model.steps * model.dt
    assert found.met_after == pytest.approx((first + SPANS_AVERAGED) * passage)
    assert found.predicted == pytest.approx(found.met_after, abs=2.01 * passage)


def test_what_has_not_settled_says_so(model, spec):
    steady = solve_steady(model, device(model, spec), LOOP)
    far = settling(model, LOOP, record_of(model, steady, np.full((20, 1), 2.0)), steady, 0.9)
    assert far.met_after is None and far.predicted is not None
    assert settling(model, LOOP, record_of(model, steady, np.full((20, 1), 2.0)), steady, 1.01).predicted is None
    assert settling(model, LOOP, record_of(model, steady, np.zeros((4, 1))), steady, 0.9).met_after is None  # too short


def test_own_band_is_that_of_the_last_harmonic(model):
    assert own_band(model, LOOP) == pytest.approx(13 / (model.steps * model.dt))
    assert own_band(model, LoopSettings()) == pytest.approx(0.45 / model.dt)


def test_errors_fall_as_the_slackened_radius_says(model, spec):
    """Near the steady state the line is the one with its droppers slack: the stepped loop shows its radius."""
    pressed = device(model, spec)
    steady = solve_steady(model, pressed, LOOP)
    slack = slackened_model(model, steady, LOOP)
    mu = LOOP.contact_relaxation
    wanted, without = radii((slack,), pressed, LOOP, (mu,))[mu], radii((model,), pressed, LOOP, (mu,))[mu]
    run = emulate(model, pressed, RigSettings(loop=LOOP), 60.0)
    found = settling(model, LOOP, run, steady, max(wanted, without))
    assert found.met_after is not None and found.predicted is not None and found.factor is not None
    assert found.factor == pytest.approx(wanted, abs=0.01)
    assert found.met_after < 1.1 * found.predicted


@pytest.mark.parametrize("strategy", ["span_by_span", "step_by_step"])
def test_a_right_prediction_is_kept(model, spec, strategy):
    """Played back behind the ramp, slack included: nothing is left to settle."""
    more = {"strategy": strategy, "delay_steps": 1, "contact_relaxation": 0.1, "height_harmonics": 8}
    loop = LOOP if strategy == "span_by_span" else LOOP.model_copy(update=more)
    pressed = device(model, spec)
    steady = solve_steady(model, pressed, loop)
    assert (steady.correction_force > 0.0).sum() > 5
    run = emulate(model, pressed, RigSettings(loop=loop), 16.0, predicted=steady)
    assert np.sqrt(np.mean((run.mean_force - steady.contact_force) ** 2)) < 0.2
    np.testing.assert_allclose(run.mean_position, steady.height, atol=1e-5)
    np.testing.assert_allclose(run.mean_correction, steady.correction_force, atol=1e-2 * steady.correction_force.max())


def test_a_prediction_for_another_pantograph_is_left_for_the_true_state(model, spec):
    light, heavy = device(model, spec), device(model, spec, 1.15)
    predicted, true = (solve_steady(model, d, LOOP) for d in (light, heavy))
    apart = np.sqrt(np.mean((predicted.contact_force - true.contact_force) ** 2))
    assert apart > 1.0
    run = emulate(model, heavy, RigSettings(loop=LOOP), 60.0, predicted=predicted)
    assert np.sqrt(np.mean((run.mean_force - true.contact_force) ** 2)) < 0.1 * apart
    # while the ramp lasts the prediction is sent, whatever is measured
    k = np.arange(round(LOOP.ramp_s / model.dt))
    sent = predicted.height[(k + LOOP.delay_steps) % model.steps] * (k + 1) / len(k)
    np.testing.assert_allclose(run.command[: len(k)], sent, atol=1e-6)


def test_a_prediction_knows_the_added_force_and_the_start_without_a_ramp(model, spec):
    loop = LOOP.model_copy(update={"added_force_N": 40.0, "ramp_s": 0.0})
    pressed = device(model, spec, applied=125.0)
    steady = solve_steady(model, pressed, loop)
    assert steady.status is LoopStatus.OK
    run = emulate(model, pressed, RigSettings(loop=loop), 25.0, predicted=steady)
    assert run.position[0] == pytest.approx(steady.height[0])
    assert np.sqrt(np.mean((run.mean_force - steady.contact_force) ** 2)) < 1.0


def test_a_remote_device_is_played_the_same_prediction(model, spec):
    pressed = device(model, spec)
    steady = solve_steady(model, pressed, LOOP)
    settings = RigSettings(loop=LOOP.model_copy(update={"ramp_s": 1.0}))
    compiled = emulate(model, pressed, settings, 2.2, predicted=steady)
    remote = emulate(model, Remote(replace(pressed)), settings, 2.2, predicted=steady)
    np.testing.assert_array_equal(compiled.force, remote.force)
    np.testing.assert_array_equal(compiled.command, remote.command)


def test_a_device_that_goes_wild_during_the_ramp_is_stopped(model, spec):
    """The loop is not given its force then, but the test ends all the same."""

    class Wild(Remote):
        def force(self, height):
            return float("nan")

    pressed = device(model, spec)
    steady = solve_steady(model, pressed, LOOP)
    wild = Wild.__new__(Wild)
    wild.start = pressed.start
    run = emulate(model, wild, RigSettings(loop=LOOP), 2.0, predicted=steady)
    assert run.status is LoopStatus.STOPPED and len(run.force) == 1

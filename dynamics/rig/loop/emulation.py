"""A whole test without metal: the loop, the actuator's way, the device, and what the last spans show.

A device of ours is stepped in compiled code, any other through its interface; both see the same actuator and sensor.
A test starts from the line at rest, or from a periodic state that was predicted: its heights are then played back
while the ramp lasts, and measured forces enter from the ramp's end on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.rig.loop.device import Device, LumpedDevice
from dynamics.rig.loop.device_kernel import RING, Records, Rig, actuator_position, run_block
from dynamics.rig.loop.engine import LoopEngine
from dynamics.rig.loop.model import PeriodicModel
from dynamics.rig.loop.spec import RigSettings
from dynamics.rig.loop.status import LoopStatus
from dynamics.rig.loop.steady import LoopSteadyState

__all__ = ["SPANS_AVERAGED", "LoopRun", "emulate"]

SPANS_AVERAGED = 10
Array = NDArray[np.float64]


@dataclass(frozen=True)
class LoopRun:
    """Record of one test.

    Attributes
    ----------
    status : LoopStatus
        `OK`, or `STOPPED` where a force or height left its bounds.
    message : str
        Why it stopped.
    time, force, position, command : float array (time,)
        [s]; force as measured, without what is added to it [N]; height reached and height sent [m].
    change : float array (span,)
        RMS change of the force from one whole span to the next [N]; the first is that from nothing.
    mean_force, mean_position : float array (step,)
        Mean of the last spans, station by station [N], [m].
    mean_correction : float array (dropper, dropper step)
        Mean correction force after each of the last spans [N].
    spans_averaged : int
        How many of them there were.
    """

    status: LoopStatus
    message: str
    time: Array
    force: Array
    position: Array
    command: Array
    change: Array
    mean_force: Array
    mean_position: Array
    mean_correction: Array
    spans_averaged: int


class _Test:
    """State of a test block by block: loop, references in transit, sensor."""

    def __init__(
        self, engine: LoopEngine, device: Device, settings: RigSettings, predicted: LoopSteadyState | None
    ) -> None:
        self.engine, self.device, self.settings = engine, device, settings
        self.noise = np.random.default_rng(settings.sensor.seed)
        self.ring = np.zeros(RING)
        rest = engine.filtered.line.z0
        if predicted is not None:
            rest = predicted.height
            engine.start_from(predicted.contact_force, predicted.correction_force, predicted.height)
        if engine.ramp_steps == 0:
            # without a ramp the test starts at the height of the line at rest, or of the prediction
            for k in range(settings.loop.delay_steps):
                self.ring[k] = rest[k % len(rest)]
        device.start(float(self.ring[0]))

    def block(self, first: int, out: Records) -> int:
        """Run one span from step ``first``; steps done before force or height left their bounds."""
        out.noise[:] = self.noise.normal(0.0, self.settings.sensor.noise_N, len(out.noise))
        if isinstance(self.device, LumpedDevice):
            done = int(run_block(first, self.engine.loop, self.device.constants, self.device.state, self._rig(), out))
            self.engine.step_number = first + done
            return done
        return self._by_interface(first, out)

    def _rig(self) -> Rig:
        """Actuator, sensor and limits as the compiled block takes them."""
        s, predicted = self.settings, self.engine.predicted_force
        return Rig(
            ring=self.ring,
            ramp=s.actuator.ramp_steps,
            height_resolution=s.actuator.resolution_m,
            force_resolution=s.sensor.resolution_N,
            added_force=s.loop.added_force_N,
            largest_force=s.loop.largest_force_N,
            largest_height=s.loop.largest_height_m,
            predicted=np.zeros(1) if predicted is None else predicted,
            hold=self.engine.held_steps,
        )

    def _by_interface(self, first: int, out: Records) -> int:
        """Step a device that is known by its interface alone."""
        noise, force, position, command = out
        s = self.settings
        for i in range(len(force)):
            k = first + i
            z = float(actuator_position(k, self.ring, s.actuator.ramp_steps, s.actuator.resolution_m))
            f = float(self.device.force(z)) + noise[i]
            grain = s.sensor.resolution_N
            f = round(f / grain) * grain if grain > 0.0 and np.isfinite(f) else f
            position[i], force[i] = z, f
            if not abs(f) <= s.loop.largest_force_N:
                return i
            command[i] = self.engine.step(f)
            if not abs(command[i]) <= s.loop.largest_height_m:
                return i
            self.ring[(k + s.loop.delay_steps) % RING] = command[i]
        return len(force)


def emulate(
    model: PeriodicModel,
    device: Device,
    settings: RigSettings,
    duration: float = 120.0,
    progress: Callable[[int, int, float], None] | None = None,
    predicted: LoopSteadyState | None = None,
) -> LoopRun:
    """Run a test of ``duration`` [s], in whole spans, and average its last ten (Gil et al., section 5).

    Parameters
    ----------
    model, device, settings
        The line, what stands on the rig, and how the loop is closed.
    duration : float
        [s].
    progress : callable, optional
        Called after every span with its number, the number of spans, and the change of force [N].
    predicted : LoopSteadyState, optional
        Periodic state to start from, of the same filters; without it the line at rest.
    """
    engine = LoopEngine(model, settings.loop)
    test = _Test(engine, device, settings, predicted)
    N, spans = model.steps, max(2, round(duration / (model.steps * model.dt)))
    records = np.zeros((4, spans, N))
    corrections = np.zeros(engine.correction_force.shape)
    change, message, done, last = np.zeros(spans), "", 0, min(SPANS_AVERAGED, spans)
    for b in range(spans):
        out = Records(records[0, b], records[1, b], records[2, b], records[3, b])
        done = test.block(b * N, out)
        if done < N:
            message = _out_of_bounds(b * N + done, out.force[done], out.command[done], settings)
            spans = b
            break
        change[b] = float(np.sqrt(np.mean((records[1, b] - (records[1, b - 1] if b else 0.0)) ** 2)))
        if b >= spans - last:
            corrections += engine.correction_force / last
        if progress is not None:
            progress(b + 1, spans, change[b])
    count = spans * N if not message else spans * N + done + 1
    whole = slice(max(0, spans - last), max(spans, 1))
    flat = records.reshape(4, -1)[:, :count]
    return LoopRun(
        status=LoopStatus.STOPPED if message else LoopStatus.OK,
        message=message,
        time=np.arange(count, dtype=np.float64) * model.dt,
        force=flat[1],
        position=flat[2],
        command=flat[3],
        change=change[:spans],
        mean_force=records[1, whole].mean(axis=0),
        mean_position=records[2, whole].mean(axis=0),
        mean_correction=corrections,
        spans_averaged=min(last, spans),
    )


def _out_of_bounds(step: int, force: float, height: float, settings: RigSettings) -> str:
    loop = settings.loop
    if not abs(force) <= loop.largest_force_N:
        what = f"the measured force is {force:.0f} N, beyond ±{loop.largest_force_N:g} N"
    else:
        what = f"the height to send is {1e3 * height:.0f} mm, beyond ±{1e3 * loop.largest_height_m:g} mm"
    return f"the loop was stopped at step {step}: {what}"

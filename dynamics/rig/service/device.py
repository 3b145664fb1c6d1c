"""The other side in real time: an emulated pantograph and actuator that measure, ask and move every step."""

from __future__ import annotations

import math
import select
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic_ns, sleep

import numpy as np

from catenary.errors import InputError
from dynamics.rig.loop.device import LumpedDevice
from dynamics.rig.loop.device_kernel import RING, actuator_position
from dynamics.rig.loop.spec import ActuatorSpec, SensorSpec
from dynamics.rig.service.frames import Frame, Kind, Mark, Reason, Refusal, pack, unpack
from dynamics.rig.service.guard import OutputGuard
from dynamics.rig.service.spec import AddressSpec, LimitsSpec, StopSpec
from dynamics.rig.service.udp import RECEIVE_BYTES

__all__ = ["DeviceRun", "EmulatedRig", "agreed_delay", "greet", "run_device"]

GREETING_WAIT = 0.1
SPIN_NS = 200_000
SHORTEST_STEP, LONGEST_STEP, LONGEST_DELAY = 1e-4, 0.1, 100


class EmulatedRig:
    """Pantograph on an actuator that moves from reference to reference, with a load cell between them.

    Parameters
    ----------
    device : LumpedDevice
        The pantograph.
    actuator, sensor : ActuatorSpec, SensorSpec
        How it is moved and measured.
    delay : int
        Steps from a force's measurement to the height that answers it being reached.
    rest : float
        Height at which it waits [m].
    """

    def __init__(
        self, device: LumpedDevice, actuator: ActuatorSpec, sensor: SensorSpec, delay: int, rest: float
    ) -> None:
        self._device, self._actuator, self._sensor, self._delay = device, actuator, sensor, delay
        self._ring = np.full(RING, rest)
        self._noise = np.random.default_rng(sensor.seed)
        self.rest, self._last, self._answered = rest, rest, -1
        device.start(rest)

    def measure(self, step: int) -> tuple[float, float]:
        """Move to a step's height; force as it is measured [N] and height reached [m]."""
        height = float(actuator_position(step, self._ring, self._actuator.ramp_steps, self._actuator.resolution_m))
        force = self._device.force(height) + self._noise.normal(0.0, self._sensor.noise_N)
        grain = self._sensor.resolution_N
        return (round(force / grain) * grain if grain > 0.0 else force), height

    def answer(self, step: int, height: float) -> None:
        """Receive the height that answers the force of a step, even of one still to be measured."""
        self._answered = max(self._answered, step)
        self._ring[(step + self._delay) % RING] = height
        self._last = height

    def hold(self, step: int) -> None:
        """Use the last height for a step until its answer comes."""
        if step <= self._answered:
            return  # the server continued without our force
        self._ring[(step + self._delay) % RING] = self._last


@dataclass
class DeviceRun:
    """Record of a device.

    Attributes
    ----------
    reason : Reason or None
        Why the test ended.
    silent, stopping : bool
        Whether it ended because the server fell silent; whether the server leads to the safe height.
    steps, missed, late_ticks : int
        Steps; those whose answer came after the next one was due; those that began more than a step late.
    round_trips, force, height : list of float
        [s]; force measured [N] and height reached [m], step by step.
    """

    reason: Reason | None = None
    silent: bool = False
    stopping: bool = False
    steps: int = 0
    missed: int = 0
    late_ticks: int = 0
    round_trips: list[float] = field(default_factory=list)
    force: list[float] = field(default_factory=list)
    height: list[float] = field(default_factory=list)


def greet(sock: socket.socket, address: AddressSpec, steps: int, dt: float, patience: float) -> Frame:
    """Request a test from the server, for ``patience`` seconds; return its welcome.

    Raises
    ------
    InputError
        If no server answers in that time, or it refuses, or offers a test that cannot be.
    """
    hello = pack(Frame(Kind.HELLO, steps=steps, step_ns=round(1e9 * dt)))
    where = (address.host, address.port)
    until = monotonic_ns() + round(1e9 * patience)
    while monotonic_ns() < until:
        sock.sendto(hello, where)
        ready, _, _ = select.select([sock], [], [], GREETING_WAIT)
        try:
            frame = unpack(sock.recv(RECEIVE_BYTES)) if ready else ""
        except OSError:  # nobody listens yet
            sleep(GREETING_WAIT)
            continue
        if isinstance(frame, Frame) and frame.kind is Kind.WELCOME:
            return _possible(frame, address)
        if isinstance(frame, Frame) and frame.kind is Kind.REFUSAL:
            raise InputError([_refusal_sentence(frame, steps, dt, address)])
    raise InputError(
        [
            f"address must be that of a running server: nothing answered at {address.host}:{address.port} for "
            f"{patience:g} s; start `catenary rig serve` first"
        ]
    )


def _possible(welcome: Frame, address: AddressSpec) -> Frame:
    """A welcome whose test can be run."""
    step, steps, delay = 1e-9 * welcome.step_ns, welcome.steps, welcome.second
    if SHORTEST_STEP <= step <= LONGEST_STEP and steps >= 1 and welcome.value >= 1.0 and 1.0 <= delay <= LONGEST_DELAY:
        return welcome
    raise InputError(
        [
            f"the server at {address.host}:{address.port} must offer steps of {1e3 * SHORTEST_STEP:g} to "
            f"{1e3 * LONGEST_STEP:g} ms and a delay of 1 to {LONGEST_DELAY} steps: got {welcome.value:g} steps of "
            f"{1e3 * step:g} ms, {steps} a span, delay {delay:g}"
        ]
    )


def agreed_delay(welcome: Frame, wanted: int) -> int:
    """Steps from force to height that both sides count on; ``wanted`` is the device's own number, 0 for the server's.

    Raises
    ------
    InputError
        If they differ: the loop would be another one than that which was judged stable.
    """
    offered = round(welcome.second)
    if wanted not in (0, offered):
        raise InputError([f"delay_steps must be {offered}, on which the server counts: got {wanted} steps"])
    return offered


def _refusal_sentence(frame: Frame, steps: int, dt: float, address: AddressSpec) -> str:
    where = f"the server at {address.host}:{address.port}"
    if frame.status not in list(Refusal):
        return f"{where} must be of this version: it refuses for a reason that is not known here ({frame.status})"
    return {
        Refusal.BUSY: f"{where} must be free: it has a test with another device; wait for its end",
        Refusal.OVER: f"{where} must wait for a test: its own is over; start it again",
        Refusal.OTHER_STEPS: f"steps_per_span must be {frame.steps}, as in the bundle of {where}: got {steps}",
        Refusal.OTHER_STEP: f"dt must be {1e-9 * frame.step_ns:g} s, as in the bundle of {where}: got {dt:g} s",
    }[Refusal(frame.status)]


def run_device(
    sock: socket.socket,
    welcome: Frame,
    rig: EmulatedRig,
    watchdog: float,
    should_stop: Callable[[int], bool],
) -> DeviceRun:
    """Measure, ask and move in real time until the server says farewell or falls silent.

    The server counts on an answer from its welcome on: nothing that takes longer than a step may come in between.

    Parameters
    ----------
    sock : socket
        Connected to the server.
    welcome : Frame
        The server's welcome.
    rig : EmulatedRig
        What is moved and measured.
    watchdog : float
        Silence of the server after which the actuator goes to its safe height by itself [s].
    should_stop : callable
        Whether to ask for an emergency stop at a step; it is asked for in every step until the server obeys.
    """
    run, dt_ns = DeviceRun(), welcome.step_ns
    begin = heard = monotonic_ns() + dt_ns
    trip, asked, step = math.nan, False, 0
    while run.reason is None:
        due = begin + step * dt_ns
        run.late_ticks += _wait_until(due) > dt_ns
        force, height = rig.measure(step)
        run.force.append(force)
        run.height.append(height)
        asked = asked or should_stop(step)
        if asked and not run.stopping:  # again and again: any one of them may be lost
            _send(sock, Frame(Kind.STOP, welcome.session, step, monotonic_ns()))
        rig.hold(step)
        sent = monotonic_ns()
        # the stamp is the step's own time, not that of sending, so that catching up does not look like another rate
        _send(sock, Frame(Kind.FORCE, welcome.session, step, due, force, height, trip))
        answered, trip, last = _listen(sock, rig, run, (welcome.session, step, sent), due + dt_ns)
        heard = last or heard
        run.missed += not answered and run.reason is None
        step += 1
        if monotonic_ns() - heard > 1e9 * watchdog:
            _come_down(rig, run, step, dt_ns)
            break
    run.steps = step
    return run


def _wait_until(due: int) -> int:
    """Sleep, then spin, until a monotonic time [ns]; how late it has become [ns]."""
    left = due - monotonic_ns() - SPIN_NS
    if left > 0:
        sleep(1e-9 * left)
    while (now := monotonic_ns()) < due:
        pass
    return now - due


def _send(sock: socket.socket, frame: Frame) -> None:
    try:
        sock.send(pack(frame))
    except OSError:  # the server is gone or its queue is full; the watchdog decides
        return


def _listen(
    sock: socket.socket, rig: EmulatedRig, run: DeviceRun, asked: tuple[int, int, int], until: int
) -> tuple[bool, float, int]:
    """Receive answers until that of the requested step has come or its time is over.

    ``asked`` is session, step, and when its force was sent [ns]. Whether it came, its round trip [s], when a frame was
    heard.
    """
    session, step, sent = asked
    heard = 0
    while True:
        left = 1e-9 * (until - monotonic_ns())
        ready, _, _ = select.select([sock], [], [], max(0.0, left - 1e-9 * SPIN_NS))
        if not ready:
            return False, math.nan, heard
        try:
            frame = unpack(sock.recv(RECEIVE_BYTES))
        except ConnectionError:  # the server has gone; its farewell may lie behind this news of it
            continue
        except OSError:
            return False, math.nan, heard
        now = monotonic_ns()
        if not isinstance(frame, Frame) or frame.session != session:
            continue
        heard = now
        if frame.kind is Kind.FAREWELL:
            run.reason = Reason(frame.status) if frame.status in list(Reason) else Reason.INTERRUPTED
            return True, math.nan, heard
        if frame.kind is Kind.HEIGHT and math.isfinite(frame.value):
            rig.answer(frame.sequence, frame.value)
            run.stopping = run.stopping or bool(frame.status & Mark.STOPPING)
            if frame.sequence == step and frame.time_ns:
                trip = 1e-9 * (now - sent)
                run.round_trips.append(trip)
                return True, trip, heard


def _come_down(rig: EmulatedRig, run: DeviceRun, step: int, dt_ns: int) -> None:
    """Go to the height of rest by itself, since the server is silent."""
    guard = OutputGuard(LimitsSpec(), StopSpec(safe_height_m=rig.rest), 1e-9 * dt_ns)
    guard.last = run.height[-1]
    guard.begin_stop()
    while not guard.stopped:
        guard.pass_time(monotonic_ns())
        run.height.append(guard.stopping_height())
        sleep(1e-9 * dt_ns)
    rig.answer(step, guard.last)
    run.reason, run.silent = Reason.SILENT, True

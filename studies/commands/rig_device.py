"""Emulate the pantograph and actuator of a rig in real time, as a process of its own.

catenary rig device pantograph=dsa380 applied_force_N=157.3
catenary rig device address.host=192.168.0.2 steps_per_span=390 dt=2e-3
catenary rig device stop_after_s=10                                asks for an emergency stop

It greets `catenary rig serve`, then measures, requests a height and moves once a step until the server ends the test.
When the server falls silent the actuator comes down by itself. Ctrl-C, or SIGTERM, asks the server for an emergency
stop and follows it to the safe height; a second one ends the process at once. Exit code 1 when the test did not run to
its end.
"""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from studies.input.compose import Composed, compose_job
from studies.jobs.service import DeviceJob

__all__ = ["CONFIG", "JOB", "compose", "run"]

JOB = DeviceJob
CONFIG = "rig_device"


def compose(overrides: list[str]) -> Composed[DeviceJob]:
    """Resolve and validate the input; refuse a pantograph that is not of lumped masses."""
    from studies.rig.on_rig import refuse_no_chain

    composed = compose_job(CONFIG, JOB, overrides)
    refuse_no_chain(composed.job.pantograph)
    return composed


def run(composed: Composed[DeviceJob]) -> int:
    """Be the device of one test; 1 when it was stopped before its end."""
    from dynamics.rig.loop.device import lumped_device
    from dynamics.rig.service.device import EmulatedRig, agreed_delay, greet, run_device
    from dynamics.rig.service.frames import Reason
    from dynamics.rig.service.promptness import undisturbed
    from dynamics.rig.service.steps import SENTENCES

    job = composed.job
    last_step = float("inf") if job.stop_after_s is None else job.stop_after_s

    def emulated(dt: float, delay: int) -> EmulatedRig:
        device = lumped_device(job.pantograph, job.applied_force_N, job.contact.stiffness, dt, job.damping_ratio)
        return EmulatedRig(device, job.actuator, job.sensor, delay, job.rest_height_m)

    emulated(2.0e-3, 1).measure(0)  # compiled, and what is collected is, before the server waits
    with undisturbed(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        welcome = greet(sock, job.address, job.steps_per_span, job.dt, job.patience_s)
        sock.connect((job.address.host, job.address.port))
        dt = 1e-9 * welcome.step_ns
        rig = emulated(dt, agreed_delay(welcome, job.delay_steps))
        print(f"Test of {welcome.value:.0f} steps of {1e3 * dt:g} ms, {welcome.steps} a span.", flush=True)
        with _interrupts() as interrupted:
            done = run_device(
                sock, welcome, rig, 1e-3 * job.watchdog_ms, lambda step: bool(interrupted) or step * dt >= last_step
            )
    print(f"{done.steps} steps, {done.missed} answers missed their step, {done.late_ticks} steps began a step late.")
    if done.round_trips:
        p50, p999 = 1e3 * np.percentile(done.round_trips, [50, 99.9])
        print(f"Round trip: median {p50:.3f} ms, p99.9 {p999:.3f} ms, largest {1e3 * max(done.round_trips):.3f} ms")
    assert done.reason is not None
    if done.reason is Reason.DONE:
        return 0
    who = "the server fell silent; the actuator came down by itself" if done.silent else SENTENCES[done.reason]
    print(f"The test stopped: {who}.", file=sys.stderr)
    return 1


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Note the first Ctrl-C or SIGTERM, so that the device asks for a stop; the second does what it always does."""
    noted: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def give_back() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def note(number: int, _: object) -> None:
        noted.append(number)
        give_back()

    for number in before:
        signal.signal(number, note)
    try:
        yield noted
    finally:
        give_back()

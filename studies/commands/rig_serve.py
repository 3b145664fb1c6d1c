"""Step a bundle over UDP for the controller of a rig; every step is guarded and recorded.

catenary rig serve bundle=outputs/rig/re330
catenary rig serve bundle=outputs/rig/re330 loop.height_harmonics=20 service.address.host=192.168.0.2
catenary rig serve bundle=outputs/rig/re330 start=predicted        starts near where it would settle
catenary rig serve bundle=outputs/rig/re330 dry_run=true           the whole test without a device, in a few seconds

The pantograph of a dry run or prediction, and its force, are those that the bundle was made for, unless they are given.
Strategy, delay, harmonics and relaxation are those that `catenary rig map` stored in the bundle, unless they are given.
The server waits for one device (`catenary rig device` is an emulated one), answers every force with a height, and
leaves run.nc, summary.json and figures in the run's folder. A force that does not come in time has a substitute;
silence, absurd forces, limits of height or speed, another rate, a stop frame, the emergency stop at its own address
(`catenary rig stop`) and Ctrl-C lead to the safe height and end the test with exit code 1; a whole test with more
substitutes than service.loss.largest_share_percent ends with it too. Frames, limits and the emergency stop are written
out in docs/reference/rig-service.md.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from catenary.errors import InputError, WriteError
from studies.input.compose import Composed, compose_job
from studies.jobs.service import ServeJob
from studies.writing.run_folder import RunFolder, fresh_folder

if TYPE_CHECKING:
    import socket

    from dynamics.rig.loop.device import LumpedDevice
    from dynamics.rig.loop.engine import LoopEngine
    from dynamics.rig.service.emergency.listener import EmergencyStop
    from dynamics.rig.service.journal import Journal
    from dynamics.rig.service.session import RigSession
    from studies.rig.on_rig import OnRig

__all__ = ["CONFIG", "JOB", "compose", "live_line", "run"]

JOB = ServeJob
CONFIG = "rig_serve"
WARM_STEPS = 3


def compose(overrides: list[str]) -> Composed[ServeJob]:
    """Resolve and validate the input."""
    return compose_job(CONFIG, JOB, overrides)


def run(composed: Composed[ServeJob]) -> int:
    """Serve one test; 1 when it was stopped before its end."""
    from dynamics.rig.loop.engine import LoopEngine
    from dynamics.rig.loop.model import read_model
    from dynamics.rig.service.frames import Reason
    from dynamics.rig.service.journal import Journal
    from dynamics.rig.service.steps import SENTENCES
    from studies.jobs.served_loop import judged_otherwise, served_settings
    from studies.rig.on_rig import for_a_real_one, on_rig
    from studies.rig.served_run import finish

    job = composed.job
    print(f"Reading {job.bundle}; start the device when this server says that it waits.", flush=True)
    bundle = Path(job.bundle)
    model, manifest = read_model(bundle)
    loop, loop_sentence, radius = served_settings(job.loop, bundle, manifest, job.service.limits.force_N)
    engine = LoopEngine(model, loop)
    emulated = job.dry_run or job.start == "predicted"
    rig = on_rig(job, manifest, bundle) if emulated else None
    device = None if rig is None else _pressed(rig, engine, job)
    device_sentence = "" if device is None else _begin(engine, job, device)
    for _ in range(WARM_STEPS):  # compiled before anybody waits for an answer
        LoopEngine(model, loop, engine.filtered).step(100.0)
    with ExitStack() as opened:
        ways = None if job.dry_run else _open(opened, job, model.dt)
        if rig is not None:
            composed = replace(composed, job=job.model_copy(update=rig.given))
        folder = RunFolder(fresh_folder("rig_serve", model.name, job.run_dir), "rig_serve", composed)
        for sentence in filter(
            None, (loop_sentence, *(for_a_real_one(manifest) if rig is None else rig.notes), device_sentence)
        ):
            folder.say(sentence)
        if job.dry_run and rig is not None and radius is not None:
            for sentence in judged_otherwise(bundle, rig.pantograph, job.contact.stiffness):
                folder.warn(f"{sentence[0].upper()}{sentence[1:]}: whether this loop settles is not known")
                radius = None
        about = _about(job, engine, manifest, radius)
        journal = Journal(folder.path / "run.journal", about)
        session = _session(job, engine, journal, folder)
        opened.callback(_close, journal, session, folder)
        began = perf_counter()
        if ways is not None:
            _serve(session, ways, job, folder)
        elif device is not None:
            _dry_run(session, job, device, loop.delay_steps)
    sentence = SENTENCES[session.reason].capitalize()
    said = f"{sentence} after {session.steps.number} steps, {perf_counter() - began:.1f} s."
    code = finish(folder, job, about, session.steps, (session.reason, said))
    whole = session.steps.unwritten is None
    return 0 if session.reason is Reason.DONE and whole and code == 0 else 1


def _close(journal: Journal, session: RigSession, folder: RunFolder) -> None:
    """End the journal; where it is not known to be on the disk itself, say so: what can be read counts."""
    from studies.rig.served_run import tell

    try:
        journal.close()
    except WriteError as error:
        session.steps.unwritten = error
        tell(folder, f"{error.filename} may have lost its end: {error.strerror}", warning=True)


def _about(job: ServeJob, engine: LoopEngine, manifest: dict[str, Any], radius: float | None) -> dict[str, Any]:
    """Summary of the test by its record; ``radius`` is the loop's spectral radius where it is known."""
    model, spans = engine.model, manifest.get("spans_m")
    return {
        "catenary": model.name,
        "bundle": str(job.bundle),
        "bundle_commit": str(manifest.get("commit", "")),
        "steps_per_span": model.steps,
        "dt_s": model.dt,
        "speed_m_per_s": model.speed,
        "span_m": model.span,
        "spans_of_a_period": max(1, len(spans)) if isinstance(spans, list) else 1,
        "dry_run": int(job.dry_run),
        "start": job.start,
        "loop": engine.settings.model_dump_json(),
        **({} if radius is None else {"spectral_radius": radius}),
        "filter": f"{job.signal.kind} {job.signal.cutoff_hz:g} Hz, zero phase",
    }


def _open(opened: ExitStack, job: ServeJob, dt: float) -> tuple[socket.socket, EmergencyStop]:
    """Socket of the exchange with the device, and the emergency stop that listens alongside."""
    from dynamics.rig.service.emergency.listener import EmergencyStop
    from dynamics.rig.service.udp import open_socket

    sock = opened.enter_context(open_socket(job.service.address.host, job.service.address.port))
    return sock, opened.enter_context(EmergencyStop(job.service, sock, round(1e9 * dt)))


def _pressed(rig: OnRig, engine: LoopEngine, job: ServeJob) -> LumpedDevice:
    """The pantograph of a dry run, or that a prediction is made for."""
    from studies.jobs.pressed import pressed_pantograph

    press = rig.press(job.contact.stiffness, job.damping_ratio)
    return pressed_pantograph(engine.model, rig.pantograph, press, engine.settings)


def _begin(engine: LoopEngine, job: ServeJob, device: LumpedDevice) -> str:
    """Start the loop from the predicted state where requested; return a sentence on it.

    Raises
    ------
    InputError
        If the pantograph has no steady state to begin with.
    """
    from dynamics.rig.loop.status import LoopStatus
    from dynamics.rig.loop.steady import solve_steady

    if job.start == "rest":
        return ""
    model, settings = engine.model, engine.settings
    pressed = f"{device.spec.name} pressed by {device.applied_force:g} N"
    print(f"Solving for the state that {device.spec.name} comes to on {model.name}.", flush=True)
    steady = solve_steady(model, device, settings)
    if steady.status is not LoopStatus.OK:
        raise InputError(
            [
                f"start must be rest here: {pressed} has no steady state that could be played "
                f"back ({steady.status.sentence})"
            ]
        )
    engine.start_from(steady.contact_force, steady.correction_force, steady.height)
    return (
        f"Start: the steady state predicted for {pressed} (mean force {steady.contact_force.mean():.1f} N) is played "
        f"back for {settings.ramp_s:g} s; measured forces enter after it"
    )


def _session(job: ServeJob, engine: LoopEngine, journal: Journal, folder: RunFolder) -> RigSession:
    """Session around the loop's engine, everything it says in the log."""
    from dynamics.rig.service.session import RigSession, TestPlan
    from dynamics.rig.service.steps import StepTaker
    from studies.rig.served_run import tell

    model = engine.model
    steps = max(1, round(job.duration_s / model.dt))
    plan = TestPlan(model.steps, model.dt, steps, engine.settings.delay_steps)

    def say(line: str) -> None:
        tell(folder, line, warning=True)  # a disk that takes no log must not end the test: the journal stops it

    taker = StepTaker(engine, job.service, model.dt, journal.add, say)
    return RigSession(taker, job.service, plan, say)


def _serve(session: RigSession, ways: tuple[socket.socket, EmergencyStop], job: ServeJob, folder: RunFolder) -> None:
    """Wait for a device and serve it, with one line that shows where the test is."""
    from dynamics.rig.service.server import serve

    address, stop = job.service.address, job.service.emergency_stop
    folder.say(f"Waiting for a device at {address.host}:{address.port}, UDP; Ctrl-C leads to the safe height and ends.")
    with_key = "" if stop.key is None else " with its key"
    folder.say(
        f"Emergency stop at {stop.host}:{stop.port}, UDP{with_key}: `catenary rig stop address.host={stop.host} "
        f"address.port={stop.port}`, or a datagram with STOP."
    )
    show = live_line if sys.stderr.isatty() else _quiet
    serve(session, *ways, show)
    if show is live_line:
        print(file=sys.stderr)


def live_line(session: RigSession) -> None:
    """Print where the test is, over the line before."""
    steps, counts = session.steps, session.counts
    text = (
        f"\rstep {steps.number}  force {steps.force:7.1f} N  height {1e3 * steps.guard.last:7.2f} mm  "
        f"round trip {1e3 * steps.round_trip:6.3f} ms  lost {counts.lost}  late {counts.late}  {session.state}  "
    )
    print(text, end="", file=sys.stderr, flush=True)


def _quiet(session: RigSession) -> None:
    """Nothing is shown where nobody looks: the log has what happened."""


def _dry_run(session: RigSession, job: ServeJob, device: LumpedDevice, delay: int) -> None:
    """Step the whole test with the emulated device and a clock that runs as fast as the computer."""
    from dynamics.rig.service.device import EmulatedRig
    from dynamics.rig.service.dry_run import dry_run

    rest = job.service.stop.safe_height_m
    dry_run(session, EmulatedRig(device, job.actuator, job.sensor, delay, rest), 1e-9 * session.step_ns)

"""A bundle stepped over UDP for the controller of a rig, every step guarded and on record.

catenary rig serve bundle=outputs/rig/re330
catenary rig serve bundle=outputs/rig/re330 loop.height_harmonics=27 service.address.host=192.168.0.2
catenary rig serve bundle=outputs/rig/re330 dry_run=true           the whole test without a device, in a few seconds

The server waits for one device (`catenary rig device` is an emulated one), answers every force with a height, and
leaves run.nc, summary.json and figures in the run's folder. A force that does not come in time has a substitute;
silence, absurd forces, limits of height or speed, a stop frame and Ctrl-C lead to the safe height and end the test
with exit code 1. Frames, limits and the emergency stop are written out in dynamics/README.md, "The rig's service".
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from catenary.errors import InputError
from studies.compose import Composed, compose_job
from studies.rig.service_jobs import ServeJob
from studies.run_folder import RunFolder, fresh_folder

if TYPE_CHECKING:
    from dynamics.loop.engine import LoopEngine
    from dynamics.rig_service.journal import Journal
    from dynamics.rig_service.session import RigSession

__all__ = ["CONFIG", "JOB", "compose", "run"]

JOB = ServeJob
CONFIG = "rig_serve"
WARM_STEPS = 3


def compose(overrides: list[str]) -> Composed[ServeJob]:
    """Resolve and validate the input."""
    return compose_job(CONFIG, JOB, overrides)


def run(composed: Composed[ServeJob]) -> int:
    """Serve one test; 1 when it was stopped before its end."""
    from dynamics.loop.engine import LoopEngine
    from dynamics.loop.model import read_model
    from dynamics.rig_service.frames import Reason
    from dynamics.rig_service.journal import Journal
    from dynamics.rig_service.server import open_socket
    from dynamics.rig_service.steps import SENTENCES
    from studies.rig.served_run import finish

    job = composed.job
    model, manifest = read_model(Path(job.bundle))
    engine = LoopEngine(model, job.loop)
    _refuse_small_limit(job)
    for _ in range(WARM_STEPS):  # compiled before anybody waits for an answer
        LoopEngine(model, job.loop, engine.filtered).step(100.0)
    sock = None if job.dry_run else open_socket(job.service.address)
    path = fresh_folder("rig_serve", model.name, job.run_dir)
    folder = RunFolder(path, "rig_serve", composed)
    about = {
        "catenary": model.name,
        "bundle": str(job.bundle),
        "bundle_commit": str(manifest.get("commit", "")),
        "steps_per_span": model.steps,
        "dt_s": model.dt,
        "speed_m_per_s": model.speed,
        "span_m": model.span,
        "dry_run": int(job.dry_run),
        "filter": f"{job.signal.kind} {job.signal.cutoff_hz:g} Hz, zero phase",
    }
    journal = Journal(path / "run.journal", about)
    session = _session(job, engine, journal, folder)
    began = perf_counter()
    try:
        if sock is None:
            _dry_run(session, job, model.dt)
        else:
            _serve(session, sock, job, folder)
    finally:
        journal.close()
        if sock is not None:
            sock.close()
    code = finish(folder, job, about, session.counts, session.reason)
    folder.say(
        f"{SENTENCES[session.reason].capitalize()} after {session.steps.number} steps, {perf_counter() - began:.1f} s."
    )
    return 0 if session.reason is Reason.DONE and code == 0 else 1


def _refuse_small_limit(job: ServeJob) -> None:
    """The loop's own largest force must not be below the service's: a force between them would stop the loop."""
    if job.loop.largest_force_N < job.service.limits.force_N:
        raise InputError(
            [
                f"service.limits.force_N must not exceed loop.largest_force_N: got {job.service.limits.force_N:g} and "
                f"{job.loop.largest_force_N:g} N"
            ]
        )


def _session(job: ServeJob, engine: LoopEngine, journal: Journal, folder: RunFolder) -> RigSession:
    """Session around the loop's engine, everything it says in the log."""
    from dynamics.rig_service.session import RigSession, TestPlan
    from dynamics.rig_service.steps import StepTaker

    model = engine.model
    plan = TestPlan(model.steps, model.dt, max(1, round(job.duration_s / model.dt)))
    taker = StepTaker(engine, job.service, model.dt, journal.add, folder.warn)
    return RigSession(taker, job.service, plan, folder.warn)


def _serve(session: RigSession, sock: object, job: ServeJob, folder: RunFolder) -> None:
    """Wait for a device and serve it, with one line that shows where the test is."""
    import socket

    from dynamics.rig_service.server import serve

    assert isinstance(sock, socket.socket)
    address = job.service.address
    folder.say(f"Waiting for a device at {address.host}:{address.port}, UDP; Ctrl-C leads to the safe height and ends.")
    show = _live_line if sys.stderr.isatty() else _quiet
    serve(session, sock, show)
    if show is _live_line:
        print(file=sys.stderr)


def _live_line(session: RigSession) -> None:
    """Print where the test is, over the line before."""
    steps, counts = session.steps, session.counts
    text = (
        f"\rstep {steps.number}  force {steps.force:7.1f} N  height {1e3 * steps.guard.last:7.2f} mm  "
        f"round trip {1e3 * steps.round_trip:6.3f} ms  lost {counts.lost}  late {counts.late}  {session.state}  "
    )
    print(text, end="", file=sys.stderr, flush=True)


def _quiet(session: RigSession) -> None:
    """Nothing is shown where nobody looks: the log has what happened."""


def _dry_run(session: RigSession, job: ServeJob, dt: float) -> None:
    """Step the whole test with the emulated device and a clock that runs as fast as the computer."""
    from dynamics.loop.device import lumped_device
    from dynamics.rig_service.device import EmulatedRig
    from dynamics.rig_service.dry_run import dry_run

    device = lumped_device(job.pantograph, job.applied_force_N, job.contact.stiffness, dt, job.damping_ratio)
    rest = job.service.stop.safe_height_m
    dry_run(session, EmulatedRig(device, job.actuator, job.sensor, job.loop.delay_steps, rest), dt)

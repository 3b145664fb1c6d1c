"""A whole test of a bundle without metal: loop, actuator and device emulated, the result beside what it should be.

catenary rig emulate bundle=outputs/rig/re330
catenary rig emulate bundle=outputs/rig/re330 device=mass loop.added_force_N=160 loop.height_harmonics=21
catenary rig emulate bundle=outputs/rig/re330 actuator.ramp_steps=5 sensor.noise_N=2 transient=true

The mean of the last ten spans is held against the periodic state that the same loop must reach, solved at once, and
that against the same state with every harmonic. Contact stiffness, step and filters are the same in all of them.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studies.compose import Composed, compose_job
from studies.rig.loop_jobs import EmulateJob
from studies.run_folder import RunFolder, fresh_folder

if TYPE_CHECKING:
    from dynamics.loop.device import LumpedDevice
    from dynamics.loop.model import PeriodicModel
    from dynamics.loop.spec import RigSettings

__all__ = ["CONFIG", "JOB", "compose", "run"]

JOB = EmulateJob
CONFIG = "rig_emulate"


@dataclass(frozen=True)
class _Chosen:
    """What the test is run with, and the spectral radius by mu_c that it was chosen from."""

    settings: RigSettings
    device: LumpedDevice
    radii: dict[float, float]


def compose(overrides: list[str]) -> Composed[EmulateJob]:
    """Resolve and validate the input."""
    return compose_job(CONFIG, JOB, overrides)


def run(composed: Composed[EmulateJob]) -> int:
    """Emulate one test; 1 when the loop ran away or has no steady state."""
    from dynamics.loop.engine import filtered_model
    from dynamics.loop.model import read_model

    job = composed.job
    model, manifest = read_model(Path(job.bundle))
    filtered_model(model, job.loop)  # refuses what a span cannot hold before anything is written
    folder = RunFolder(fresh_folder("rig_emulate", model.name, job.run_dir), "rig_emulate", composed)
    chosen = _choose(job, model)
    for line in _headlines(job, model, chosen):
        folder.say(line)
    return _test(folder, job, (model, manifest), chosen)


def _choose(job: EmulateJob, model: PeriodicModel) -> _Chosen:
    """Device, applied force and mu_c of a test."""
    from dynamics.loop.device import mass_device
    from dynamics.loop.search import RELAXATIONS, radii
    from dynamics.loop.spec import RigSettings
    from dynamics.loop.steady import slackened_model, solve_steady
    from studies.rig.pressed import pressed_pantograph

    if job.device == "mass":
        device = mass_device(job.mass_kg, job.contact.stiffness, model.dt, job.damping_ratio)
    else:
        press = (job.contact.stiffness, job.damping_ratio, job.applied_force_N)
        device = pressed_pantograph(model, job.pantograph, press, job.loop)
    slack = slackened_model(model, solve_steady(model, device, job.loop), job.loop)
    models = (model,) if slack is model else (model, slack)
    found = radii(models, device, job.loop, sorted({*RELAXATIONS, job.loop.contact_relaxation}))
    loop = job.loop
    if job.best_relaxation:
        loop = loop.model_copy(update={"contact_relaxation": min(found, key=lambda mu: found[mu])})
    return _Chosen(RigSettings(loop=loop, actuator=job.actuator, sensor=job.sensor), device, found)


def _headlines(job: EmulateJob, model: PeriodicModel, chosen: _Chosen) -> list[str]:
    loop, mu = chosen.settings.loop, chosen.settings.loop.contact_relaxation
    radius = chosen.radii[mu]
    what = (
        f"a mass of {job.mass_kg:g} kg"
        if job.device == "mass"
        else (f"{job.pantograph.name} pressed by {chosen.device.applied_force:.2f} N")
    )
    tried = ", ".join(f"{key:g}: {value:.4g}" for key, value in chosen.radii.items())
    lines = [
        f"{model.name} at {3.6 * model.speed:.2f} km/h, {what}, contact {job.contact.stiffness / 1e3:g} kN/m, "
        f"{loop.strategy.replace('_', ' ')}, delay {loop.delay_steps} steps of {1e3 * model.dt:g} ms, N_h "
        f"{loop.height_harmonics or 'all'}, N_hd {loop.dropper_harmonics or 'all'}, mu_c {mu:g}",
        f"Spectral radius of the loop in contact, the larger of without and with slack, by mu_c: {tried}",
    ]
    if radius >= 1.0:
        lines.append(f"The loop is judged UNSTABLE with mu_c {mu:g}: errors grow by {radius:.4g} from span to span")
    return lines


def _test(folder: RunFolder, job: EmulateJob, bundle: tuple[PeriodicModel, dict[str, Any]], chosen: _Chosen) -> int:
    """Run the test and its references, write what they gave."""
    from dynamics.loop.emulation import emulate
    from dynamics.loop.steady import solve_steady
    from studies.rig.emulated_run import References, finish

    model, manifest = bundle
    began = time.perf_counter()
    record = emulate(model, chosen.device, chosen.settings, job.duration_s, _progress)
    spent = time.perf_counter() - began
    print(file=sys.stderr)
    loop = chosen.settings.loop
    whole = loop.model_copy(update={"height_harmonics": None, "dropper_harmonics": None})
    references = References(
        steady=solve_steady(model, chosen.device, loop),
        untruncated=solve_steady(model, chosen.device, whole),
        transient=_transient(job, manifest, chosen) if job.transient else None,
    )
    return finish(folder, job, (model, chosen.device, chosen.settings, chosen.radii), (record, spent), references)


def _progress(span: int, spans: int, change: float) -> None:
    end = "\r" if sys.stderr.isatty() else "\n"
    if sys.stderr.isatty() or span % 50 == 0:
        print(f"span {span} of {spans}, force changes by {change:8.3f} N", end=end, file=sys.stderr, flush=True)


def _transient(job: EmulateJob, manifest: dict[str, Any], chosen: _Chosen) -> Any:
    """Long transient of the bundle's line with the same pantograph, force, contact stiffness and step."""
    from dynamics.spec import CaseSpec
    from dynamics.transient import solve_transient

    case = {
        **manifest["case"],
        "pantograph": job.pantograph.model_dump(),
        "contact": job.contact.model_dump(),
        "applied_force_N": chosen.device.applied_force,
        "mean_force_N": None,
        "solver": "transient",
        "signal": job.signal.model_dump(),
    }
    return solve_transient(CaseSpec.model_validate(case))

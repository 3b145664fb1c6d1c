"""Emulate a whole test of a bundle: loop, actuator and device; compare the result with what it should be.

catenary rig emulate bundle=outputs/rig/re330
catenary rig emulate bundle=outputs/rig/re330 loop.height_harmonics=21 best_relaxation=true
catenary rig emulate bundle=outputs/rig/re330 device=mass loop.added_force_N=160 best_relaxation=true
catenary rig emulate bundle=outputs/rig/re330 start=predicted
catenary rig emulate bundle=outputs/rig/re330 actuator.ramp_steps=5 sensor.noise_N=2 transient=true

The pantograph, its force and the speed are those that the bundle was made for, unless they are given.
Strategy, delay, N_h, N_hd and mu_c are those that `catenary rig map` stored in the bundle, unless they are given, as
in a served test. A loop whose errors grow from span to span is reported as unstable, and ends with exit code 1.

The mean of the last ten spans is compared with the periodic state that the same loop must reach, solved directly, and
that with the same state with every harmonic; how long it took to be within 0.5 % and 1 N of it is printed with
the prediction of the spectral radius. Contact stiffness, step and filters are the same in all of them.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catenary.errors import InputError
from studies.input.compose import Composed, compose_job
from studies.jobs.loop import EmulateJob
from studies.writing.run_folder import RunFolder, fresh_folder

if TYPE_CHECKING:
    from dynamics.rig.loop.model import PeriodicModel
    from dynamics.spec.case import CaseSpec
    from studies.rig.emulation.trial import Chosen

__all__ = ["CONFIG", "JOB", "compose", "run"]

JOB = EmulateJob
CONFIG = "rig_emulate"


def compose(overrides: list[str]) -> Composed[EmulateJob]:
    """Resolve and validate the input."""
    return compose_job(CONFIG, JOB, overrides)


def run(composed: Composed[EmulateJob]) -> int:
    """Emulate one test; 1 when the loop ran away, is unstable or has no steady state."""
    from dynamics.rig.loop.engine import filtered_model
    from dynamics.rig.loop.model import read_model
    from studies.rig.emulation.loop import differences, loop_sentence, test_spec
    from studies.rig.emulation.run import finish
    from studies.rig.emulation.trial import choose, run_chosen
    from studies.rig.on_rig import on_rig

    job = composed.job
    model, manifest = read_model(Path(job.bundle))
    rig = on_rig(job, manifest, Path(job.bundle))
    job = job.model_copy(update=rig.given)
    spec = test_spec(job, manifest)
    filtered_model(model, spec.loop)  # refuses what a span cannot hold before anything is written
    case = _case(manifest, Path(job.bundle) / "manifest.json") if job.transient else None
    folder = RunFolder(fresh_folder("rig_emulate", model.name, job.run_dir), "rig_emulate", replace(composed, job=job))
    if job.device == "pantograph":
        for sentence in rig.notes:
            folder.say(sentence)
    folder.say(loop_sentence(job))
    chosen = choose(spec, model)
    for sentence in differences(job, chosen.device):
        folder.warn(f"{sentence[0].upper()}{sentence[1:]}; the spectral radii below are those of this device")
    for line in _headlines(job, model, chosen):
        folder.say(line)
    test = run_chosen(spec, model, chosen, case, _progress)
    print(file=sys.stderr)
    return finish(folder, job, test)


def _case(manifest: dict[str, Any], where: Path) -> CaseSpec:
    """The input of the export, which the transient is run with."""
    content = manifest.get("case")
    if not isinstance(content, dict):
        raise InputError([f"{where} must hold the input of the export under case: export it again"])
    from studies.report.readers.stored import case_in

    case = case_in(content, where)
    refusal = case.catenary.damping.refusal("a long transient")
    if refusal is not None:
        raise InputError([f"transient must be false: {refusal}"])
    return case


def _headlines(job: EmulateJob, model: PeriodicModel, chosen: Chosen) -> list[str]:
    loop, mu = chosen.settings.loop, chosen.settings.loop.contact_relaxation
    radius = chosen.radius
    what = (
        f"a mass of {job.mass_kg:g} kg"
        if job.device == "mass"
        else (f"{chosen.device.spec.name} pressed by {chosen.device.applied_force:.2f} N")
    )
    tried = ", ".join(f"{key:g}: {value:.4g}" for key, value in chosen.radii.items())
    lines = [
        f"{model.name} at {3.6 * model.speed:.2f} km/h, {what}, contact {job.contact.stiffness / 1e3:g} kN/m, "
        f"{loop.strategy.replace('_', ' ')}, delay {loop.delay_steps} steps of {1e3 * model.dt:g} ms, N_h "
        f"{loop.height_harmonics or 'all'}, N_hd {loop.dropper_harmonics or 'all'}, mu_c {mu:g}",
        f"Spectral radius of the loop in contact, the larger of without and with slack, by mu_c: {tried}",
    ]
    if radius >= 1.0:
        lines.append(f"The loop is judged UNSTABLE with mu_c {mu:g}: an error grows by {radius:.4g} from span to span")
    return lines


def _progress(span: int, spans: int, change: float) -> None:
    end = "\r" if sys.stderr.isatty() else "\n"
    if sys.stderr.isatty() or span % 50 == 0:
        print(f"span {span} of {spans}, force changes by {change:8.3f} N", end=end, file=sys.stderr, flush=True)

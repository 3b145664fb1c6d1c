"""What an emulated test leaves behind: run.nc, period.nc, droppers.nc, summary.json and a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.files import write_json_atomic
from catenary.record import config_sha256
from dynamics.dataset import write_histories
from dynamics.filters import filter_periodic
from dynamics.loop.device import LumpedDevice
from dynamics.loop.emulation import LoopRun
from dynamics.loop.harmonics import highest_frequency
from dynamics.loop.model import PeriodicModel
from dynamics.loop.spec import RigSettings
from dynamics.loop.steady import LoopSteadyState
from dynamics.statistics import filter_force, force_statistics
from dynamics.transient import Trajectory
from studies.report.page import write_page
from studies.rig.emulated_page import emulated_page
from studies.rig.loop_jobs import EmulateJob
from studies.run_folder import RunFolder

__all__ = ["Outcome", "References", "finish"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class References:
    """What a test is held against."""

    steady: LoopSteadyState
    untruncated: LoopSteadyState
    transient: Trajectory | None


@dataclass(frozen=True)
class Outcome:
    """A test with what its page shows.

    Attributes
    ----------
    curves : dict of str to float array (step,)
        Contact forces over one span, low-pass filtered for the figures [N], by name.
    spans : float array (span, step)
        The last spans of the long transient, filtered alike [N]; none where it was not run.
    summary : dict
        Content of summary.json.
    """

    model: PeriodicModel
    record: LoopRun
    references: References
    curves: dict[str, Array]
    spans: Array
    summary: dict[str, Any]


def finish(
    folder: RunFolder,
    job: EmulateJob,
    tested: tuple[PeriodicModel, LumpedDevice, RigSettings, dict[float, float]],
    done: tuple[LoopRun, float],
    references: References,
) -> int:
    """Compare, write and say what a test gave; 1 where it was stopped or has no steady state."""
    model, device, settings, radii = tested
    record, spent = done
    curves, spans = _curves(job, model, record, references)
    loop = settings.loop
    mu = loop.contact_relaxation
    summary: dict[str, Any] = {
        "schema_version": 1,
        "status": record.status,
        "message": record.message,
        "catenary": model.name,
        "device": device.spec.name,
        "speed_kmh": 3.6 * model.speed,
        "applied_force_N": device.applied_force,
        "contact_stiffness_N_per_m": device.contact_stiffness,
        "contact_damping_N_s_per_m": device.contact_damping,
        "loop": loop.model_dump(mode="json"),
        "spectral_radius": radii[mu],
        "spectral_radius_by_relaxation": {f"{key:g}": value for key, value in radii.items()},
        "spans_run": len(record.change),
        "spans_averaged": record.spans_averaged,
        "last_change_N": float(record.change[-1]) if len(record.change) else None,
        "filter": f"{job.signal.kind} {job.signal.cutoff_hz:g} Hz, zero phase",
        "contact_force": {name: _figures(job, model, values) for name, values in _raw(record, references).items()},
        "compared": _compared(model, settings, record, references, curves),
        "config_sha256": config_sha256(job),
        "wall_time_s": spent,
    }
    outcome = Outcome(model, record, references, curves, spans, summary)
    _write(folder, job, outcome)
    write_page(emulated_page(outcome, job), folder.path)
    for line in _closing(summary):
        folder.say(line)
    folder.say(f"Written to {folder.path}/ (report.html, summary.json, run.nc, period.nc, droppers.nc, figures/)")
    return int(record.status != "ok" or references.steady.status != "ok")


def _raw(record: LoopRun, references: References) -> dict[str, Array]:
    found = {
        "emulated": record.mean_force,
        "periodic": references.steady.contact_force,
        "untruncated": references.untruncated.contact_force,
    }
    return found if record.status == "ok" else {k: v for k, v in found.items() if k != "emulated"}


def _curves(
    job: EmulateJob, model: PeriodicModel, record: LoopRun, references: References
) -> tuple[dict[str, Array], Array]:
    """Forces over one span, filtered for the figures, and the last spans of the long transient."""
    cut, kind = job.signal.cutoff_hz, job.signal.kind
    found = {k: filter_periodic(v, model.dt, 0.0, cut, kind) for k, v in _raw(record, references).items()}
    long = references.transient
    if long is None or long.statistics is None:
        return found, np.zeros((0, model.steps))
    # the march records the end of every step, the loop its beginning
    shifted = np.roll(long.contact_force_filtered, 1)[1:]
    count = min(5, len(shifted) // model.steps)
    spans = shifted[len(shifted) - count * model.steps :].reshape(count, model.steps)
    offset = (len(shifted) + 1) % model.steps
    return found, np.roll(spans, offset, axis=1)


def _figures(job: EmulateJob, model: PeriodicModel, force: Array) -> dict[str, float]:
    """Mean, standard deviation and extremes of a periodic force through the figures' filter."""
    found = force_statistics(force, filter_force(force, model.dt, job.signal, periodic=True))
    names = ("contact_force_mean_N", "contact_force_std_N", "contact_force_max_N", "contact_force_min_N")
    return {name: getattr(found, name) for name in names}


def _compared(
    model: PeriodicModel, settings: RigSettings, record: LoopRun, references: References, curves: dict[str, Array]
) -> dict[str, Any]:
    """Differences of sigma [%] and of the curves [N, RMS]; the loop's own band and that of the figures."""
    count = settings.loop.height_harmonics
    top = highest_frequency(count, model.steps, model.dt) if count else 0.45 / model.dt
    steady = filter_periodic(references.steady.contact_force, model.dt, 0.0, top)
    found: dict[str, Any] = {"highest_frequency_hz": top, "steady_state": references.steady.status}
    found["untruncated_against_periodic"] = _pair(curves["untruncated"], curves["periodic"])
    if "emulated" in curves:
        own = filter_periodic(record.mean_force, model.dt, 0.0, top)
        found["emulated_against_periodic_own_band"] = _pair(own, steady)
        found["emulated_against_periodic"] = _pair(curves["emulated"], curves["periodic"])
        largest = float(references.steady.correction_force.max())
        apart = np.abs(record.mean_correction - references.steady.correction_force).max()
        found["largest_correction_force_N"] = largest
        found["correction_force_difference_N"] = float(apart)
    long = references.transient
    if long is not None and long.statistics is not None and "emulated" in curves:
        sigma = long.statistics.contact_force_std_N
        found["transient_std_N"] = sigma
        found["emulated_against_transient_std_percent"] = 100.0 * (float(curves["emulated"].std()) / sigma - 1.0)
    return found


def _pair(one: Array, reference: Array) -> dict[str, float]:
    return {
        "std_percent": 100.0 * float(one.std() / reference.std() - 1.0),
        "curve_rms_N": float(np.sqrt(np.mean((one - reference) ** 2))),
    }


def _write(folder: RunFolder, job: EmulateJob, outcome: Outcome) -> None:
    model, record, references = outcome.model, outcome.record, outcome.references
    about: dict[str, str | float] = {k: v for k, v in outcome.summary.items() if isinstance(v, str | int | float)}
    about["title"] = f"emulated rig test on {model.name}"
    run = {
        "time": (record.time, "s", "time"),
        "contact_force": (record.force, "N", "force as measured, compressive positive, not filtered"),
        "height": (record.position, "m", "height reached, relative to the contact wire at the support"),
        "command": (record.command, "m", "height sent, which is reached after the delay"),
    }
    write_histories(folder.path / "run.nc", run, job, about)
    period = {"time": (model.dt * np.arange(model.steps), "s", "time from the support")}
    period["position"] = (model.position, "m", "position of the pantograph in the span")
    for name, values in _raw(record, references).items():
        period[f"contact_force_{name}"] = (values, "N", f"contact force, {name}, not filtered")
    write_histories(folder.path / "period.nc", period, job, about)
    local = model.dt * (model.dropper_offset + np.arange(model.dropper_steps))
    droppers = {"time": (local, "s", "time from the pantograph's passage of the support before the dropper")}
    for d in range(model.droppers):
        for name, values in (("emulated", record.mean_correction), ("periodic", references.steady.correction_force)):
            text = f"force that squeezes dropper {d + 1}, {name}"
            droppers[f"correction_force_{d + 1}_{name}"] = (values[d], "N", text)
    write_histories(folder.path / "droppers.nc", droppers, job, about)
    write_json_atomic(folder.path / "summary.json", outcome.summary)


def _closing(summary: dict[str, Any]) -> list[str]:
    compared = summary["compared"]
    lines = [f"{summary['message']}"] if summary["message"] else []
    for name, f in summary["contact_force"].items():
        lines.append(
            f"{name}: mean {f['contact_force_mean_N']:.2f} N, standard deviation {f['contact_force_std_N']:.2f} N, "
            f"{f['contact_force_min_N']:.1f} to {f['contact_force_max_N']:.1f} N ({summary['filter']})"
        )
    said = {
        "emulated_against_periodic_own_band": f"emulated and periodic, to {compared['highest_frequency_hz']:.1f} Hz",
        "emulated_against_periodic": "the same through the filter of the figures",
        "untruncated_against_periodic": "every harmonic against N_h and N_hd",
    }
    for key, text in said.items():
        if key in compared:
            pair = compared[key]
            lines.append(f"{text}: sigma {pair['std_percent']:+.2f} %, curve {pair['curve_rms_N']:.3f} N RMS")
    if "transient_std_N" in compared:
        percent = compared["emulated_against_transient_std_percent"]
        lines.append(f"long transient: sigma {compared['transient_std_N']:.2f} N, emulated {percent:+.2f} %")
    if compared["steady_state"] != "ok":
        lines.append(f"the periodic state is not one to rely on: {compared['steady_state']}")
    if summary["last_change_N"] is not None:
        lines.append(f"the force still changes by {summary['last_change_N']:.3g} N RMS from span to span")
    return lines

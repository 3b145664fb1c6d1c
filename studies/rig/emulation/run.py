"""Files of an emulated test: run.nc, spans.nc, period.nc, droppers.nc, summary.json and a report."""

from __future__ import annotations

from typing import Any

import numpy as np

from catenary.storage.files import write_json_atomic
from catenary.storage.provenance import config_sha256
from dynamics.results.dataset import write_histories
from dynamics.rig.loop.status import LoopStatus
from studies.jobs.loop import EmulateJob
from studies.rig.emulation.folder import write_emulated_report
from studies.rig.emulation.trial import EmulatedTest, compared, figures, last_spans
from studies.writing.run_folder import RunFolder

__all__ = ["finish"]


def finish(folder: RunFolder, job: EmulateJob, test: EmulatedTest) -> int:
    """Compare, write and say what a test gave; 1 where it was stopped, is unstable or has no steady state."""
    summary = _summary(job, test)
    _write(folder, job, test, summary)
    write_emulated_report(folder.path)
    for line in _closing(summary):
        folder.say(line)
    files = "report.html, summary.json, run.nc, spans.nc, period.nc, droppers.nc, figures/"
    folder.say(f"Wrote to {folder.path}/ ({files})")
    return int(summary["status"] != LoopStatus.OK or test.chosen.steady.status is not LoopStatus.OK)


def _summary(job: EmulateJob, test: EmulatedTest) -> dict[str, Any]:
    model, record, chosen = test.model, test.record, test.chosen
    unstable = record.status is LoopStatus.OK and chosen.radius >= 1.0
    return {
        "schema_version": 1,
        "study": "rig_emulate",
        "status": (LoopStatus.UNSTABLE if unstable else record.status).value,
        "message": record.message,
        "catenary": model.name,
        "device": chosen.device.spec.name,
        "speed_kmh": 3.6 * model.speed,
        "span_m": model.span,
        "steps_per_span": model.steps,
        "dt_s": model.dt,
        "dropper_position_m": [float(x) for x in model.dropper_position],
        "applied_force_N": chosen.device.applied_force,
        "contact_stiffness_N_per_m": chosen.device.contact_stiffness,
        "contact_damping_N_s_per_m": chosen.device.contact_damping,
        "start": test.spec.start,
        "loop": chosen.settings.loop.model_dump(mode="json"),
        "spectral_radius": chosen.radius,
        "settled_spectral_radius": chosen.settled_radius,
        "spectral_radius_by_relaxation": {f"{key:g}": value for key, value in chosen.radii.items()},
        "spans_run": len(record.change),
        "spans_averaged": record.spans_averaged,
        "last_change_N": float(record.change[-1]) if len(record.change) else None,
        "criterion_met_after_s": test.settling.met_after,
        "criterion_foretold_s": test.settling.predicted,
        "error_factor_per_span": test.settling.factor,
        "signal": job.signal.model_dump(mode="json"),
        "filter": f"{job.signal.kind} {job.signal.cutoff_hz:g} Hz, zero phase",
        "contact_force": figures(test),
        "compared": compared(test),
        "config_sha256": config_sha256(job),
        "wall_time_s": test.wall_time_s,
    }


def _write(folder: RunFolder, job: EmulateJob, test: EmulatedTest, summary: dict[str, Any]) -> None:
    model, record = test.model, test.record
    about: dict[str, str | float] = {k: v for k, v in summary.items() if isinstance(v, str | int | float)}
    about["title"] = f"emulated rig test on {model.name}"
    run = {
        "time": (record.time, "s", "time"),
        "contact_force": (record.force, "N", "force as measured, compressive positive, not filtered"),
        "height": (record.position, "m", "height reached, relative to the contact wire at the support"),
        "command": (record.command, "m", "height sent, which is reached after the delay"),
    }
    write_histories(folder.path / "run.nc", run, job, about)
    count = len(test.settling.error)
    spans = {
        "time": (model.dt * model.steps * np.arange(1, count + 1), "s", "end of the span"),
        "change": (record.change[:count], "N", "RMS change of the force from the span before"),
        "error": (test.settling.error, "N", "RMS difference of the force from the periodic state, in the loop's band"),
    }
    write_histories(folder.path / "spans.nc", spans, job, about)
    period = {"time": (model.dt * np.arange(model.steps), "s", "time from the support")}
    period["position"] = (model.position, "m", "position of the pantograph in the span")
    for name, values in test.forces.items():
        period[f"contact_force_{name}"] = (values, "N", f"contact force, {name}, not filtered")
    if test.transient is not None and test.transient.statistics is not None:
        for k, values in enumerate(last_spans(test.transient, model.steps), start=1):
            text = f"contact force of the long transient, one of its last whole spans, {summary['filter']}"
            period[f"contact_force_filtered_transient_{k}"] = (values, "N", text)
    write_histories(folder.path / "period.nc", period, job, about)
    droppers: dict[str, Any] = {}
    for name, records in (("emulated", record.mean_correction), ("periodic", test.chosen.steady.correction_force)):
        steps, values = model.on_common_steps(records)
        droppers["time"] = (model.dt * steps, "s", "time from the pantograph's passage of the period's first support")
        for d in range(model.droppers):
            text = f"force that squeezes dropper {d + 1}, {name}"
            droppers[f"correction_force_{d + 1}_{name}"] = (values[d], "N", text)
    write_histories(folder.path / "droppers.nc", droppers, job, about)
    write_json_atomic(folder.path / "summary.json", summary)


def _closing(summary: dict[str, Any]) -> list[str]:
    compared_with = summary["compared"]
    top = compared_with["highest_frequency_hz"]
    lines = [f"{summary['message']}"] if summary["message"] else []
    for name, f in summary["contact_force"].items():
        lines.append(
            f"{name}: mean {f['contact_force_mean_N']:.2f} N, standard deviation {f['contact_force_std_N']:.2f} N, "
            f"{f['contact_force_min_N']:.1f} to {f['contact_force_max_N']:.1f} N ({summary['filter']})"
        )
    said = {
        "emulated_against_periodic_own_band": f"emulated and periodic, to {top:.1f} Hz",
        "emulated_against_periodic": "the same through the filter of the figures",
        "untruncated_against_periodic": "every harmonic against N_h and N_hd",
        "emulated_against_transient": "emulated against the long transient",
        "untruncated_against_transient": "every harmonic against the long transient",
    }
    for key, text in said.items():
        if key in compared_with:
            pair = compared_with[key]
            lines.append(f"{text}: sigma {pair['std_percent']:+.2f} %, curve {pair['curve_rms_N']:.3f} N RMS")
    if (state := compared_with["steady_state"]) != LoopStatus.OK:
        lines.append(f"the periodic state is not one to rely on: {LoopStatus(state).sentence}")
    if summary["last_change_N"] is not None:
        lines.append(f"the force still changes by {summary['last_change_N']:.3g} N RMS from span to span")
    return [*lines, _settled(summary)]


def _settled(summary: dict[str, Any]) -> str:
    """Time at which the test settled, and the prediction by the spectral radius."""
    met, predicted, radius = (summary[k] for k in ("criterion_met_after_s", "criterion_foretold_s", "spectral_radius"))
    near = "within 0.5 % of sigma and 1 N of the periodic state"
    said = f"not {near} at the end" if met is None else f"{near} from {met:.1f} s on"
    if radius >= 1.0:
        started = summary["start"] == "predicted"
        yet = (
            ""
            if met is None
            else ": it started there and has not left it yet"
            if started
            else ": it has not left it yet"
        )
        return (
            f"UNSTABLE: an error grows by {radius:.4g} from span to span, so that the test comes to no steady state; "
            f"it is {said}{yet}; take fewer harmonics, best_relaxation=true, or what `catenary rig map` recommends"
        )
    if predicted is not None:
        said += f"; the spectral radius predicts {predicted:.1f} s at the latest"
    if met is None and summary["start"] == "rest":
        said += "; start=predicted leaves less to settle"
    return said

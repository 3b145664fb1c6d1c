"""Export the periodic finite element model of a line, or of a campaign's best design, as a rig bundle.

The bundle keeps the time step, which is the controller's clock: the speed gives way so that a span takes a
whole number of steps (by at most 0.3 %, printed), never the span.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from catenary.errors import InputError
from dynamics.rig.exported import OWN_KEYS, bundle_case, refuse_unfit_bundle, write_case
from dynamics.spec.case import case_of
from studies.input.compose import Composed, compose_job
from studies.jobs.simulation import ExportJob
from studies.writing.run_folder import OUTPUTS, asked_folder, write_hydra_record

__all__ = [
    "JOB",
    "compose",
    "run",
    "run_export",
]

JOB = ExportJob


def compose(overrides: list[str]) -> Composed[ExportJob]:
    """Resolve and validate the input; ``campaign=NAME`` stands for that campaign's best design."""
    named = [text.partition("=")[2] for text in overrides if text.startswith("campaign=")]
    if not named or named[-1] in ("", "null"):
        return compose_job("export", JOB, overrides, OWN_KEYS)
    chosen = compose_job("export", JOB, [f"campaign={named[-1]}"]).job.campaign
    best = OUTPUTS / "campaigns" / str(chosen) / "best_design.yaml"
    problems = [
        f"{text.partition('=')[0]} must not be given with campaign: the campaign has its own; leave one out"
        for text in overrides
        if text.startswith(("catenary=", "catenary."))
    ]
    if not best.is_file():
        known = sorted(path.parent.name for path in best.parents[1].glob("*/best_design.yaml"))
        problems.append(
            f"campaign '{chosen}' has no best design ({best} is missing); "
            f"campaigns with one: {', '.join(known) or 'none'}"
        )
    if problems:
        raise InputError(problems)
    return compose_job("export", JOB, [f"catenary={best}", *overrides], OWN_KEYS)


def run(composed: Composed[ExportJob]) -> int:
    """Compute the matrices and write the bundle; 1 when a solver failed."""
    return run_export(composed)[0]


def run_export(composed: Composed[ExportJob]) -> tuple[int, Path]:
    """Compute the matrices and write the bundle; exit code and folder."""
    job = composed.job
    case = bundle_case(case_of(job), force_typed=_force_typed(composed.overrides))
    folder = asked_folder(job.run_dir, OUTPUTS / "rig" / (job.name or case.catenary.name))
    refuse_unfit_bundle(case, folder)
    change = 100.0 * (case.speed_kmh / job.speed_kmh - 1.0)
    print(
        f"{case.catenary.name}: {case.steps_per_period} steps of {1e3 * case.dt:g} ms {case.catenary.what_repeats}, "
        f"speed {case.speed_kmh:.4f} km/h ({change:+.3f} % of the {job.speed_kmh:g} km/h asked for)"
        + _other_force(job.mean_force_N, case.mean_force_N),
        flush=True,
    )
    try:
        bundle = write_case(case, folder)
    except ValueError as error:  # form-finding failed
        print(f"No bundle was written: {error}", file=sys.stderr)
        return 1, folder
    write_hydra_record(folder, "export", composed)
    print(
        f"Influence matrices: {bundle.frequencies} frequencies, truncation error {bundle.truncation_error:.1e}, "
        f"{bundle.computed_s:.1f} s"
    )
    if case.pantograph.kind != "lumped" or case.pantograph.control is not None:
        print(
            "An emulated rig (rig map, rig device) takes passive pantographs of lumped masses, and "
            f"{case.pantograph.name} is not one: name another there, such as pantograph=dsa380"
        )
    print(f"Files: {', '.join(f'{part} {spent:.2f} s' for part, spent in bundle.parts)}")
    print(f"Wrote to {folder}/: pfem.nc, pfem.mat, pfem.bin, readers in C, Octave and Python; begin with README.md")
    return 0, folder


def _other_force(asked: float | None, held: float | None) -> str:
    """Say that the reference mean force went with the speed; nothing where it did not."""
    if asked is None or held is None or asked == held:
        return ""
    return f"; mean force {held:.2f} N, the reference at this speed ({asked:.2f} N at that asked for)"


def _force_typed(overrides: Sequence[str]) -> bool:
    """Whether the mean force stands on the command line as a number."""
    typed = [value for key, _, value in (text.partition("=") for text in overrides) if key == "mean_force_N"]
    return bool(typed) and typed[-1] != "null"

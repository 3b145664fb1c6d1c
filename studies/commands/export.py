"""The periodic finite element model of a line, or of a campaign's best design, as a rig bundle.

The bundle keeps the time step, which is the controller's clock: the speed gives way so that a span takes a
whole number of steps (by at most 0.3 %, printed), never the span.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from catenary.errors import InputError
from studies.input.compose import Composed, compose_job
from studies.input.refusals import refuse_slack_line
from studies.jobs.simulation import ExportJob, case_of
from studies.jobs.whole_steps import whole_step_case
from studies.writing.run_folder import OUTPUTS, asked_folder, write_hydra_record

__all__ = [
    "JOB",
    "compose",
    "run",
    "run_export",
]

JOB = ExportJob
OWN_KEYS = ("dt", "strict_dt", "solver", "periodic", "transient")


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
    case = whole_step_case(case_of(job))
    refuse_slack_line(case.catenary)
    folder = asked_folder(job.run_dir, OUTPUTS / "rig" / (job.name or case.catenary.name))
    _refuse_foreign_folder(folder)
    change = 100.0 * (case.speed_kmh / job.speed_kmh - 1.0)
    print(
        f"{case.catenary.name}: {case.steps_per_period} steps of {1e3 * case.dt:g} ms {case.catenary.what_repeats}, "
        f"speed {case.speed_kmh:.4f} km/h ({change:+.3f} % of the {job.speed_kmh:g} km/h asked for)",
        flush=True,
    )
    from dynamics.influence.matrices import influence_matrices
    from dynamics.rig.bundle import write_bundle

    begin = time.perf_counter()
    try:
        matrices = influence_matrices(case)
    except ValueError as error:  # form-finding failed
        print(f"No bundle was written: {error}", file=sys.stderr)
        return 1, folder
    computed, parts = time.perf_counter() - begin, []
    write_bundle(folder, matrices, case, lambda part, spent: parts.append(f"{part} {spent:.2f} s"))
    write_hydra_record(folder, "export", composed)
    print(
        f"Influence matrices: {matrices.quadrature_nodes} frequencies, truncation error "
        f"{matrices.truncation_error:.1e}, {computed:.1f} s"
    )
    print(f"Files: {', '.join(parts)}")
    print(f"Written to {folder}/: pfem.nc, pfem.mat, pfem.bin, readers in C, Octave and Python; begin with README.md")
    return 0, folder


def _refuse_foreign_folder(folder: Path) -> None:
    """A bundle may take the place of an earlier one, and of nothing else."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())) and not (folder / "pfem.nc").is_file():
        raise InputError([f"run_dir must be a new, empty or bundle folder: {folder} holds other files"])

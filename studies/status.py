"""A campaign's state from its record.

Reads only; a campaign that runs is not disturbed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from catenary.errors import InputError
from studies.compose import Composed, compose_job
from studies.run_folder import OUTPUTS
from studies.spec import StatusJob

if TYPE_CHECKING:
    from optimise.progress import Progress

__all__ = ["JOB", "compose", "run"]

JOB = StatusJob


def compose(overrides: list[str]) -> Composed[StatusJob]:
    """Resolve and validate the input."""
    return compose_job("status", JOB, overrides)


def run(composed: Composed[StatusJob]) -> int:
    """Print one line per campaign."""
    from optimise.progress import read_status

    folders = _folders(composed.job)
    if not folders:
        print(f"No campaign under {OUTPUTS / 'campaigns'}. Start one: catenary optimise experiment=oc1_heights")
    for folder in folders:
        print(_line(folder, read_status(folder)))
    return 0


def _folders(job: StatusJob) -> list[Path]:
    if job.run_dir is not None:
        return [Path(job.run_dir)]
    root = OUTPUTS / "campaigns"
    known = sorted(path.parent for path in root.glob("*/campaign.yaml"))
    if job.campaign is None:
        return known
    folder = root / job.campaign
    if folder not in known:
        names = ", ".join(path.name for path in known) or "none"
        raise InputError([f"there is no campaign '{job.campaign}' under {root}; known: {names}"])
    return [folder]


def _line(folder: Path, state: Progress) -> str:
    from optimise.progress import progress_line

    infeasible = f" | {state.infeasible} infeasible" if state.infeasible else ""
    return f"{state.name}: {state.state} | {progress_line(state)}{infeasible} | {folder}"

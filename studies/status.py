"""State of campaigns and sweeps from their records.

Reads only; what runs is not disturbed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from catenary.errors import InputError
from studies.compose import Composed, compose_job
from studies.run_folder import OUTPUTS
from studies.spec import StatusJob

if TYPE_CHECKING:
    from optimise.progress import Progress
    from optimise.sweep_status import SweepStatus

__all__ = ["JOB", "compose", "run"]

JOB = StatusJob


def compose(overrides: list[str]) -> Composed[StatusJob]:
    """Resolve and validate the input."""
    return compose_job("status", JOB, overrides)


def run(composed: Composed[StatusJob]) -> int:
    """Print one line per campaign and per sweep."""
    from optimise.progress import read_status
    from optimise.sweep_status import read_sweep_status

    folders = _folders(composed.job)
    if not folders:
        print(f"No campaign or sweep under {OUTPUTS}/. Start one: catenary optimise experiment=oc1_heights")
    for folder in folders:
        if (folder / "sweep.yaml").is_file():
            print(_sweep_line(folder, read_sweep_status(folder)))
        else:
            print(_line(folder, read_status(folder)))
        _say_processors(folder)
    return 0


def _sweep_line(folder: Path, state: SweepStatus) -> str:
    failed = f" | {state.failed} failed" if state.failed else ""
    return f"{state.name}: {state.state} | {state.done}/{state.points} points{failed} | {folder}"


def _say_processors(folder: Path) -> None:
    """Name the types of processors where they differ: the same design has the same bits on one type only."""
    from optimise.executors.processors import read_processors

    types = read_processors(folder)
    if len(types) > 1:
        print(f"  on processors of different types, whose last digits differ: {'; '.join(types)}")


def _folders(job: StatusJob) -> list[Path]:
    if job.run_dir is not None:
        return [Path(job.run_dir)]
    root = OUTPUTS / "campaigns"
    known = sorted(path.parent for path in root.glob("*/campaign.yaml"))
    if job.campaign is None:
        return known + sorted(path.parent for path in (OUTPUTS / "sweeps").glob("*/sweep.yaml"))
    folder = root / job.campaign
    if folder not in known:
        names = ", ".join(path.name for path in known) or "none"
        raise InputError([f"there is no campaign '{job.campaign}' under {root}; known: {names}"])
    return [folder]


def _line(folder: Path, state: Progress) -> str:
    from optimise.progress import progress_line

    infeasible = f" | {state.infeasible} infeasible" if state.infeasible else ""
    return f"{state.name}: {_in_words(folder, state)} | {progress_line(state)}{infeasible} | {folder}"


def _in_words(folder: Path, state: Progress) -> str:
    """State of a campaign; a search that is over is finished only with what is made of its best design."""
    from optimise.progress import still_at_work

    if state.state != "finished" or state.best_trial is None:
        return state.state
    made = {
        "confirmation": _trial(folder / "confirmation.json", "best", "trial"),
        "trust table": _trial(folder / "trust.json", "best_trial"),
        "report": state.best_trial if (folder / "report.html").is_file() else None,
    }
    missing = [name for name, trial in made.items() if trial != state.best_trial]
    if not missing:
        return state.state
    named = " and ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
    if still_at_work(folder):
        return f"search finished, {named} under way"
    return f"search finished, {named} missing (the command that began it makes what is missing)"


def _trial(file: Path, *keys: str) -> int | None:
    """Best design that a file of the folder is about; None where there is no such file."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        for key in keys:
            found = found[key]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found

"""Show the state of campaigns, sweeps and sensitivity studies from their records: done, failed, best, rate, time left.

catenary status                                     all of them under outputs/
catenary status campaign=first                      one campaign
catenary status run_dir=outputs/sensitivity/mine    one folder, wherever it lies (also the folder alone)

Only reads, without disturbing a run. Shows the command that resumes a study that has not ended.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from catenary.errors import InputError
from catenary.storage.files import read_json, read_yaml
from optimise.record.status_file import StudyProgress, StudyState, still_at_work
from optimise.record.study_folder import MARCHED, names_no_method
from studies.ended import printable
from studies.input.compose import Composed, compose_job
from studies.input.typed_text import quoted
from studies.jobs.simulation import StatusJob
from studies.writing.run_folder import OUTPUTS

if TYPE_CHECKING:
    from optimise.parameter_study.progress import ParameterStudyProgress
    from optimise.search.progress import Progress

__all__ = ["JOB", "campaign_in_words", "compose", "run"]

JOB = StatusJob
# folder under outputs and the file that tells a study's folder from any other
PLACES = {"campaigns": "campaign.yaml", "sweeps": "sweep.yaml", "sensitivity": "sensitivity.yaml"}
# with =null behind it: no table of length tolerances is wanted
NO_TOLERANCES = "trust.length_tolerance.rise_percent="


def compose(overrides: list[str]) -> Composed[StatusJob]:
    """Resolve and validate the input; what is not key=value is a folder."""
    keyed = [text if "=" in text else f"run_dir={quoted(text)}" for text in overrides]
    if len(keyed) - len([text for text in overrides if "=" in text]) > 1:
        raise InputError(["status takes one folder: give one, or none for all studies under outputs/"])
    composed = compose_job("status", JOB, keyed)
    return Composed(composed.job, tuple(overrides), composed.notes)


def run(composed: Composed[StatusJob]) -> int:
    """Print how each study stands; one that cannot be read is refused once the others are shown."""
    folders, problems = _folders(composed.job), []
    if not folders:
        print(f"Nothing to show under {OUTPUTS}/. Start a campaign: catenary optimise experiment=oc1_heights")
    for folder in folders:
        try:
            print("\n".join(_lines(folder)))
            _say_processors(folder)
            _say_damage(folder)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return 0


def _lines(folder: Path) -> list[str]:
    """State of the study in a folder."""
    if (folder / PLACES["campaigns"]).is_file():
        from optimise.search.progress import read_status

        return _campaign_lines(folder, read_status(folder))
    from optimise.parameter_study.status import read_parameter_study_status

    return _points_lines(folder, read_parameter_study_status(folder))


def _points_lines(folder: Path, state: ParameterStudyProgress) -> list[str]:
    from optimise.parameter_study.progress import points_line

    words, complete = _state_in_words(state), False
    if state.state is StudyState.FINISHED:
        files = ["result.nc", *(["indices.csv"] if state.study == "sensitivity" else []), "report.html"]
        missing = [name for name in files if not (folder / name).is_file()]
        words, complete = _ended("all points done", missing, folder), not missing
    line = f"{state.study} {state.name}: {words} | {points_line(state)} | {folder}"
    return [line, *([] if complete else _resume_lines(folder, state))]


def _state_in_words(state: StudyProgress) -> str:
    """State of a study; of one that ended by a fault also what that was."""
    at_fault = state.state in (StudyState.STOPPED, StudyState.FAILED)
    return f"{state.state} ({state.state.sentence})" if at_fault else state.state


def _resume_lines(folder: Path, state: StudyProgress) -> list[str]:
    """Command that resumes a study without a running driver."""
    making_results = state.state is StudyState.FINISHED and still_at_work(folder / "status.json")
    if not state.command or state.state is StudyState.RUNNING or making_results:
        return []
    return [f"  resume with: {printable(state.command)}{_unnamed_method(folder, state.command)}"]


def _unnamed_method(folder: Path, command: str) -> str:
    """What a command on record leaves out, where a march was the default when it was typed."""
    file = next(folder / name for name in PLACES.values() if (folder / name).is_file())
    said = any(word in command for word in ("periodic.method", "resume="))
    content = read_yaml(file, "study")
    unnamed = names_no_method(content) and content["case"].get("solver") == "periodic"
    return f" {MARCHED}" if unnamed and not said else ""


def _say_processors(folder: Path) -> None:
    """Name the types of processors where they differ: the same design has the same bits on one type only."""
    from optimise.executors.processors import read_processors

    types = read_processors(folder)
    if len(types) > 1:
        print(f"  on processors of different types, whose last digits differ: {'; '.join(types)}")


def _say_damage(folder: Path) -> None:
    """Report a damaged status.json: the record supplies what is shown."""
    from optimise.record.status_file import read_status_file

    try:
        read_status_file(folder / "status.json")
    except InputError as error:
        print(f"  what the record holds; {error.problems[0]}")


def _folders(job: StatusJob) -> list[Path]:
    if job.run_dir is not None:
        return [Path(job.run_dir)]
    known = {name: sorted(p.parent for p in (OUTPUTS / name).glob(f"*/{file}")) for name, file in PLACES.items()}
    if job.campaign is None:
        return [folder for folders in known.values() for folder in folders]
    folder = OUTPUTS / "campaigns" / job.campaign
    if folder not in known["campaigns"]:
        names = ", ".join(path.name for path in known["campaigns"]) or "none"
        raise InputError([f"there is no campaign '{job.campaign}' under {folder.parent}; known: {names}"])
    return [folder]


def _campaign_lines(folder: Path, state: Progress) -> list[str]:
    from optimise.search.progress import progress_line

    words = campaign_in_words(folder, state)
    infeasible = f" | {state.infeasible} infeasible" if state.infeasible else ""
    line = f"campaign {state.name}: {words} | {progress_line(state)}{infeasible} | {folder}"
    return [line, *([] if words == "finished" else _resume_lines(folder, state))]


def campaign_in_words(folder: Path, state: Progress) -> str:
    """State of a campaign; a search that is over is finished only with what is made of its best design."""
    if state.state is not StudyState.FINISHED or state.best_trial is None:
        return _state_in_words(state)
    made = {
        "confirmation": _trial(folder / "confirmation.json", "best", "trial"),
        "off-design table": _trial(folder / "trust.json", "best_trial"),
        "table of length tolerances": _trial(folder / "length_tolerance.json", "best_trial"),
    }
    if _without_tolerances(state.command) or _on_open_line(folder):
        del made["table of length tolerances"]
    missing = [name for name, trial in made.items() if trial != state.best_trial]
    if missing or not (folder / "report.html").is_file():
        missing.append("report")  # one that is there already was written without what is missing
    return _ended("search finished", missing, folder)


def _without_tolerances(command: str) -> bool:
    """Whether a campaign's command asks for no table of length tolerances."""
    try:
        words = shlex.split(command)
    except ValueError:  # a damaged status.json, which is reported
        return False
    return any(word.startswith(NO_TOLERANCES) and word.endswith("=null") for word in words)


def _on_open_line(folder: Path) -> bool:
    """Whether a campaign's designs are marched on an open line, where no tolerances of lengths are sought."""
    try:
        return read_yaml(folder / "campaign.yaml", "campaign")["case"]["solver"] == "open_line"
    except (OSError, ValueError, KeyError, TypeError):  # a damaged file, which is reported
        return False


def _ended(words: str, missing: list[str], folder: Path) -> str:
    """State of a study without anything left to evaluate; finished only with what is made of it."""
    if not missing:
        return "finished"
    named = " and ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
    if still_at_work(folder / "status.json"):
        return f"{words}, {named} in progress"
    kept = ", from the runs on record" if (folder / "finished_runs.jsonl").is_file() else ""
    return f"{words}, {named} missing (give the command that started it again: it makes what is missing{kept})"


def _trial(file: Path, *keys: str) -> int | None:
    """Best design that a file of the folder is about; None where there is no such file."""
    try:
        found = read_json(file)
        for key in keys:
            found = found[key]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found

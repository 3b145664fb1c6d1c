"""The folder of one run: where it stands, its resolved input, its log."""

from __future__ import annotations

import errno
import os
import sys
import time
import unicodedata
from pathlib import Path

from catenary.errors import InputError
from catenary.spec.components import Spec
from catenary.storage.files import write_text_atomic, writing
from catenary.storage.provenance import commit, config_sha256, versions
from catenary.storage.yaml_file import dump_yaml
from studies.input.compose import Composed

__all__ = ["HYDRA", "OUTPUTS", "RunFolder", "asked_folder", "fresh_folder"]

OUTPUTS = Path("outputs")
HYDRA = ".hydra"
# as long as the longest name of a file in a run's folder
LONGEST_NAME = 60 * "x"


def asked_folder(run_dir: str | None, otherwise: Path, key: str = "run_dir") -> Path:
    """Folder that a command was asked to write to by ``key``, or its usual one, not made yet.

    Raises
    ------
    InputError
        If no folder can be there, or none that every library can write to: work would be done and then lost.
    """
    folder = otherwise if run_dir is None else Path(run_dir)
    problem = _problem_of_name(run_dir, key) or _in_the_way(folder)
    if not problem and "\\" in str(folder.absolute()):
        problem = "the netCDF library takes a backslash for a divider of folders"
    if problem:
        shown = str(run_dir or folder)
        shown = shown if len(shown) <= 100 else f"{shown[:100]}..."
        raise InputError([f"{key} must be a folder that is there or can be made: got '{shown}'; {problem}"])
    return folder


def _problem_of_name(run_dir: str | None, key: str) -> str:
    """Why a text names no folder; empty where it does."""
    if run_dir is None:
        return ""
    if not run_dir.strip():
        return f"name one, or leave {key} out"
    if run_dir.startswith("~"):
        return "only a shell takes ~ for the home folder: write that out"
    if any(unicodedata.category(c) == "Cc" for c in run_dir):
        return "a name has no control characters"
    return ""


def _in_the_way(folder: Path) -> str:
    """Why no folder can be made there; empty where nothing is in the way."""
    try:
        os.lstat(folder / LONGEST_NAME)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return "the name is too long for this system"
    for place in (folder, *folder.parents):
        if place.is_dir():
            return ""
        if place.is_symlink() and not place.exists():
            return f"{place} is a link to nothing"
        if place.exists():
            return f"{place} is a file"
    return ""


def fresh_folder(study: str, name: str, run_dir: str | None) -> Path:
    """Folder for a new run, not made yet: the one asked for, or outputs/<study>/<date>_<time>_<name>.

    Raises
    ------
    InputError
        If the folder asked for holds files already, or is a file; a run of the same command that was interrupted
        before it had a result may be repeated there.
    """
    stem = f"{time.strftime('%Y-%m-%d_%H-%M-%S')}_{name}"
    folder = asked_folder(run_dir, OUTPUTS / study / stem)
    if run_dir is not None:
        started = {HYDRA, f"{study}.log"}  # what a run leaves before it has a result
        if folder.exists() and any(path.name not in started for path in folder.iterdir()):
            raise InputError([f"run_dir must be a new or empty folder: {folder} holds files already"])
        return folder
    count = 2
    while folder.exists():
        folder = OUTPUTS / study / f"{stem}_{count}"
        count += 1
    return folder


class RunFolder:
    """A run's folder, made with its resolved input; lines said to the terminal are kept in its log."""

    def __init__(self, path: Path, study: str, composed: Composed[Spec]) -> None:
        self.path = path
        self._log = path / f"{study}.log"
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
        write_hydra_record(path, study, composed)

    def say(self, line: str) -> None:
        """Print a line and keep it in the log."""
        print(line, flush=True)
        self._keep(line)

    def warn(self, line: str) -> None:
        """Print a line on the error stream and keep it in the log."""
        print(line, file=sys.stderr, flush=True)
        self._keep(line)

    def _keep(self, line: str) -> None:
        with writing(self._log), open(self._log, "a", encoding="utf-8") as log:
            log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n")


def write_hydra_record(folder: Path, study: str, composed: Composed[Spec]) -> None:
    """Write .hydra/: the resolved input, the overrides as typed, and what ran."""
    record = folder / HYDRA
    resolved = {"schema_version": 1, **composed.job.model_dump(mode="json")}
    write_text_atomic(record / "config.yaml", dump_yaml(resolved))
    write_text_atomic(
        record / "overrides.yaml", dump_yaml({"schema_version": 1, "overrides": list(composed.overrides)})
    )
    about = {
        "schema_version": 1,
        "study": study,
        "config_sha256": config_sha256(
            composed.job, {"report": True, "length_tolerance": True, "gradient": True}
        ),  # no number follows
        "commit": commit(),
        "versions": versions(),
    }
    write_text_atomic(record / "hydra.yaml", dump_yaml(about))

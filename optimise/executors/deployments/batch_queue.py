"""Query a batch system: which jobs have ended, which are held, and what they wrote before they ended."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["JobState", "end_of_log", "named", "states_of", "words"]

SECONDS_TO_ANSWER = 20.0
COMMANDS = {
    # with jobs that ended a moment ago, which it forgets after some minutes
    "slurm": ("squeue", "--noheader", "--states=all", f"--user={os.getuid()}", "--format=%i|%T|%r|%N"),
    "pbs": ("qstat",),
}
SLURM_OVER = {
    "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",
    "TIMEOUT",
}  # fmt: skip
PBS_OVER = {"C", "F", "X"}
# reasons of SLURM for which a job waits until somebody does something
FOR_EVER = ("held", "badconstraints")
LINES, CHARACTERS = 3, 400


@dataclass(frozen=True)
class JobState:
    """State of a job in the words of its batch system, whether it is over, and whether it is held for ever."""

    word: str
    over: bool
    held: bool = False


def states_of(kind: str, jobs: Iterable[str]) -> dict[str, JobState] | None:
    """States of jobs by their numbers; None where the batch system does not answer."""
    try:
        answer = subprocess.run(
            COMMANDS[kind], capture_output=True, text=True, check=True, timeout=SECONDS_TO_ANSWER, errors="replace",
            stdin=subprocess.DEVNULL,
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    known = _slurm(answer) if kind == "slurm" else _pbs(answer)
    return {job: known.get(_number(job), JobState("no longer known", over=True)) for job in jobs}


def _number(job: str) -> str:
    """Number of a job without the name of its server, which lists cut short."""
    return job.partition(".")[0]


def _slurm(answer: str) -> Mapping[str, JobState]:
    found = {}
    for line in answer.splitlines():
        job, state, reason, nodes = (part.strip() for part in (line + "|||").split("|")[:4])
        on = f" on {nodes}" if nodes else ""
        why = f", {reason}" if reason not in ("", "None") else ""
        waits = state == "PENDING" and any(word in reason.lower() for word in FOR_EVER)
        found[job] = JobState(f"{state}{on}{why}", state in SLURM_OVER, waits)
    return found


def _pbs(answer: str) -> Mapping[str, JobState]:
    """Lines of ``qstat``: number and server, name, user, time, state, queue."""
    rows = [line.split() for line in answer.splitlines()]
    return {
        _number(row[0]): JobState(row[-2], row[-2] in PBS_OVER, row[-2] == "H")
        for row in rows
        if len(row) >= 6 and row[0][:1].isdigit()
    }


def end_of_log(folder: Path, job: str) -> str:
    """Last lines of a job's output, joined; empty where it wrote nothing."""
    try:
        logs = [file for file in folder.iterdir() if _number(job) in file.name and file.stat().st_size]
        # what went wrong stands in the file of errors, where there are two
        log = sorted(logs, key=lambda file: (file.suffix in (".err", ".ER"), file.stat().st_mtime))[-1]
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, IndexError):
        return ""
    said = " / ".join(line.strip() for line in [line for line in lines if line.strip()][-LINES:])
    return f"{log} ends with: {said[-CHARACTERS:]}"


def named(jobs: Collection[str]) -> str:
    """Jobs as the subject of a sentence in the singular."""
    return f"job {next(iter(jobs))}" if len(jobs) == 1 else f"each of the jobs {', '.join(jobs)}"


def words(states: Mapping[str, JobState]) -> str:
    """The batch system's words for jobs, each once."""
    return "; ".join(sorted({state.word for state in states.values()}))

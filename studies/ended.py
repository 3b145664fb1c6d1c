"""End a failed command with a sentence on the error stream and an exit code.

An unexpected error is reported in one sentence too; its traceback, needed to fix it, goes whole into a file
that the sentence names, or to the terminal where CATENARY_TRACEBACK is set.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
import unicodedata
from collections.abc import Iterable
from pathlib import Path

__all__ = [
    "BAD_INPUT",
    "FAILED",
    "INTERRUPTED",
    "TRACEBACK",
    "interrupted",
    "not_written",
    "out_of_memory",
    "printable",
    "refuse",
]

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 75
# a developer's way to the traceback itself
TRACEBACK = "CATENARY_TRACEBACK"
PACKAGES = ("catenary", "dynamics", "optimise", "studies")
# commands that resume from their record
RESUMABLE = ("optimise", "sweep", "sensitivity", "demo")
LONGEST_SENTENCE, TAIL = 2000, 400


def printable(text: str) -> str:
    """Sentence of a length that can be read, without characters that steer a terminal: values come from anyone."""
    plain = "".join(c if unicodedata.category(c)[0] != "C" else ascii(c)[1:-1] for c in text)
    return plain if len(plain) <= LONGEST_SENTENCE else f"{plain[: LONGEST_SENTENCE - TAIL]} ... {plain[-TAIL:]}"


def refuse(problems: Iterable[str], command: str, outcome: str = "nothing was written") -> int:
    """Report every problem of an input, and the state of the files."""
    said = [printable(problem) for problem in problems]
    count = "1 problem" if len(said) == 1 else f"{len(said)} problems"
    print(f"{command}: {count} in the input, {outcome}.", file=sys.stderr)
    for problem in said:
        print(f"  - {problem}", file=sys.stderr)
    return BAD_INPUT


def not_written(error: OSError, study: str) -> int:
    """Report what could not be written and how to continue; a campaign resumes, other commands start again."""
    resumable = study in RESUMABLE
    cure = (
        "the same command resumes from what is on record"
        if resumable
        else "then run it again, into a new run_dir where one was given"
    )
    print(
        f"catenary {study}: {error.filename} could not be written: {error.strerror}. Make room on the disk or allow "
        f"writing to the folder; {cure}. Files that were there before stand untouched.",
        file=sys.stderr,
    )
    return INTERRUPTED if resumable else FAILED


def interrupted() -> int:
    """Report that the command was interrupted, and by which signal."""
    print(
        "\nInterrupted. Files are written whole or not at all; run the same command again, with another run_dir where "
        "it names one that holds a result by now.",
        file=sys.stderr,
    )
    return INTERRUPTED


def out_of_memory(study: str) -> int:
    """Report that memory ended; a campaign resumes, other commands start again."""
    resumable = study in RESUMABLE
    cure = "the same command resumes from what is on record" if resumable else "then run it again"
    print(
        f"catenary {study}: the memory that this process may have is used up{_limit()}. Allow it more, free some, or "
        f"make the run smaller (fewer spans, elements or workers, a longer step); {cure}.",
        file=sys.stderr,
    )
    return INTERRUPTED if resumable else FAILED


def _limit() -> str:
    """The limit that `ulimit -v` or a batch system set, where there is one."""
    try:
        import resource
    except ImportError:
        return ""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return "" if limit == resource.RLIM_INFINITY else f": a limit of {limit / 1e6:.0f} MB is set (ulimit -v)"


def unplanned(error: BaseException, command: str) -> int:
    """Report that the program itself failed, where, and in which file the whole traceback is."""
    text = "".join(traceback.format_exception(error))
    place = _place(error)
    try:
        handle, name = tempfile.mkstemp(prefix="catenary_traceback_", suffix=".txt")
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{command}\n\n{text}")
    except OSError:
        print(text, file=sys.stderr)  # rather a traceback on the screen than none at all
        name = "the lines above"
    said = ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split())[:200])))
    print(
        f"{printable(command)}: an error of the program itself, {printable(said)}{place}. "
        f"Please report it with {name}, which holds the command and the whole traceback; {TRACEBACK}=1 before the "
        f"command prints it instead.",
        file=sys.stderr,
    )
    return FAILED


def _place(error: BaseException) -> str:
    """Place in this program where an error arose."""
    root = Path(__file__).resolve().parents[1]
    frames = [(Path(f.filename).resolve(), f) for f in traceback.extract_tb(error.__traceback__)]
    own = [(p.relative_to(root), f) for p, f in frames if any(p.is_relative_to(root / name) for name in PACKAGES)]
    if not own:
        return ""
    path, frame = own[-1]
    return f" (in {frame.name}, {path} line {frame.lineno})"

"""The one console command: ``catenary <study> [key=value ...]``, ``catenary rig <subcommand> [key=value ...]``.

Exit codes: 0 done, 1 finished but a gate or the solver failed, 2 bad input, 75 interrupted.
"""

from __future__ import annotations

import contextlib
import difflib
import gc
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from catenary.kernels.kernel_cache import print_when_compiling
from catenary.storage.end_request import asked_to_end, end_request_interrupts, let_nothing_more_in, listen
from studies import ended
from studies.ended import BAD_INPUT, FAILED, INTERRUPTED

__all__ = ["BAD_INPUT", "DONE", "FAILED", "INTERRUPTED", "STUDIES", "main"]

DONE = 0

STUDIES = {
    "simulate": "solve one line, one pantograph, one speed: static state and dynamics",
    "optimise": "search a design space in a campaign (stable folder, resumable)",
    "sweep": "compute statistics over an array of inputs: damping, contact stiffness, speed, ... (resumable)",
    "sensitivity": "measure the effect of many inputs: Sobol indices, Morris screening, derivatives (resumable)",
    "correct": "find how a line is built from measured heights, and the fewest droppers to cut again",
    "new": "write your own line from a dropper table (CSV) and a few answers, as a commented YAML",
    "table": "write a workbook (XLSX) in which a line is filled in by stations",
    "draw": "draw a line at rest, elevation and plan, as DXF or SVG",
    "lines": "list the lines of the library, with their data and sources",
    "pantographs": "list the pantographs of the library, with their data and sources",
    "wires": "list contact wires, stranded wires and dropper ropes by name, with their data and sources",
    "export": "export the periodic finite element model of a line or best design as a rig bundle",
    "fmu": "write an open line as an FMU for a simulation of the vehicle: force in, heights of the contact wire out",
    "rig": "run the hardware-in-the-loop rig: one subcommand for each task",
    "report": "redraw the HTML report of a folder, or compare runs and measured forces",
    "status": "show the state of campaigns, sweeps and sensitivity studies from their records: done, best, time left",
    "convergence": "compare error with cost of meshes, steps, formulations and integrators on one open line",
    "validate": "compare published references with this program's numbers; exit 1 if a gate is missed",
    "certificates": "make the certificate by which a cluster's scheduler, workers and drivers know each other",
    "completion": "print a script with which bash, zsh or fish complete commands, keys and names",
    "doctor": "check versions, paths, threads and cores, and run a 5-second self-test",
    "demo": "run the whole chain on a real line: campaign, report, best design, rig bundle",
}

# words that people try for a command
OTHER_WORDS = {
    "list": "lines",
    "ls": "lines",
    "line": "lines",
    "catenaries": "lines",
    "run": "simulate",
    "optimize": "optimise",
    "campaign": "optimise",
    "show": "report",
}

# commands with subcommands, a module studies.commands.<family>_<name> each; COMMANDS of studies.<family> names them
FAMILIES = ("rig",)

THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and say how it ended, as an exit code.

    Without ``argv`` it is the whole of this process: the command line is its own, and whatever asks it to end finds
    code 75 and a sentence, or, when all is said, nothing to disturb.
    """
    if argv is None:
        return _as_process()
    for name in THREAD_LIMITS:
        os.environ.setdefault(name, "1")  # read when numpy loads, which is later
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # none is used, and looking for them takes its time
    _print_anything()
    with end_request_interrupts():
        return _said(list(argv))


def _as_process() -> int:
    """Run the command line of this process; its code stands, whatever is asked of it while it ends."""
    gc.disable()  # what is imported and resolved stays, and looking for garbage in it takes a twelfth of a page of help
    listen()
    print_when_compiling()
    code = None
    try:
        code = main(sys.argv[1:])
        let_nothing_more_in()
    except KeyboardInterrupt:  # asked a second time, while the first was being answered
        let_nothing_more_in()
        code = INTERRUPTED if code is None else code
    if asked_to_end():  # threads that were cut off have nothing to say, nor anything to clean up
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        os._exit(code)
    return code


def _said(arguments: list[str]) -> int:
    """Run a command; what ends it is said in a sentence."""
    command = " ".join(["catenary", *arguments])
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # a reader such as `head` has enough
        return DONE
    except KeyboardInterrupt:
        return ended.interrupted()
    except Exception as error:
        from catenary.errors import lacks_memory

        if asked_to_end():  # a library made an error of its own of what cut it off
            return ended.interrupted()
        if os.environ.get(ended.TRACEBACK):
            raise
        study = arguments[0] if arguments else ""
        return ended.out_of_memory(study) if lacks_memory(error) else ended.unplanned(error, command)


def _print_anything() -> None:
    """Let no character end a command, whatever the terminal's encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _dispatch(arguments: list[str]) -> int:
    try:
        Path.cwd()
    except FileNotFoundError:
        return ended.refuse(["the current folder must exist: it was deleted; change to another one"], "catenary")
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        from studies.input.overview import overview

        print(overview(STUDIES))
        return DONE
    study, rest = arguments[0], arguments[1:]
    if study in ("--version", "version"):
        from catenary.version import __version__

        print(f"catenary {__version__}")
        return DONE
    if study not in STUDIES:
        return _unknown("study", study, STUDIES, "catenary")
    if study in FAMILIES:
        return _dispatch_family(study, rest)
    module = import_module(f"studies.commands.{study}")
    return _one(study, STUDIES[study], module, rest)


def _dispatch_family(family: str, arguments: list[str]) -> int:
    """Run a subcommand, such as ``rig map``; the family's own page lists them."""
    commands: dict[str, str] = import_module(f"studies.{family}").COMMANDS
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        from studies.input.overview import family_page

        print(family_page(family, STUDIES[family], commands))
        return DONE
    name, rest = arguments[0], arguments[1:]
    if name not in commands:
        return _unknown("subcommand", name, commands, f"catenary {family}")
    module = import_module(f"studies.commands.{family}_{name}")
    return _one(f"{family} {name}", commands[name], module, rest)


def _unknown(what: str, name: str, known: dict[str, str], command: str) -> int:
    near = [known_as] if (known_as := OTHER_WORDS.get(name)) in known else []
    near += difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    advice = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
    return ended.refuse([f"there is no {what} '{name}'; {advice}"], command)


def _one(study: str, summary: str, module: ModuleType, rest: list[str]) -> int:
    """Page of a command, or the command itself."""
    if any(option in rest for option in ("-h", "--help")):
        from studies.input.usage import study_page

        print(study_page(study, summary, module))
        return DONE
    return _run(study, module, rest)


def _run(study: str, module: ModuleType, rest: list[str]) -> int:
    from catenary.errors import InputError, WriteError, lacks_memory

    outcome = InputError.outcome
    try:
        show, overrides = _options(rest)
        composed = module.compose(overrides)
        for note in composed.notes:
            print(ended.printable(note), file=sys.stderr)
        if show:
            print(resolved_text(study, composed.job), end="")
            return DONE
        outcome = "what was written before stays"
        gc.enable()
        return int(module.run(composed))
    except InputError as error:
        return ended.refuse(error.problems, f"catenary {study}", error.outcome)
    except WriteError as error:
        return ended.not_written(error, study)
    except OSError as error:
        if error.filename is None or isinstance(error, BrokenPipeError) or lacks_memory(error):
            raise
        return ended.refuse([f"{error.filename}: {error.strerror}"], f"catenary {study}", outcome)


def _options(rest: list[str]) -> tuple[bool, list[str]]:
    """Split ``--cfg job`` from the overrides."""
    from catenary.errors import InputError

    show, overrides, problems = False, [], []
    waiting = iter(rest)
    for argument in waiting:
        if argument == "--cfg":
            given = next(waiting, "nothing")
            show = given == "job"
            problems += [] if show else [f"--cfg takes 'job': got '{given}'"]
        elif argument == "--cfg=job":
            show = True
        elif argument.startswith("-"):
            problems.append(f"{argument} is not an option; known: --help, --cfg job (inputs are key=value)")
        elif not _is_text(argument):
            problems.append(f"'{argument}' is not text in UTF-8: rename the file, or set the terminal to UTF-8")
        else:
            overrides.append(argument)
    if problems:
        raise InputError(problems)
    return show, overrides


def _is_text(argument: str) -> bool:
    """Whether an argument can be written to a file: one that is not UTF-8 comes with parts that no text has."""
    try:
        argument.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def resolved_text(study: str, job: object) -> str:
    """Resolved input of a command as YAML."""
    from pydantic import BaseModel

    from catenary.storage.yaml_file import dump_yaml

    assert isinstance(job, BaseModel)
    return f"# resolved input of: catenary {study}\n" + dump_yaml(job.model_dump(mode="json"))


if __name__ == "__main__":
    sys.exit(main())

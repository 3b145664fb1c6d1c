"""Write your own line from a dropper table and a few answers, as a commented YAML file.

catenary new droppers=table.csv name=my_line like=bruni_2015 span_length=60 encumbrance=1.4
catenary new droppers=km12.xlsx

The table is a CSV file, or the sheet droppers of an XLSX file, whose first line names its columns: station with either
height (contact wire over its height at the supports) or length (as cut, unloaded, from wire axis to wire axis). A
heading may name the unit: station_m, height_mm, 'length [m]'. Columns of a CSV file are separated by comma, semicolon
or tab; with the last two a decimal comma is understood.

A workbook that holds a whole line by stations ('catenary table template=km12.xlsx' writes an empty one) is checked and
written as a line file; other commands read the workbook itself, too.

like=NAME names the line of the library that supplies every value not given; any key of a line may be given, such as
contact_wire.tension=20e3. In a terminal, the command asks for missing answers. At the end it shows the line's droppers
at rest; exit code 1 says that one of them is slack.
"""

from __future__ import annotations

import copy
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from catenary.errors import InputError
from catenary.spec.components import PRESCRIBED, DropperSpec
from catenary.spec.keys import KeyTree, did_you_mean, format_value
from catenary.spec.line import CatenarySpec
from catenary.spec.pre_sag import hogging_warnings
from catenary.spec.problems import TYPED, find_problems
from catenary.storage.configuration import chosen_block, group_options
from catenary.storage.files import write_text_atomic
from catenary.wires.names import KEY, make_of
from studies.input.compose import Composed, typed_command
from studies.input.tables.dropper_table import DropperTable, read_dropper_table
from studies.input.typed_text import typed_value
from studies.writing.line_file import line_text
from studies.writing.workbook_line import WorkbookLine, holds_line, workbook_line, write_workbook_line

if TYPE_CHECKING:
    from catenary.form_finding.equilibrium import Equilibrium

__all__ = ["JOB", "NOT_TYPED", "NewJob", "compose", "own_words", "run"]

FROM_TABLE = (
    "droppers.positions",
    "droppers.prescribed",
    *(f"droppers.{key}" for key, _ in PRESCRIBED.values()),
    "table",
)
SET_HERE = ("droppers.by_section", "provenance", "repeat", "schema_version", "section")
NOT_TYPED = (*FROM_TABLE, *SET_HERE)
QUESTIONS = {
    "droppers": "dropper table (a CSV or XLSX file)",
    "name": "name of the line",
    "like": "line of the library that other values are taken from",
    "span_length": "span, support to support [m]",
    "encumbrance": "encumbrance, messenger wire above contact wire at a support [m]",
}


class NewJob(CatenarySpec):
    """A new line, and the file that it is written to."""

    droppers: DropperSpec = Field(description="droppers=PATH.csv gives their stations and heights or lengths")
    table: str = Field(description="dropper table that was read")
    like: str = Field(description="line of the library that values which are not given are taken from")
    output: str = Field(description="file to write; without it NAME.yaml in the folder that one is in")
    overwrite: bool = Field(default=False, description="whether an existing file may be replaced")


JOB = NewJob


@dataclass
class _Answers:
    """Typed input: text by key, and its problems."""

    typed: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def own_words() -> tuple[str, ...]:
    """Words that a shell completes in addition to the keys: the table, and the lines that values are taken from."""
    return "droppers=", *(f"like={name}" for name in group_options("catenary"))


def compose(overrides: list[str]) -> Composed[NewJob] | Composed[WorkbookLine]:
    """Read the table, copy what was not given, validate; report every problem at once."""
    answers = _sort(overrides)
    given = answers.typed.get("droppers", "")
    if given and holds_line(Path(given)) and not answers.problems:
        return Composed(workbook_line(answers.typed), tuple(overrides))
    if not answers.problems and sys.stdin is not None and sys.stdin.isatty():
        _ask(answers)
    missing = [key for key in QUESTIONS if not answers.typed.get(key)]
    problems = answers.problems
    problems += [f"{key} is missing: give {key}=..., the {QUESTIONS[key]}" for key in missing]
    values, base = _values(answers), _library_line(answers)
    table = _table(answers, _period(values))
    data = _lay_together(base, values, table, answers)
    _check_output(data, problems)

    def place(path: tuple[str | int, ...]) -> str:
        return TYPED if ".".join(map(str, path)) in values else ""

    found = [s for s in find_problems(JOB, data, base, place) if s.partition(" ")[0] not in missing]
    # without a table the library's droppers stand in, and say nothing about this line
    problems += found if table is not None else [s for s in found if "dropper" not in s]
    if problems:
        raise InputError(problems)
    job = JOB.model_validate(data)
    notes = [f"{job.table}: the column '{heading}' is not used." for heading in (table.unused if table else ())]
    return Composed(job, tuple(overrides), (*notes, *hogging_warnings(job)))


def run(composed: Composed[NewJob] | Composed[WorkbookLine]) -> int:
    """Write the line and show its droppers at rest; 1 when one is slack or the line's shape was not found."""
    from catenary.form_finding.equilibrium import EquilibriumStatus, periodic_equilibrium
    from catenary.linearised.static_checks import faults_in_words, loose_in_words

    job = composed.job
    if isinstance(job, WorkbookLine):
        return write_workbook_line(job, typed_command("simulate", (f"catenary={job.output}",)))
    line = CatenarySpec.model_validate(job.model_dump(include=set(CatenarySpec.model_fields)))
    equilibrium = periodic_equilibrium(line)
    write_text_atomic(Path(job.output), line_text(line, Path(job.table).name, job.like))
    print(f"Wrote {job.output}")
    taken = [path for path, mark in line.provenance.items() if mark.startswith("t:")]
    print(f"Check the values that come from {job.like}: {', '.join(taken)}")
    if equilibrium.status is not EquilibriumStatus.OK:
        print(f"At rest: {equilibrium.status.value}; check heights, lengths and tensions.", file=sys.stderr)
        return 1
    for text in _static_table(equilibrium):
        print(text)
    faults = faults_in_words(equilibrium)
    for fault in faults:
        print(f"The other commands refuse this line: {fault}.", file=sys.stderr)
    if faults:
        return 1
    loose = loose_in_words(line, equilibrium)
    print(f"At rest {loose}. Next:" if loose else "Every dropper is in tension at rest. Next:")
    print(f"  {typed_command('simulate', (f'catenary={job.output}',))}")
    return 0


def _sort(overrides: list[str]) -> _Answers:
    """Keys and texts as typed; refuses by name what is not a key of a line."""
    keys, answers = KeyTree(JOB), _Answers()
    for text in overrides:
        key, separator, raw = text.partition("=")
        key = key.strip()
        if not separator or not key:
            answers.problems.append(f"'{text}' is not key=value: write for example span_length=60")
        elif "${" in text:
            answers.problems.append(f"{key} must be a plain value: interpolation '${{...}}' is not allowed")
        elif key in FROM_TABLE:
            answers.problems.append(f"{key} comes from the dropper table: give droppers=PATH.csv")
        elif key.partition(".")[0] in SET_HERE or keys.node(key.split(".")) is None:
            near = keys.nearest(key)
            answers.problems.append(
                f"{key} is not a known key; " + (f"did you mean {near}?" if near else "--help lists the keys")
            )
        else:
            answers.typed[key] = raw.strip().strip("'\"")
    return answers


def _ask(answers: _Answers) -> None:
    """Ask for what is missing; an empty answer, or the end of the input, leaves it missing."""
    for key, text in QUESTIONS.items():
        if answers.typed.get(key):
            continue
        choices = f" ({', '.join(group_options('catenary'))})" if key == "like" else ""
        try:
            answers.typed[key] = input(f"{text}{choices}: ").strip()
        except EOFError:
            print()
            return


def _values(answers: _Answers) -> dict[str, Any]:
    """Typed values of the line's own keys."""
    values: dict[str, Any] = {}
    for key, raw in answers.typed.items():
        if key in ("droppers", "like", "output", "name", "description") or not raw:
            continue
        try:
            values[key] = typed_value(key, raw)
        except InputError as error:
            answers.problems += error.problems
    return values


def _library_line(answers: _Answers) -> dict[str, Any]:
    """Line of the library that the answers name; any of them where they name none, for the other answers' check."""
    name, options = answers.typed.get("like", ""), group_options("catenary")
    if name and name not in options:
        near = did_you_mean(name, options)
        answers.problems.append(f"like must be one of {', '.join(options)}: got {format_value(name)}{near}")
    return chosen_block("catenary", name if name in options else options[0])


def _period(values: dict[str, Any]) -> float | None:
    """Length after which the line repeats [m], where the answers say it."""
    further = values.get("further_spans") or []
    spans = [values.get("span_length"), *(further if isinstance(further, list) else [None])]
    known = [float(s) for s in spans if isinstance(s, int | float) and s > 1.0]
    return sum(known) if len(known) == len(spans) else None


def _table(answers: _Answers, period: float | None) -> DropperTable | None:
    path = answers.typed.get("droppers", "")
    if not path:
        return None
    try:
        return read_dropper_table(Path(path), period)
    except InputError as error:
        answers.problems += error.problems
        return None


def _lay_together(
    base: dict[str, Any], values: dict[str, Any], table: DropperTable | None, answers: _Answers
) -> dict[str, Any]:
    """Combine the library's line, the table and the typed values, every number with its mark."""
    typed, data = answers.typed, copy.deepcopy(base)
    # what a paper prints of the sample line is not printed of this one
    marks = dict.fromkeys(data.get("provenance", {}), f"t:{typed.get('like') or 'the library'}")
    if table is not None:
        key = PRESCRIBED[table.prescribed][0]
        for other in ("contact_wire_heights", "lengths"):
            data["droppers"].pop(other, None)
            marks.pop(f"droppers.{other}", None)
        data["droppers"] |= {"positions": table.stations, "prescribed": table.prescribed, key: table.values}
        marks |= {"droppers.positions": "u", f"droppers.{key}": "u"}
    name = typed.get("name") or "line"
    description = f"Line from a dropper table, with values of {typed.get('like', '')} where none were given"
    data |= {"name": name, "description": typed.get("description", description), "table": typed.get("droppers", "")}
    data |= {"like": typed.get("like", ""), "output": typed.get("output") or f"{name}.yaml"}
    for path, value in values.items():
        *blocks, last = path.split(".")
        place = data
        for block in blocks:
            place = place.setdefault(block, {}) if isinstance(place.get(block, {}), dict) else {}
        place[last] = value
        if value is None:
            marks = {k: v for k, v in marks.items() if not k.startswith(f"{path}.")}
        elif isinstance(value, int | float | list) and not isinstance(value, bool):
            marks[path] = "u"
        if last == KEY and isinstance(value, str):
            _take_named(place, value, path, values, marks)
    return {**data, "provenance": marks}


def _take_named(block: dict[str, Any], name: str, path: str, values: dict[str, Any], marks: dict[str, str]) -> None:
    """Leave to a wire's name what it gives and is not typed: the values of the line that is copied are another's."""
    try:
        given = make_of(name).values
    except ValueError:
        return  # the check of the whole says so
    for key in given:
        own = f"{path.rpartition('.')[0]}.{key}"
        if own not in values:
            block.pop(key, None)
            marks.pop(own, None)


def _check_output(data: dict[str, Any], problems: list[str]) -> None:
    path = Path(data["output"])
    if path.suffix not in (".yaml", ".yml"):
        problems.append(f"output must be a file that ends in .yaml: got '{path}'")
    elif path.is_dir():
        problems.append(f"output must be a file: {path} is a folder")
    elif path.exists() and data.get("overwrite") is not True:
        problems.append(f"output {path} exists already: give another output=... or overwrite=true")


def _static_table(equilibrium: Equilibrium) -> list[str]:
    """Droppers at rest as aligned text: station, height, force, length to cut."""
    heights = equilibrium.q[equilibrium.mesh.dropper_bottom, 2]
    columns = (equilibrium.mesh.layout.dropper_x, 1e3 * heights, equilibrium.dropper_force)
    rows = zip(*columns, equilibrium.dropper_unstretched_length, strict=True)
    return [
        "dropper  station [m]  height [mm]  force at rest [N]  length as cut [m]",
        *(f"{k:7d}  {x:11.3f}  {z:11.1f}  {f:17.1f}  {c:17.4f}" for k, (x, z, f, c) in enumerate(rows, start=1)),
    ]

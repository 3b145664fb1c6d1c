"""From a line file to the line: rows laid over a type and checked as a whole, every problem with its row and cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from catenary.errors import InputError
from catenary.library.checks.at_rest import Laid, problems_at_rest, problems_of_line
from catenary.library.checks.doubt import Doubt
from catenary.library.checks.mending import mended, sound_sections
from catenary.library.checks.named import unread_rows
from catenary.library.checks.rows import problems_of_irregularity, problems_of_rows, problems_of_sections
from catenary.library.checks.unplaced import Placed
from catenary.library.columns import NEEDED, TABLES, Row, read_rows
from catenary.library.laying import for_the_type, laid, main_droppers
from catenary.library.line_file import LineFile
from catenary.library.stations import droppers_of, first_rows, supports_of
from catenary.library.table import Table
from catenary.library.tension_sections import held_by, stretches_of
from catenary.spec.changes import changed
from catenary.spec.line import CatenarySpec

__all__ = ["changed_line", "line_content"]


@dataclass(frozen=True)
class _Given:
    """What a file gives: its type with what it changes, rows, those that could not be read, and where they stand.

    ``unsure`` says that the type, or what is changed of it, is not known.
    """

    file: LineFile
    line: CatenarySpec
    rows: dict[str, list[Row]]
    lost: Mapping[str, list[Row] | None]
    placed: Placed
    unsure: bool


def line_content(file: LineFile, line: CatenarySpec, refused: Sequence[str] | None = None) -> dict[str, Any]:
    """Content of the line that a line file describes, as its type would hold it.

    Rows that cannot be hide nothing that does not rest on them: the others are laid together and hung without them.

    Parameters
    ----------
    file : LineFile
    line : CatenarySpec
        Type of the line, or any one where its own is not known.
    refused : sequence of str, optional
        What is wrong with a type that is not known, and with what is changed of it.

    Raises
    ------
    InputError
        With a sentence for every key and row that cannot be.
    """
    problems = [*file.problems, *(refused or ())]
    unsure = refused is not None or bool(file.unread & {"type", "changes"})
    if refused is None:
        line, strange = changed_line(file, line)
        problems += strange
        unsure = unsure or bool(strange)
    rows, lost = _read(file, problems)
    file = replace(file, irregularity={}) if problems_of_irregularity(file) else file
    given = _Given(file, line, rows, lost, _placed(rows, lost, problems), unsure)
    of_places = _problems_of_places(given, rows)
    bare = [sentence for sentence in of_places if sentence.startswith("span ")]
    problems += [sentence for sentence in of_places if sentence not in bare]
    whole = _whole(given, bare, problems)
    found, perhaps = problems_of_line(whole, file, line)
    problems += found
    if found or perhaps:
        named = any(each.startswith("name ") for each in found)  # the name alone does not keep a line from hanging
        given = replace(given, file=replace(file, name="line")) if named else given
        whole = _whole(given, bare, problems, perhaps)
    problems += problems_at_rest(whole, file)
    if problems:
        raise InputError(problems)
    return whole.content


def changed_line(file: LineFile, line: CatenarySpec) -> tuple[CatenarySpec, list[str]]:
    """Type of line with what the file changes along the whole line; what cannot be is named with its cell.

    Rows are then checked against the type as it is.
    """
    changes, _ = for_the_type(file.changes)
    try:
        return changed(line, changes) if changes else line, []
    except InputError as error:
        problems = []
        for problem in error.problems:
            keys = [key for key in file.changed_at if problem.startswith(key)]
            at = file.changed_at[max(keys, key=len)] if keys else f"{file.path}: changes"
            problems.append(f"{at}: {problem}")
        return line, problems


def _read(file: LineFile, problems: list[str]) -> tuple[dict[str, list[Row]], dict[str, list[Row] | None]]:
    """Rows by table, and those that could not be read, None where it is not known which; what is wrong by itself."""
    rows: dict[str, list[Row]] = {}
    lost: dict[str, list[Row] | None] = dict.fromkeys(name for name in TABLES if name in file.unread)
    for name, table in file.tables.items():
        rows[name] = read_rows(name, table, problems)
        missing = unread_rows(table, rows[name]) if rows[name] or not table.rows else None
        lost |= {name: missing} if missing is None or missing else {}
    if "sections" in lost:  # any name may be one of theirs
        unknown = Row(Table(file.path, (), (), ";", ()), 0, {}, {}, {}, frozenset(NEEDED["sections"]))
        rows["sections"] = [unknown, unknown, *rows.get("sections", [])]
    problems += [*problems_of_sections(rows), *problems_of_rows(rows), *problems_of_irregularity(file)]
    supports = file.tables.get("supports")
    if supports is not None and not rows["supports"] and not any(s.startswith(supports.name) for s in problems):
        problems.append(f"{supports.name}: must list the supports: it has no rows")
    return rows, lost


def _placed(rows: Mapping[str, list[Row]], lost: Mapping[str, list[Row] | None], problems: list[str]) -> Placed:
    """Supports and tension sections, by which all others are placed.

    Raises
    ------
    InputError
        With all that is known to be wrong, if they are not known.
    """
    if not rows.get("supports"):
        raise InputError(problems)
    before, sound = len(problems), sound_sections(rows, problems)
    begins = first_rows(rows["supports"])
    supports = supports_of(begins, problems)
    known = "supports" not in lost and not any(x != x for x in supports) and len(problems) == before
    if not known or sound is None or {"sections", "overlaps"} & lost.keys():
        ends = [begin.values["station"] for begin in (begins[0], begins[-1])] if known else []
        raise InputError([*problems, *(_off_the_line(rows, *ends) if known else ())])
    origin = begins[0].values["station"]
    stretches = stretches_of(*sound, supports, origin, problems)
    if len(problems) > before:
        # rows are sorted by where sections are
        raise InputError([*problems, *_off_the_line(rows, origin, origin + supports[-1])])
    return Placed(supports, origin, stretches)


def _problems_of_places(given: _Given, rows: Mapping[str, list[Row]]) -> list[str]:
    """Say what rows have wrong where they stand, and which spans lack droppers for which no row stands."""
    supports, origin, stretches = given.placed.supports, given.placed.origin, given.placed.stretches
    found: list[str] = []
    droppers_of(rows.get("droppers", []), supports, origin, given.line, stretches, found)
    held_by(rows["supports"], first_rows(rows["supports"]), stretches, found)
    if not (given.unsure and given.line.auxiliary_wire is None):
        main_droppers(rows.get("main_droppers", []), given.placed, given.line, found)
    return [*found, *_off_the_line(rows, origin, origin + supports[-1])]


def _whole(given: _Given, bare: Sequence[str], problems: list[str], perhaps: Sequence[str] = ()) -> Laid:
    """The line without rows that cannot be; of spans without rows what is sure is added to ``problems``."""
    said = [*problems, *perhaps]
    while True:  # where a row of several out of order is left out, the next one may be out of order, too
        rows, doubt = mended(given.rows, said, given.placed, given.lost)
        more = [s for s in _problems_of_places(given, rows) if not s.startswith("span ") and s not in said]
        if not more:
            break
        said += more
    for sentence in bare:
        span = int(sentence.split()[1].rstrip(","))
        if not given.unsure and span not in doubt.places and sentence not in problems:
            problems.append(sentence)
    doubt = _with_bare(replace(doubt, kind=given.unsure), [*bare, *problems])
    return laid(given.file, given.line, rows, given.placed, doubt)


def _with_bare(doubt: Doubt, sentences: Sequence[str]) -> Doubt:
    """The same with spans that have no droppers, or too many."""
    hits = [re.search(r"(?:^|: )span (\d+)(?:, .* has no|.* at most \d+) droppers", each) for each in sentences]
    return doubt.with_spans(places=frozenset(int(hit[1]) for hit in hits if hit))


def _off_the_line(rows: Mapping[str, Sequence[Row]], first: float, last: float) -> Iterator[str]:
    """Name what would stand before the first support or beyond the last one, as the file counts [m]."""
    for table in ("masses", "elements", "wear", "profile", "kinks"):
        for row in (row for row in rows.get(table, []) if not row.refused):
            for key in ("from", "to") if table == "wear" else ("station",):
                if not first - 1e-9 <= row.values.get(key, first) <= last + 1e-9:
                    yield (
                        f"{row.place(key)}: {key} must lie on the line, {first:.10g} to {last:.10g} m: got "
                        f"{row.values[key]:.10g} m"
                    )

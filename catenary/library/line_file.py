"""A line file by stations: its keys, its tables inline or in files next to it, or a workbook that holds all of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from catenary.errors import InputError
from catenary.library.columns import COLUMNS, TABLES, Column
from catenary.library.table import Table, cell_number, read_csv
from catenary.library.workbook import read_workbook
from catenary.spec.changes import key_parts
from catenary.spec.keys import KeyTree, did_you_mean, format_value
from catenary.spec.line import CatenarySpec

__all__ = ["DRAWN", "LINE", "LineFile", "is_line_file", "read_line_file", "read_line_workbook"]

LINE, DRAWN = "line", "irregularity"
HEAD = ("name", "description", "type", "schema_version")
KEYS = ("schema_version", "kind", "name", "description", "type", "changes", DRAWN, *TABLES)
MOST_BYTES = 5_000_000
MOST_CELLS = 400


@dataclass(frozen=True)
class LineFile:
    """Content of a line file.

    Attributes
    ----------
    path : Path
        The file, by which others are found.
    name, description : str
    type : str
        Line that gives what no row says: a name of the library, or a file next to this one.
    changes : mapping
        Values by key that the whole line has in place of its type's.
    tables : dict
        Tables by name; one that is not given is not there.
    irregularity : mapping
        Spectrum from which the contact wire's running surface is drawn; empty without.
    changed_at, drawn_at : dict
        Cells of the keys of ``changes`` and of the spectrum, where they stand in a workbook.
    type_at : str
        Place of the type: a cell of a workbook, or the file.
    """

    path: Path
    name: str
    description: str
    type: str
    changes: Mapping[str, Any]
    tables: dict[str, Table]
    irregularity: Mapping[str, Any] = field(default_factory=dict)
    changed_at: Mapping[str, str] = field(default_factory=dict)
    drawn_at: Mapping[str, str] = field(default_factory=dict)
    type_at: str = ""


def is_line_file(content: Mapping[str, Any]) -> bool:
    """Whether the content of a file is a line by stations, and not a type of line."""
    return content.get("kind") == LINE


def read_line_file(content: Mapping[str, Any], path: Path, type_at: str = "") -> LineFile:
    """Take a line file's keys, and read its tables.

    Parameters
    ----------
    content : mapping
        What the file holds.
    path : Path
        Where it stands; tables are looked for next to it.
    type_at : str, optional
        Place of its type, where that is not the file as a whole.

    Raises
    ------
    InputError
        With a sentence for every key that is not known or not given, and for every table that cannot be read.
    """
    here = f"; known here: {', '.join(KEYS)}"
    problems = [
        f"{path}: {key} is not a key of a line file{did_you_mean(key, KEYS) or here}"
        for key in content
        if key not in KEYS
    ]
    if content.get("schema_version", 1) != 1:
        problems.append(f"{path}: schema_version must be 1: got {format_value(content['schema_version'])}")
    type_at = type_at or str(path)
    needed = ((type_at, "type", "the line that gives what no row says"), (path, "supports", "at least four rows"))
    problems += [f"{at}: {key} is missing: give {meaning}" for at, key, meaning in needed if not content.get(key)]
    changes, drawn = content.get("changes") or {}, content.get("irregularity") or {}
    problems += [
        f"{path}: {key} must be a block of keys: got {format_value(block)}"
        for key, block in (("changes", changes), ("irregularity", drawn))
        if not isinstance(block, Mapping)
    ]
    tables: dict[str, Table] = {}
    for name in TABLES:
        try:
            if content.get(name):
                tables[name] = _table(name, content[name], path)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    words = {key: str(content.get(key) or "") for key in ("name", "description", "type")}
    named = words["name"] or path.stem, words["description"], words["type"]
    return LineFile(path, *named, changes, tables, drawn, type_at=type_at)


def read_line_workbook(path: Path) -> LineFile:
    """Read a workbook that holds all of a line file: a sheet ``line`` of keys and values, and a sheet for each table.

    Raises
    ------
    InputError
        If it cannot be read, has no such sheet, a key stands there twice, or a sheet has nearly the name of a table.
    """
    sheets = read_workbook(path)
    if LINE not in sheets:
        raise InputError(
            [f"workbook {path} must have a sheet '{LINE}' with the columns key and value: it has {', '.join(sheets)}"]
        )
    head = sheets[LINE]
    problems = [*head.problems, *_nearly_tables(path, sheets)]
    content: dict[str, Any] = {"kind": LINE}
    changes: dict[str, Any] = {}
    drawn: dict[str, Any] = {}
    changed_at: dict[str, str] = {}
    drawn_at: dict[str, str] = {}
    seen: dict[str, str] = {}
    keys = KeyTree(CatenarySpec)
    for number, cells in ((0, head.headings), *head.rows):
        key, value = (*cells, "", "")[:2]
        key, place = key.lower() if key.lower() in HEAD else key, head.place(number or 1, 1)
        if not number and key.lower() == "key":
            continue
        if key and key in seen:
            problems.append(f"{place}: {key} must be given once: it stands in {seen[key]}, too")
        seen[key] = place
        if key in HEAD:
            content[key] = int(value) if value.isdigit() else value
        elif value and key.startswith(f"{DRAWN}."):
            drawn[key.removeprefix(f"{DRAWN}.")] = _plain(head, value)
            drawn_at[key.removeprefix(f"{DRAWN}.")] = place
        elif value:
            changes[key] = value if _is_text(keys, key) else _plain(head, value)
            changed_at[key] = place
    if problems:
        raise InputError(problems)
    content |= {name: {"file": path.name, "sheet": name} for name in TABLES if name in sheets and sheets[name].rows}
    file = read_line_file({**content, "changes": changes, DRAWN: drawn}, path, seen.get("type", head.name))
    return replace(file, changed_at=changed_at, drawn_at=drawn_at)


def _nearly_tables(path: Path, sheets: Mapping[str, Table]) -> Iterator[str]:
    """Name sheets that nobody would read although they have nearly the name of a table, which has no rows."""
    missing = [name for name in TABLES if name not in sheets or not sheets[name].rows]
    for name, sheet in sheets.items():
        near = get_close_matches(name, missing, n=1, cutoff=0.8) if name not in (LINE, *TABLES) else []
        if near and sheet.rows:
            yield (
                f"{path} sheet {sheet.sheet}: is not a table of a line, so that nobody would read its rows; "
                f"rename it {near[0]}, or otherwise if it is your own"
            )


def _is_text(keys: KeyTree, key: str) -> bool:
    """Whether a key of a line takes a text or a list of names, which may look like a number: 1, 01 or 1,2."""
    node = keys.node(key_parts(key)) or {}
    return "string" in (node.get("type"), node.get("items", {}).get("type"))


def _plain(table: Table, text: str) -> object:
    """Value of a cell: a number where it is one, or the text."""
    value = cell_number(table, text)
    return text if math.isnan(value) else value


def _table(name: str, given: object, path: Path) -> Table:
    """Table of a key: rows, a CSV file, or a sheet of a workbook."""
    if isinstance(given, list):
        return _inline(name, given, path)
    known = isinstance(given, Mapping) and {"file"} <= given.keys() <= {"file", "sheet"}
    file = str(given["file"] if isinstance(given, Mapping) and known else given)
    if not known and not isinstance(given, str):
        raise InputError(
            [f"{path}: {name} must be rows, the path of a table, or file and sheet: got {format_value(given)}"]
        )
    place = path.parent / file
    if place.suffix.lower() == ".csv":
        return read_csv(place, "table", MOST_BYTES)
    if place.suffix.lower() != ".xlsx":
        raise InputError([f"{path}: {name} must be in a file that ends in .csv or .xlsx: got '{file}'"])
    sheet = str(given.get("sheet", name) if isinstance(given, Mapping) else name)
    sheets = read_workbook(place)
    if sheet.lower() not in sheets:
        raise InputError([f"{path}: {name} must be a sheet of {place}: got '{sheet}', it has {', '.join(sheets)}"])
    return sheets[sheet.lower()]


def _inline(name: str, given: list[Any], path: Path) -> Table:
    """Rows that stand in the file itself, as a table whose headings are their keys."""
    wrong = [
        f"{path} {name}[{k}] must be a row of keys and values, such as {_example(COLUMNS[name][0])}: got "
        f"{format_value(row)}"
        for k, row in enumerate(given)
        if not isinstance(row, Mapping)
    ]
    if wrong:
        raise InputError(wrong)
    headings = tuple(dict.fromkeys(str(key) for row in given for key in row))[:MOST_CELLS]
    rows = tuple(
        (k, tuple("" if row.get(h) is None else _cell(row[h]) for h in headings)) for k, row in enumerate(given)
    )
    return Table(path, headings, rows, ";", (), key=name)


def _example(column: Column) -> str:
    """A key and a value that a row may have."""
    name, unit = column.quantity.name, column.unit.strip()
    return f"{name}: A" if column.name else f"{name}_{unit}: 100" if unit else f"{name}: 1"


def _cell(value: object) -> str:
    return repr(value) if isinstance(value, float) else str(value)

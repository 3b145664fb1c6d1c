"""A line file by stations: its keys, its tables inline or in files next to it, or a workbook that holds all of it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
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
from catenary.spec.running_surface.surface import IrregularitySpec

__all__ = ["DRAWN", "LINE", "LineFile", "is_line_file", "list_text", "read_line_file", "read_line_workbook"]

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
    problems : tuple of str
        What is wrong with its keys, and with tables that cannot be read.
    unread : frozenset of str
        Tables and keys of the file that are not known for it.
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
    problems: tuple[str, ...] = ()
    unread: frozenset[str] = frozenset()

    def sound(self) -> LineFile:
        """The file itself.

        Raises
        ------
        InputError
            If anything is wrong with its keys, or a table cannot be read.
        """
        if self.problems:
            raise InputError(self.problems)
        return self


def is_line_file(content: Mapping[str, Any]) -> bool:
    """Whether the content of a file is a line by stations, and not a type of line."""
    return content.get("kind") == LINE


def read_line_file(content: Mapping[str, Any], path: Path) -> LineFile:
    """Take a line file's keys, and read its tables.

    Parameters
    ----------
    content : mapping
        What the file holds.
    path : Path
        Where it stands; tables are looked for next to it.

    Returns
    -------
    LineFile
        With a sentence for every key that is not known or not given, and for every table that cannot be read.
    """
    return _taken(content, path, str(path), (), frozenset())


def _taken(
    content: Mapping[str, Any], path: Path, type_at: str, known: Sequence[str], unread: frozenset[str]
) -> LineFile:
    """File of some keys; ``known`` is what is known to be wrong, ``unread`` what is not known for it."""
    here = f"; known here: {', '.join(KEYS)}"
    strange = [key for key in content if key not in KEYS]
    problems = [*known]
    problems += [f"{path}: {key} is not a key of a line file{did_you_mean(key, KEYS) or here}" for key in strange]
    unread |= {name for key in strange for name in _meant(key, content[key])} - content.keys()
    if content.get("schema_version", 1) != 1:
        problems.append(f"{path}: schema_version must be 1: got {format_value(content['schema_version'])}")
    needed = ((type_at, "type", "the line that gives what no row says"), (path, "supports", "at least four rows"))
    problems += [
        f"{at}: {key} is missing: give {meaning}"
        for at, key, meaning in needed
        if not content.get(key) and key not in unread
    ]
    blocks: dict[str, Mapping[str, Any]] = {}
    for key in ("changes", DRAWN):
        block = content.get(key) or {}
        if not isinstance(block, Mapping):
            problems.append(f"{path}: {key} must be a block of keys: got {format_value(block)}")
            unread |= {key}
        blocks[key] = block if isinstance(block, Mapping) else {}
    tables: dict[str, Table] = {}
    for name in TABLES:
        try:
            if content.get(name):
                tables[name] = _table(name, content[name], path)
        except InputError as error:
            problems += error.problems
            unread |= {name}
    unread |= {"type"} if not content.get("type") else set()
    words = {key: str(content.get(key) or "") for key in ("name", "description", "type")}
    named = words["name"] or path.stem, words["description"], words["type"]
    of_type = {"type_at": type_at, "problems": tuple(problems), "unread": frozenset(unread)}
    return LineFile(path, *named, blocks["changes"], tables, blocks[DRAWN], **of_type)


def _meant(key: object, value: object) -> list[str]:
    """Keys that one that is not known may stand for: the nearest one, or any table where it holds one."""
    near = get_close_matches(str(key), KEYS, n=1)
    of_a_file = str(value.get("file") if isinstance(value, Mapping) else value).lower()
    return near or (list(TABLES) if isinstance(value, list) or of_a_file.endswith((".csv", ".xlsx")) else [])


def read_line_workbook(path: Path) -> LineFile:
    """Read a workbook that holds all of a line file: a sheet ``line`` of keys and values, and a sheet for each table.

    Returns
    -------
    LineFile
        With a sentence for every key that stands there twice or is not given, for a sheet that has nearly the name of
        a table, and for every table that cannot be read.

    Raises
    ------
    InputError
        If it cannot be read, or has no sheet ``line``.
    """
    sheets = read_workbook(path)
    if LINE not in sheets:
        raise InputError(
            [f"workbook {path} must have a sheet '{LINE}' with the columns key and value: it has {', '.join(sheets)}"]
        )
    head, nearly = sheets[LINE], dict(_nearly_tables(path, sheets))
    problems, unread = (
        [*head.problems, *nearly.values()],
        set(nearly) | ({"type", "changes"} if head.problems else set()),
    )
    content: dict[str, Any] = {"kind": LINE}
    blocks: dict[str, dict[str, Any]] = {"changes": {}, DRAWN: {}}
    at: dict[str, dict[str, str]] = {"changes": {}, DRAWN: {}}
    seen: dict[str, str] = {}
    trees = {"changes": KeyTree(CatenarySpec), DRAWN: KeyTree(IrregularitySpec)}
    for number, cells in ((0, head.headings), *head.rows):
        key, value = (*cells, "", "")[:2]
        key, place = key.lower() if key.lower() in HEAD else key, head.place(number or 1, 1)
        if not number and key.lower() == "key":
            continue
        if key and key in seen:
            problems.append(f"{place}: {key} must be given once: it stands in {seen[key]}, too")
            unread |= {"type" if key == "type" else "changes"}
        seen[key] = place
        block, name = (DRAWN, key.removeprefix(f"{DRAWN}.")) if key.startswith(f"{DRAWN}.") else ("changes", key)
        if key in HEAD:
            content[key] = int(value) if key == "schema_version" and value.isdigit() else value
        elif value:
            blocks[block][name], at[block][name] = _value(head, trees[block], name, value), place
    filled = {name for name, sheet in sheets.items() if sheet.rows or sheet.problems}
    content |= {name: {"file": path.name, "sheet": name} for name in TABLES if name in filled}
    file = _taken({**content, **blocks}, path, seen.get("type", head.name), problems, frozenset(unread))
    return replace(file, changed_at=at["changes"], drawn_at=at[DRAWN])


def _nearly_tables(path: Path, sheets: Mapping[str, Table]) -> Iterator[tuple[str, str]]:
    """Name sheets that nobody would read although they have nearly the name of a table, which has no rows."""
    missing = [name for name in TABLES if name not in sheets or not sheets[name].rows]
    for name, sheet in sheets.items():
        near = get_close_matches(name, missing, n=1, cutoff=0.8) if name not in (LINE, *TABLES) else []
        if near and sheet.rows:
            yield (
                near[0],
                f"{path} sheet {sheet.sheet}: is not a table of a line, so that nobody would read its rows; "
                f"rename it {near[0]}, or otherwise if it is your own",
            )


def _value(table: Table, keys: KeyTree, key: str, text: str) -> object:
    """Value of a cell for a key: text or names where the key takes them, though they look like numbers: 1, 01 or 1,2.

    Else a number where it is one, a list where the key takes one, as `list_text` writes it or with semicolons, or the
    text, which is refused where it stands.
    """
    node = keys.node(key_parts(key)) or {}
    if "string" in (node.get("type"), node.get("items", {}).get("type")):
        return text
    if node.get("type") != "array":
        return _plain(table, text)
    if text.startswith("["):
        with suppress(ValueError):
            return json.loads(text)
    parts = text.split(";") if ";" in text else text.split(", ")
    return [_plain(table, part.strip()) for part in parts]


def list_text(values: Sequence[object]) -> str:
    """A list in one cell: names with commas, anything else in brackets."""
    return ", ".join(map(str, values)) if all(isinstance(v, str) for v in values) else json.dumps(values)


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

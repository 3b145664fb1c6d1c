"""A user's table, from a CSV file, a sheet or rows of a YAML file: columns with units, the place of every cell."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from catenary.errors import InputError
from catenary.storage.user_file import read_user_text

__all__ = [
    "REMARKS",
    "Quantity",
    "Table",
    "cell_number",
    "column_of",
    "column_values",
    "doubted",
    "doubtful_remark",
    "first_problems",
    "is_remark",
    "name_and_unit",
    "read_csv",
    "unheaded",
]

# headings of columns that nobody reads
REMARKS = ("remark", "remarks", "note", "notes", "name")
SEPARATORS = (";", "\t", ",")
MAX_SHOWN = 20
MAX_COLUMNS = 1000
# what spreadsheets write into a cell whose formula fails: no remark, although it begins with #
FAILED_FORMULAS = ("#REF!", "#N/A", "#NV", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!")


@dataclass(frozen=True, eq=False)
class Quantity:
    """Quantity of a column: its name, other names, and its units with their size in SI.

    The first unit is meant where a heading names none.
    """

    name: str
    aliases: tuple[str, ...]
    units: dict[str, float]

    @property
    def unit_names(self) -> str:
        """Units that a heading may name."""
        return ", ".join(self.units)


@dataclass(frozen=True)
class Table:
    """Content of a CSV file, of a sheet of a workbook or of a list of rows.

    Attributes
    ----------
    path : Path
        File that it was read from.
    headings : tuple of str
        Column headings as they stand.
    rows : tuple of (int, tuple of str)
        Number of the row in the file and the text of every cell; empty rows and those that start with # are left out.
    separator : str
        Semicolon, tab or comma; with the first two a decimal comma is understood.
    problems : tuple of str
        Rows that do not fit under the headings.
    sheet : str
        Sheet of a workbook, empty for another file.
    key : str
        Key of rows that stand in a YAML file, empty for a table.
    """

    path: Path
    headings: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    separator: str
    problems: tuple[str, ...]
    sheet: str = ""
    key: str = ""

    def place(self, row: int, column: int | None = None) -> str:
        """Place of a row or of one of its cells in the words of its kind of file."""
        if self.key:
            return f"{self.path} {self.key}[{row}]"
        if not self.sheet:
            return f"{self.path} line {row}"
        cell = f"cell {column_letters(column)}{row}" if column is not None else f"row {row}"
        return f"{self.path} sheet {self.sheet} {cell}"

    @property
    def name(self) -> str:
        """Name of the table itself, for the beginning of a sentence."""
        return f"{self.path} {self.key or (f'sheet {self.sheet}' if self.sheet else '')}".rstrip()


def is_remark(text: str) -> bool:
    """Whether a row whose first cell holds this text is for people: it begins with #, and is not a failed formula."""
    return text.lstrip().startswith("#") and not text.lstrip().upper().startswith(FAILED_FORMULAS)


def doubtful_remark(headings: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether a row that begins with # may count: '#12' under the heading of a name, with values in other columns.

    Mast numbers are written so. '# 12', with a space, is a row that was taken out.
    """
    own = cells[0].lstrip() if cells else ""
    named = bool(headings) and headings[0].strip().lower() in REMARKS and is_remark(own)
    return named and not own.startswith("# ") and any(cell.strip() for cell in cells[1:])


def doubted(place: str, text: str) -> str:
    """Sentence on a row that begins with # and may count."""
    return (
        f"{place}: a row that begins with # is a remark, and this one has values: write '{text.strip().lstrip('#')}' "
        f"in place of '{text.strip()}' if it counts, or '# {text.strip().lstrip('#')}' if it does not"
    )


def column_letters(column: int) -> str:
    """Letters of a column of a sheet, the first one being 0: A, B, ..., Z, AA."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def read_csv(path: Path, what: str, max_bytes: int) -> Table:
    """Read a CSV file whose first line names its columns.

    Raises
    ------
    InputError
        If the file cannot be read, is larger than ``max_bytes``, or holds no rows; ``what`` names it in the sentence.
    """
    lines = read_user_text(path, what, max_bytes).splitlines()
    if lines and re.fullmatch(r"sep=.", lines[0].strip(), re.IGNORECASE):
        lines[0] = ""  # a spreadsheet program's word to itself
    kept = [(n, line) for n, line in enumerate(lines, start=1) if line.strip() and not is_remark(line)]
    if not kept:
        raise InputError([f"{what} {path} must have a line that names its columns and rows below it: it has no rows"])
    separator = next((s for s in SEPARATORS if s in kept[0][1]), ",")
    try:
        cells = list(csv.reader([line for _, line in kept], delimiter=separator, strict=True))
    except csv.Error as error:
        raise InputError([f"{what} {path} is not a CSV table: {error}"]) from None
    if len(cells) != len(kept):
        raise InputError([f"{what} {path} is not a CSV table: a quoted text runs over several lines"])
    headings = tuple(cell.strip() for cell in cells[0])
    if len(headings) > MAX_COLUMNS:
        raise InputError([f"{what} {path} must have at most {MAX_COLUMNS} columns: got {len(headings)}"])
    rows, problems = [], []
    for n, line in enumerate(lines[kept[0][0] :], start=kept[0][0] + 1):
        if doubtful_remark(headings, said := line.split(separator)):
            problems.append(doubted(f"{path} line {n}", said[0]))
    for (n, _), row in zip(kept[1:], cells[1:], strict=True):
        if not any(cell.strip() for cell in row):
            continue
        while len(row) > len(headings) and not row[-1].strip():
            row.pop()
        if len(row) == len(headings):
            rows.append((n, tuple(cell.strip() for cell in row)))
            continue
        comma = separator == "," and len(row) > len(headings)
        hint = "; numbers with a decimal comma need semicolons between them" if comma else ""
        problems.append(f"{path} line {n}: must have {len(headings)} values as the heading: got {len(row)}{hint}")
    if not rows and not problems:
        none = "a line that names its columns and rows below it: it has no rows"
        empty = "rows below the line that names its columns: all are empty"
        raise InputError([f"{what} {path} must have {none if len(kept) < 2 else empty}"])
    return Table(path, headings, tuple(rows), separator, tuple(first_problems(problems)))


def unheaded(table: Table) -> list[str]:
    """One sentence for each column that has values and no heading, for a table in which no value may be lost."""
    problems = []
    for index, heading in enumerate(table.headings):
        row = None if heading else next((row for row, cells in table.rows if cells[index]), None)
        if row is not None:
            where = f"column {column_letters(index) if table.sheet else index + 1}"
            problems.append(
                f"{table.name} {where}: must have a heading, 'note' if it is for people: it has values, the first in "
                f"{table.place(row, index)}"
            )
    return problems


def column_of(table: Table, quantity: Quantity) -> tuple[int, float] | None:
    """Find a quantity's column: its index and the size of its unit in SI; None where there is no such column.

    Raises
    ------
    InputError
        If two columns hold it, or its unit is not understood.
    """
    found = []
    for index, heading in enumerate(table.headings):
        name, unit = name_and_unit(heading, quantity)
        if name in (quantity.name, *quantity.aliases):
            found.append((index, heading, unit))
    if not found:
        return None
    if len(found) > 1:
        names = ", ".join(f"'{heading}'" for _, heading, _ in found)
        raise InputError([f"{table.name}: only one column may hold the {quantity.name}: got {names}"])
    index, heading, unit = found[0]
    sizes = {name.lower(): size for name, size in quantity.units.items()}
    if unit and unit.lower() not in sizes:
        raise InputError([f"{table.name}: the unit of '{heading}' must be one of {quantity.unit_names}: got '{unit}'"])
    return index, sizes[unit.lower()] if unit else next(iter(quantity.units.values()))


def column_values(table: Table, quantity: Quantity, column: tuple[int, float]) -> tuple[list[float], list[str]]:
    """Numbers of a column in SI units, NaN where a cell is empty, and one sentence per cell that is not a number."""
    index, size = column
    values, problems = [], []
    for line, cells in table.rows:
        value = cell_number(table, cells[index])
        if math.isnan(value):
            problems.append(f"{table.place(line, index)}: {quantity.name} must be a number: got '{cells[index][:40]}'")
        values.append(value * size)
    return values, first_problems(problems)


def name_and_unit(heading: str, quantity: Quantity) -> tuple[str, str]:
    """Name and unit of a heading: 'height [mm]', 'height (mm)' or 'height_mm'."""
    text = heading.strip()
    opened = max(text.rfind("["), text.rfind("("))
    bracketed = opened >= 0 and text.endswith(("]", ")"))
    name, unit = (text[:opened], text[opened + 1 : -1].strip()) if bracketed else (text, "")
    name = re.sub(r"[\s_-]+", "_", name.strip().lower())
    stem, _, last = name.rpartition("_")
    if not bracketed and stem and last in {u.lower() for u in quantity.units}:
        return stem, last
    return name, unit


def cell_number(table: Table, text: str) -> float:
    """Finite number of a cell, or NaN; a decimal comma is understood where no comma separates cells."""
    comma = table.separator != ","
    plain = text.replace("\N{MINUS SIGN}", "-")
    if comma and plain.count(",") == 1 and "." not in plain:
        plain = plain.replace(",", ".")
    try:
        value = float(plain) if "_" not in plain else math.nan
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def first_problems(problems: list[str]) -> list[str]:
    """No more sentences than can be read."""
    more = len(problems) - MAX_SHOWN
    return [*problems[:MAX_SHOWN], f"and {more} more rows of that kind"] if more > 0 else problems

"""A user's CSV file read as a table: named columns with units, numbers with a point or a comma, line numbers kept."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from pathlib import Path

from catenary.errors import InputError
from catenary.storage.user_file import read_user_text

__all__ = ["CsvTable", "Quantity", "column_of", "column_values", "name_and_unit", "read_csv"]

SEPARATORS = (";", "\t", ",")
MAX_SHOWN = 20
MAX_COLUMNS = 1000


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
class CsvTable:
    """Content of a CSV file.

    Attributes
    ----------
    path : Path
        File that it was read from.
    headings : tuple of str
        Column headings as they stand.
    rows : tuple of (int, tuple of str)
        Line number in the file and the text of every cell; empty lines and lines that start with # are left out.
    separator : str
        Semicolon, tab or comma; with the first two a decimal comma is understood.
    problems : tuple of str
        Rows that do not fit under the headings.
    """

    path: Path
    headings: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    separator: str
    problems: tuple[str, ...]


def read_csv(path: Path, what: str, max_bytes: int) -> CsvTable:
    """Read a CSV file whose first line names its columns.

    Raises
    ------
    InputError
        If the file cannot be read, is larger than ``max_bytes``, or holds no rows; ``what`` names it in the sentence.
    """
    lines = read_user_text(path, what, max_bytes).splitlines()
    kept = [(n, line) for n, line in enumerate(lines, start=1) if line.strip() and not line.lstrip().startswith("#")]
    if len(kept) < 2:
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
    for (n, _), row in zip(kept[1:], cells[1:], strict=True):
        while len(row) > len(headings) and not row[-1].strip():
            row.pop()
        if len(row) == len(headings):
            rows.append((n, tuple(cell.strip() for cell in row)))
            continue
        hint = "; numbers with a decimal comma need semicolons between them" if separator == "," else ""
        problems.append(f"{path} line {n}: must have {len(headings)} values as the heading: got {len(row)}{hint}")
    return CsvTable(path, headings, tuple(rows), separator, tuple(_first(problems)))


def column_of(table: CsvTable, quantity: Quantity) -> tuple[int, float] | None:
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
        raise InputError([f"{table.path}: only one column may hold the {quantity.name}: got {names}"])
    index, heading, unit = found[0]
    sizes = {name.lower(): size for name, size in quantity.units.items()}
    if unit and unit.lower() not in sizes:
        raise InputError([f"{table.path}: the unit of '{heading}' must be one of {quantity.unit_names}: got '{unit}'"])
    return index, sizes[unit.lower()] if unit else next(iter(quantity.units.values()))


def column_values(table: CsvTable, quantity: Quantity, column: tuple[int, float]) -> tuple[list[float], list[str]]:
    """Numbers of a column in SI units, NaN where a cell is empty, and one sentence per cell that is not a number."""
    index, size = column
    values, problems = [], []
    for line, cells in table.rows:
        value = _number(cells[index], comma=table.separator != ",")
        if math.isnan(value):
            problems.append(f"{table.path} line {line}: {quantity.name} must be a number: got '{cells[index][:40]}'")
        values.append(value * size)
    return values, _first(problems)


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


def _number(text: str, *, comma: bool) -> float:
    """Finite number of a cell, or NaN."""
    plain = text.replace("\N{MINUS SIGN}", "-")
    if comma and plain.count(",") == 1 and "." not in plain:
        plain = plain.replace(",", ".")
    try:
        value = float(plain) if "_" not in plain else math.nan
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _first(problems: list[str]) -> list[str]:
    """No more sentences than can be read."""
    more = len(problems) - MAX_SHOWN
    return [*problems[:MAX_SHOWN], f"and {more} more rows of that kind"] if more > 0 else problems

"""A user's XLSX workbook read as tables, sheet by sheet: values alone, no formula is computed and no link followed."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from catenary.errors import InputError, lacks_memory
from catenary.library.table import MAX_COLUMNS, Table, doubted, doubtful_remark, first_problems, is_remark
from catenary.storage.user_file import read_user_bytes

if TYPE_CHECKING:
    from openpyxl.worksheet.cell_range import CellRange
    from openpyxl.worksheet.worksheet import Worksheet

__all__ = ["read_workbook"]

MOST_BYTES = 5_000_000
# what its XML may unpack to: a small archive can hold a great deal of nothing
MOST_UNPACKED = 50_000_000
MOST_ROWS = 20_000
# elements of a sheet that a reader of values alone passes over
FORMULA, MERGED = re.compile(rb"<(\w+:)?f[ >/]"), re.compile(rb"<(\w+:)?mergeCell ")
Cells = list[tuple[Any, ...]]


def read_workbook(path: Path) -> dict[str, Table]:
    """Read every sheet of a workbook that has a heading, by its name in lower case.

    Merged cells have their value in each. A formula without a saved value is a problem of its table, and so are too
    many rows.

    Raises
    ------
    InputError
        If it cannot be read, is not a workbook, or has two sheets whose names differ by blanks alone.
    """
    data = read_user_bytes(path, "workbook", MOST_BYTES)
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(item.file_size for item in archive.infolist())
            if unpacked > MOST_UNPACKED:
                raise InputError([f"workbook {path} must unpack to at most {MOST_UNPACKED / 1e6:g} MB: it is larger"])
            _refuse_lost_sheets(path, archive)
            texts = [archive.read(name) for name in archive.namelist() if "/worksheets/" in name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts of a workbook that openpyxl does not keep are not asked for
            read = {sheet.title: _cells(sheet) for sheet in _sheets(data, read_only=True, data_only=True)}
            unsaved = _unsaved(data, read) if any(map(FORMULA.search, texts)) else {}
            if any(map(MERGED.search, texts)):
                for sheet in _sheets(data, data_only=True):
                    _spread(read[sheet.title], sheet.merged_cells.ranges)
    except InputError:
        raise
    except Exception as error:  # a damaged part raises whatever its reader comes to
        if lacks_memory(error):
            raise
        why = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise InputError([f"workbook {path} is not an XLSX file, or is damaged: {why}"]) from None
    tables: dict[str, Table] = {}
    for name, cells in read.items():
        table = _table(path, name, cells, unsaved.get(name, ()))
        key = name.strip().lower()
        if table is not None and key in tables:
            raise InputError([f"workbook {path} must have one sheet {key}: it has '{tables[key].sheet}' and '{name}'"])
        if table is not None:
            tables[key] = table
    return tables


def _refuse_lost_sheets(path: Path, archive: ZipFile) -> None:
    """Refuse a workbook that names a sheet of cells and does not have it: it would be read as one without its rows."""
    from openpyxl.packaging.relationship import get_dependents, get_rels_path

    there, names = set(archive.namelist()), get_rels_path("xl/workbook.xml")
    if names not in there:
        return  # some programs call that part otherwise
    lost = [
        each.target
        for each in get_dependents(archive, names)
        if each.Type.endswith("/worksheet") and each.target not in there
    ]
    if lost:
        raise InputError([f"workbook {path} is damaged: it names {', '.join(lost)} and does not have it"])


def _sheets(data: bytes, **options: bool) -> list[Any]:
    """Sheets of cells, those of charts left out."""
    from openpyxl import load_workbook

    return list(load_workbook(io.BytesIO(data), **options).worksheets)


def _cells(sheet: Worksheet) -> Cells:
    """Values of a sheet row by row, the first one being that of row 1; of too many rows one more than may be."""
    found: Cells = []
    before: tuple[Any, ...] = ()
    width = min(sheet.max_column or MAX_COLUMNS, MAX_COLUMNS)
    for number, row in enumerate(sheet.iter_rows(max_col=width, values_only=True), start=1):
        if number <= MOST_ROWS:
            found.append(row)
        elif row is not before and any(map(_text, row)):  # rows that are not in the file are one and the same
            return [*found, row]
        before = row
    return found


def _unsaved(data: bytes, read: dict[str, Cells]) -> dict[str, list[tuple[int, int]]]:
    """Row from 1 and column from 0 of formulas without a saved value, by sheet."""
    found: dict[str, list[tuple[int, int]]] = {}
    for sheet in _sheets(data, read_only=True):
        rows = zip(sheet.iter_rows(max_row=MOST_ROWS), read[sheet.title], strict=False)
        found[sheet.title] = [
            (number, column)
            for number, (cells, values) in enumerate(rows, start=1)
            for column, (cell, value) in enumerate(zip(cells, values, strict=False))
            if cell.data_type == "f" and value is None
        ]
    return found


def _spread(cells: Cells, merged: Iterable[CellRange]) -> None:
    """Give every one of merged cells the value that is seen there."""
    for area in merged:
        rows = range(area.min_row - 1, min(area.max_row, len(cells)))
        value = cells[rows[0]][area.min_col - 1] if rows and area.min_col <= len(cells[rows[0]]) else None
        for row in rows if value is not None else ():
            cells[row] = tuple(
                value if area.min_col <= column <= area.max_col else other
                for column, other in enumerate(cells[row], start=1)
            )


def _text(value: object) -> str:
    """Cell as text from which its number can be read back bit by bit."""
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, date | time):  # a number that the spreadsheet program took for one
        return f"{'time' if isinstance(value, time) else 'date'} {value}"
    return str(value).strip()


def _table(path: Path, sheet: str, cells: Cells, unsaved: Sequence[tuple[int, int]]) -> Table | None:
    """Rows with something in them, the first of which has the headings; one whose first cell begins with # is a remark.

    None where there is no row.
    """
    texts_of = list(_rows(cells, {row for row, _ in unsaved}))
    rows = [(number, texts) for number, texts in texts_of if not (texts and is_remark(texts[0]))]
    if not rows:
        return None
    count = max(max((k for k, text in enumerate(texts, start=1) if text), default=0) for _, texts in rows)
    kept = [(number, (*texts, *("",) * count)[:count]) for number, texts in rows]
    table = Table(path, kept[0][1], tuple(kept[1:]), ";", (), sheet=sheet)
    problems = [
        f"{table.place(row, column)}: a formula must have been saved with its value: open the workbook in a "
        "spreadsheet program and save it, or type the value"
        for row, column in unsaved
    ]
    problems += [
        doubted(table.place(number, 0), texts[0])
        for number, texts in texts_of
        if number > rows[0][0] and doubtful_remark(table.headings, texts)
    ]
    if len(cells) > MOST_ROWS:
        problems.append(f"{table.name}: must have at most {MOST_ROWS} rows: it has more")
    return replace(table, problems=tuple(first_problems(problems)))


def _rows(cells: Cells, always: set[int]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Number and texts of every row with something in it, or with a formula."""
    for number, row in enumerate(cells, start=1):
        if number not in always and all(value is None for value in row):
            continue
        texts = tuple(map(_text, row))
        if any(texts) or number in always:
            yield number, texts

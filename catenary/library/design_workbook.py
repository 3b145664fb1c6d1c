"""A workbook of a line by stations with a design in the place of its rows, and further sheets about the design."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from catenary.errors import InputError
from catenary.library.columns import COLUMNS, read_rows, remark_columns
from catenary.library.line_file import LINE, read_line_workbook
from catenary.library.line_workbook import fill_sheet, origin_of, rows_of_line
from catenary.spec.line import CatenarySpec
from catenary.storage.files import whole_file

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

    from catenary.library.table import Table

__all__ = ["Cell", "Sheets", "write_design_workbook"]

Cell: TypeAlias = str | float | int | None
Sheets: TypeAlias = Mapping[str, Sequence[Sequence[Cell]]]
WIDTH = 24


def write_design_workbook(
    template: Path, path: Path, line: CatenarySpec, changes: Mapping[str, Cell], sheets: Sheets
) -> None:
    """Write a design into a copy of its line's workbook, whole or not at all.

    Sheets of a line file are written again, others stay as they are. Columns for people, as ``remark``, go with what
    stands in their rows: a dropper by span and number, anything else by its station.

    Parameters
    ----------
    template : Path
        Workbook of the line; it may be ``path`` itself.
    path : Path
        File to write.
    line : CatenarySpec
        The design.
    changes : mapping
        Keys of the sheet ``line`` that the design sets, in the place of what stands there.
    sheets : mapping of str to rows
        Further sheets by name, the first row of each being its headings.

    Raises
    ------
    InputError
        If the template is not the workbook of a line.
    """
    from openpyxl import load_workbook
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    book: Any = load_workbook(template)
    by_name = {sheet.title.strip().lower(): sheet for sheet in book.worksheets}
    if LINE not in by_name:
        raise InputError([f"workbook {template} must have a sheet '{LINE}': it has {', '.join(by_name)}"])
    file = read_line_workbook(template)
    origin = origin_of(file)
    # a formula that is written has no saved value: keys and values have to be read again
    saved: Any = load_workbook(template, data_only=True)[by_name[LINE].title]
    for cell in (cell for row in by_name[LINE].iter_rows() for cell in row if cell.data_type == "f"):
        cell.value = saved[cell.coordinate].value
    _set(by_name[LINE], changes)
    for name in COLUMNS:
        sheet, rows = _anew(book, by_name, name), rows_of_line(name, line, origin)
        fill_sheet(sheet, name, rows)
        if name in file.tables:
            supports = [origin + x for x in line.supports]
            _remark(sheet, name, rows, _remarks(name, file.tables[name], supports), supports)
    for name, rows in sheets.items():
        sheet = _anew(book, by_name, name)
        for row in rows:
            sheet.append(list(row))
        for number, cell in enumerate(sheet[1], start=1):
            cell.font = Font(bold=True)
            sheet.column_dimensions[get_column_letter(number)].width = WIDTH
    with whole_file(path) as temporary:
        book.save(temporary)


def _anew(book: Workbook, by_name: Mapping[str, Worksheet], name: str) -> Worksheet:
    """Empty sheet of a name, in the place of the one that there is."""
    if name not in by_name:
        return book.create_sheet(name)
    place = [sheet.title for sheet in book.worksheets].index(by_name[name].title)
    book.remove(by_name[name])
    return book.create_sheet(name, place)


def _remarks(name: str, table: Table, supports: Sequence[float]) -> list[tuple[str, dict[Hashable, str]]]:
    """Columns of a table that are for people: heading, and text by the place of its row."""
    rows = read_rows(name, table, [])
    places = list(_places(name, [{**row.values, **row.words} for row in rows], supports))
    return [
        (table.headings[k], {place: cells[k] for place, (_, cells) in zip(places, table.rows, strict=True) if cells[k]})
        for k in remark_columns(name, table)
    ]


def _remark(
    sheet: Worksheet,
    name: str,
    rows: Iterable[Mapping[str, Any]],
    remarks: Iterable[tuple[str, Mapping[Hashable, str]]],
    supports: Sequence[float],
) -> None:
    """Write remarks next to the rows that they belong to, behind all other columns."""
    places = list(_places(name, rows, supports))
    for heading, texts in remarks:
        column = sheet.max_column + 1
        sheet.cell(1, column, heading)
        for number, (section, *place) in enumerate(places, start=2):
            # a row names its section only where it must
            text = texts.get((section, *place), texts.get((None, *place)))
            if text is not None:
                sheet.cell(number, column, text).data_type = "s"


def _places(name: str, rows: Iterable[Mapping[str, Any]], supports: Sequence[float]) -> Iterator[tuple[Hashable, ...]]:
    """What each row is about: its section, and span and number of a dropper, or a station to 1 mm."""
    numbers = Counter[tuple[str | None, int]]()
    for row in rows:
        section = row.get("section")
        if name in ("droppers", "main_droppers"):
            span = int(row["span"]) if "span" in row else bisect_right(supports, row["station"])
            numbers[section, span] += 1
            yield section, span, numbers[section, span]
        elif "span" in row:
            yield section, int(row["span"]), int(row.get("dropper", 0))
        else:
            yield section, round(row.get("station", row.get("from", 0.0)), 3)


def _set(sheet: Worksheet, changes: Mapping[str, Cell]) -> None:
    """Set values by their key in the sheet of keys and values."""
    rows = {str(cell.value or "").strip(): number for number, (cell,) in enumerate(sheet.iter_rows(max_col=1), start=1)}
    for key, value in changes.items():
        if key in rows:
            sheet.cell(rows[key], 2, value)
        else:
            sheet.append([key, value])

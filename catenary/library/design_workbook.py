"""A workbook of a line by stations with a design in the place of its rows, and further sheets about the design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from catenary.errors import InputError
from catenary.library.columns import COLUMNS
from catenary.library.line_file import LINE, read_line_workbook
from catenary.library.line_workbook import fill_sheet, origin_of, rows_of_line
from catenary.spec.line import CatenarySpec
from catenary.storage.files import whole_file

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

__all__ = ["Cell", "Sheets", "write_design_workbook"]

Cell: TypeAlias = str | float | int | None
Sheets: TypeAlias = Mapping[str, Sequence[Sequence[Cell]]]
WIDTH = 24


def write_design_workbook(
    template: Path, path: Path, line: CatenarySpec, changes: Mapping[str, Cell], sheets: Sheets
) -> None:
    """Write a design into a copy of its line's workbook, whole or not at all.

    Sheets of a line file are written again, others stay as they are.

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
    origin = origin_of(read_line_workbook(template))
    # a formula that is written has no saved value: keys and values have to be read again
    saved: Any = load_workbook(template, data_only=True)[by_name[LINE].title]
    for cell in (cell for row in by_name[LINE].iter_rows() for cell in row if cell.data_type == "f"):
        cell.value = saved[cell.coordinate].value
    _set(by_name[LINE], changes)
    for name in COLUMNS:
        fill_sheet(_anew(book, by_name, name), name, rows_of_line(name, line, origin))
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


def _set(sheet: Worksheet, changes: Mapping[str, Cell]) -> None:
    """Set values by their key in the sheet of keys and values."""
    rows = {str(cell.value or "").strip(): number for number, (cell,) in enumerate(sheet.iter_rows(max_col=1), start=1)}
    for key, value in changes.items():
        if key in rows:
            sheet.cell(rows[key], 2, value)
        else:
            sheet.append([key, value])

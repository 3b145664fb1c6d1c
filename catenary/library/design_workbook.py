"""A workbook of a line by stations with a design in the place of its rows, and further sheets about the design."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from catenary.errors import InputError
from catenary.library.columns import COLUMNS, read_rows, remark_columns
from catenary.library.line_file import LINE, read_line_workbook
from catenary.library.line_workbook import fill_sheet, origin_of, rows_of_line
from catenary.library.table import is_remark
from catenary.spec.line import CatenarySpec
from catenary.storage.files import whole_file

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

    from catenary.library.table import Table

__all__ = ["PLAN_STATION", "Cell", "Sheets", "write_design_workbook"]

Cell: TypeAlias = str | float | int | None
Place: TypeAlias = tuple[Hashable, ...]
"""Section, if its row names one, and what else says which row it is."""
Sheets: TypeAlias = Mapping[str, Sequence[Sequence[Cell]]]
WIDTH = 24
# column of a further sheet whose stations count from the first support
STATION = "station_m"
PLAN_STATION = f"plan_{STATION}"


def write_design_workbook(
    template: Path, path: Path, line: CatenarySpec, changes: Mapping[str, Cell], sheets: Sheets
) -> None:
    """Write a design into a copy of its line's workbook, whole or not at all.

    Sheets of a line file are written again, others stay as they are. What is for people goes with what stands in its
    rows, a dropper by span and number, anything else by its station: columns as ``remark``, and rows that begin with #
    with the row below. Where a design has a row no more, as those of overlaps, whose heights are in the supports, what
    was remarked there stays with what the row said.

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
        Further sheets by name, the first row of each being its headings. Behind a column ``station_m``, which counts
        from the first support, comes one as the plan counts.

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
    file = read_line_workbook(template).sound()
    origin = origin_of(file)
    # a formula that is written has no saved value: keys and values have to be read again
    saved: Any = load_workbook(template, data_only=True)[by_name[LINE].title]
    for cell in (cell for row in by_name[LINE].iter_rows() for cell in row if cell.data_type == "f"):
        cell.value = saved[cell.coordinate].value
    _set(by_name[LINE], changes)
    for name in COLUMNS:
        old, rows = by_name.get(name), rows_of_line(name, line, origin)
        said = _rows_for_people(old) if old is not None else []
        sheet = _anew(book, by_name, name)
        fill_sheet(sheet, name, rows)
        supports = [origin + x for x in line.supports]
        _keep(sheet, said, (name, file.tables.get(name)), list(_places(name, rows, supports)), supports)
    for name, rows in sheets.items():
        sheet = _anew(book, by_name, name)
        for row in _with_plan_stations(rows, origin):
            sheet.append(list(row))
        for number, cell in enumerate(sheet[1], start=1):
            cell.font = Font(bold=True)
            sheet.column_dimensions[get_column_letter(number)].width = WIDTH
    with whole_file(path) as temporary:
        book.save(temporary)


def _with_plan_stations(rows: Sequence[Sequence[Cell]], origin: float) -> Iterator[Sequence[Cell]]:
    """Rows whose stations count from the first support, with those of the plan behind them."""
    head, *others = rows
    if STATION not in head:
        yield from rows
        return
    place = head.index(STATION)
    yield (*head, PLAN_STATION)
    for row in others:
        station = row[place]
        yield (*row, round(station + origin, 9) if isinstance(station, int | float) else None)


def _anew(book: Workbook, by_name: Mapping[str, Worksheet], name: str) -> Worksheet:
    """Empty sheet of a name, in the place of the one that there is."""
    if name not in by_name:
        return book.create_sheet(name)
    place = [sheet.title for sheet in book.worksheets].index(by_name[name].title)
    book.remove(by_name[name])
    return book.create_sheet(name, place)


def _rows_for_people(sheet: Worksheet) -> list[tuple[int, list[Cell]]]:
    """Rows of a sheet that begin with #: number, and cells as far as there are any."""
    found = []
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        if isinstance(cells[0], str) and is_remark(cells[0]):
            found.append((number, list(cells[: max(k for k, cell in enumerate(cells, start=1) if cell is not None)])))
    return found


def _keep(
    sheet: Worksheet,
    said: Sequence[tuple[int, list[Cell]]],
    old: tuple[str, Table | None],
    places: Iterable[Place],
    supports: Sequence[float],
) -> None:
    """Write what a table's sheet had for people into the new one, whose rows are about ``places``."""
    name, table = old
    row_at: dict[Place, int] = {}
    for number, (section, *where) in enumerate(places, start=2):
        # a row names its section only where it must
        for place in ((section, *where), (None, *where)):
            row_at.setdefault(place, number)
    before: list[Place] = []
    below: list[list[Cell]] = []
    if table is not None:
        values = [{**row.values, **row.words} for row in read_rows(name, table, [])]
        before = list(_places(name, values, supports))
        below = _columns_for_people(sheet, (name, table), [row_at.get(place) for place in before])
    numbers = [number for number, _ in table.rows] if table is not None else []
    above: list[tuple[int, int, list[Cell]]] = []
    for order, (number, cells) in enumerate(said):
        left = (row_at[place] for place in before[bisect_left(numbers, number) :] if place in row_at)
        row = next(left, None)
        if row is None:
            below.append(cells)
        else:
            above.append((row, order, cells))
    for row, _, cells in sorted(above, reverse=True):  # so that no row has moved when its turn comes
        sheet.insert_rows(row)
        _write(sheet, row, cells)
    for cells in below:
        _write(sheet, sheet.max_row + 1, cells)


def _columns_for_people(sheet: Worksheet, old: tuple[str, Table], rows: Iterable[int | None]) -> list[list[Cell]]:
    """Write remarks next to the rows that they belong to, behind all others; give back those of no row."""
    name, table = old
    columns = remark_columns(name, table)
    first, lost = sheet.max_column + 1, []
    _write(sheet, 1, [table.headings[k] for k in columns], first)
    for row, (_, cells) in zip(rows, table.rows, strict=True):
        if row is not None:
            _write(sheet, row, [cells[k] or None for k in columns], first)
        elif any(cells[k] for k in columns):
            lost.append(["# " + "; ".join(cell for cell in cells if cell)])
    return lost


def _write(sheet: Worksheet, row: int, cells: Iterable[Cell], first: int = 1) -> None:
    """Write cells of a row from a column on; texts stay texts, whatever they begin with."""
    for column, value in enumerate(cells, start=first):
        if value is not None:
            sheet.cell(row, column, value)
            if isinstance(value, str):
                sheet.cell(row, column).data_type = "s"


def _places(name: str, rows: Iterable[Mapping[str, Any]], supports: Sequence[float]) -> Iterator[Place]:
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

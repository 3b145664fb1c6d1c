"""A workbook to fill in: a sheet for each table of a line file, headings with units, lists and ranges of its cells.

The same sheets with the rows of a line that there is: what the reader makes of them is that line again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catenary.errors import InputError
from catenary.layout.sections import parts_of
from catenary.library.columns import COLUMNS, Column, read_rows
from catenary.library.line_file import DRAWN, LINE, LineFile, list_text
from catenary.library.lines import line_names
from catenary.spec.components import PRESCRIBED
from catenary.spec.line import CatenarySpec
from catenary.spec.section import SectionSpec
from catenary.storage.files import whole_file

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

__all__ = ["fill_sheet", "origin_of", "rows_of_line", "write_line_workbook"]

LONGEST_NAME = 255  # letters
# unit in which a sheet gives a quantity; those that are not named are in SI
IN_MM = ("encumbrance", "contact_height", "stagger", "messenger_stagger", "height", "length", "by")
IN_MM += ("elevation", "spacing", "depth")
# columns that count from where the plan does
STATIONS = ("station", "from", "to")
LAST_ROW = 1000
WIDTH = 19


def write_line_workbook(path: Path, kind: str, file: LineFile | None = None, line: CatenarySpec | None = None) -> None:
    """Write the workbook of a line by stations, whole or not at all.

    Parameters
    ----------
    path : Path
        File to write.
    kind : str
        Type of line that the sheet ``line`` names.
    file, line : LineFile and CatenarySpec, optional
        A line file and the line that it is, for their rows; without them the sheets are empty.

    Raises
    ------
    InputError
        If the line is not one by stations.
    """
    from openpyxl import Workbook

    if line is not None and line.section is None:
        raise InputError([f"line must be one by stations: '{line.name}' is a type of line, which repeats"])
    book: Any = Workbook()
    _head(book.active, path.stem if file is None else file.name, kind, file)
    origin = 0.0 if file is None else origin_of(file)
    for name in COLUMNS:
        fill_sheet(book.create_sheet(name), name, [] if line is None else rows_of_line(name, line, origin))
    with whole_file(path) as temporary:
        book.save(temporary)


def origin_of(file: LineFile) -> float:
    """Station of the first support as the file counts [m]."""
    return float(read_rows("supports", file.tables["supports"], [])[0].values["station"])


def _head(sheet: Worksheet, name: str, kind: str, file: LineFile | None) -> None:
    """Write keys and values of the line as a whole."""
    from openpyxl.worksheet.datavalidation import DataValidation

    sheet.title = LINE
    values = {"name": name, "type": kind, "description": ""}
    if file is not None:
        values |= {"description": file.description, **dict(_flat(file.changes))}
        values |= dict(_flat(file.irregularity, f"{DRAWN}."))
    for row in (("key", "value"), *values.items()):
        sheet.append(row)
    types = DataValidation(type="list", formula1=f'"{",".join(line_names())}"', showErrorMessage=False)
    sheet.add_data_validation(types)
    types.add("B3")
    for letter in "AB":
        sheet.column_dimensions[letter].width = 2 * WIDTH


def _flat(changes: Mapping[str, Any], inside: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys of blocks, each with its value."""
    for key, value in changes.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{inside}{key}.")
        else:
            yield f"{inside}{key}", list_text(value) if isinstance(value, list | tuple) else value


def rows_of_line(name: str, line: CatenarySpec, origin: float = 0.0) -> list[dict[str, Any]]:
    """Rows of a table that describe a line, by their columns in SI; ``origin``: station of the first support [m]."""
    return [
        {key: value + origin if key in STATIONS else value for key, value in row.items()} for row in _ROWS[name](line)
    ]


def fill_sheet(sheet: Worksheet, name: str, rows: list[dict[str, Any]]) -> None:
    """Fill the sheet of a table; it names what its rows have, and an empty one whatever a row may have."""
    shown = [c for c in COLUMNS[name] if not rows or any(c.quantity.name in row for row in rows)]
    _fill(sheet, shown, rows)


def _fill(sheet: Worksheet, columns: list[Column], rows: list[dict[str, Any]]) -> None:
    """Write headings, what each column takes, and rows in the units of the headings."""
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    sheet.append([_heading(column) for column in columns])
    sheet.freeze_panes = "A2"
    for number, column in enumerate(columns, start=1):
        letter = get_column_letter(number)
        sheet[f"{letter}1"].font = Font(bold=True)
        sheet.column_dimensions[letter].width = WIDTH
        if column.words:
            takes = DataValidation(type="list", formula1=f'"{",".join(column.words)}"', allow_blank=True)
        elif column.name:
            length = f"{LONGEST_NAME}"
            takes = DataValidation(type="textLength", operator="lessThanOrEqual", formula1=length, allow_blank=True)
        else:
            kind, size = "whole" if column.whole else "decimal", _size(column)
            low, high = (f"{size * limit:.12g}" for limit in (column.low, column.high))
            takes = DataValidation(type=kind, operator="between", formula1=low, formula2=high, allow_blank=True)
            takes.error = f"must be between {low} and {high}"
        takes.showErrorMessage, takes.errorStyle = True, "warning"  # rows for people, which begin with #, may stay
        sheet.add_data_validation(takes)
        takes.add(f"{letter}2:{letter}{LAST_ROW}")
    for row in rows:
        given = [(row.get(c.quantity.name), _size(c)) for c in columns]
        sheet.append([round(v * size, 9) if isinstance(v, float) else v for v, size in given])


def _size(column: Column) -> float:
    """Number of the heading's unit in one of SI."""
    return 1e3 if column.quantity.name in IN_MM else 1.0


def _heading(column: Column) -> str:
    """Name and unit of a column."""
    name = column.quantity.name
    unit = "mm" if name in IN_MM else next(iter(column.quantity.units))
    return name if unit == "1" else f"{name} [{unit}]"


def _supports(line: CatenarySpec) -> Iterator[dict[str, Any]]:
    """Rows of supports, those of every section that has wires there."""
    rows = []
    for part in parts_of(line):
        section = _section(part.line)
        lists = {
            "encumbrance": section.encumbrances,
            "contact_height": section.contact_heights,
            "stagger": section.staggers,
            "messenger_stagger": section.messenger_staggers,
        }
        named = {"section": part.name} if part.name else {}
        rows += [
            {"station": x, **{name: values[k] for name, values in lists.items() if values}, **named}
            for k, x in enumerate(line.supports[part.first_support :][: len(part.line.supports)])
        ]
    return iter(sorted(rows, key=lambda row: row["station"]))


def _droppers(line: CatenarySpec) -> Iterator[dict[str, Any]]:
    """Rows by span and position, or by stations where only these give the same numbers."""
    drops, section = line.droppers, _section(line)
    key, one = PRESCRIBED[drops.prescribed]
    lists = {
        "stiffness": section.dropper_stiffnesses,
        "contact_clamp": section.clamp_masses_contact_wire,
        "messenger_clamp": section.clamp_masses_messenger_wire,
    }
    names = [
        own.name
        for own, own_x in zip(section.tension_sections, drops.positions_by_section, strict=False)
        for _ in own_x
    ]
    spans = list(pairwise(line.supports))
    number = [next(s for s, (a, b) in enumerate(spans) if a < x < b) for x in drops.positions]
    offsets = [round(x - spans[s][0], 9) for s, x in zip(number, drops.positions, strict=True)]
    same = all(spans[s][0] + d == x for s, d, x in zip(number, offsets, drops.positions, strict=True))
    for k, (span, offset) in enumerate(zip(number, offsets, strict=True)):
        place = {"span": span + 1, "position": offset} if same else {"station": drops.positions[k]}
        named = {"section": names[k]} if names else {}
        yield {**place, one: getattr(drops, key)[k], **{name: v[k] for name, v in lists.items() if v}, **named}


def _main_droppers(line: CatenarySpec) -> Iterator[dict[str, Any]]:
    """Rows of main droppers by their stations."""
    own = line.auxiliary_wire
    if own is None:
        return
    main = own.droppers
    one, given = ("length", main.lengths) if main.prescribed == "lengths" else ("height", main.auxiliary_wire_heights)
    names = zip(_section(line).tension_sections, main.by_section, strict=False)
    sections = [{"section": each.name} for each, count in names for _ in range(count)]
    named = sections or [{}] * len(main.positions)
    for station, value, name in zip(main.positions, given or (0.0,) * len(main.positions), named, strict=True):
        yield {"station": station, one: value, **name}


def _masses(line: CatenarySpec) -> Iterator[dict[str, Any]]:
    for mass in _section(line).masses:
        named = {} if mass.section is None else {"section": mass.section}
        yield {"station": mass.station, "wire": mass.wire, "mass": mass.mass, **named}


def _elements(line: CatenarySpec) -> Iterator[dict[str, Any]]:
    for element in _section(line).elements:
        yield {key: value for key, value in element.model_dump().items() if value is not None}


def _wear(line: CatenarySpec) -> Iterator[dict[str, Any]]:
    for worn in _section(line).wear:
        own = {key: value for key, value in worn.model_dump().items() if value is not None}
        yield {"from": own.pop("begin"), "to": own.pop("end"), **own}


def _defects(line: CatenarySpec) -> Iterator[dict[str, Any]]:
    for defect in _section(line).defects:
        yield {key: value for key, value in defect.model_dump().items() if value is not None}


def _profile(line: CatenarySpec) -> Iterator[dict[str, Any]]:
    for own in _section(line).profiles:
        named = {} if own.section is None else {"section": own.section}
        for station, height in zip(own.stations, own.heights, strict=True):
            yield {"station": station, "height": height, **named}


def _kinks(line: CatenarySpec) -> Iterator[dict[str, Any]]:
    for kink in _section(line).kinks:
        yield {key: value for key, value in kink.model_dump().items() if value is not None}


def _sections(line: CatenarySpec) -> Iterator[dict[str, Any]]:
    for own in _section(line).tension_sections:
        ends = {key: value for key, value in own.ends.model_dump().items() if value is not None}
        place = {"from": line.supports[own.first_support], "to": line.supports[own.last_support]}
        yield {"name": own.name, **place, "ends": ends.pop("kind"), **ends}


def _overlaps(_: CatenarySpec) -> Iterator[dict[str, Any]]:
    """No rows: supports have the heights and sides that an overlap gives them."""
    return iter(())


def _section(line: CatenarySpec) -> SectionSpec:
    return line.section or SectionSpec()


_ROWS = {
    "supports": _supports,
    "droppers": _droppers,
    "main_droppers": _main_droppers,
    "masses": _masses,
    "elements": _elements,
    "wear": _wear,
    "defects": _defects,
    "profile": _profile,
    "kinks": _kinks,
    "sections": _sections,
    "overlaps": _overlaps,
}

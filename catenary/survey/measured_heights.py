"""Heights of the contact wire as they were measured along a line: a table of stations and heights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.library.table import Quantity, Table, column_of, column_values, first_problems, read_csv, unheaded
from catenary.library.workbook import read_workbook
from catenary.spec.tension_section import TensionSectionSpec

__all__ = ["MeasuredHeights", "measured_heights"]

LENGTH = {"m": 1.0, "mm": 1e-3, "cm": 1e-2}
STATION = Quantity("station", ("chainage", "position"), {**LENGTH, "km": 1e3})
SECTION = Quantity("section", (), {"1": 1.0})
HEIGHT = Quantity("height", ("contact_wire_height", "z"), LENGTH)
MOST_BYTES = 20_000_000
MOST_POINTS = 20_000
SHOWN = 5
SAME = 1e-9  # stations of one place [m]


@dataclass(frozen=True, eq=False)
class MeasuredHeights:
    """Heights of the contact wire at rest.

    Attributes
    ----------
    station : float array (point,)
        From the line's first support, increasing [m].
    height : float array (point,)
        Over the line's nominal contact-wire height [m].
    section : tuple of str
        Tension section of the wire that each was measured on; none where the line is one.
    """

    station: NDArray[np.float64]
    height: NDArray[np.float64]
    section: tuple[str, ...] = ()

    def some(self, points: NDArray[np.int64]) -> MeasuredHeights:
        """Those of some numbers."""
        section = tuple(self.section[k] for k in points) if self.section else ()
        return MeasuredHeights(self.station[points], self.height[points], section)


def measured_heights(
    path: Path,
    supports: tuple[float, ...],
    origin: float,
    nominal: float,
    sections: Sequence[TensionSectionSpec] = (),
) -> MeasuredHeights:
    """Read a CSV file, or the first sheet of a workbook, with the columns station and height.

    Of a line in several tension sections it needs a column section, too, where two of them pass.

    Parameters
    ----------
    path : Path
    supports : tuple of float
        Stations of the supports from the first one [m].
    origin : float
        Station of the first support in the table [m].
    nominal : float
        Height in the table of the line's nominal contact wire [m]; 0 where heights are relative to it.
    sections : sequence of TensionSectionSpec
        Tension sections of the line.

    Raises
    ------
    InputError
        With a sentence for every column that is missing and every cell that cannot be.
    """
    table = _table(path)
    problems = [*table.problems, *(unheaded(table) if table.sheet else [])]
    columns: dict[str, NDArray[np.float64]] = {}
    for quantity in (STATION, HEIGHT):
        try:
            found = column_of(table, quantity)
        except InputError as error:
            problems += error.problems
            continue
        if found is None:
            problems.append(
                f"{table.name}: a column '{quantity.name}' is missing: it has {', '.join(table.headings)}; known units "
                f"are {quantity.unit_names}, as in '{quantity.name}_mm'"
            )
            continue
        values, wrong = column_values(table, quantity, found)
        problems += wrong
        columns[quantity.name] = np.array(values)
    if len(columns) == 2:
        problems += _outside(table, columns["station"], origin, origin + supports[-1])
    names: list[str] = []
    if len(sections) > 1 and not problems:
        names = _sections(table, columns["station"] - origin, supports, sections, problems)
    if len(table.rows) > MOST_POINTS:
        problems.append(f"{table.name}: must have at most {MOST_POINTS} rows: got {len(table.rows)}")
    if problems:
        raise InputError(problems)
    found = MeasuredHeights(columns["station"] - origin, columns["height"] - nominal, tuple(names))
    return found.some(np.argsort(columns["station"], kind="stable"))


def _table(path: Path) -> Table:
    if path.suffix.lower() == ".xlsx":
        return next(iter(read_workbook(path).values()))
    return read_csv(path, "table of measured heights", MOST_BYTES)


def _sections(
    table: Table,
    station: NDArray[np.float64],
    supports: tuple[float, ...],
    sections: Sequence[TensionSectionSpec],
    problems: list[str],
) -> list[str]:
    """Names of the sections that heights are of; a row need not say it where one alone passes [m]."""
    try:
        column = column_of(table, SECTION)
    except InputError as error:
        problems += error.problems
        return []
    ends = {each.name: (supports[each.first_support], supports[each.last_support]) for each in sections}
    found, wrong = [], []
    for (row, cells), x in zip(table.rows, station, strict=True):
        over = [name for name, (begin, end) in ends.items() if begin - SAME <= x <= end + SAME]
        given = cells[column[0]].strip() if column else ""
        # where wires end at a support of another section the height is that of the other, unless a row names it
        passing = [name for name in over if ends[name][0] + SAME < x < ends[name][1] - SAME] or over
        own = [name for name in over if name == given] if given else passing
        at = table.place(row, column[0] if column else None)
        if given and given not in ends:
            wrong.append(f"{at}: section must be one of {', '.join(ends)}: got '{given[:40]}'")
        elif not own:
            wrong.append(f"{at}: section must be that of a wire which passes there, {' or '.join(over)}: got '{given}'")
        elif len(own) > 1:
            wrong.append(
                f"{at}: section is missing: the wires of {' and '.join(own)} pass there. Say in a column 'section' on "
                "which of them the height was measured"
            )
        found.append(own[0] if own else "")
    problems += first_problems(wrong)
    return found


def _outside(table: Table, station: NDArray[np.float64], first: float, last: float) -> list[str]:
    """Name the rows that lie beyond the line."""
    beyond = [
        (row, x)
        for (row, _), x in zip(table.rows, station, strict=True)
        if np.isfinite(x) and not first - 1e-9 <= x <= last + 1e-9
    ]
    problems = [
        f"{table.place(row)}: station must lie on the line, {first:g} to {last:g} m: got {x:g} m"
        for row, x in beyond[:SHOWN]
    ]
    more = len(beyond) - SHOWN
    return [*problems, f"and {more} more rows beyond the line"] if more > 0 else problems

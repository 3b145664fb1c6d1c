"""Heights of the contact wire as they were measured along a line: a table of stations and heights."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.library.table import Quantity, Table, column_of, column_values, read_csv, unheaded
from catenary.library.workbook import read_workbook

__all__ = ["MeasuredHeights", "measured_heights"]

LENGTH = {"m": 1.0, "mm": 1e-3, "cm": 1e-2}
STATION = Quantity("station", ("chainage", "position"), {**LENGTH, "km": 1e3})
HEIGHT = Quantity("height", ("contact_wire_height", "z"), LENGTH)
MOST_BYTES = 20_000_000
MOST_POINTS = 20_000
SHOWN = 5


@dataclass(frozen=True, eq=False)
class MeasuredHeights:
    """Heights of the contact wire at rest.

    Attributes
    ----------
    station : float array (point,)
        From the line's first support, increasing [m].
    height : float array (point,)
        Over the line's nominal contact-wire height [m].
    """

    station: NDArray[np.float64]
    height: NDArray[np.float64]


def measured_heights(path: Path, supports: tuple[float, ...], origin: float, nominal: float) -> MeasuredHeights:
    """Read a CSV file, or the first sheet of a workbook, with the columns station and height.

    Parameters
    ----------
    path : Path
    supports : tuple of float
        Stations of the supports from the first one [m].
    origin : float
        Station of the first support in the table [m].
    nominal : float
        Height in the table of the line's nominal contact wire [m]; 0 where heights are relative to it.

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
    if len(table.rows) > MOST_POINTS:
        problems.append(f"{table.name}: must have at most {MOST_POINTS} rows: got {len(table.rows)}")
    if problems:
        raise InputError(problems)
    order = np.argsort(columns["station"], kind="stable")
    return MeasuredHeights(columns["station"][order] - origin, columns["height"][order] - nominal)


def _table(path: Path) -> Table:
    if path.suffix.lower() == ".xlsx":
        return next(iter(read_workbook(path).values()))
    return read_csv(path, "table of measured heights", MOST_BYTES)


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

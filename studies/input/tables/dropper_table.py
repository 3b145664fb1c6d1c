"""A table of droppers from a user's CSV file or workbook: stations with contact-wire heights or dropper lengths."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from catenary.errors import InputError
from catenary.library.table import Quantity, Table, column_of, column_values, read_csv
from catenary.library.workbook import read_workbook
from catenary.spec.components import HIGHEST, LONGEST, SHORTEST

__all__ = ["DropperTable", "read_dropper_table"]

MAX_BYTES = 1_000_000
MAX_DROPPERS = 40
EDGE = 0.5
SHEET = "droppers"
LENGTH = {"m": 1.0, "mm": 1e-3, "cm": 1e-2}
STATION = Quantity("station", ("position", "x", "distance", "chainage"), LENGTH)
HEIGHT = Quantity("height", ("contact_wire_height", "z"), LENGTH)
CUT = Quantity("length", ("dropper_length", "cut_length"), LENGTH)


@dataclass(frozen=True)
class DropperTable:
    """Stations [m] and what is prescribed there [m]; ``prescribed`` is 'heights' or 'lengths'."""

    stations: tuple[float, ...]
    prescribed: str
    values: tuple[float, ...]
    unused: tuple[str, ...]


def read_dropper_table(path: Path, span_length: float | None) -> DropperTable:
    """Read a dropper table; ``span_length`` [m] bounds the stations, where it is known.

    Raises
    ------
    InputError
        With one sentence per bad row: line number, value, what is allowed.
    """
    table = _sheet(path) if path.suffix.lower() == ".xlsx" else read_csv(path, "dropper table", MAX_BYTES)
    station, given = column_of(table, STATION), [(q, column_of(table, q)) for q in (HEIGHT, CUT)]
    chosen = [(q, column) for q, column in given if column is not None]
    if station is None or len(chosen) != 1:
        raise InputError([_headings_wrong(table, station is None, len(chosen))])
    quantity, column = chosen[0]
    x, not_x = column_values(table, STATION, station)
    z, not_z = column_values(table, quantity, column)
    problems = [*table.problems, *not_x, *not_z, *_out_of_range(table, x, z, quantity, span_length)]
    if len(table.rows) > MAX_DROPPERS:
        problems.append(f"{path} must list at most {MAX_DROPPERS} droppers: got {len(table.rows)}")
    if problems:
        raise InputError(sorted(problems, key=_line_number))
    used = {station[0], column[0]}
    return DropperTable(
        stations=_rounded(x),
        prescribed="heights" if quantity is HEIGHT else "lengths",
        values=_rounded(z),
        unused=tuple(h for k, h in enumerate(table.headings) if k not in used),
    )


def _sheet(path: Path) -> Table:
    """Sheet ``droppers`` of a workbook, or the only one that has a heading."""
    sheets = read_workbook(path)
    named = sheets.get(SHEET) or (next(iter(sheets.values())) if len(sheets) == 1 else None)
    if named is None or not named.rows:
        raise InputError([f"{path} must have rows in a sheet '{SHEET}': it has {', '.join(sheets) or 'none'}"])
    return named


def _rounded(values: list[float]) -> tuple[float, ...]:
    """Values as they were written: 1017 mm is 1.017 m, not 1.0170000000000001 m."""
    return tuple(round(value, 9) for value in values)


def _headings_wrong(table: Table, no_station: bool, count: int) -> str:
    have = ", ".join(f"'{h}'" for h in table.headings)
    if no_station or count == 0:
        wanted = "station" if no_station else "height or length"
        known = [f"{q.name}{unit}" for q in (STATION, HEIGHT, CUT) for unit in ("", "_m", "_mm")]
        near = [n for h in table.headings for n in difflib.get_close_matches(h.lower(), known, n=1, cutoff=0.75)]
        missing = [n for n in near if n not in (h.lower() for h in table.headings)]
        advice = f"; did you mean {missing[0]}?" if missing else ""
        return (
            f"{table.path} must name a column '{wanted}' in its first line, such as station_m, height_mm or "
            f"length_m: got {have}{advice}"
        )
    return f"{table.path} must give either heights or lengths of the droppers, the others follow: got {have}"


def _out_of_range(table: Table, x: list[float], z: list[float], quantity: Quantity, span: float | None) -> list[str]:
    """Sentences on stations outside the span or out of order, and on values out of range."""
    low, high = (-HIGHEST, HIGHEST) if quantity is HEIGHT else (SHORTEST, LONGEST)
    hint = (
        f"; a column in millimetres is named {quantity.name}_mm" if not any("mm" in h for h in table.headings) else ""
    )
    problems, before = [], -float("inf")
    for (line, _), station, value in zip(table.rows, x, z, strict=True):
        here = f"{table.place(line)}:"
        if station < EDGE or (span is not None and station > span - EDGE):
            end = "" if span is None else f" and at most {span - EDGE:g} m, inside the span"
            problems.append(f"{here} station must be at least {EDGE:g} m{end}: got {station:.6g} m")
        if station <= before:
            problems.append(
                f"{here} station must be beyond that of the row before, {before:.6g} m: got {station:.6g} m"
            )
        before = station if station == station else before
        if value < low or value > high:
            problems.append(
                f"{here} {quantity.name} must be between {low:g} and {high:g} m: got {value:.6g} m"
                + (hint if abs(value) > 4.0 else "")
            )
    return problems


def _line_number(sentence: str) -> int:
    """Line that a sentence speaks of, so that they come in the order of the file."""
    _, found, rest = sentence.partition(" line ")
    digits = rest.partition(":")[0]
    return int(digits) if found and digits.isdigit() else 1_000_000

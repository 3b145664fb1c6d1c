"""The motion of a train's roof from a user's CSV file: time, height and place to the side."""

from __future__ import annotations

from pathlib import Path

from catenary.errors import InputError
from catenary.library.table import Quantity, column_of, column_values, read_csv

__all__ = ["read_base_motion"]

MAX_BYTES = 20_000_000
TIME = Quantity("time", ("t",), {"s": 1.0, "ms": 1e-3})
HEIGHT = Quantity("height", ("z", "base_height", "displacement"), {"m": 1.0, "mm": 1e-3, "cm": 1e-2})
SIDE = Quantity("side", ("y", "lateral", "sway"), {"m": 1.0, "mm": 1e-3, "cm": 1e-2})


def read_base_motion(path: Path) -> dict[str, list[float]]:
    """Read a base motion: times [s], heights and places to the left [m], as `BaseMotionSpec` has them.

    Raises
    ------
    InputError
        With one sentence per problem: no such file, a missing column, a unit that is not one, a cell without a number.
    """
    table = read_csv(path, "base motion", MAX_BYTES)
    columns = {quantity: column_of(table, quantity) for quantity in (TIME, HEIGHT, SIDE)}
    needed = (TIME, HEIGHT) if columns[SIDE] is None else (TIME,)
    lacking = [f"{q.name} ({q.unit_names})" for q in needed if columns[q] is None]
    if lacking:
        said = " and no ".join(lacking)
        raise InputError([f"base motion {path} must have the columns time [s] and height [m]: there is no {said}"])
    problems, values = list(table.problems), dict[str, list[float]]()
    for (quantity, column), key in zip(columns.items(), ("time_s", "height_m", "side_m"), strict=True):
        if column is not None:
            values[key], wrong = column_values(table, quantity, column)
            problems += wrong
    if problems:
        raise InputError(problems)
    return values

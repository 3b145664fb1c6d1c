"""The motion of a train's roof from a user's CSV file: time and height."""

from __future__ import annotations

from pathlib import Path

from catenary.errors import InputError
from catenary.library.table import Quantity, column_of, column_values, read_csv

__all__ = ["read_base_motion"]

MAX_BYTES = 20_000_000
TIME = Quantity("time", ("t",), {"s": 1.0, "ms": 1e-3})
HEIGHT = Quantity("height", ("z", "base_height", "displacement"), {"m": 1.0, "mm": 1e-3, "cm": 1e-2})


def read_base_motion(path: Path) -> dict[str, list[float]]:
    """Read a base motion: times [s] and heights [m], as `dynamics.train_spec.BaseMotionSpec` takes them.

    Raises
    ------
    InputError
        With one sentence per problem: no such file, a missing column, a unit that is not one, a cell without a number.
    """
    table = read_csv(path, "base motion", MAX_BYTES)
    columns = {quantity: column_of(table, quantity) for quantity in (TIME, HEIGHT)}
    lacking = [f"{q.name} ({q.unit_names})" for q, column in columns.items() if column is None]
    if lacking:
        said = " and no ".join(lacking)
        raise InputError([f"base motion {path} must have the columns time [s] and height [m]: there is no {said}"])
    problems, values = list(table.problems), []
    for quantity, column in columns.items():
        assert column is not None
        read, wrong = column_values(table, quantity, column)
        values.append(read)
        problems += wrong
    if problems:
        raise InputError(problems)
    return {"time_s": values[0], "height_m": values[1]}

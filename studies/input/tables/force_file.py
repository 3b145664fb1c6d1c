"""A contact force from a file that another program or a measuring coach wrote: CSV, netCDF or TDMS, units named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.library.table import Quantity, column_of, column_values, read_csv
from dynamics.contact_force.measured_force import ForceRecord
from studies.input.tables.tdms_file import read_tdms

__all__ = ["read_force_file"]

SUFFIXES = (".csv", ".txt", ".tsv", ".nc", ".tdms")
MAX_BYTES = 200_000_000
LEAST_SAMPLES = 50
TIME = Quantity("time", ("t",), {"s": 1.0, "ms": 1e-3, "min": 60.0})
POSITION = Quantity("position", ("x", "distance", "station", "chainage"), {"m": 1.0, "km": 1e3, "mm": 1e-3})
FORCE = Quantity("force", ("contact_force", "f"), {"N": 1.0, "kN": 1e3, "daN": 10.0})
QUANTITIES = (TIME, POSITION, FORCE)
Columns = dict[str, NDArray[np.float64]]


def read_force_file(path: Path, speed_kmh: float | None) -> ForceRecord:
    """Read a record of force over time, over position, or over both.

    Parameters
    ----------
    path : Path
        CSV whose first line names columns and units; netCDF or TDMS whose variables or channels have them.
    speed_kmh : float or None
        Speed that joins time and position where the file has one of them alone.

    Raises
    ------
    InputError
        With every problem of the file, one sentence each.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(
            [f"{path} must be a CSV, netCDF or TDMS file with a force: its name ends in none of {', '.join(SUFFIXES)}"]
        )
    suffix = path.suffix.lower()
    if suffix == ".tdms":
        found = read_tdms(path, QUANTITIES)
    else:
        found = _read_netcdf(path) if suffix == ".nc" else _read_table(path)
    problems = []
    if "force" not in found:
        problems.append(f"{path} must have a column 'force' with its unit, such as force_N or 'contact_force [kN]'")
    known = [name for name in ("time", "position") if name in found]
    if not known:
        problems.append(f"{path} must have a column 'time' or 'position', such as time_s or 'position [m]'")
    elif len(known) == 1 and speed_kmh is None:
        problems.append(f"record.speed_kmh is missing: {path} has {known[0]} alone; give the speed it was taken at")
    problems += [s for name in known for s in _not_increasing(path, name, found[name])]
    if "force" in found and len(found["force"]) < LEAST_SAMPLES:
        problems.append(f"{path} must hold at least {LEAST_SAMPLES} samples: got {len(found['force'])}")
    if problems:
        raise InputError(problems)
    speed = (speed_kmh or 0.0) / 3.6
    time = found["time"] if "time" in found else found["position"] / speed
    position = found["position"] if "position" in found else speed * (found["time"] - found["time"][0])
    return ForceRecord(path.name, time, position, found["force"])


def _not_increasing(path: Path, name: str, values: NDArray[np.float64]) -> list[str]:
    at = np.flatnonzero(np.diff(values) <= 0.0)
    if not at.size:
        return []
    k, unit = int(at[0]), {"time": "s", "position": "m"}[name]
    return [
        f"{path}: {name} must increase from sample to sample: sample {k + 2} is at {values[k + 1]:.6g} {unit}, the one "
        f"before at {values[k]:.6g} {unit}" + (f", and {at.size - 1} more" if at.size > 1 else "")
    ]


def _read_table(path: Path) -> Columns:
    table = read_csv(path, "force record", MAX_BYTES)
    problems, found = list(table.problems), {}
    for quantity in QUANTITIES:
        try:
            column = column_of(table, quantity)
        except InputError as error:
            problems += error.problems
            continue
        if column is not None:
            values, wrong = column_values(table, quantity, column)
            found[quantity.name] = np.array(values)
            problems += wrong
    if problems:
        raise InputError(problems)
    return found


def _read_netcdf(path: Path) -> Columns:
    from dynamics.results.dataset import read_result

    stored = read_result(path, "force record")
    found, problems = {}, []
    for quantity in QUANTITIES:
        # a file may hold more than the record; the plain name goes before the others
        names = [n for n in stored.values if n.lower() == quantity.name]
        names = names or [n for n in stored.values if n.lower() in quantity.aliases]
        if len(names) > 1:
            problems.append(f"{path}: only one variable may hold the {quantity.name}: got {', '.join(names)}")
        for name in names[:1]:
            values, unit = _in_seconds(stored.values[name]), stored.units[name]
            sizes = {u.lower(): size for u, size in quantity.units.items()}
            timed = np.issubdtype(stored.values[name].dtype, np.datetime64)
            if not timed and unit.lower() not in sizes:
                problems.append(f"{path}: the unit of '{name}' must be one of {quantity.unit_names}: got '{unit}'")
            elif values.ndim != 1 or not np.isfinite(values).all():
                problems.append(f"{path}: '{name}' must be a list of finite numbers: got shape {values.shape}")
            else:
                found[quantity.name] = values * (1.0 if timed else sizes[unit.lower()])
    lengths = {name: len(values) for name, values in found.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{n} {name}" for name, n in lengths.items())
        problems.append(f"{path}: force, time and position must have as many values as one another: got {listed}")
    if problems:
        raise InputError(problems)
    return found


def _in_seconds(values: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers as they are; dates, as which times since a date are read, in seconds from the first one."""
    if np.issubdtype(values.dtype, np.datetime64) and values.size:
        return (values - values.flat[0]) / np.timedelta64(1, "s")
    return values.astype(np.float64) if np.issubdtype(values.dtype, np.number) else np.full(values.shape, np.nan)

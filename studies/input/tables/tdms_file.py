"""A contact force from a TDMS file, as LabVIEW and FlexLogger write them: channels with units in their properties."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.library.table import Quantity, name_and_unit
from catenary.storage.user_file import refuse_irregular

if TYPE_CHECKING:
    from nptdms import TdmsChannel

__all__ = ["read_tdms"]

MOST_BYTES = 1_000_000_000
UNIT = "unit_string"
STEP, BEGIN = "wf_increment", "wf_start_offset"


def read_tdms(path: Path, quantities: tuple[Quantity, ...]) -> dict[str, NDArray[np.float64]]:
    """Read the channels that hold the quantities, in SI units, by the quantities' names.

    A channel is found by its name, in whatever group; its unit stands in its property ``unit_string`` or, as in a
    CSV, in its name. A force that is a waveform (``wf_increment``) brings its own time.

    Raises
    ------
    InputError
        With every problem of the file, one sentence each.
    """
    from nptdms import TdmsFile

    refuse_irregular(path, "force record", MOST_BYTES)
    try:
        with open(path, "rb") as file, warnings_of() as warnings:
            stored = TdmsFile.read(file)
            channels = [channel for group in stored.groups() for channel in group.channels()]
            values = {channel.path: channel[:] for channel in channels}
    except MemoryError:
        raise
    except Exception as error:  # what a harmed file makes the reader raise is of many kinds, assertions among them
        said = f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"
        raise InputError([f"force record {path} is not a whole TDMS file ({said}): copy it again"]) from None
    if warnings:  # what nptdms returns after one, as the rest of a file or numbers without their scale, is not a record
        raise InputError([f"force record {path} is not a whole TDMS file ({warnings[0]}): copy it or save it again"])
    found: dict[str, NDArray[np.float64]] = {}
    problems: list[str] = []
    for quantity in quantities:
        named = [c for c in channels if name_and_unit(c.name, quantity)[0] in (quantity.name, *quantity.aliases)]
        if len(named) > 1:
            listed = ", ".join(c.path for c in named)
            problems.append(f"{path}: only one channel may hold the {quantity.name}: got {listed}")
        elif named:
            try:
                found[quantity.name] = _in_si(path, named[0], values[named[0].path], quantity)
            except InputError as error:
                problems += error.problems
            if quantity.name == "force" and STEP in named[0].properties:
                try:
                    found.setdefault("time", _time_of(named[0], len(values[named[0].path])))
                except (TypeError, ValueError):
                    problems.append(f"{path}: {STEP} and {BEGIN} of '{named[0].path}' must be numbers of seconds")
    lengths = {name: len(v) for name, v in found.items()}
    if not problems and len(set(lengths.values())) > 1:
        listed = ", ".join(f"{n} {name}" for name, n in lengths.items())
        problems.append(f"{path}: force, time and position must have as many values as one another: got {listed}")
    if problems:
        raise InputError(problems)
    return found


@contextmanager
def warnings_of() -> Iterator[list[str]]:
    """Warnings of the reader in the block, first line each, kept off the screen."""
    from nptdms.log import log_manager

    said: list[str] = []
    handler = log_manager.console_handler

    def keep(record: logging.LogRecord) -> bool:
        said.append(" ".join(record.getMessage().split())[:100])
        return False

    handler.addFilter(keep)
    try:
        yield said
    finally:
        handler.removeFilter(keep)


def _in_si(path: Path, channel: TdmsChannel, values: NDArray[np.generic], quantity: Quantity) -> NDArray[np.float64]:
    """Numbers of a channel in SI units; dates in seconds from the first one."""
    if np.issubdtype(values.dtype, np.datetime64):
        microseconds: NDArray[np.float64] = values.astype("datetime64[us]").astype(np.int64).astype(np.float64)
        return np.multiply(1e-6, microseconds - microseconds[:1], dtype=np.float64)
    unit = str(channel.properties.get(UNIT, "") or name_and_unit(channel.name, quantity)[1])
    sizes = {name.lower(): size for name, size in quantity.units.items()}
    if unit and unit.lower() not in sizes:
        raise InputError([f"{path}: the unit of '{channel.path}' must be one of {quantity.unit_names}: got '{unit}'"])
    numbers = values.astype(np.float64) if np.issubdtype(values.dtype, np.number) else np.full(len(values), np.nan)
    if not np.isfinite(numbers).all():
        raise InputError([f"{path}: '{channel.path}' must hold finite numbers: it does not"])
    size = sizes[unit.lower()] if unit else next(iter(quantity.units.values()))
    return np.asarray(numbers * size, dtype=np.float64)


def _time_of(channel: TdmsChannel, count: int) -> NDArray[np.float64]:
    """Time of a waveform's samples [s]."""
    begin, step = (float(channel.properties.get(name, 0.0)) for name in (BEGIN, STEP))
    return np.asarray(begin + step * np.arange(count, dtype=np.float64), dtype=np.float64)

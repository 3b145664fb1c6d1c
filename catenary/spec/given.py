"""Arguments of calls from Python that no Spec checks: numbers, paths and blocks, each refused in one sentence."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any

from catenary.errors import InputError
from catenary.spec.changes import plain
from catenary.spec.keys import format_value

__all__ = ["given_block", "given_droppers", "given_numbers", "given_path"]


def given_numbers(name: str, values: object, unit: str) -> list[float]:
    """Numbers of a list, a range, an array or anything else that is gone through.

    Raises
    ------
    InputError
        If it is no such thing, or an element is not a number; with a sentence for each.
    """
    found = plain(values)
    if not isinstance(found, list):
        raise InputError([f"{name} must be a list of numbers [{unit}]: got {format_value(found)}"])
    problems = [
        f"{name}[{k}] must be a number [{unit}]: got {format_value(value)}"
        for k, value in enumerate(found)
        if not isinstance(value, Real) or isinstance(value, bool)
    ]
    if problems:
        raise InputError(problems)
    return [float(value) for value in found]


def given_path(name: str, value: object) -> Path:
    """Path of a file or folder.

    Raises
    ------
    InputError
        If it is neither text nor a path.
    """
    if not isinstance(value, str | os.PathLike) or isinstance(os.fspath(value), bytes):
        raise InputError([f"{name} must be a path, as text or a pathlib.Path: got {format_value(value)}"])
    return Path(value)


def given_block(name: str, value: object) -> dict[str, Any]:
    """Keys with values.

    Raises
    ------
    InputError
        If it is not a mapping.
    """
    if not isinstance(value, Mapping):
        raise InputError([f"{name} must be a mapping of keys with values: got {format_value(value)}"])
    return plain(value)


def given_droppers(
    heights_mm: Iterable[float] | None, positions_m: Iterable[float] | None, lengths_mm: Iterable[float] | None
) -> dict[str, object]:
    """Changes of a line's droppers by key, in metres, from what is given of them.

    Raises
    ------
    InputError
        If heights and lengths are given both, or are not numbers, or nothing is given.
    """
    if heights_mm is None and positions_m is None and lengths_mm is None:
        raise InputError(["one of heights_mm, positions_m and lengths_mm must be given: got none of them"])
    if heights_mm is not None and lengths_mm is not None:
        raise InputError(["heights_mm must be left out where lengths_mm are given: one follows from the other"])
    changes: dict[str, object] = {}
    if positions_m is not None:
        changes["positions"] = given_numbers("positions_m", positions_m, "m")
    for name, values in (("contact_wire_heights", heights_mm), ("lengths", lengths_mm)):
        if values is not None:
            other = "lengths" if name == "contact_wire_heights" else "contact_wire_heights"
            metres = [value / 1e3 for value in given_numbers(f"{name.rpartition('_')[2]}_mm", values, "mm")]
            changes |= {"prescribed": name.rpartition("_")[2], name: metres, other: None}
    return changes

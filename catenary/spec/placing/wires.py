"""Wires of the tension sections of a line, and which of them something that is attached belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Wires", "chosen", "misnamed"]


class Wires(NamedTuple):
    """Wires of one tension section: its name, number of its first support, its supports and droppers [m]."""

    name: str | None
    first: int
    supports: tuple[float, ...]
    droppers: tuple[float, ...]


def chosen(key: str, name: str | None, over: list[Wires], wires: list[Wires]) -> tuple[Wires | None, str]:
    """Wires that a name or a place chooses, or what keeps it from that.

    Parameters
    ----------
    key : str
        What is placed, as a sentence names it.
    name : str or None
        Tension section that it names.
    over, wires : list of Wires
        Those that pass there, and all.
    """
    known = [w.name for w in wires if w.name]
    if name is not None and name not in known:
        return None, f"{key}.section must be one of {', '.join(known) or 'no'} tension sections: got '{name}'"
    if name is None and len(over) > 1:
        names = " and ".join(str(w.name) for w in over)
        return None, f"{key}.section is missing: the tension sections {names} overlap there"
    here = [w for w in over if name in (None, w.name)]
    if name is not None and not here:
        return None, f"{key}.section must pass there: '{name}' does not"
    return (here or wires)[0], ""


def misnamed(name: str | None, names: Sequence[str]) -> str:
    """Say what is wrong with a name, or with none, that is not among those of the tension sections."""
    known = f"one of {', '.join(names)}" if names else "left out"
    return f"is missing: give {known}" if name is None else f"must be {known}: got {name}"

"""From the name of a wire to its values: filled into a line's block where the block gives none of its own."""

from __future__ import annotations

import difflib
from collections.abc import Container, Mapping

from catenary.wires.makes import MAKES, Make, Role

__all__ = ["BLOCKS", "KEY", "KEYS", "filled", "make_of", "marks_of_names", "misplaced"]

KEY = "wire"
# blocks of a line that take a name, and what may be named there
BLOCKS: dict[str, Role] = {
    "contact_wire": "contact wire",
    "messenger_wire": "stranded wire",
    "auxiliary_wire": "stranded wire",
    "stitch": "stranded wire",
    "droppers": "dropper rope",
}
KEYS = ("mass_per_length", "axial_stiffness", "bending_stiffness", "stiffness")


def make_of(name: object) -> Make:
    """Wire of a name; capitals, spaces, hyphens and underscores do not matter.

    Raises
    ------
    ValueError
        If there is none, with those that are near.
    """
    wanted = _plain(name)
    found = next((make for known, make in MAKES.items() if _plain(known) == wanted), None)
    if found is not None:
        return found
    near = [known for known in MAKES if len(wanted) > 2 and _plain(known).endswith(wanted)]
    near = near or difflib.get_close_matches(str(name)[:40], MAKES, n=3)
    advice = f"did you mean {' or '.join(near)}?" if near else "catenary wires lists them"
    raise ValueError(f"{KEY} must be the name of a wire of the library: got '{str(name)[:40]}', {advice}")


def _plain(name: object) -> str:
    return "".join(letter for letter in str(name).lower() if letter.isalnum() or letter == ".")


def filled(block: object, keys: Container[str]) -> object:
    """Content of a block with these keys and the values of the wire that it names; those that it gives itself stay.

    Raises
    ------
    ValueError
        If there is no such wire, or it is of another kind.
    """
    if not isinstance(block, Mapping) or block.get(KEY) is None:
        return block
    make = make_of(block[KEY])
    if any(key not in keys for key in make.values):
        others = " or ".join(role for role in dict.fromkeys(BLOCKS.values()) if role != make.role)
        raise ValueError(f"{KEY} must be a {others}: {make.name} is a {make.role}")
    return {**make.values, **block, KEY: make.name}


def marks_of_names(line: object) -> object:
    """Content of a line with the marks of all values that names give, where the line keeps marks."""
    if not isinstance(line, Mapping) or not isinstance(line.get("provenance"), Mapping):
        return line
    found: dict[str, str] = {}
    for name in BLOCKS:
        block = line.get(name)
        if not isinstance(block, Mapping) or block.get(KEY) is None:
            continue
        try:
            make = make_of(block[KEY])
        except ValueError:
            continue  # its block says so
        found |= {f"{name}.{key}": mark for key, mark in make.marks.items() if key not in block}
    return {**line, "provenance": {**found, **line["provenance"]}} if found else line


def misplaced(names: Mapping[str, str | None], tensions: Mapping[str, float]) -> list[str]:
    """Say which names are of another kind of wire than their block, and which tensions a wire cannot bear.

    Parameters
    ----------
    names : mapping of str to str
        Name by block, None where the block names no wire.
    tensions : mapping of str to float
        Tension by block [N].
    """
    problems = []
    for block, name in names.items():
        if name is None:
            continue
        make = make_of(name)
        if make.role != BLOCKS[block]:
            problems.append(f"{block}.{KEY} must be a {BLOCKS[block]}: {name} is a {make.role}")
        elif tensions.get(block, 0.0) >= make.strength:
            problems.append(
                f"{block}.tension must be below the breaking load of {name}, {make.strength:g} N: got "
                f"{tensions[block]:g} N"
            )
    return problems

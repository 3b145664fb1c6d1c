"""A line written as a commented YAML file: every value with its unit, where it was taken from, and its provenance."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import yaml

from catenary.spec import READINGS, CatenarySpec

__all__ = ["line_text"]

WIDTH = 36
WIRE = {"tension": "N", "mass_per_length": "kg/m", "axial_stiffness": "N, EA", "bending_stiffness": "N m^2, EI"}
BLOCKS: dict[str, tuple[str, dict[str, str]]] = {
    "contact_wire": ("the wire that the pantograph touches", WIRE),
    "messenger_wire": ("the wire that carries", WIRE),
    "stitch": (
        "the stitch wire over each support",
        {
            "tension": "N",
            "length": "m, clamp to clamp, centred on the support",
            "mass_per_length": "kg/m",
            "axial_stiffness": "N, EA",
            "bending_stiffness": "N m^2, EI",
            "clamp_mass": "kg, one clamp on the messenger wire",
        },
    ),
    "droppers": (
        "",
        {
            "positions": "m, from the support",
            "prescribed": "",
            "contact_wire_heights": "m, over the contact wire at the supports",
            "lengths": "m, as cut, unloaded, from wire axis to wire axis, clamps included",
            "stiffness": "N/m in tension, none in compression",
            "mass_per_length": "kg/m",
            "clamp_mass_contact_wire": "kg",
            "clamp_mass_messenger_wire": "kg",
        },
    ),
    "support": (
        "",
        {
            "messenger_stiffness": "N/m, vertical",
            "messenger_damping": "N s/m, vertical",
            "steady_arm_stiffness": "N/m, vertical tangent stiffness at the contact wire",
            "steady_arm_mass": "kg; a third of it moves with the wire",
        },
    ),
    "damping": ("Rayleigh: C = alpha M + beta K", {"alpha": "1/s", "beta": "s"}),
    "mesh": ("", {"elements_per_bay": "elements between neighbouring droppers, supports or clamps"}),
}
TOP = {
    "span_length": "m, support to support",
    "encumbrance": "m, messenger wire above contact wire at a support",
}
GOVERNS = {
    "heights": "# are relative to its height at the supports and are what is prescribed: the dropper lengths follow.",
    "lengths": "# are relative to its height at the supports; they follow from the prescribed dropper lengths.",
}


def line_text(line: CatenarySpec, table: str, like: str) -> str:
    """Text of a line's file.

    Parameters
    ----------
    line : CatenarySpec
        Line to write, every number with its mark of provenance; those marked 'u' were given.
    table : str
        Name of the dropper table.
    like : str
        Line of the library that the values which were not given are taken from.
    """
    return "\n".join([*_head(line, table, like), *_blocks(line, like), *_marks(line)]) + "\n"


def _head(line: CatenarySpec, table: str, like: str) -> list[str]:
    return [
        f"# Overhead contact line '{line.name}', planar: droppers from {table}, what was not given from {like}.",
        "#",
        "# SI units. Stations are measured from the support along the track. Heights of the contact wire",
        GOVERNS[line.droppers.prescribed],
        f"# 'as {like}' marks a value taken over, which may not be right for this line; all others were given.",
        "schema_version: 1",
        f"name: {_plain(line.name)}",
        f"kind: {line.kind}",
        f"description: {json.dumps(line.description, ensure_ascii=False)}",
        "",
    ]


def _blocks(line: CatenarySpec, like: str) -> Iterator[str]:
    content = line.model_dump()
    for key, remark in TOP.items():
        yield _entry("", key, content[key], _remark(line, key, remark, like))
    for block, (meaning, entries) in BLOCKS.items():
        if content[block] is None:
            continue
        yield ""
        yield f"{block}:".ljust(WIDTH) + f"# {meaning}" if meaning else f"{block}:"
        for key, remark in entries.items():
            if key in content[block]:
                value = content[block][key]
                yield _entry("  ", key, value, _remark(line, f"{block}.{key}", remark, like))


def _marks(line: CatenarySpec) -> list[str]:
    return [
        "",
        "# Where each value comes from: u given by the user, p printed in a paper, s seen in a public source,",
        "# r recalled from the literature, d derived from other values, c chosen.",
        "provenance:",
        *(f"  {path}: {mark}" for path, mark in line.provenance.items()),
    ]


def _remark(line: CatenarySpec, path: str, remark: str, like: str) -> str:
    """Unit, and where the value was taken over from if it was."""
    given = line.provenance.get(path) == "u" or path == "droppers.prescribed"
    if path == "droppers.prescribed":
        return f"the table gave {READINGS[line.droppers.prescribed][1]}s"
    return remark if given else f"{remark}; as {like}"


def _entry(indent: str, key: str, value: Any, remark: str) -> str:
    return f"{indent}{key}: {_value(value)}".ljust(WIDTH - 2) + f"  # {remark}"


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    return _number(value) if isinstance(value, float) else str(value)


def _plain(name: str) -> str:
    """Name without quotes, unless YAML would read it as something else than text."""
    return name if yaml.safe_load(name) == name else json.dumps(name)


def _number(value: float) -> str:
    """Shortest text that is read back as the same number by every YAML reader: 22.0e+3, 0.0125, 1.0e-4."""
    size = abs(value)
    if value == 0.0 or 1.0e-3 <= size < 1.0e4:
        return repr(value)
    step = 3 if size >= 1.0 else 1
    power = step * math.floor(math.log10(size) / step)
    short = f"{float(f'{value / 10.0**power:.15g}')!r}e{power:+d}"
    if float(short) == value and "e" not in short.partition("e")[0]:
        return short
    text = repr(value)
    mantissa, _, exponent = text.partition("e")
    return text if not exponent else f"{mantissa if '.' in mantissa else mantissa + '.0'}e{int(exponent):+d}"

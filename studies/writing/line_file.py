"""A line written as a commented YAML file: every value with its unit, where it was taken from, and its provenance."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

import yaml
from pydantic import BaseModel

from catenary.spec.line import CatenarySpec

__all__ = ["line_text"]

WIDTH = 36
SMALLEST = 1.0e-290
IN_HEAD = ("schema_version", "name", "kind", "description", "provenance")
UNIT = re.compile(r"\s*\[([^\]]+)\]")
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
    return (
        "\n".join([*_head(line, table, like), *_entries(line, "", dict(line.provenance), like), *_marks(line)]) + "\n"
    )


def _head(line: CatenarySpec, table: str, like: str) -> list[str]:
    return [
        f"# Overhead contact line '{line.name}', droppers from {table}, what was not given from {like}.",
        "#",
        "# SI units. Stations are measured from the support along the track. Heights of the contact wire",
        GOVERNS[line.droppers.prescribed],
        f"# 'as {like}' marks a value copied, which may not be right for this line; all others were given.",
        "schema_version: 1",
        f"name: {_plain(line.name)}",
        f"kind: {line.kind}",
        f"description: {json.dumps(line.description, ensure_ascii=False)}",
        "",
    ]


def _entries(block: BaseModel, inside: str, marks: dict[str, str], like: str) -> Iterator[str]:
    """Write every value of a block with its unit and meaning, which are those of the Spec; blocks inside it follow."""
    indent = "  " * inside.count(".")
    for key, field in type(block).model_fields.items():
        value = getattr(block, key)
        if (not inside and key in IN_HEAD) or value is None or value == ():
            continue
        remark = _remark(field.description or "")
        if isinstance(value, BaseModel):
            if not inside:
                yield ""
            yield f"{indent}{key}:".ljust(WIDTH - 2) + f"  # {remark}"
            yield from _entries(value, f"{inside}{key}.", marks, like)
            continue
        taken = marks.get(f"{inside}{key}", "u").startswith("t:")
        yield f"{indent}{key}: {_value(value)}".ljust(WIDTH - 2) + f"  # {remark}" + (f"; as {like}" if taken else "")


def _remark(description: str) -> str:
    """Meaning of a value with its unit in front, where it has one."""
    unit = UNIT.search(description)
    text = UNIT.sub("", description, count=1)
    return f"{unit.group(1)}, {text}" if unit and unit.group(1) != "-" else text


def _marks(line: CatenarySpec) -> list[str]:
    return [
        "",
        "# Where each value comes from: u given by the user, p printed in a paper, s seen in a public source,",
        "# r recalled from the literature, d derived from other values, c chosen, t:NAME copied from line NAME,",
        "# to be checked: set another mark once you have.",
        "provenance:",
        *(f"  {path}: {_plain(mark)}" for path, mark in line.provenance.items()),
    ]


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    if isinstance(value, float):
        return _number(value)
    return _plain(value) if isinstance(value, str) else str(value)


def _plain(text: str) -> str:
    """Text without quotes, unless YAML would read it as something else than text."""
    return text if yaml.safe_load(text) == text else json.dumps(text)


def _number(value: float) -> str:
    """Shortest text that is read back as the same number by every YAML reader: 22.0e+3, 0.0125, 1.0e-4."""
    size = abs(value)
    if value == 0.0 or 1.0e-3 <= size < 1.0e4:
        return repr(value)
    if size < SMALLEST:  # no power of ten to divide by
        return _with_point(repr(value))
    step = 3 if size >= 1.0 else 1
    power = step * math.floor(math.log10(size) / step)
    short = f"{float(f'{value / 10.0**power:.15g}')!r}e{power:+d}"
    if float(short) == value and "e" not in short.partition("e")[0]:
        return short
    return _with_point(repr(value))


def _with_point(text: str) -> str:
    """Write a number so that YAML 1.1 sees one: a point before the exponent, and a sign in it."""
    mantissa, _, exponent = text.partition("e")
    return text if not exponent else f"{mantissa if '.' in mantissa else mantissa + '.0'}e{int(exponent):+d}"

"""A line file with other defects, to be kept elsewhere: its tables inline, a type of its own next to it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from catenary.library.line_file import DRAWN, LineFile
from catenary.library.lines import line_names
from catenary.library.table import cell_number
from catenary.spec.section import DefectSpec
from catenary.storage.files import write_text_atomic
from catenary.storage.user_file import read_user_text
from catenary.storage.yaml_file import dump_yaml

__all__ = ["write_with_defects"]

MOST_BYTES = 5_000_000


def write_with_defects(path: Path, file: LineFile, defects: Sequence[DefectSpec], name: str, description: str) -> None:
    """Write a line file whose rows are those of another one, but for its defects.

    A type that is a file next to the other one is copied, so that both files may be taken elsewhere together.

    Parameters
    ----------
    path : Path
        File to write, whole or not at all.
    file : LineFile
        The line as designed.
    defects : sequence of DefectSpec
        All defects that the line has.
    name, description : str
        Of the line that is written.
    """
    content: dict[str, Any] = {"kind": "line", "name": name, "description": description, "type": file.type}
    if file.type not in line_names():
        beside = file.path.parent / file.type
        content["type"] = beside.name
        if beside.resolve() != (path.parent / beside.name).resolve():
            write_text_atomic(path.parent / beside.name, read_user_text(beside, "line", MOST_BYTES))
    content |= {key: _plain(block) for key, block in (("changes", file.changes), (DRAWN, file.irregularity)) if block}
    for key, table in file.tables.items():
        if key != "defects":
            content[key] = [
                {
                    heading: _value(cell, cell_number(table, cell))
                    for heading, cell in zip(table.headings, cells, strict=True)
                    if cell
                }
                for _, cells in table.rows
            ]
    if defects:
        content["defects"] = [_row(defect) for defect in defects]
    write_text_atomic(path, dump_yaml(content))


def _plain(block: Mapping[str, Any]) -> dict[str, Any]:
    """Blocks of keys as dictionaries of their own."""
    return {key: _plain(value) if isinstance(value, Mapping) else value for key, value in block.items()}


def _value(cell: str, number: float) -> float | str:
    """Number of a cell, or its text."""
    return cell if math.isnan(number) else number


def _row(defect: DefectSpec) -> dict[str, Any]:
    """Row of the table of defects, an error of a length in millimetres."""
    content = {key: value for key, value in defect.model_dump().items() if value is not None}
    if "by" in content:
        content["by_mm"] = round(1e3 * content.pop("by"), 6)
    return content

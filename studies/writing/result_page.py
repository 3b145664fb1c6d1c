"""A page of results for the documentation: tables with the date, machine, commit and command that gave them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from catenary.storage.files import write_text_atomic
from catenary.storage.provenance import commit, machine

__all__ = ["ResultTable", "write_result_page"]


@dataclass(frozen=True)
class ResultTable:
    """A table of results.

    Attributes
    ----------
    columns : tuple of str
        Headings.
    rows : tuple of tuple of str
        Cells, as many a row as there are headings.
    title : str
        What the table shows; empty where the page says so.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


def write_result_page(
    file: Path, title: str, command: str, tables: Sequence[ResultTable], remarks: Iterable[str] = ()
) -> None:
    """Write a page in Markdown, whole or not at all; it names the command, date, machine and commit of its figures."""
    head = (
        f"# {title}",
        f"`{command}` wrote this page; do not edit it.",
        "\n".join(
            (
                "| date | machine | commit |",
                "|---|---|---|",
                f"| {time.strftime('%Y-%m-%d')} | {_cell(machine())} | `{commit()}` |",
            )
        ),
    )
    parts = (*head, *remarks, *(_table(table) for table in tables))
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text_atomic(file, "\n\n".join(parts) + "\n")


def _table(table: ResultTable) -> str:
    """One table, its title above it."""
    lines = (table.columns, ("---",) * len(table.columns), *table.rows)
    rows = "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)
    return f"## {table.title}\n\n{rows}" if table.title else rows


def _cell(text: str) -> str:
    """Text that stays in its cell, without markup."""
    flat = " ".join(text.split())
    for mark in ("\\", "|", "*", "_", "`", "<"):
        flat = flat.replace(mark, f"\\{mark}")
    return flat

"""A page of results for the documentation: tables with the date, machine, load, commit and command that gave them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from catenary.storage.files import write_text_atomic
from catenary.storage.provenance import commit, machine

__all__ = ["ResultTable", "origin_table", "write_result_page"]


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
    """Write a page in Markdown, whole or not at all; it names its command, date, machine, load and commit."""
    head = (
        f"# {title}",
        f"`{command}` wrote this page; do not edit it.",
        origin_table(),
    )
    parts = (*head, *remarks, *(_table(table) for table in tables))
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text_atomic(file, "\n\n".join(parts) + "\n")


def origin_table() -> str:
    """Date, machine, load and commit of a run that ends now, as a table in Markdown."""
    return "\n".join(
        (
            "| date | machine | load over the last 1, 5, 15 min | commit |",
            "|---|---|---|---|",
            f"| {time.strftime('%Y-%m-%d')} | {_cell(machine())} | {_load()} | `{commit()}` |",
        )
    )


def _load() -> str:
    """Processes that ran or waited for a core, this one among them, on average."""
    if not hasattr(os, "getloadavg"):  # Windows keeps no such figure
        return "not known"
    return ", ".join(f"{mean:.1f}" for mean in os.getloadavg())


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

"""Where the numbers of a page come from: its input, its run and the command line, in sections that pages share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from studies.report.drawing.parts import Section, Table

__all__ = ["Provenance", "RunFacts", "differing_section", "origin_sections"]


@dataclass(frozen=True)
class Provenance:
    """One input value and where it comes from, in words; ``group`` is what it belongs to."""

    group: str
    name: str
    value: str
    unit: str
    origin: str


@dataclass(frozen=True)
class RunFacts:
    """What was run, as names and values: hash of the input, versions, date, wall times; and the whole command line."""

    facts: tuple[tuple[str, str], ...]
    command: str


def origin_sections(rows: tuple[Provenance, ...], text: str, run: RunFacts, again: str = "") -> tuple[Section, ...]:
    """Show every input value under ``text``, what was run, and the command with a sentence on it, ``again``."""
    return (
        Section("Where the input comes from", text=(text,), tables=_input_tables(rows)),
        Section("The run", tables=(Table("", ("run", ""), run.facts, "ll"),)),
        Section("Run it again", text=(again,) if again else (), command=run.command),
    )


def _input_tables(rows: tuple[Provenance, ...]) -> tuple[Table, ...]:
    """Show every input value with its unit and where it comes from, one table per group."""
    groups = list(dict.fromkeys(r.group for r in rows))
    return tuple(
        Table(
            title=group,
            columns=("input", "value", "unit", "where it comes from"),
            rows=tuple((r.name, r.value, r.unit, r.origin) for r in rows if r.group == group),
            align="lwul",
        )
        for group in groups
    )


def differing_section(inputs: Mapping[str, tuple[Provenance, ...]], unknown: str = "", caption: str = "") -> Section:
    """Show the inputs that are not the same under every heading, whatever their line and pantograph are called.

    ``unknown`` says what is not known of them, ``caption`` stands below the table.
    """
    held = [{(row.group.partition(" ")[0].lower(), row.name): row for row in rows} for rows in inputs.values()]
    every = {key: row.unit for known in reversed(held) for key, row in known.items()}
    rows = []
    for key in dict.fromkeys(key for known in held for key in known):
        cells = [known[key].value if key in known else "–" for known in held]
        if len(set(cells)) > 1:
            rows.append((", ".join(key), *cells, every[key]))
    text = unknown or ("" if rows else "Nothing: line, pantograph and conditions are the same.")
    table = Table("", ("input", *inputs, "unit"), tuple(rows), "l" + "w" * len(held) + "u", caption)
    title = "What differs in the input"
    return Section(title, text=(text,) if text else (), tables=(table,) if rows else ())

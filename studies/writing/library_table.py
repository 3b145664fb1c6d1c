"""The lines and pantographs that the program ships, in words: what each is, and where its values come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from catenary.spec.marks import MARKS
from catenary.storage.configuration import CONF
from catenary.storage.library import line_names, load_line
from dynamics.spec.case_input import load_pantograph, pantograph_names

__all__ = ["line_table", "pantograph_table", "sources"]


def line_table() -> list[str]:
    """Every line with its main data, its description and the sources of its values."""
    rows = []
    for name in line_names():
        line = load_line(name)
        data = line.in_words.removeprefix(f"{name}: ")
        rows += [*_entry("catenary", name, data, line.description), f"  {sources(line.provenance)}"]
    return [*rows, "", _advice("catenary", "PATH.yaml", "a line of your own, made by catenary new")]


def pantograph_table() -> list[str]:
    """Every pantograph with its masses, springs and dampers, its description and the sources of its values."""
    rows = []
    for name in pantograph_names():
        head = load_pantograph(name)
        lists = (("kg", head.masses), ("N/m", head.stiffnesses), ("N s/m", head.dampings))
        data = "; ".join(f"{', '.join(f'{value:g}' for value in values)} {unit}" for unit, values in lists)
        rows += [*_entry("pantograph", name, f"head first {data}", head.description), f"  {sources(head.provenance)}"]
    return [*rows, "", _advice("pantograph", "PATH.yaml", "a pantograph of your own")]


def sources(marks: Mapping[str, str]) -> str:
    """Counts of values by source, the commonest first."""
    counts = Counter(mark[0] for mark in marks.values())
    marked = ", ".join(f"{count} {MARKS[mark]}" for mark, count in counts.most_common())
    return f"{len(marks)} values: {marked}"


def _entry(group: str, name: str, data: str, description: str) -> list[str]:
    return [name, f"  {data}", f"  {description}", f"  {CONF / group / f'{name}.yaml'}"]


def _advice(group: str, path: str, what: str) -> str:
    return f"Use one with {group}=NAME, or {group}={path} for {what}."

"""The lines and pantographs that the program ships, in words: what each is, and where its values come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from catenary.errors import InputError
from catenary.library.lines import line_names, load_line
from catenary.spec.keys import did_you_mean, format_value
from catenary.spec.marks import MARKS
from catenary.storage.configuration import CONF, group_options
from dynamics.spec.case_input import load_pantograph, pantograph_names

__all__ = ["line_table", "pantograph_table", "refuse_other_names", "sources"]


def refuse_other_names(group: str, names: Iterable[str]) -> None:
    """Refuse names that the library does not have.

    Raises
    ------
    InputError
        With a sentence each, which names what there is and the nearest of it.
    """
    options = group_options(group)
    problems = [
        f"{group} must be one of {', '.join(options)}: got {format_value(name)}{did_you_mean(name, options)}"
        for name in names
        if name not in options
    ]
    if problems:
        raise InputError(problems)


def line_table(names: Sequence[str] = ()) -> list[str]:
    """List lines with their main data, description and the sources of their values: those named, or every one."""
    rows = []
    for name in names or line_names():
        line = load_line(name)
        data = line.in_words.removeprefix(f"{name}: ")
        rows += [*_entry("catenary", name, data, line.description), f"  {sources(line.provenance)}"]
    return [*rows, "", _advice("catenary", "PATH.yaml", "a line of your own, made by catenary new")]


def pantograph_table(names: Sequence[str] = ()) -> list[str]:
    """List pantographs with masses, springs, dampers, description and sources: those named, or every one."""
    rows = []
    for name in names or pantograph_names():
        head = load_pantograph(name)
        lists = (("kg", head.masses), ("N/m", head.stiffnesses), ("N s/m", head.dampings))
        data = "; ".join(f"{', '.join(f'{value:g}' for value in values)} {unit}" for unit, values in lists)
        data = f"head first {data}" if head.kind == "lumped" else head.in_words
        rows += [*_entry("pantograph", name, data, head.description), f"  {sources(head.provenance)}"]
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

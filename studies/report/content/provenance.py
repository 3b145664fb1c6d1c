"""Where the numbers of a page come from: its input with the marks of its files, its run and the command line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from catenary.spec.marks import MARKS
from dynamics.spec.case import CaseSpec
from studies.report.drawing.parts import Section, Table

__all__ = [
    "VARIED",
    "Provenance",
    "RunFacts",
    "case_provenance",
    "differences_section",
    "origin_sections",
    "spec_provenance",
]

UNMARKED = "not stated"
VARIED = "varied here; this is the case's own"
UNIT = re.compile(r"\[([^\]]+)\]")
UNIT_SUFFIX = re.compile("_(N|kmh|hz)$")
# Names and free text say nothing that could be measured; which reading a line has shows in what it prescribes.
LEFT_OUT = {"schema_version", "name", "description", "provenance", "catenary", "pantograph", "prescribed"}
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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


def case_provenance(
    case: CaseSpec, varied: Collection[str] = (), origins: Mapping[str, str] | None = None
) -> tuple[Provenance, ...]:
    """List every input of a case: the line, the pantograph, and the keys of the run.

    What a study varies (dotted paths) is marked: its value is then the case's own. ``origins`` has in words where
    other values come from, by their dotted paths: keys of the run, and what does not come from the line's file.
    """
    line, pantograph = case.catenary, case.pantograph
    parts = (("catenary.", line, f"Line {line.name}"), ("pantograph.", pantograph, f"Pantograph {pantograph.name}"))
    rows = []
    for inside, spec, group in parts:
        own = [name.removeprefix(inside) for name in varied if name.startswith(inside)]
        known = {name.removeprefix(inside): text for name, text in (origins or {}).items() if name.startswith(inside)}
        rows += spec_provenance(spec, group, varied=own, origins=known)
    return (*rows, *spec_provenance(case, "Run", varied=varied, origins=origins))


def spec_provenance(
    spec: BaseModel,
    group: str,
    unmarked: str = UNMARKED,
    varied: Collection[str] = (),
    origins: Mapping[str, str] | None = None,
) -> tuple[Provenance, ...]:
    """List every value of a spec with its unit, and its origin or the mark of its ``provenance`` block.

    A mark given for a whole block, such as ``damping``, holds for every value inside it; one of a list that is varied
    marks the list. ``origins`` are words by dotted path.
    """
    touched = {name.rpartition(".")[0] if name.rpartition(".")[2].isdigit() else name for name in varied}
    marks: Mapping[str, str] = getattr(spec, "provenance", {})
    known = dict(origins or {}) | dict.fromkeys(touched, VARIED)
    rows = []
    for path, value, unit in _leaves(spec, ""):
        name = UNIT_SUFFIX.sub("", path).replace("_", " ").replace(".", ", ")
        rows.append(Provenance(group, name, _text(value), unit, known.get(path) or _origin(path, marks, unmarked)))
    return tuple(rows)


def _leaves(spec: BaseModel, inside: str) -> Iterator[tuple[str, Any, str]]:
    for name, field in type(spec).model_fields.items():
        value = getattr(spec, name)
        if name in LEFT_OUT or value is None or value == () or (name == "kind" and not inside):
            continue
        path = f"{inside}{name}"
        if isinstance(value, BaseModel):
            yield from _leaves(value, f"{path}.")
        else:
            unit = UNIT.search(field.description or "")
            yield path, value, unit.group(1).replace("^2", "²").strip("-") if unit else ""


def _origin(path: str, marks: Mapping[str, str], unmarked: str) -> str:
    """Words for the mark of a value, or of the innermost block that has one."""
    parts = path.split(".")
    for depth in range(len(parts), 0, -1):
        mark = marks.get(".".join(parts[:depth]))
        if mark is not None:
            _, taken, source = mark.partition("t:")
            return f"copied from {source}, to be checked" if taken else MARKS.get(mark, unmarked)
    return unmarked


def _text(value: object) -> str:
    if isinstance(value, tuple):
        texts = [_text(v) for v in value]
        return f"{len(texts)} × {texts[0]}" if len(texts) > 3 and len(set(texts)) == 1 else ", ".join(texts)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _number(value) if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    """Six digits, with a power of ten where a plain number would be hard to read."""
    if value == 0.0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:.6g}".replace("-", "−")
    digits, _, power = f"{value:.3e}".partition("e")  # by the text: 10 to the power of -324 underflows
    return f"{float(digits):g}".replace("-", "−") + f" × 10{str(int(power)).translate(SUPERSCRIPTS)}"


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


def differences_section(inputs: Mapping[str, tuple[Provenance, ...]], unknown: str = "", caption: str = "") -> Section:
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

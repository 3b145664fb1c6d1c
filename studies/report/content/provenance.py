"""Source of each input value, in words: values and units with the marks of the input files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from catenary.spec.marks import MARKS
from dynamics.spec.case import CaseSpec
from studies.report.content.origin import Provenance

__all__ = ["VARIED", "case_provenance", "spec_provenance"]

UNMARKED = "not stated"
VARIED = "varied here; this is the case's own"
UNIT = re.compile(r"\[([^\]]+)\]")
UNIT_SUFFIX = re.compile("_(N|kmh|hz)$")
# Names and free text say nothing that could be measured; which reading a line has shows in what it prescribes.
LEFT_OUT = {"schema_version", "name", "description", "provenance", "catenary", "pantograph", "prescribed"}
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def case_provenance(
    case: CaseSpec, varied: Collection[str] = (), origins: Mapping[str, str] | None = None
) -> tuple[Provenance, ...]:
    """List every input of a case: the line, the pantograph, and the keys of the run.

    What a study varies (dotted paths) is marked: its value is then the case's own. ``origins`` has in words where the
    other keys of the run come from, by their dotted paths.
    """
    line, pantograph = case.catenary, case.pantograph
    parts = (("catenary.", line, f"Line {line.name}"), ("pantograph.", pantograph, f"Pantograph {pantograph.name}"))
    rows = []
    for inside, spec, group in parts:
        own = [name.removeprefix(inside) for name in varied if name.startswith(inside)]
        rows += spec_provenance(spec, group, varied=own)
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
    return tuple(
        Provenance(group, _name(path), _text(value), unit, known.get(path) or _origin(path, marks, unmarked))
        for path, value, unit in _leaves(spec, "")
    )


def _name(path: str) -> str:
    return UNIT_SUFFIX.sub("", path).replace("_", " ").replace(".", ", ")


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

"""Where each input value comes from, in words: values and units beside the marks of the input files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from studies.report.content import Provenance

__all__ = ["provenance_rows"]

MARKS = {
    "p": "printed in a paper",
    "s": "seen in a public source",
    "r": "recalled from the literature",
    "d": "derived from other values",
    "c": "chosen here",
}
UNMARKED = "not stated"
UNIT = re.compile(r"\[([^\]]+)\]")
# Names and free text say nothing that could be measured.
LEFT_OUT = {"schema_version", "name", "description", "provenance", "kind"}
MAX_VALUES = 9


def provenance_rows(spec: BaseModel, prefix: str = "") -> tuple[Provenance, ...]:
    """List every number of a spec with its unit and the mark of its ``provenance`` block.

    A mark given for a whole block, such as ``damping``, holds for every value inside it.
    """
    marks: Mapping[str, str] = getattr(spec, "provenance", {})
    return tuple(
        Provenance(
            prefix + path.replace("_", " ").replace(".", ", "), _text(value), unit, _origin(path, marks)
        )
        for path, value, unit in _leaves(spec, "")
    )


def _leaves(spec: BaseModel, inside: str) -> Iterator[tuple[str, Any, str]]:
    for name, field in type(spec).model_fields.items():
        value = getattr(spec, name)
        if name in LEFT_OUT or value is None:
            continue
        path = f"{inside}{name}"
        if isinstance(value, BaseModel):
            yield from _leaves(value, f"{path}.")
        else:
            unit = UNIT.search(field.description or "")
            yield path, value, unit.group(1) if unit else ""


def _origin(path: str, marks: Mapping[str, str]) -> str:
    """Words for the mark of a value, or of the innermost block that has one."""
    parts = path.split(".")
    for depth in range(len(parts), 0, -1):
        mark = marks.get(".".join(parts[:depth]))
        if mark is not None:
            return MARKS.get(mark, UNMARKED)
    return UNMARKED


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        texts = [_text(v) for v in value]
        if len(set(texts)) == 1 and len(texts) > 1:
            return f"{len(texts)} × {texts[0]}"
        cut = [*texts[:MAX_VALUES], "…"] if len(texts) > MAX_VALUES + 2 else texts
        return "  ".join(cut)
    if isinstance(value, float):
        return f"{value:.6g}".replace("-", "−")
    return str(value)

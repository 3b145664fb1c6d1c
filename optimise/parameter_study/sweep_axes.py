"""What an axis of a sweep is: meaning and unit of an input, read from the Spec that holds it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, get_args

from pydantic import BaseModel

from dynamics.spec.case import CaseSpec
from dynamics.spec.checks.operator_scope import NOT_COVERED
from optimise.evaluation.outcome import Outcome

__all__ = ["axis_meaning", "axis_unit", "numerics_text", "unmoved_text"]

# what a march has and the operator does not
OF_A_MARCH = ("dt", "catenary.mesh.", "periodic.spans_", "periodic.max_spans", "periodic.tolerance")

# blocks and keys that say how a case is solved and evaluated
OF_THE_NUMERICS = ("dt", "catenary.mesh.", "periodic.", "transient.", "signal.", "open_line.", "histories.")

UNIT = re.compile(r"\s*\[([^\]]+)\]")


def axis_unit(name: str) -> str:
    """Unit of an input by its dotted path; nothing where it has none."""
    found = UNIT.search(_description(name))
    return found.group(1) if found and found.group(1) != "-" else ""


def axis_meaning(name: str) -> str:
    """What an input is, without its unit, after the block that it belongs to."""
    *blocks, _ = [part for part in name.split(".") if not part.isdigit()]
    meaning = UNIT.split(_description(name).partition(";")[0])[0]
    place = [str(int(part) + 1) for part in name.split(".") if part.isdigit()]
    where = ", ".join(b.replace("_", " ") for b in blocks if b != "catenary")
    which = f", number {place[0]}" if place else ""
    return f"{where}: {meaning}{which}" if where else f"{meaning}{which}"


def unmoved_text(case: CaseSpec, names: Sequence[str], points: Collection[Outcome]) -> str:
    """Say which inputs decide nothing of what the operator solved; nothing where all of them do."""
    idle = [name for name in names if name.startswith(OF_A_MARCH)]
    solved = [p for p in points if p.statistics and NOT_COVERED not in p.message]
    if not idle or not solved or not case.seeks_steady_state or case.periodic.method != "operator":
        return ""
    them = "it decides" if len(idle) == 1 else "they decide"
    return (
        f"{', '.join(idle)}: the operator, which solved {len(solved)} of {len(points)} points, has no step, mesh or "
        f"window, so that {them} next to nothing of their figures; periodic.method=march shows what a march makes of "
        "that."
    )


def numerics_text(names: Sequence[str]) -> str:
    """Say which inputs are numbers of the solver or of the filter, and none of what runs; nothing where none is."""
    found = [name for name in names if name.startswith(OF_THE_NUMERICS)]
    if not found:
        return ""
    them = "is a number" if len(found) == 1 else "are numbers"
    return (
        f"{', '.join(found)} {them} of the solver or of the filter, not of line, pantograph or train: what depends on "
        f"{'it' if len(found) == 1 else 'them'} is an error of the figures or a choice of how they are counted."
    )


def _description(name: str) -> str:
    spec: Any = CaseSpec
    text = ""
    for part in name.split("."):
        if part.isdigit():
            continue
        if not (isinstance(spec, type) and issubclass(spec, BaseModel)):
            return part  # a name of the user's, such as that of a parameter
        field = spec.model_fields.get(part)
        if field is None:
            return ""
        text = field.description or ""
        spec = next(iter(_blocks(field.annotation)), None)
    return text


def _blocks(annotation: object) -> list[type[BaseModel]]:
    """Blocks that an annotation names, such as that of an optional one."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [block for inner in get_args(annotation) for block in _blocks(inner)]

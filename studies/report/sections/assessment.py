"""Limits of the standards beside a contact force: read from summary.json, shown as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catenary.spec.marks import MARKS
from studies.report.content.pieces import Assessed
from studies.report.drawing.parts import Table
from studies.report.sections.tables import STATISTICS, value_text

__all__ = ["assessment_table", "read_assessment"]


def read_assessment(summary: Mapping[str, Any]) -> tuple[Assessed, ...]:
    """Take the first pantograph's assessment out of summary.json; a folder without one has none."""
    recorded = summary.get("assessment") or [{}]
    return tuple(
        Assessed(
            key=str(c["name"]),
            value=float(c["value"]),
            sense=str(c["sense"]),
            limit=float(c["limit"]),
            met=bool(c["met"]),
            source=str(c["source"]),
            origin=MARKS[str(c["provenance"])],
        )
        for c in recorded[0].get("criteria", [])
    )


def assessment_table(assessment: tuple[Assessed, ...]) -> Table:
    """Show every limit, the value held against it, and whether it is met."""
    named = {key: (name, unit, digits) for key, name, unit, digits in STATISTICS}
    rows = []
    for a in assessment:
        name, unit, digits = named[a.key]
        limit = f"{a.sense} {value_text(a.limit, digits)}"
        rows.append((name, value_text(a.value, digits), limit, unit, "yes" if a.met else "no", a.source, a.origin))
    return Table(
        title="Limits of the standards",
        columns=("contact force", "value", "limit", "unit", "met", "standard", "how the limit is known"),
        rows=tuple(rows),
        align="lrrllll",
        caption="The standards' texts were not at hand. They limit measured arcing; computed loss of contact stands "
        "for it.",
    )

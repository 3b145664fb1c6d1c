"""Limits of standards next to the contact forces of designs: which are kept, from which edition, confirmed by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dynamics.contact_force.assessment import Criterion, assess
from dynamics.spec.case import CaseSpec
from studies.report.content.pieces import Assessment
from studies.report.drawing.parts import Table
from studies.report.sections.tables import STATISTICS, plus_minus, value_text
from studies.writing.report_head import HeadRecord

__all__ = ["assessed", "assessment_in_words", "assessment_table", "missed_in_words", "unconfirmed"]

KNOWN = {"p": "read in the standard", "s": "seen in a public source", "r": "recalled"}


def assessed(
    head: HeadRecord,
    designs: Sequence[tuple[str, Mapping[str, float]]],
    case: CaseSpec,
    summary: Mapping[str, Any] | None = None,
    errors: Mapping[str, Mapping[str, float | None]] | None = None,
    alone: str = "",
) -> Assessment | None:
    """Hold the statistics of designs, or pantographs, against the limits on record, at the case's own speed.

    None without figures. ``summary`` is the summary.json of the last design, which was judged when it was run;
    ``errors`` are estimated numerical errors by label and statistic; ``alone`` is the case's own condition in words
    where others were run too, which nothing here is of.
    """
    limits = head.limits_used
    known = [(label, figures) for label, figures in designs if "contact_force_mean_N" in figures]
    found = tuple(
        (label, assess(figures, case.speed_kmh, case.supply, limits, (errors or {}).get(label)))
        for label, figures in known
    )
    if not found or not found[0][1]:
        return None
    supply = case.supply.upper()
    condition = f"{alone}, {supply} alone" if alone else f"{case.speed_kmh:g} km/h, {supply}"
    judged = (summary or {}).get("assessment") or [{}]
    return Assessment(head.limits_named, limits.title, found, condition, judged[0].get("limits_file", ""))


def unconfirmed(assessment: Assessment) -> int:
    """Count the limits that nobody has compared with the text of their standard."""
    return sum(c.row.confirmed is None for c in assessment.designs[-1][1])


def assessment_in_words(assessment: Assessment) -> str:
    """Say of every design how many limits it keeps and which it does not; and what the limits are worth."""
    found = []
    for label, criteria in assessment.designs:
        missed, undecided = _missed(criteria)
        remarks = [f"{word}: {', '.join(x)}" for word, x in (("not", missed), ("not decided", undecided)) if x]
        kept = f"{len(criteria) - len(missed) - len(undecided)} of {len(criteria)}"
        found.append(f"{label} {kept}" + (f" ({'; '.join(remarks)})" if remarks else ""))
    open_rows, count = unconfirmed(assessment), len(assessment.designs[-1][1])
    standing = "all confirmed" if not open_rows else f"{open_rows} of {count} unconfirmed"
    editions = ", ".join(dict.fromkeys(f"{c.row.standard}:{c.row.edition}" for c in assessment.designs[0][1]))
    source = f"By {assessment.file} ({editions}), {standing}"
    return f"Limits kept at {assessment.condition}: {'; '.join(found)}. {source}."


def missed_in_words(assessment: Assessment) -> str:
    """Name the limits that a run does not keep, and those that its errors leave open; empty where it keeps all."""
    found, several = [], len(assessment.designs) > 1
    for label, criteria in assessment.designs:
        whose, (missed, undecided) = f" under {label}" if several else "", _missed(criteria)
        parts = [
            f"{len(names)} {'is' if len(names) == 1 else 'are'} not {word}: {', '.join(names)}"
            for word, names in (("kept", missed), ("decided, within the numerical error", undecided))
            if names
        ]
        if parts:
            found.append(f"Of {len(criteria)} limits of standards{whose} {'; '.join(parts)}.")
    return " ".join(found)


def _missed(criteria: Sequence[Criterion]) -> tuple[list[str], list[str]]:
    """Names of what misses its limit for sure, and of what is within its error of it."""
    missed = [_quantity(c)[0] for c in criteria if not c.met and c.sure is not False]
    return missed, [_quantity(c)[0] for c in criteria if c.sure is False]


def assessment_table(assessment: Assessment) -> Table:
    """Show every limit, the value of each design with whether it is kept, edition, source and confirmation."""
    labels = [label for label, _ in assessment.designs]
    rows = []
    for criteria in zip(*(criteria for _, criteria in assessment.designs), strict=True):
        row, (name, unit, digits) = criteria[0].row, _quantity(criteria[0])
        within = f" (tolerance {value_text(row.tolerance, digits)})" if row.tolerance else ""
        limits = list(dict.fromkeys(f"{c.row.sense} {value_text(c.limit, digits)}{within}" for c in criteria))
        values = [f"{plus_minus(c.value, c.error or None, digits)}, {c.verdict}" for c in criteria]
        known = KNOWN.get(row.provenance, "")
        source = known if row.source in ("", known) else f"{known}: {row.source}".removeprefix(": ")
        cells = (name, "; ".join(limits), *values, unit)
        rows.append((*cells, f"{row.standard}:{row.edition}, {row.clause}", source, row.confirmed or "nobody yet"))
    other = assessment.recorded not in ("", assessment.file)
    return Table(
        title=f"Limits of standards at {assessment.condition}",
        columns=("statistic", "limit", *labels, "unit", "standard, edition", "how known", "confirmed by"),
        rows=tuple(rows),
        align="ls" + ("r" if len(labels) == 1 else "w" * len(labels)) + "usll",
        caption=f"{assessment.title}; file {assessment.file}. This table states figures, not conformity: rows that "
        "nobody has confirmed must be compared with the standard's text first (report.limits=FILE). Standards limit "
        "measured arcing; computed loss of contact stands for it. A value within its error of the limit decides "
        "nothing."
        + (f" summary.json was judged by another file when it was written: {assessment.recorded}." if other else ""),
    )


def _quantity(criterion: Criterion) -> tuple[str, str, int]:
    return next((name, unit, digits) for key, name, unit, digits in STATISTICS if key == criterion.row.statistic)

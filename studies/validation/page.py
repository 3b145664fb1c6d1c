"""The page of a validation: every figure with its references, and the pictures of each comparison."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dynamics.charts.numbers import with_bound_units
from studies.report.drawing.parts import Fact, Page, Section, Table
from studies.validation.rows import Comparison, Row
from studies.writing.result_page import ResultTable, write_result_page

__all__ = ["validation_page", "write_validation_tables"]

COLUMNS = ("quantity", "case", "published", "accepted", "here", "unit", "verdict")


def validation_page(comparisons: Sequence[Comparison], command: str, ran: tuple[tuple[str, str], ...]) -> Page:
    """Compose the page; ``ran`` has facts of the run, such as commit and date."""
    rows = [row for c in comparisons for row in c.rows]
    counts = {word: sum(row.verdict == word for row in rows) for word in ("met", "MISSED", "known", "printed")}
    missed = [f"The program misses a gate: {_sentence(row)}" for row in rows if row.verdict == "MISSED"]
    gated = counts["met"] + counts["MISSED"] + counts["known"]
    if not gated:
        headline = f"No gate is among these {counts['printed']} figures: they are printed, and prove nothing."
    else:
        headline = (
            f"{counts['met']} of {gated} gates are met, {counts['MISSED']} missed, {counts['known']} outside with a "
            f"known cause; {counts['printed']} more figures are not gated."
        )
    return Page(
        kicker="Validation against published results",
        title="Published figures and this program's",
        headline=headline,
        facts=tuple(
            Fact(label, str(counts[word]), remark)
            for label, word, remark in (
                ("met", "met", "inside what is accepted"),
                ("missed", "MISSED", "outside, or without a number"),
                ("known", "known", "outside, with a known cause"),
                ("printed", "printed", "not gated"),
            )
        ),
        warnings=tuple(with_bound_units(text) for text in missed),
        sections=(
            *(_section(c) for c in comparisons),
            Section("The run", tables=(Table("", ("run", ""), ran, "ll"),)),
            Section("Run it again", command=command),
        ),
    )


def write_validation_tables(comparisons: Sequence[Comparison], folder: Path) -> None:
    """Write validation_<name>.md for each comparison: its tables, in Markdown, for the documentation."""
    for comparison in comparisons:
        section = _section(comparison)
        write_result_page(
            folder / f"validation_{comparison.key}.md",
            comparison.title,
            f"catenary validate only={comparison.key} tables=docs/results",
            [ResultTable(table.columns, table.rows, table.title) for table in section.tables],
            section.text,
        )


def _sentence(row: Row) -> str:
    said = f": {row.remark}" if row.remark else f", accepted {row.allowed_text} {row.unit}"
    return f"{row.quantity}, {row.case}: {row.here_text} {row.unit}{said}"


def _section(comparison: Comparison) -> Section:
    return Section(
        comparison.title,
        text=(
            f"Source: {comparison.source}.",
            *((f"Interpretation: {comparison.reading}",) if comparison.reading else ()),
            *comparison.remarks,
        ),
        charts=comparison.charts,
        tables=(*comparison.tables, _table(comparison)),
    )


def _table(comparison: Comparison) -> Table:
    """Every row; the last column holds remarks on verdicts and interpretations of single rows."""
    said = any(row.remark or row.reading for row in comparison.rows)
    rows = tuple(
        (
            row.quantity,
            row.case,
            row.references_text,
            row.allowed_text,
            row.here_text,
            row.unit,
            row.verdict,
            *((" ".join(t for t in (row.remark, row.reading) if t),) if said else ()),
        )
        for row in comparison.rows
    )
    return Table(
        title="Figures",
        columns=(*COLUMNS, *(("cause or interpretation",) if said else ())),
        rows=rows,
        align="lllrrul" + ("l" if said else ""),
    )

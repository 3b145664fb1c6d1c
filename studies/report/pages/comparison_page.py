"""The page of a comparison: traces laid over one another, statistics side by side, inputs that differ."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dynamics.charts.numbers import number, with_bound_units
from dynamics.charts.parts import Chart, Curve, Stations
from studies.report.content.provenance import differences_section
from studies.report.drawing.parts import Page, Section, Table
from studies.report.readers.comparison_content import NAMES, ComparisonContent
from studies.report.sections.charts import force_chart, height_chart
from studies.report.sections.tables import STATISTICS, change_percent, signed, value_text

__all__ = ["comparison_page"]

MOST_TICKS = 2
# with more forces than this their differences stand in brackets, for want of room
MOST_APART = 3


def comparison_page(content: ComparisonContent) -> Page:
    """Compose the page of a comparison."""
    results = tuple(e.result for e in content.entries)
    traces, heights = force_chart(results, _caption(content)), height_chart(results)
    envelopes = tuple(curve for e in content.entries for curve in e.envelope)
    charts = [_overlay(c, content, e) for c, e in ((traces, envelopes), (heights, ())) if c is not None]
    computed = {x: e.provenance for x, e in zip(NAMES, content.entries, strict=False) if e.provenance}
    rows = tuple(
        (letter, e.source, e.note or f"{e.line}: computed by this program.")
        for letter, e in zip(NAMES, content.entries, strict=False)
    )
    sources = Table("", ("", "read from", "what it is"), rows, "lll")
    records = ", ".join(e.result.label for e in content.entries if e.note)
    unknown = f"A record says nothing of line, pantograph and conditions: not known for {records}." if records else ""
    caption = "" if len(computed) == len(content.entries) else "Inputs of a record are not known and not listed."
    sections = (
        Section("The contact force", charts=tuple(charts), tables=(_statistics(content),)),
        differences_section(computed, unknown, caption),
        Section("Where they come from", tables=(sources,)),
    )
    return Page(
        kicker="Comparison of runs and records",
        title=f"{len(content.entries)} contact forces side by side",
        headline=with_bound_units(_headline(content)),
        warnings=content.warnings,
        sections=sections,
    )


def _caption(content: ComparisonContent) -> str:
    caption = f"Along one span, from support to support. {content.filter_note}"
    if any(e.note for e in content.entries):
        caption += " A record is shown by the mean of its spans"
        caption += ", in grey the lowest and highest of them." if any(e.envelope for e in content.entries) else "."
    return caption


def _overlay(chart: Chart, content: ComparisonContent, below: tuple[Curve, ...]) -> Chart:
    """Put curves below those of a chart, and mark supports and droppers so that they can be distinguished."""
    spans = np.unique(np.round([e.span for e in content.entries], 6))
    ticks = [s for s in chart.stations if not s.full_height]
    if len({tuple(s.x.round(6).tolist()) for s in ticks}) == 1:
        ticks = [Stations("droppers", ticks[0].x)]
    elif len(ticks) > MOST_TICKS:
        ticks = []
    supports = Stations("supports", np.array([0.0, *spans]), full_height=True)
    chart = replace(chart, stations=(supports, *ticks), x_range=(0.0, float(spans[-1])))
    return replace(chart, curves=(*below, *chart.curves))


def _headline(content: ComparisonContent) -> str:
    first, *others = (e.result.statistics["contact_force_std_N"] for e in content.entries)
    changes = [
        f"{number(sigma, 2)} N with {letter} ({change_percent(sigma, first)})"
        for letter, sigma in zip(NAMES[1:], others, strict=False)
    ]
    listed = ", ".join(changes[:-1]) + " and " + changes[-1] if len(changes) > 1 else changes[0]
    return f"The standard deviation of the contact force is {number(first, 2)} N with A, {listed}."


def _statistics(content: ComparisonContent) -> Table:
    """Statistics side by side, each with its difference to the first."""
    figures = [e.result.statistics for e in content.entries]
    apart = len(figures) <= MOST_APART
    heads = ["contact force", "A"]
    for letter in NAMES[1 : len(figures)]:
        heads += [letter, f"{letter} − A"] if apart else [f"{letter} (change)"]
    rows = []
    for key, name, unit, digits in STATISTICS:
        first, *others = (f.get(key) for f in figures)
        if first is None and all(v is None for v in others):
            continue
        row = [name, value_text(first, digits)]
        for value in others:
            text, change = value_text(value, digits), _difference(value, first, digits)
            row += [text, change] if apart else [f"{text} ({change_percent(value, first)})"]
        rows.append((*row, unit))
    return Table(
        title="Statistics",
        columns=(*heads, "unit"),
        rows=tuple(rows),
        align="l" + "r" * (len(heads) - 1) + "l",
        caption=f"{content.filter_note} Loss of contact is that of the raw force. A dash stands for what a record does "
        "not hold.",
    )


def _difference(value: float | None, first: float | None, digits: int) -> str:
    if value is None or first is None or not math.isfinite(value - first):
        return "–"
    percent = change_percent(value, first)
    return signed(value - first, digits) + ("" if percent == "–" else f" ({percent})")

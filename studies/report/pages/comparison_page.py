"""The page of a comparison: traces laid over one another, statistics side by side, inputs that differ."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dynamics.charts.numbers import with_bound_units, with_error
from dynamics.charts.parts import Chart, Curve, Stations
from optimise.evaluation.verdict import SAME
from studies.report.content.provenance import differences_section
from studies.report.drawing.parts import Page, Section, Table
from studies.report.readers.comparison_content import NAMES, SIGMA, ComparisonContent, Entry
from studies.report.sections.charts import force_chart, height_chart
from studies.report.sections.tables import STATISTICS, change_percent, plus_minus

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
    first, *others = content.entries
    named = tuple(zip(NAMES[1:], others, strict=False))
    changes = [f"{_sigma(entry)} N with {letter} ({_change(SIGMA, entry, first)})" for letter, entry in named]
    listed = ", ".join(changes[:-1]) + " and " + changes[-1] if len(changes) > 1 else changes[0]
    bare = [letter for letter, e in zip(NAMES, content.entries, strict=False) if e.errors.get(SIGMA) is None]
    unknown = f" The error of {', '.join(bare)} is not known." if bare else ""
    return f"The standard deviation of the contact force is {_sigma(first)} N with A, {listed}.{unknown}"


def _sigma(entry: Entry) -> str:
    return plus_minus(entry.result.statistics[SIGMA], entry.errors.get(SIGMA), 2)


def _change(key: str, entry: Entry, first: Entry) -> str:
    """Change of a statistic against the first one, in per cent, and whether that is within both errors."""
    value, before = (e.result.statistics.get(key) for e in (entry, first))
    error = _both_errors(key, entry, first)
    inside = error and value is not None and before is not None and abs(value - before) <= error
    change = change_percent(value, before)
    return change if not inside else SAME if change == "–" else f"{change}: {SAME}"


def _both_errors(key: str, entry: Entry, first: Entry) -> float | None:
    """Error of the difference of two figures, taken as independent; None where one is not known."""
    sizes = entry.errors.get(key), first.errors.get(key)
    return None if sizes[0] is None or sizes[1] is None else math.hypot(sizes[0], sizes[1])


def _statistics(content: ComparisonContent) -> Table:
    """Statistics side by side with their errors, each with its difference to the first."""
    first, *others = content.entries
    apart = len(content.entries) <= MOST_APART
    heads = ["contact force", "A"]
    for letter in NAMES[1 : len(content.entries)]:
        heads += [letter, f"{letter} − A"] if apart else [f"{letter} (change)"]
    rows = []
    for key, name, unit, digits in STATISTICS:
        if all(e.result.statistics.get(key) is None for e in content.entries):
            continue
        texts = [plus_minus(e.result.statistics.get(key), e.errors.get(key) or None, digits) for e in content.entries]
        row = [name, texts[0]]
        for entry, text in zip(others, texts[1:], strict=True):
            row += (
                [text, _difference(key, entry, first, digits)] if apart else [f"{text} ({_change(key, entry, first)})"]
            )
        rows.append((*row, unit))
    return Table(
        title="Statistics",
        columns=(*heads, "unit"),
        rows=tuple(rows),
        align="l" + "r" * (len(heads) - 1) + "l",
        caption=f"{content.filter_note} Loss of contact is that of the raw force. A dash stands for what a record does "
        f"not hold. ± is the estimated numerical error; “{SAME}” is what differs by no more than the root of the sum "
        "of both squares.",
    )


def _difference(key: str, entry: Entry, first: Entry, digits: int) -> str:
    value, before = (e.result.statistics.get(key) for e in (entry, first))
    if value is None or before is None or not math.isfinite(value - before):
        return "–"
    change = _change(key, entry, first)
    text = with_error(value - before, _both_errors(key, entry, first) or None, digits, signed=True)
    return text if change == "–" else f"{text} ({change})"

"""Tables that pages share: statistics, provenance, run facts."""

from __future__ import annotations

import math
from collections.abc import Mapping

from studies.report.content import Provenance, RunFacts
from studies.report.frame import number
from studies.report.parts import Table

__all__ = ["change_percent", "provenance_table", "run_table", "statistics_table", "value_text"]

# Keys of summary.json, their names, units and decimals, in reading order.
STATISTICS = (
    ("contact_force_std_N", "standard deviation σ", "N", 2),
    ("contact_force_std_0_5Hz_N", "σ, 0 to 5 Hz", "N", 2),
    ("contact_force_std_5_20Hz_N", "σ, 5 to 20 Hz", "N", 2),
    ("contact_force_mean_N", "mean", "N", 2),
    ("contact_force_max_N", "maximum", "N", 1),
    ("contact_force_min_N", "minimum", "N", 1),
    ("contact_force_statistical_max_N", "statistical maximum, mean + 3σ", "N", 1),
    ("contact_force_statistical_min_N", "statistical minimum, mean − 3σ", "N", 1),
    ("contact_loss_percent", "loss of contact", "%", 2),
    ("max_uplift_at_supports_mm", "largest uplift at supports", "mm", 1),
    ("contact_point_range_mm", "range of the contact point's height", "mm", 1),
)


def value_text(value: float | None, digits: int) -> str:
    """Write a number, or a dash where there is none."""
    return "–" if value is None or not math.isfinite(value) else number(value, digits)


def change_percent(value: float, reference: float) -> str:
    """Write a change in per cent with its sign; a dash where the reference is zero."""
    if not (math.isfinite(value) and math.isfinite(reference)) or abs(reference) < 1e-9:
        return "–"
    change = 100.0 * (value / reference - 1.0)
    text = number(change, 1)
    return f"+{text} %" if float(text.replace("−", "-")) > 0 else f"{text} %"


def statistics_table(columns: tuple[tuple[str, Mapping[str, float]], ...]) -> Table:
    """Statistics of one or two results side by side; with two, the change from the first to the second."""
    two = len(columns) == 2
    rows = []
    for key, name, unit, digits in STATISTICS:
        values = [statistics.get(key) for _, statistics in columns]
        if all(v is None for v in values):
            continue
        row = [name, *(value_text(v, digits) for v in values), unit]
        if two:
            first, second = (math.nan if v is None else v for v in values)
            row.append(change_percent(second, first))
        rows.append(tuple(row))
    heads = ("contact force", *(label for label, _ in columns), "unit", *(("change",) if two else ()))
    return Table(
        title="Statistics",
        columns=heads,
        rows=tuple(rows),
        align="l" + "r" * len(columns) + "l" + ("r" if two else ""),
        caption="Forces are low-pass filtered at 20 Hz without phase shift, except for the loss of contact, "
        "which is that of the raw force. The squares of the two bands add up to that of σ only roughly.",
    )


def provenance_table(rows: tuple[Provenance, ...]) -> Table:
    """Show every input value with its unit and where it comes from."""
    return Table(
        title="",
        columns=("input", "value", "unit", "where it comes from"),
        rows=tuple((r.name, r.value, r.unit, r.origin) for r in rows),
        align="lrll",
    )


def run_table(run: RunFacts) -> Table:
    """Show what was run: hash of the input, versions, date and wall times."""
    return Table(title="", columns=("run", ""), rows=run.facts, align="ll")

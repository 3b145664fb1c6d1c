"""By how much each dropper's length may be wrong, and what lines whose droppers are all wrong come to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dynamics.charts.numbers import number
from studies.report.drawing.parts import Table
from studies.report.sections.tables import plus_minus

__all__ = ["tolerance_table"]

NONE = "–"
HEADS = ("dropper", "station\n[m]", "length may be wrong\nby [mm]", "σ rises with\nthe dropper")
BOTH = ("for trains\nboth ways [mm]",)


def tolerance_table(record: Mapping[str, Any]) -> Table:
    """Show the tolerance of every dropper in length_tolerance.json, and below it the check.

    The column of trains both ways stands where the line is its own mirror image, and has the lesser of two droppers.
    """
    found = record["droppers"]
    both = any(d["both_directions_mm"] is not None for d in found)
    rows = []
    for d in found:
        row = (str(d["dropper"]), number(d["position_m"], 3), _tolerance(d), d["wrong_way"] or NONE)
        rows.append((*row, _both(d["both_directions_mm"], found)) if both else row)
    checked = "; ".join(
        f"in {lines['within']} of {len(lines['rise_percent'])} lines with errors within {_within(lines['share'])}"
        for lines in record["lines"]
    )
    rise = f"{record['rise_percent']:g} %"
    check = f" With all droppers wrong at once, σ rises by no more than {rise} {checked}." if checked else ""
    reasons = {d["message"] for d in found if d["message"]}
    return Table(
        title="Tolerance of lengths",
        columns=(*HEADS, *BOTH[: int(both)]),
        rows=tuple(rows),
        align="lrrl" + "r" * int(both),
        caption=f"If only this dropper has the wrong length, by this error, in the direction that is named and in "
        f"every span, σ rises by {rise}. The program tried smaller errors in both directions; none raises σ so far. "
        "The number after ± is by how much finer numerics change the tolerance. Trains in the other direction find "
        "each dropper in the place of its mirror image; for trains both ways the smaller tolerance of the two counts."
        f"{check}" + "".join(f" No figure: {text}." for text in sorted(reasons)),
    )


def _tolerance(d: Mapping[str, Any]) -> str:
    if d["tolerance_mm"] is not None:
        return plus_minus(d["tolerance_mm"], d["tolerance_error_mm"], 1)
    return f"more than {number(d['more_than_mm'], 1)}" if d["more_than_mm"] else "not known"


def _both(lesser: float | None, droppers: list[dict[str, Any]]) -> str:
    """Lesser of both ways; more than that where neither has a figure."""
    if not lesser:
        return NONE
    figure = any(abs(d["tolerance_mm"] - lesser) < 1e-9 for d in droppers if d["tolerance_mm"] is not None)
    return f"{'' if figure else 'more than '}{number(lesser, 1)}"


def _within(share: float) -> str:
    return "the tolerances" if share == 1.0 else "half of them" if share == 0.5 else f"{share:g} times these"

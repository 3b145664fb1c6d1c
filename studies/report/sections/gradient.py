"""What each dropper's height, or length, and station do to the contact force and to the uplift (gradient.json)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dynamics.charts.numbers import number, with_error
from dynamics.charts.parts import Chart
from studies.report.content.pieces import SpanResult
from studies.report.drawing.parts import Table
from studies.report.sections.charts import dropper_force_chart

__all__ = ["gradient_chart", "gradient_table"]

DIGITS = {"sigma_N_per_mm": 3, "sigma_N_per_m_of_station": 3, "uplift_mm_per_mm": 3, "uplift_mm_per_m_of_station": 2,
          "force_max_N_per_mm": 2, "force_min_N_per_mm": 2, "own_static_force_N_per_mm": 2}  # fmt: skip
# what is prescribed: its words, and what lowers σ where the derivative is above zero
WORDS = {"heights": ("height of the contact wire at the dropper", "a lower contact wire there"),
         "lengths": ("length of the dropper", "a shorter dropper")}  # fmt: skip


def gradient_table(content: Mapping[str, Any]) -> Table:
    """Show the derivatives by every dropper, and their check."""
    rows = []
    for row in content["droppers"]:
        cells = (_cell(row, key, digits) for key, digits in DIGITS.items())
        rows.append((str(row["dropper"]), number(row["position_m"], 3), *cells))
    check, checked = content["check"], ""
    if check["expected_N"] is not None and check["computed_N"] is not None:
        checked = (
            f" Check: a move of all droppers down these slopes, by {check['largest_change_mm']:g} mm at most, changes "
            f"σ by {number(check['computed_N'], 2)} N; the slopes predict {number(check['expected_N'], 2)} N. Droppers "
            f"are then slack for {check.get('slack_steps_changed', 0)} time steps more or less, and σ has a kink at "
            "each of these."
        )
    whose = f" {content['figures_of']}" if content.get("figures_of") else ""
    by = f"by {content['prescribed'].removesuffix('s')}\n"
    return Table(
        "What each dropper does",
        ("dropper", "station\n[m]", f"σ {by}[N/mm]", "σ by station\n[N/m]", f"uplift {by}[mm/mm]",
         "uplift by station\n[mm/m]", f"F max {by}[N/mm]", f"F min {by}[N/mm]", f"own static force\n{by}[N/mm]"),
        tuple(rows),
        "lrwwwwwwr",
        f"Each row has the derivatives by the {WORDS[content['prescribed']][0]} and by its station, where this dropper "
        "alone changes, in every span. To first order they are exact while the same droppers are slack; over some "
        "tenths of a millimetre σ departs from them. Extremes of the force are smoothed; gradient.json says "
        f"how.{_errors(content)}{whose}{checked}",
    )  # fmt: skip


def _cell(row: Mapping[str, Any], key: str, digits: int) -> str:
    """Write a derivative, and its error where that is known, which stands below it where there is no room."""
    if row.get(key) is None:
        return "–"
    return with_error(row[key], row.get(f"{key}_error"), digits).replace("± ", "±\N{NO-BREAK SPACE}")


def _errors(content: Mapping[str, Any]) -> str:
    """Say what errors of the derivatives come from."""
    said = str(content.get("errors_from") or "")
    return f" {said[0].upper()}{said[1:]}." if said else ""


def gradient_chart(content: Mapping[str, Any], result: SpanResult) -> Chart | None:
    """Draw the derivative of sigma by each dropper's height, or length, over its station."""
    like = dropper_force_chart((result,), None)
    values = np.array([row["sigma_N_per_mm"] for row in content["droppers"]], dtype=float)
    if like is None or len(values) != len(result.dropper_x) or not np.isfinite(values).all():
        return None
    cells = (
        with_error(float(row["sigma_N_per_mm"]), row.get("sigma_N_per_mm_error"), 3) for row in content["droppers"]
    )
    notes = tuple(f"dropper {k + 1}: {cell} N/mm" for k, cell in enumerate(cells))
    curve = replace(like.curves[0], y=values, y_unit="N/mm", notes=notes)
    top = 1.15 * max(float(np.abs(values).max()), 1e-9)
    about = {"name": "gradient", "title": "What each dropper does to σ", "y_label": "Change of σ"}
    caption = f"Above zero, σ falls with {WORDS[content['prescribed']][1]}; below zero, with the opposite."
    return replace(like, **about, caption=caption, curves=(curve,), y_range=(-top, top))

"""What a page's script reads values from: where the axes of a drawn chart stand, and every curve that can be read."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from dynamics.charts.drawing import thinned
from dynamics.charts.heat import heat_digits
from dynamics.charts.parts import Chart, HeatMap
from dynamics.charts.style import COLOURS

__all__ = ["hover_data"]

READABLE = {"x": ("line", "step"), "point": ("dots", "rings", "crosses"), "cell": ()}


def hover_data(chart: Chart, figure: Figure) -> dict[str, object]:
    """Numbers of a chart, and the frame of its axes in units of the drawing from the upper left corner."""
    wide, tall = (72.0 * float(v) for v in figure.get_size_inches())
    axes = figure.axes[0]
    area = axes.get_position()
    frame = (area.x0 * wide, area.x1 * wide, (1.0 - area.y1) * tall, (1.0 - area.y0) * tall)
    curves = [thinned(c) for c in chart.curves if c.label and c.mark in READABLE[chart.pick]]
    return {
        "pick": chart.pick,
        "log": chart.logarithmic,
        "powers": list(chart.powers),
        **({} if chart.heat is None else {"cells": _cells(chart.heat)}),
        "frame": [*map(float, (*axes.get_xlim(), *axes.get_ylim())), *(round(v, 2) for v in frame)],
        "size": [round(wide, 1), round(tall, 1)],
        "x": {"label": chart.x_label, "unit": chart.units[0]},
        "y": {"label": chart.y_label, "unit": chart.units[1]},
        "curves": [
            {
                "label": c.label,
                "mark": c.mark,
                "colour": COLOURS[c.role],
                "x": [float(f"{v:.7g}") for v in c.x],
                "y": [float(f"{v:.6g}") for v in c.y],
                "notes": list(c.notes),
            }
            for c in curves
        ],
    }


def _cells(heat: HeatMap) -> dict[str, object]:
    """Numbers of a heat map, rounded; null where there is nothing."""
    digits = heat_digits(heat)
    return {
        "label": heat.label,
        "unit": heat.unit,
        "x": [float(f"{v:.6g}") for v in heat.x],
        "y": [float(f"{v:.6g}") for v in heat.y],
        "values": [
            [None if np.isnan(v) else round(float(v), digits) if digits else round(float(v)) for v in row]
            for row in heat.values
        ],
    }

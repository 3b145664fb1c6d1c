"""Charts drawn by Matplotlib, once: the figure that becomes SVG in a page and PNG in a folder.

A drawing unit is a point of the figure and a pixel of its SVG.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from dynamics.charts.heat import BELOW, draw_heat
from dynamics.charts.parts import Chart, Curve, Stations
from dynamics.charts.point_names import NAME_SIZE, point_names
from dynamics.charts.style import COLOURS, DASHES, INK, LINE_WIDTH, SOFT, figure_size, house_style
from dynamics.charts.ticks import axis_ticks

__all__ = ["WIDTH", "charts_figure", "thinned"]

WIDTH = 760.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 14.0, 22.0, 44.0
EDGE = 2.0  # where titles and legends begin: a sign at the edge itself would lose half of its ends
ROW, LEGEND_GAP = 18.0, 6.0  # a row of the legend or a heading, and what is left free below a legend
CAP = 3.0  # what tall letters of a legend rise above its first row
# room that a letter of a name next to the axes takes, a digit of a number at an axis, a letter and a sign of the legend
LETTER, DIGIT, LEGEND_LETTER, LEGEND_SIGN = 6.3, 8.0, 7.2, 44.0
TICK_SIZE, TITLE_SIZE, LEGEND_SIZE = 12.0, 12.5, 12.0
BAR_WIDTH = 10.0
# a line needs no more points than this to look whole; thinning keeps both extremes of every group
MAX_POINTS = 1600
MARKERS = {"dots": "o", "rings": "o", "crosses": "x"}


@dataclass(frozen=True)
class _Place:
    """Where a chart stands in its figure (drawing units from the upper left corner)."""

    top: float
    left: float
    right: float
    bottom: float


def charts_figure(charts: Sequence[Chart], heading: str = "") -> Figure:
    """Draw charts below one another, each with its legend above its axes; ``figure.axes`` starts with theirs."""
    with house_style():
        figure = Figure(facecolor="white")
        legends = [_legend_entries(chart) for chart in charts]
        places: list[_Place] = []
        height = ROW + LEGEND_GAP if heading else CAP
        for chart, entries in zip(charts, legends, strict=True):
            rows, _ = _legend_shape(list(entries))
            places.append(_place(chart, height + ROW * rows + (LEGEND_GAP if rows else 0.0)))
            height = places[-1].bottom + BOTTOM
        figure.set_size_inches(WIDTH / 72.0, height / 72.0)
        all_axes = [figure.add_axes(_box(height, place)) for place in places]
        _write(all_axes[0], 0.5 * WIDTH, 14.0, heading, "center")
        for axes, chart, entries, place in zip(all_axes, charts, legends, places, strict=True):
            _draw(axes, chart, place)
            _draw_legend(axes, entries, place)
    return figure


def _box(height: float, place: _Place) -> tuple[float, float, float, float]:
    """Left, bottom, width and height of axes as shares of the figure."""
    wide, tall = place.right - place.left, place.bottom - place.top
    return place.left / WIDTH, 1.0 - place.bottom / height, wide / WIDTH, tall / height


def _place(chart: Chart, above: float) -> _Place:
    """Lay out the axes of a chart below ``above``; an exaggeration, where given, sets their height exactly."""
    x_range, y_range = chart.limits()
    left = max(LEFT, 14.0 + LETTER * max(map(len, chart.y_names), default=0))
    right = WIDTH - RIGHT
    low, high = np.log10(x_range) if chart.logarithmic else x_range
    for x, text in zip(*axis_ticks(chart, 0, 7 if chart.y_names else 9), strict=True):
        share = ((np.log10(x) if chart.logarithmic else x) - low) / (high - low)
        # a number at the end of the axis stands whole: what is cut off it may be a power of ten
        beyond = left + share * (WIDTH - RIGHT - left) + 0.5 * DIGIT * len(text) - WIDTH
        right = min(right, WIDTH - RIGHT - beyond)
    height = chart.height * (right - left)
    if chart.exaggeration is not None:
        height = (y_range[1] - y_range[0]) / (x_range[1] - x_range[0]) * chart.exaggeration * (right - left)
    return _Place(above + TOP, left, right, above + TOP + height)


def _write(axes: Axes, x: float, y: float, text: str, ha: Literal["left", "center"]) -> None:
    """Write a title on a figure, in drawing units from its upper left corner."""
    height = figure_size(axes)[1]
    axes.figure.text(x / WIDTH, 1.0 - y / height, text, fontsize=TITLE_SIZE, ha=ha, va="baseline", color=INK)


def _draw(axes: Axes, chart: Chart, place: _Place) -> None:
    """Draw everything of a chart but its legend."""
    _dress(axes, chart, place)
    if chart.heat is not None:
        draw_heat(axes, chart.heat)
    for stations in chart.stations:
        _draw_stations(axes, stations, place)
    for level in chart.levels:
        axes.axhline(level.y, color=SOFT, linewidth=1.0, linestyle=(0, (1, 3)), label=level.label)
    for curve in chart.curves:
        (line,) = axes.plot(*_joined(curve), **_curve_style(curve), zorder=2.0, label=curve.label or "_")
        line.set_gid(f"title:{curve.label}" if curve.label else None)
    for name in point_names(axes, chart):
        axes.figure.text(*name.place, name.text, fontsize=NAME_SIZE, color=SOFT, ha="center", va="center")


def _dress(axes: Axes, chart: Chart, place: _Place) -> None:
    """Limits, ticks, grid and titles; the y title stands above the axes, so that it reads level."""
    x_range, y_range = chart.limits()
    if chart.logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.minorticks_off()
    axes.set_xlim(*x_range)
    axes.set_ylim(*y_range)
    axes.set_xticks(*axis_ticks(chart, 0, 7 if chart.y_names else 9))
    axes.set_yticks(*axis_ticks(chart, 1, max(2, round((place.bottom - place.top) / 45.0))))
    axes.grid(axis="y", color="#ebebeb", linewidth=1.0)
    axes.set_axisbelow(True)
    axes.patch.set_visible(False)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set(color="#8a8a8a", linewidth=1.0)
    axes.tick_params(labelsize=TICK_SIZE, labelcolor=SOFT, color="#8a8a8a", width=1.0, length=4.0)
    axes.tick_params(axis="y", length=0.0, pad=8.0)
    x_title, y_title = chart.axis_titles
    _write(axes, 0.5 * (place.left + place.right), place.bottom + 36.0, x_title, "center")
    _write(axes, EDGE, place.top - 11.0, y_title, "left")


def _draw_stations(axes: Axes, stations: Stations, place: _Place) -> None:
    """Ticks at the upper edge, or lines over the full height."""
    low, high = axes.get_xlim()
    x = stations.x[(stations.x >= low - 1e-9) & (stations.x <= high + 1e-9)]
    tall = place.bottom - place.top
    # the two designs' droppers would cover each other: nominal ticks stand outside the edge, others inside
    ends = (1.0, 1.0 + 7.0 / tall) if stations.role == "nominal" else (1.0 - 8.0 / tall, 1.0 - 1.0 / tall)
    ends = (0.0, 1.0) if stations.full_height else ends
    axes.plot(
        _apart(np.repeat(x, 2)),
        _apart(np.tile(ends, x.size)),
        transform=axes.get_xaxis_transform(),
        color=COLOURS[stations.role],
        linewidth=1.0 if stations.full_height else 1.4,
        linestyle=(0, (2, 3)) if stations.full_height else "solid",
        solid_capstyle="butt",
        clip_on=False,
        gid=f"title:{stations.label}",
        label=stations.label,
    )


def _apart(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pairs of values with a gap behind each, so that one line draws all segments."""
    return np.insert(np.reshape(values, (-1, 2)), 2, np.nan, axis=1).ravel()


def _joined(curve: Curve) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coordinates of a curve as one line."""
    if curve.mark in ("segments", "bars"):
        return _apart(curve.x), _apart(curve.y)
    drawn = thinned(curve)
    return drawn.x, drawn.y


def _curve_style(curve: Curve) -> dict[str, Any]:
    """Colour, width and marks of a curve, as Matplotlib's lines take them."""
    colour = COLOURS[curve.role]
    if curve.mark in MARKERS:
        return {
            "linestyle": "none",
            "marker": MARKERS[curve.mark],
            "markersize": 6.0 if curve.x.size < 120 else 4.4,
            "color": colour,
            "markerfacecolor": "white" if curve.mark == "rings" else colour,
            "markeredgewidth": 0.0 if curve.mark == "dots" else 1.4,
            "clip_on": False,  # a mark at the edge of the axes is shown whole
        }
    dashes = DASHES.get(curve.role, ()) if curve.mark == "line" else ()
    width = BAR_WIDTH if curve.mark == "bars" else LINE_WIDTH[curve.role]
    return {
        "color": colour,
        "linewidth": width,
        "linestyle": (0, tuple(stroke / width for stroke in dashes)) if dashes else "solid",
        "drawstyle": "steps-post" if curve.mark == "step" else "default",
        "solid_capstyle": "butt",
        "dash_capstyle": "butt",
    }


def thinned(curve: Curve) -> Curve:
    """Thin a long line to the lowest and highest point of each of its groups of neighbours."""
    n = curve.x.size
    if curve.mark != "line" or n <= MAX_POINTS:
        return curve
    groups = np.array_split(np.arange(n), MAX_POINTS // 2)
    picked = {int(i) for g in groups for i in (g[np.argmin(curve.y[g])], g[np.argmax(curve.y[g])])}
    keep = np.array(sorted(picked | {0, n - 1}))
    notes = tuple(curve.notes[i] for i in keep) if curve.notes else ()
    return replace(curve, x=curve.x[keep], y=curve.y[keep], notes=notes, labels=())


def _legend_entries(chart: Chart) -> dict[str, Artist]:
    """One sign per label: curves, then what is marked along the track, then levels; nothing for a single label."""
    found: dict[str, Artist] = {}
    for curve in chart.curves:
        if curve.label:
            style = {k: v for k, v in _curve_style(curve).items() if k not in ("drawstyle", "clip_on")}
            found.setdefault(curve.label, Line2D([], [], **style))
    for stations in chart.stations:
        size = 14.0 if stations.full_height else 8.0
        sign = {"color": COLOURS[stations.role], "marker": "|", "markersize": size, "linestyle": "none"}
        found.setdefault(stations.label, Line2D([], [], **sign))
    for level in chart.levels:
        found.setdefault(level.label, Line2D([], [], color=SOFT, linewidth=1.0, linestyle=(0, (1, 3))))
    if chart.heat is not None and chart.heat.below_label:
        found.setdefault(chart.heat.below_label, Patch(color=BELOW))
    return found if len(found) > 1 or chart.heat is not None else {}


def _legend_shape(labels: list[str]) -> tuple[int, int]:
    """Rows and columns of a legend that fits the width: as many columns as have room."""
    for columns in range(len(labels), 1, -1):
        widths = [max(map(len, labels[c::columns])) * LEGEND_LETTER + LEGEND_SIGN for c in range(columns)]
        if EDGE + sum(widths) <= WIDTH:
            return -(-len(labels) // columns), columns
    return len(labels), 1


def _draw_legend(axes: Axes, entries: dict[str, Artist], place: _Place) -> None:
    """Write the legend above the axes, row by row."""
    if not entries:
        return
    labels = list(entries)
    rows, columns = _legend_shape(labels)
    by_column = [label for column in range(columns) for label in labels[column::columns]]
    height = figure_size(axes)[1]
    axes.figure.legend(
        [entries[label] for label in by_column],
        by_column,
        loc="upper left",
        bbox_to_anchor=(EDGE / WIDTH, 1.0 - (place.top - TOP - LEGEND_GAP - ROW * rows) / height),
        ncols=columns,
        frameon=False,
        fontsize=LEGEND_SIZE,
        labelcolor=SOFT,
        borderpad=0.0,
        borderaxespad=0.0,
        labelspacing=(ROW - LEGEND_SIZE) / LEGEND_SIZE,
        handlelength=2.0,
        columnspacing=1.3,
    )

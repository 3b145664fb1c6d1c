"""The same charts as PNG files, drawn with matplotlib for slides and papers."""

from __future__ import annotations

import io

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from studies.report.drawing.frame import BAR_WIDTH, COLOURS, DASHES, LINE_WIDTH, Frame, chart_frame
from studies.report.drawing.heat import COLOUR_MAP, heat_image, scale_ends
from studies.report.drawing.labels import LABEL_SIZE, point_labels
from studies.report.drawing.parts import Chart, Curve, HeatMap, Stations

__all__ = ["chart_png"]

DPI = 200
INCHES_PER_UNIT = 8.0 / 760.0
POINTS_PER_WIDTH = 0.83
# a row of the legend: its height in drawing units, letters that fit, and letters' room that a handle takes
ROW_HEIGHT, ROW_LETTERS, HANDLE_LETTERS = 16.0, 110, 7


def chart_png(chart: Chart) -> bytes:
    """Draw a chart as a PNG at 200 dots per inch, with its legend below the axes."""
    frame = chart_frame(chart)
    rows = _legend_rows(chart)
    below = 18.0 + ROW_HEIGHT * len(rows)
    width, height = frame.width * INCHES_PER_UNIT, (frame.height + below) * INCHES_PER_UNIT
    figure = Figure(figsize=(width, height), dpi=DPI, facecolor="white")
    canvas = FigureCanvasAgg(figure)
    total = frame.height + below
    axes = figure.add_axes(
        (
            frame.left / frame.width,
            1.0 - frame.bottom / total,
            (frame.right - frame.left) / frame.width,
            (frame.bottom - frame.top) / total,
        )
    )
    _dress(axes, chart, frame)
    if chart.heat is not None:
        _draw_heat(axes, chart.heat, frame)
    for stations in chart.stations:
        _draw_stations(axes, stations)
    for level in chart.levels:
        axes.axhline(level.y, color="#555555", linewidth=0.9, linestyle=(0, (1, 2)), label=level.label)
    for curve in chart.curves:
        _draw_curve(axes, curve)
    points_per_unit = 72.0 * INCHES_PER_UNIT
    for place in point_labels(chart, frame):
        x, y = place.x / frame.width, 1.0 - place.y / total
        figure.text(x, y, place.text, fontsize=LABEL_SIZE * points_per_unit, color="#555555", ha="center", va="center")
    _legend(figure, axes, max(len(row) for row in rows))
    buffer = io.BytesIO()
    # without the default metadata the same data give the same file
    canvas.print_png(buffer, metadata={"Software": None})
    return buffer.getvalue()


def _dress(axes: Axes, chart: Chart, frame: Frame) -> None:
    """Limits, ticks, grid and titles as in the page."""
    x_title, y_title = chart.axis_titles
    axes.set_xlim(*frame.x_range)
    axes.set_ylim(*frame.y_range)
    if chart.logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.minorticks_off()
    xs, ys = frame.ticks()
    axes.set_xticks(xs, frame.x_texts(xs))
    axes.set_yticks(ys, frame.y_texts(ys))
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(labelsize=8)
    axes.set_xlabel(x_title, fontsize=9)
    axes.text(
        2.0 / frame.width,
        1.0 - 11.0 / frame.height,
        y_title,
        transform=axes.figure.transFigure,
        fontsize=9,
        va="center",
    )


def _draw_heat(axes: Axes, heat: HeatMap, frame: Frame) -> None:
    """Cells behind the curves, and their scale above the axes."""
    extent = (*frame.x_range, *frame.y_range)
    axes.imshow(heat_image(heat, frame.y_range, frame.x_range), extent=extent, aspect="auto", zorder=0.8)
    top = float(np.nanmax(heat.values))
    mapped = ScalarMappable(Normalize(heat.low, max(top, heat.low + 1e-9)), COLOUR_MAP)
    scale = axes.inset_axes((0.72, 1.02, 0.26, 0.035))
    axes.figure.colorbar(mapped, cax=scale, orientation="horizontal", location="top")
    scale.set_xticks([])
    told = f"; {heat.below_label} in orange" if heat.below_label else ""
    axes.text(
        0.70,
        1.03,
        f"{heat.label}, {scale_ends(heat)} {heat.unit}{told}",
        transform=axes.transAxes,
        fontsize=8,
        ha="right",
    )


def _draw_stations(axes: Axes, stations: Stations) -> None:
    colour = COLOURS[stations.role]
    low, high = (1.0, 1.035) if stations.role == "nominal" else (0.965, 0.995)
    if stations.full_height:
        low, high = 0.0, 1.0
    axes.vlines(
        stations.x,
        low,
        high,
        transform=axes.get_xaxis_transform(),
        color=colour,
        linewidth=0.9,
        clip_on=False,
    )


def _draw_curve(axes: Axes, curve: Curve) -> None:
    colour, width = COLOURS[curve.role], POINTS_PER_WIDTH * LINE_WIDTH[curve.role]
    label = curve.label or "_nolegend_"
    if curve.mark in ("segments", "bars"):
        width, cap = (POINTS_PER_WIDTH * BAR_WIDTH, "butt") if curve.mark == "bars" else (width, "projecting")
        for k in range(0, curve.x.size, 2):
            pair = slice(k, k + 2)
            name = label if k == 0 else "_"
            axes.plot(
                curve.x[pair], curve.y[pair], color=colour, linewidth=width, label=name, solid_capstyle=cap, zorder=1.8
            )
        return
    if curve.mark in ("line", "step"):
        drawstyle = "steps-post" if curve.mark == "step" else "default"
        strokes = DASHES.get(curve.role, ()) if curve.mark == "line" else ()
        dashes = (0, tuple(0.8 * s for s in strokes)) if strokes else "solid"
        axes.plot(
            curve.x,
            curve.y,
            color=colour,
            linewidth=width,
            label=label,
            drawstyle=drawstyle,
            linestyle=dashes,
        )
        return
    marker = {"dots": "o", "rings": "o", "crosses": "x"}[curve.mark]
    face = {"dots": colour, "rings": "white", "crosses": colour}[curve.mark]
    size = 4.0 if curve.x.size < 120 else 2.8
    axes.plot(
        curve.x,
        curve.y,
        linestyle="none",
        marker=marker,
        markersize=size,
        color=colour,
        mfc=face,
        label=label,
    )


def _legend_rows(chart: Chart) -> list[list[str]]:
    """Labels of the legend in rows that fit under the axes."""
    rows: list[list[str]] = [[]]
    for label in dict.fromkeys(part.label for part in (*chart.curves, *chart.levels) if part.label):
        wide = sum(len(text) + HANDLE_LETTERS for text in (*rows[-1], label))
        if rows[-1] and wide > ROW_LETTERS:
            rows.append([])
        rows[-1].append(label)
    return rows


def _legend(figure: Figure, axes: Axes, columns: int) -> None:
    """One entry per label, in rows under the axes."""
    handles, labels = axes.get_legend_handles_labels()
    first = {label: handle for handle, label in reversed(list(zip(handles, labels, strict=True)))}
    ordered = [label for k, label in enumerate(labels) if label not in labels[:k]]
    if ordered:
        figure.legend(
            [first[label] for label in ordered],
            ordered,
            loc="lower center",
            ncol=columns,
            frameon=False,
            fontsize=8,
        )

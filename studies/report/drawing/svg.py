"""Charts as SVG text, and the figures that hovering reads."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray

from studies.report.drawing.frame import BAR_WIDTH, COLOURS, DASHES, LINE_WIDTH, Frame, chart_frame
from studies.report.drawing.heat import cells_data, heat_svg
from studies.report.drawing.labels import LABEL_SIZE, point_labels
from studies.report.drawing.parts import Chart, Curve, Stations

__all__ = ["chart_svg", "hover_data"]

# A line needs no more points than this to look whole; thinning keeps both extremes of every group.
MAX_POINTS = 1600
CLIPPED = ("line", "step", "segments", "bars")


def chart_svg(chart: Chart) -> str:
    """Draw a chart; text and lines stay sharp at any size."""
    frame = chart_frame(chart)
    levels = [float(frame.down(level.y)) for level in chart.levels]
    parts = [
        f'<svg viewBox="0 0 {frame.width:g} {frame.height:.1f}" role="img" tabindex="0" '
        f'aria-label="{escape(chart.title)}" class="chart">',
        _axes(chart, frame),
        *((heat_svg(chart.heat, frame),) if chart.heat is not None else ()),
        *(_stations(s, frame) for s in chart.stations),
        *(_line(frame.left, at, frame.right, at, "level") for at in levels),
        f'<svg x="{frame.left:g}" y="{frame.top:g}" width="{frame.right - frame.left:.2f}" '
        f'height="{frame.bottom - frame.top:.2f}" viewBox="{frame.left:g} {frame.top:g} '
        f'{frame.right - frame.left:.2f} {frame.bottom - frame.top:.2f}">',
        *(_curve(c, frame) for c in chart.curves if c.mark in CLIPPED),
        "</svg>",
        # a mark at the edge of the axes is shown whole
        *(_curve(c, frame) for c in chart.curves if c.mark not in CLIPPED),
        *(_text(p.x, p.y + 0.36 * LABEL_SIZE, p.text, "point") for p in point_labels(chart, frame)),
        '<g class="cursor"></g>',
        "</svg>",
    ]
    return "\n".join(parts)


def _text(x: float, y: float, text: str, style: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{style}" text-anchor="{anchor}">{escape(text)}</text>'


def _line(x0: float, y0: float, x1: float, y1: float, style: str) -> str:
    return f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" class="{style}"/>'


def _axes(chart: Chart, frame: Frame) -> str:
    """Grid lines, tick labels and titles; the y title stands above the axes, so that it reads level."""
    xs, ys = frame.ticks()
    parts = []
    for y, text in zip(ys, frame.y_texts(ys), strict=True):
        at = float(frame.down(y))
        parts += [
            _line(frame.left, at, frame.right, at, "grid"),
            _text(frame.left - 8, at + 4, text, "tick", "end"),
        ]
    for x, text in zip(xs, frame.x_texts(xs), strict=True):
        at = float(frame.across(x))
        parts += [
            _line(at, frame.bottom, at, frame.bottom + 4, "axis"),
            _text(at, frame.bottom + 17, text, "tick"),
        ]
    x_title, y_title = chart.axis_titles
    parts += [
        _line(frame.left, frame.bottom, frame.right, frame.bottom, "axis"),
        _text(0.5 * (frame.left + frame.right), frame.bottom + 36, x_title, "name"),
        _text(2.0, 11.0, y_title, "name", "start"),
    ]
    return "\n".join(parts)


def _stations(stations: Stations, frame: Frame) -> str:
    """Ticks at the upper edge, or lines over the full height."""
    low, high = frame.x_range
    inside = stations.x[(stations.x >= low - 1e-9) & (stations.x <= high + 1e-9)]
    # the two designs' droppers would cover each other: nominal ticks stand outside the edge, others inside
    y0, y1 = (frame.top - 7, frame.top) if stations.role == "nominal" else (frame.top + 1, frame.top + 8)
    if stations.full_height:
        y0, y1 = frame.top, frame.bottom
    style = "support" if stations.full_height else "station"
    colour = COLOURS[stations.role]
    lines = "".join(_line(float(a), y0, float(a), y1, style) for a in frame.across(inside))
    return f'<g stroke="{colour}"><title>{escape(stations.label)}</title>{lines}</g>'


def _curve(curve: Curve, frame: Frame) -> str:
    drawn = thinned(curve)
    across, down = frame.across(drawn.x), frame.down(drawn.y)
    colour = COLOURS[curve.role]
    width = BAR_WIDTH if curve.mark == "bars" else LINE_WIDTH[curve.role]
    name = f"<title>{escape(curve.label)}</title>" if curve.label else ""
    if curve.mark in ("dots", "rings", "crosses"):
        return f'<g fill="none" stroke="{colour}">{name}{_marks(curve, across, down, colour)}</g>'
    strokes = " ".join(map(str, DASHES.get(curve.role, ()))) if curve.mark == "line" else ""
    dash = f' stroke-dasharray="{strokes}"' if strokes else ""
    return (
        f'<path d="{_path(curve.mark, across, down)}" fill="none" stroke="{colour}" stroke-width="{width}"'
        f'{dash} stroke-linejoin="round">{name}</path>'
    )


def _path(mark: str, across: NDArray[np.float64], down: NDArray[np.float64]) -> str:
    points = [f"{a:.2f} {d:.2f}" for a, d in zip(across, down, strict=True)]
    if mark in ("segments", "bars"):
        return "".join(f"M{a}L{b}" for a, b in zip(points[::2], points[1::2], strict=True))
    if mark == "step":
        return f"M{points[0]}" + "".join(f"H{a:.2f}V{d:.2f}" for a, d in zip(across[1:], down[1:], strict=True))
    return "M" + "L".join(points)


def _marks(curve: Curve, across: NDArray[np.float64], down: NDArray[np.float64], colour: str) -> str:
    r = 3.0 if len(across) < 120 else 2.2
    pairs = [(float(a), float(d)) for a, d in zip(across, down, strict=True)]
    if curve.mark == "crosses":
        return "".join(
            f'<path d="M{a - r:.1f} {d - r:.1f}L{a + r:.1f} {d + r:.1f}M{a - r:.1f} {d + r:.1f}'
            f'L{a + r:.1f} {d - r:.1f}" stroke-width="1.4"/>'
            for a, d in pairs
        )
    fill = f'fill="{colour}" stroke="none"' if curve.mark == "dots" else 'fill="#fff" stroke-width="1.3"'
    return "".join(f'<circle cx="{a:.1f}" cy="{d:.1f}" r="{r:g}" {fill}/>' for a, d in pairs)


def thinned(curve: Curve) -> Curve:
    """Thin a long line to the lowest and highest point of each of its groups of neighbours."""
    n = curve.x.size
    if curve.mark != "line" or n <= MAX_POINTS:
        return curve
    groups = np.array_split(np.arange(n), MAX_POINTS // 2)
    picked = {int(i) for g in groups for i in (g[np.argmin(curve.y[g])], g[np.argmax(curve.y[g])])}
    keep = np.array(sorted(picked | {0, n - 1}))
    notes = tuple(curve.notes[i] for i in keep) if curve.notes else ()
    return Curve(curve.label, curve.x[keep], curve.y[keep], curve.x_unit, curve.y_unit, curve.role, curve.mark, notes)


def hover_data(chart: Chart) -> dict[str, object]:
    """Numbers that the page's script reads values from: the frame and every curve that can be read."""
    frame = chart_frame(chart)
    readable = {"x": ("line", "step"), "point": ("dots", "rings", "crosses"), "cell": ()}[chart.pick]
    curves = [thinned(c) for c in chart.curves if c.label and c.mark in readable]
    return {
        "pick": chart.pick,
        "log": chart.logarithmic,
        "powers": list(chart.powers),
        **({} if chart.heat is None else {"cells": cells_data(chart.heat)}),
        "frame": [*frame.x_range, *frame.y_range, frame.left, frame.right, frame.top, frame.bottom],
        "size": [frame.width, round(frame.height, 1)],
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

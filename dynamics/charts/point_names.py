"""Where the names of points stand in a chart: next to their points, never on another point or name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dynamics.charts.parts import Chart, Curve
from dynamics.charts.style import figure_size

__all__ = ["NAME_SIZE", "PointName", "point_names"]

NAME_SIZE = 10.0  # points
DIGIT_WIDTH = 0.6  # of the size
MARK = 4.0  # half width of a point's mark [points]
POINTS = ("dots", "rings", "crosses")
# Below to the left first: towards what is better in two minimised objectives there is no design.
WAYS = ((-1, -1), (1, 1), (-1, 0), (1, 0), (0, -1), (0, 1), (-1, 1), (1, -1))

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class PointName:
    """A name with the middle of its place, in points and as shares of the figure, from its lower left corner."""

    text: str
    x: float
    y: float
    place: tuple[float, float]


def point_names(axes: Axes, chart: Chart) -> list[PointName]:
    """Names of a chart's points, as many as find room inside the axes; off other curves' marks where they can."""
    named = [curve for curve in chart.curves if curve.labels]
    taken = [box for curve in named for box in _marks(curve, axes)]
    avoided = [
        box for curve in chart.curves if not curve.labels and curve.mark in POINTS for box in _marks(curve, axes)
    ]
    placed = []
    for curve in named:
        for text, point in zip(curve.labels, _points(curve, axes), strict=True):
            found = _room(text, point, taken + avoided, axes) or _room(text, point, taken, axes)
            if found is not None:
                placed.append(found)
                taken.append(_box(found.text, found.x, found.y))
    return placed


def _points(curve: Curve, axes: Axes) -> list[tuple[float, float]]:
    """Where a curve's points are [points]."""
    in_inches = axes.transData - axes.figure.dpi_scale_trans
    return [(float(x), float(y)) for x, y in 72.0 * in_inches.transform(np.column_stack([curve.x, curve.y]))]


def _marks(curve: Curve, axes: Axes) -> list[Box]:
    return [(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in _points(curve, axes)]


def _room(text: str, point: tuple[float, float], taken: list[Box], axes: Axes) -> PointName | None:
    width, height = figure_size(axes)
    area = axes.get_position()
    half = 0.5 * DIGIT_WIDTH * NAME_SIZE * len(text)
    for dx, dy in WAYS:
        x = point[0] + dx * (MARK + 1.0 + half)
        y = point[1] + dy * (MARK + 0.5 * NAME_SIZE)
        left, low, right, high = box = _box(text, x, y)
        inside = area.x0 * width <= left and right <= area.x1 * width
        inside = inside and area.y0 * height <= low and high <= area.y1 * height
        if inside and not any(_overlap(box, other) for other in taken):
            return PointName(text, x, y, (x / width, y / height))
    return None


def _box(text: str, x: float, y: float) -> Box:
    half, tall = 0.5 * DIGIT_WIDTH * NAME_SIZE * len(text), 0.5 * NAME_SIZE
    return (x - half, y - tall, x + half, y + tall)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]

"""Where the names of points stand in a chart: beside their points, never on another point or name."""

from __future__ import annotations

from dataclasses import dataclass

from studies.report.drawing.frame import Frame
from studies.report.drawing.parts import Chart, Curve

__all__ = ["LABEL_SIZE", "PointLabel", "point_labels"]

LABEL_SIZE = 10.0  # drawing units
DIGIT_WIDTH = 0.6  # of the size
MARK = 4.0  # half width of a point's mark, drawing units
POINTS = ("dots", "rings", "crosses")
# Below to the left first: towards what is better in two minimised objectives there is no design.
WAYS = ((-1, 1), (1, -1), (-1, 0), (1, 0), (0, 1), (0, -1), (-1, -1), (1, 1))


@dataclass(frozen=True)
class PointLabel:
    """A name with the middle of its place (drawing units, y downwards)."""

    text: str
    x: float
    y: float


Box = tuple[float, float, float, float]


def point_labels(chart: Chart, frame: Frame) -> list[PointLabel]:
    """Names of a chart's points, as many as find room inside the axes; off other curves' marks where they can."""
    named = [curve for curve in chart.curves if curve.labels]
    taken = [box for curve in named for box in _marks(curve, frame)]
    avoided = [
        box for curve in chart.curves if not curve.labels and curve.mark in POINTS for box in _marks(curve, frame)
    ]
    placed = []
    for curve in named:
        for text, x, y in zip(curve.labels, frame.across(curve.x), frame.down(curve.y), strict=True):
            point = (float(x), float(y))
            found = _room(text, point, taken + avoided, frame) or _room(text, point, taken, frame)
            if found is not None:
                placed.append(found)
                taken.append(_box(found))
    return placed


def _marks(curve: Curve, frame: Frame) -> list[Box]:
    places = zip(frame.across(curve.x), frame.down(curve.y), strict=True)
    return [(float(a) - MARK, float(d) - MARK, float(a) + MARK, float(d) + MARK) for a, d in places]


def _room(text: str, point: tuple[float, float], taken: list[Box], frame: Frame) -> PointLabel | None:
    half = 0.5 * DIGIT_WIDTH * LABEL_SIZE * len(text)
    for dx, dy in WAYS:
        beside = MARK + 1.0 + half if dx else 0.0
        above = MARK + 0.5 * LABEL_SIZE if dy else 0.0
        candidate = PointLabel(text, point[0] + dx * beside, point[1] + dy * above)
        box = _box(candidate)
        inside = frame.left <= box[0] and box[2] <= frame.right and frame.top <= box[1] and box[3] <= frame.bottom
        if inside and not any(_overlap(box, other) for other in taken):
            return candidate
    return None


def _box(label: PointLabel) -> Box:
    half, tall = 0.5 * DIGIT_WIDTH * LABEL_SIZE * len(label.text), 0.5 * LABEL_SIZE
    return (label.x - half, label.y - tall, label.x + half, label.y + tall)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]

"""What a drawing consists of, whatever file it goes into: strokes and words on layers, in metres."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LAYERS", "Point", "Sheet", "Stroke", "Words"]

Point = tuple[float, float]
# layers, and the colour of each: its number in a DXF file, its name in an SVG one
LAYERS = {
    "CONTACT_WIRE": (5, "#1f4e9c"),
    "MESSENGER_WIRE": (3, "#2e7d32"),
    "STITCH_WIRE": (4, "#00838f"),
    "AUXILIARY_WIRE": (4, "#00838f"),
    "DROPPERS": (8, "#616161"),
    "DROPPER_LENGTHS": (8, "#616161"),
    "SUPPORTS": (7, "#212121"),
    "STATIONS": (7, "#212121"),
    "DEFECTS": (1, "#c62828"),
    "ELEMENTS": (6, "#7b1fa2"),
    "TRACK": (9, "#9e9e9e"),
    "PLAN_CONTACT_WIRE": (5, "#1f4e9c"),
    "PLAN_MESSENGER_WIRE": (3, "#2e7d32"),
    "STAGGER": (7, "#212121"),
    "TITLE": (7, "#212121"),
}


@dataclass(frozen=True)
class Stroke:
    """A line through points [m], on a layer, dashed or not."""

    layer: str
    points: tuple[Point, ...]
    dashed: bool = False


@dataclass(frozen=True)
class Words:
    """A text on a layer: where it begins [m], its height [m], and its angle from the track [deg]."""

    layer: str
    at: Point
    text: str
    height: float
    angle: float = 0.0


@dataclass(frozen=True)
class Sheet:
    """A drawing: strokes and words, stations to scale, heights and sides each times its factor."""

    title: str
    strokes: tuple[Stroke, ...]
    words: tuple[Words, ...]

    @property
    def corners(self) -> tuple[Point, Point]:
        """Lower left and upper right corner of all that is drawn [m]."""
        x, y = zip(*(p for stroke in self.strokes for p in stroke.points), strict=True)
        ends = [(w.at[0], w.at[1] + w.height) for w in self.words]
        return (
            (min(*x, *(w.at[0] for w in self.words)), min(*y, *(w.at[1] for w in self.words))),
            (max(*x, *(a for a, _ in ends)), max(*y, *(b for _, b in ends))),
        )

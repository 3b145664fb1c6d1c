"""The look of every chart: colours, widths and dashes, and Matplotlib's settings while a chart is drawn or written."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib.style
from matplotlib.axes import Axes

__all__ = ["COLOURS", "DASHES", "INK", "LINE_WIDTH", "SOFT", "figure_size", "house_style"]

INK, SOFT = "#1b1b1b", "#595959"
# Okabe and Ito's colours, safe for colour-blind readers; lines and marks differ in kind as well.
COLOURS = {
    "nominal": "#d55e00",
    "best": "#0072b2",
    "other": "#009e73",
    "fourth": "#cc79a7",
    "fifth": "#000000",
    "sixth": "#e69f00",
    "muted": "#8a8a8a",
}
LINE_WIDTH = {"nominal": 1.6, "best": 2.0, "other": 1.6, "fourth": 1.6, "fifth": 1.6, "sixth": 1.6, "muted": 1.2}
# lengths of strokes and gaps; a line without them is solid
DASHES = {"nominal": (5, 3), "fourth": (9, 2, 2, 2), "fifth": (2, 2), "sixth": (12, 4)}
SETTINGS = {
    "svg.fonttype": "none",  # text stays text: it can be selected and searched
    "svg.hashsalt": "catenary",  # the same chart gives the same file
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
}


@contextmanager
def house_style() -> Iterator[None]:
    """Hold Matplotlib's settings, whatever a user's own are; a letter that its font lacks raises no warning."""
    with matplotlib.style.context(["default", SETTINGS]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def figure_size(axes: Axes) -> tuple[float, float]:
    """Width and height of the figure that axes stand in [points]."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return 72.0 * figure.get_figwidth(), 72.0 * figure.get_figheight()

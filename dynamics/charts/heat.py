"""Colours of a chart's cells, and their scale above the axes."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from dynamics.charts.numbers import number
from dynamics.charts.parts import HeatMap
from dynamics.charts.style import SOFT, figure_size

__all__ = ["BELOW", "draw_heat", "heat_digits"]

# made for colour-blind readers; orange stands apart from its blues and yellows
COLOUR_MAP = "cividis"
BELOW, NOTHING = "#d55e00", "#f0f0f0"
# length and height of the scale, its distance above the axes, room that a letter takes (points)
BAR, THICK, ABOVE, LETTER, SIZE = 120.0, 9.0, 10.0, 8.4, 12.0


def draw_heat(axes: Axes, heat: HeatMap) -> None:
    """Fill every cell with the colour of its value; a place belongs to the nearest cell."""
    colours = matplotlib.colormaps[COLOUR_MAP].with_extremes(under=BELOW, bad=NOTHING)
    top = max(float(np.nanmax(heat.values)), heat.low + 1e-9)
    values = np.where(heat.values <= heat.at_or_below, heat.low - (top - heat.low), heat.values)
    edges = (_edges(heat.x, axes.get_xlim()), _edges(heat.y, axes.get_ylim()))
    axes.pcolormesh(*edges, np.ma.masked_invalid(values), cmap=colours, vmin=heat.low, vmax=top, rasterized=True)
    _draw_scale(axes, heat, top)


def _edges(centres: NDArray[np.float64], limits: tuple[float, float]) -> NDArray[np.float64]:
    """Edges of cells: halfway between centres, the outermost at the limits of the axis."""
    return np.concatenate([limits[:1], 0.5 * (centres[1:] + centres[:-1]), limits[1:]])


def _draw_scale(axes: Axes, heat: HeatMap, top: float) -> None:
    """Bar of colours with both ends named, above the right end of the axes."""
    figure = axes.figure
    width, height = figure_size(axes)
    digits = heat_digits(heat)
    most, least = (f"{number(v, digits)} {heat.unit}" for v in (top, heat.low))
    right, low = width * axes.get_position().x1, height * axes.get_position().y1 + ABOVE
    left = right - LETTER * len(most) - BAR
    scale = figure.add_axes((left / width, low / height, BAR / width, THICK / height))
    scale.imshow(np.linspace(0.0, 1.0, 128)[None, :], cmap=COLOUR_MAP, aspect="auto")
    scale.set_axis_off()
    for x, text in ((right, most), (left - 5.0, least)):
        figure.text(x / width, low / height, text, fontsize=SIZE, color=SOFT, ha="right", va="baseline")


def heat_digits(heat: HeatMap) -> int:
    """Decimals that tell the values of a map apart: none where they are far from each other."""
    width = float(np.nanmax(heat.values)) - heat.low
    return 0 if width >= 50.0 or heat.low == 0.0 else 1 if width >= 5.0 else 2

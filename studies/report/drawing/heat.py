"""Heat maps: colours of a chart's cells as an image, their scale, and the numbers that hovering reads."""

from __future__ import annotations

import base64
import io
from html import escape

import matplotlib
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studies.report.drawing.frame import Frame, number
from studies.report.drawing.parts import HeatMap

__all__ = ["BELOW", "COLOUR_MAP", "cells_data", "heat_image", "heat_svg", "scale_ends"]

# made for colour-blind readers; orange stands apart from its blues and yellows
COLOUR_MAP = "cividis"
BELOW, NOTHING = (213, 94, 0), (240, 240, 240)
ROWS, COLUMNS, BAR = 240, 700, 120.0


def heat_image(heat: HeatMap, y_range: tuple[float, float], x_range: tuple[float, float]) -> NDArray[np.uint8]:
    """Pixels (row, column, 3) of a heat map over the whole axes, the highest y first."""
    xs = np.linspace(*x_range, COLUMNS)
    ys = np.linspace(y_range[1], y_range[0], ROWS)
    column = _nearest(heat.x, xs)
    row = _nearest(heat.y, ys)
    values = heat.values[np.ix_(row, column)]
    step = float(np.diff(heat.x).max()) if heat.x.size > 1 else np.inf
    values[:, np.abs(heat.x[column] - xs) > step] = np.nan
    top = float(np.nanmax(heat.values))
    width = top - heat.low
    share = np.clip((np.nan_to_num(values) - heat.low) / width, 0.0, 1.0) if width > 0.0 else np.zeros(values.shape)
    pixels = np.rint(255.0 * matplotlib.colormaps[COLOUR_MAP](share)[:, :, :3]).astype(np.uint8)
    pixels[values <= heat.at_or_below] = BELOW
    pixels[np.isnan(values)] = NOTHING
    return pixels


def _nearest(sorted_values: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.int64]:
    """Index of the nearest of increasing values."""
    right = np.clip(np.searchsorted(sorted_values, at), 1, max(1, sorted_values.size - 1))
    left = right - 1
    right = np.minimum(right, sorted_values.size - 1)
    return np.where(np.abs(at - sorted_values[left]) <= np.abs(sorted_values[right] - at), left, right)


def heat_svg(heat: HeatMap, frame: Frame) -> str:
    """Draw the cells as one image inside the axes, with their scale above."""
    pixels = heat_image(heat, frame.y_range, frame.x_range)
    buffer = io.BytesIO()
    Image.fromarray(pixels).quantize(64, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    coded = base64.b64encode(buffer.getvalue()).decode("ascii")
    return (
        f'<image x="{frame.left:g}" y="{frame.top:g}" width="{frame.right - frame.left:.2f}" '
        f'height="{frame.bottom - frame.top:.2f}" preserveAspectRatio="none" href="data:image/png;base64,{coded}"/>'
        f"{_scale(heat, frame)}"
    )


def _scale(heat: HeatMap, frame: Frame) -> str:
    """Bar of colours with both ends named, and the colour that stands apart."""
    top = float(np.nanmax(heat.values))
    colours = 255.0 * matplotlib.colormaps[COLOUR_MAP](np.linspace(0.0, 1.0, 9))[:, :3]
    stops = "".join(
        f'<stop offset="{k / 8:g}" stop-color="rgb({r:.0f},{g:.0f},{b:.0f})"/>' for k, (r, g, b) in enumerate(colours)
    )
    end = frame.right
    digits = _digits(heat)
    words = [f"{number(top, digits)} {heat.unit}", f"{number(heat.low, digits)} {heat.unit}", heat.below_label]
    bar = end - 7.0 * len(words[0]) - BAR
    below = bar - 7.0 * len(words[1]) - 8.0
    apart = below - 7.0 * len(words[2]) - 14.0
    red, green, blue = BELOW
    orange = (
        f'<rect x="{apart:.1f}" y="3" width="9" height="9" fill="rgb({red},{green},{blue})"/>'
        f'<text x="{apart + 13:.1f}" y="12" class="tick" text-anchor="start">{escape(words[2])}</text>'
    )
    return (
        f'<defs><linearGradient id="heat_scale">{stops}</linearGradient></defs>'
        f'<rect x="{bar:.1f}" y="3" width="{BAR:g}" height="9" fill="url(#heat_scale)"/>'
        f'<text x="{end:.1f}" y="12" class="tick" text-anchor="end">{escape(words[0])}</text>'
        f'<text x="{bar - 5:.1f}" y="12" class="tick" text-anchor="end">{escape(words[1])}</text>'
        f"{orange if heat.below_label else ''}"
    )


def scale_ends(heat: HeatMap) -> str:
    """Values at both ends of the scale, in words."""
    digits = _digits(heat)
    return f"{number(heat.low, digits)} to {number(float(np.nanmax(heat.values)), digits)}"


def _digits(heat: HeatMap) -> int:
    """Decimals that tell the values of a map apart: none where they are far from each other."""
    width = float(np.nanmax(heat.values)) - heat.low
    return 0 if width >= 50.0 or heat.low == 0.0 else 1 if width >= 5.0 else 2


def cells_data(heat: HeatMap) -> dict[str, object]:
    """Numbers that hovering reads, rounded; null where there is nothing."""
    digits = _digits(heat)
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

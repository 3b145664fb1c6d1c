"""Geometry of a chart in drawing units: where data fall, which ticks, and how their numbers are written."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from studies.report.drawing.parts import Chart

__all__ = [
    "BAR_WIDTH",
    "COLOURS",
    "DASHES",
    "LINE_WIDTH",
    "Frame",
    "chart_frame",
    "nice_exaggeration",
    "number",
    "ticks",
    "with_bound_units",
]

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
BAR_WIDTH = 10.0
# lengths of strokes and gaps; a line without them is solid
DASHES = {"nominal": (5, 3), "fourth": (9, 2, 2, 2), "fifth": (2, 2), "sixth": (12, 4)}

WIDTH = 760.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 14.0, 22.0, 44.0
# room that a letter of a name beside the axes takes
LETTER = 6.3
# a digit of a number at an axis
DIGIT = 7.7
UNIT_AFTER_NUMBER = re.compile(r"(\d) (N|%|mm|km/h)(?!\w)")
TICK_STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class Frame:
    """Axes limits and the rectangle that they fill (SVG units, y downwards); both axes by logarithm, or neither."""

    x_range: tuple[float, float]
    y_range: tuple[float, float]
    left: float
    right: float
    top: float
    bottom: float
    logarithmic: bool = False
    y_names: tuple[str, ...] = ()
    powers: tuple[bool, bool] = (False, False)
    sampled: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())

    @property
    def width(self) -> float:
        """Width of the whole drawing."""
        return WIDTH

    @property
    def height(self) -> float:
        """Height of the whole drawing."""
        return self.bottom + BOTTOM

    def across(self, x: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Horizontal drawing coordinate of ``x``."""
        return self.left + self._share(x, self.x_range) * (self.right - self.left)

    def down(self, y: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Vertical drawing coordinate of ``y``."""
        return self.bottom - self._share(y, self.y_range) * (self.bottom - self.top)

    def _share(self, values: NDArray[np.float64] | float, limits: tuple[float, float]) -> NDArray[np.float64]:
        """How far along an axis values lie, 0 to 1."""
        found = np.asarray([*limits, *np.ravel(values)], dtype=np.float64)
        low, high, *_ = found = np.log10(found) if self.logarithmic else found
        return ((found[2:] - low) / (high - low)).reshape(np.shape(values))

    def ticks(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Round values on the x and on the y axis."""
        if self.logarithmic:
            return log_ticks(*self.x_range), log_ticks(*self.y_range)
        if self.y_names:
            return ticks(*self.x_range, about=7), np.arange(1.0, len(self.y_names) + 1.0)
        tall = self.bottom - self.top
        counts = 9, max(2, round(tall / 45))
        limits = self.x_range, self.y_range
        xs, ys = (
            np.array(at)
            if at
            else np.log10(log_ticks(10.0 ** ends[0], 10.0 ** ends[1]))
            if power
            else ticks(*ends, about=count)
            for ends, count, power, at in zip(limits, counts, self.powers, self.sampled, strict=True)
        )
        return xs, ys

    def x_texts(self, values: NDArray[np.float64]) -> list[str]:
        """Labels of ticks on the x axis."""
        return self._texts(values, 0)

    def y_texts(self, values: NDArray[np.float64]) -> list[str]:
        """Labels of ticks on the y axis: names where there are any."""
        return list(self.y_names) or self._texts(values, 1)

    def _texts(self, values: NDArray[np.float64], axis: int) -> list[str]:
        if self.powers[axis]:
            return [f"{10.0**v:.6g}" for v in values]
        if self.sampled[axis]:  # as given, whatever their steps are
            return [f"{v:.6g}".replace("-", "−") for v in values]
        return [f"{v:g}" for v in values] if self.logarithmic else tick_texts(values)


def chart_frame(chart: Chart) -> Frame:
    """Lay out the axes of a chart; an exaggeration, where given, sets their height exactly."""
    x_range, y_range = chart.limits()
    left = max(LEFT, 14.0 + LETTER * max(map(len, chart.y_names), default=0))
    right = WIDTH - RIGHT
    frame = Frame(
        x_range, y_range, left, right, TOP, TOP + 1.0, chart.logarithmic, chart.y_names, chart.powers, chart.sampled
    )
    xs, _ = frame.ticks()
    # a number at the end of the axis stands whole: what is cut off it may be a power of ten
    beyond = [float(frame.across(x)) + 0.5 * DIGIT * len(t) for x, t in zip(xs, frame.x_texts(xs), strict=True)]
    right -= max(0.0, max(beyond, default=0.0) - WIDTH)
    inner = right - left
    height = chart.height * inner
    if chart.exaggeration is not None:
        height = (y_range[1] - y_range[0]) / (x_range[1] - x_range[0]) * chart.exaggeration * inner
    return replace(frame, right=right, bottom=TOP + height)


def nice_exaggeration(x_extent: float, y_extent: float, height: float) -> float:
    """Largest round factor at which heights of ``y_extent`` [m] stay within ``height`` times the width."""
    if y_extent <= 0.0:
        return 1.0
    largest = height * x_extent / y_extent
    decade = 10.0 ** math.floor(math.log10(largest))
    return max(s * decade for s in TICK_STEPS if s * decade <= largest * (1 + 1e-12))


def ticks(low: float, high: float, about: int) -> NDArray[np.float64]:
    """Round values between two limits, roughly ``about`` of them."""
    raw = (high - low) / max(about, 1)
    decade = 10.0 ** math.floor(math.log10(raw))
    step = min((s * decade for s in TICK_STEPS), key=lambda s: abs(math.log(s / raw)))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return step * np.arange(first, last + 1, dtype=np.float64)


def log_ticks(low: float, high: float) -> NDArray[np.float64]:
    """Round values between two limits: powers of ten, with more between them the closer the limits are."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    width = math.log10(high / low)
    steps = (1.0,) if width > 3.0 else (1.0, 2.0, 5.0) if width > 1.0 else (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
    # a power of ten as it is written, so that 3 x 0.1 does not read 0.30000000000000004
    values = np.array([float(f"{s:g}e{d}") for d in decades for s in steps])
    return values[(values >= low * (1.0 - 1e-9)) & (values <= high * (1.0 + 1e-9))]


def number(value: float, digits: int = 3) -> str:
    """Write a number with ``digits`` decimals and a true minus sign; zero never has a sign."""
    text = f"{value:.{digits}f}"
    if float(text) == 0.0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def with_bound_units(text: str) -> str:
    """Keep numbers and their units on one line."""
    return UNIT_AFTER_NUMBER.sub("\\1\N{NO-BREAK SPACE}\\2", text)


def tick_texts(values: NDArray[np.float64]) -> list[str]:
    """Labels of ticks with as many decimals as their step needs, and no more."""
    if len(values) < 2:
        return [f"{v:g}".replace("-", "−") for v in values]
    step = float(values[1] - values[0])
    return [number(float(v), max(0, -math.floor(math.log10(step) + 1e-9))) for v in values]

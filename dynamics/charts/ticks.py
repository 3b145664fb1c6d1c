"""Round values at which axes are labelled, and round exaggerations of heights."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart

__all__ = ["axis_ticks", "log_ticks", "nice_exaggeration", "ticks"]

TICK_STEPS = (1.0, 2.0, 5.0, 10.0)


def axis_ticks(chart: Chart, axis: int, about: int) -> tuple[NDArray[np.float64], list[str]]:
    """Where the x (0) or y (1) axis of a chart is labelled, and with what; some ``about`` round values.

    Names and sampled values stand as they were given.
    """
    limits = chart.limits()[axis]
    if axis == 1 and chart.y_names:
        return np.arange(1.0, len(chart.y_names) + 1.0), list(chart.y_names)
    if chart.logarithmic:
        at = log_ticks(*limits)
        return at, [f"{v:g}" for v in at]
    power, sampled = chart.powers[axis], chart.sampled[axis]
    if sampled:
        room = 1e-9 * (limits[1] - limits[0])  # a sampled value whose points failed may lie beyond the axis
        at, decimals = np.array([v for v in sampled if limits[0] - room <= v <= limits[1] + room]), None
    elif power:
        at, decimals = np.log10(log_ticks(10.0 ** limits[0], 10.0 ** limits[1])), None
    else:
        at = ticks(*limits, about=about)
        step = float(at[1] - at[0]) if at.size > 1 else abs(float(at[0])) if at.size and at[0] else 1.0
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))  # as many as the step needs, and no more
    shown = 10.0**at if power else at
    return at, [f"{v:.6g}".replace("-", "−") if decimals is None else number(float(v), decimals) for v in shown]


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

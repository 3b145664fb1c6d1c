"""Numbers as they are written at axes and in text, round values for axes, and round exaggerations."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from dynamics.charts.parts import Chart

__all__ = [
    "axis_ticks",
    "error_text",
    "log_ticks",
    "nice_exaggeration",
    "number",
    "ticks",
    "with_bound_units",
    "with_error",
]

UNIT_AFTER_NUMBER = re.compile(r"(\d) (N|%|mm|km/h)(?!\w)")
TICK_STEPS = (1.0, 2.0, 5.0, 10.0)
# decimals that a small error may add to a figure
MOST_ADDED = 2


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
        at, decimals = np.array(sampled), None
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


def number(value: float, digits: int = 3) -> str:
    """Write a number with ``digits`` decimals and a true minus sign; zero never has a sign."""
    text = f"{value:.{digits}f}"
    if float(text) == 0.0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def with_error(value: float, error: float | None, digits: int, *, signed: bool = False) -> str:
    """Write a value with its error, where that is known, both with as many decimals as `error_text` gives the error.

    Parameters
    ----------
    value : float
        Finite.
    error : float, optional
        In the unit of the value; None or not a number where it is not known.
    digits : int
        Decimals of the value alone.
    signed : bool
        Whether a value above zero has its sign.
    """
    size = "" if error is None or not math.isfinite(error) else error_text(error, digits)
    digits = len(size.partition(".")[2]) if size else digits
    text = f"{'+' if signed and round(value, digits) > 0.0 else ''}{number(value, digits)}"
    return f"{text} ± {size}" if size else text


def error_text(error: float, digits: int) -> str:
    """Write an error alone: with ``digits`` decimals, or as many as show two digits of it as far as that is reasonable.

    What is too small for them is written as one of the last decimal, so that no error is written as nothing.
    """
    needed = 1 - int(f"{error:.1e}".partition("e")[2]) if error > 0.0 else math.inf
    decimals = int(min(max(digits, needed), digits + MOST_ADDED))
    return number(max(error, 10.0**-decimals), decimals)


def with_bound_units(text: str) -> str:
    """Keep numbers and their units on one line."""
    return UNIT_AFTER_NUMBER.sub("\\1\N{NO-BREAK SPACE}\\2", text)

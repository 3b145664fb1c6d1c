"""Numbers as they are written at axes and in text, with their errors."""

from __future__ import annotations

import math
import re

__all__ = ["beside_limit", "error_text", "number", "with_bound_units", "with_error"]

UNIT_AFTER_NUMBER = re.compile(r"(\d) (N|%|mm|km/h)(?!\w)")
# decimals that a small error may add to a figure
MOST_ADDED = 2
# decimals beyond which a number is rounding
MOST_BESIDE_LIMIT = 12


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


def beside_limit(value: float, limit: float | None, digits: int) -> str:
    """Write a number with ``digits`` decimals, or as many more as tell below, at or above a limit."""
    decimals = digits
    if limit is not None:
        while decimals < MOST_BESIDE_LIMIT and _side(round(value, decimals), limit) != _side(value, limit):
            decimals += 1
    return number(value, decimals)


def _side(value: float, limit: float) -> int:
    return (value > limit) - (value < limit)


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

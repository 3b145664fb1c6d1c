"""Lowest and highest standard deviation of a sweep in words, with what is known of their errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dynamics.charts.numbers import with_error

if TYPE_CHECKING:
    from optimise.parameter_study.sweep_result import End, Index

__all__ = ["end_text", "unsettled_text"]


def end_text(end: End, at: Callable[[Index], str]) -> str:
    """Figure with its error, where it is, and how the figure of the sweep compares.

    Parameters
    ----------
    end : End
    at : callable
        Names the point of an index.
    """
    if end.error_N is None:
        return f"{end.sigma_N:.2f} N (error not estimated) at {at(end.index)}"
    text = f"{with_error(end.sigma_N, end.error_N, 2)} N at {at(end.index)}"
    if end.outside:
        text += f" (the sweep's own {end.swept_N:.2f} N is further off than that error)"
    unsettled = unsettled_text(end, at)
    return f"{text}; {unsettled}" if unsettled else text


def unsettled_text(end: End, at: Callable[[Index], str]) -> str:
    """List points that may be more extreme; empty where the end is settled."""
    parts = []
    if end.even:
        parts.append(f"the same within the errors at {' and at '.join(at(index) for index in end.even)}")
    if end.error_N is not None and end.rivals:
        count = len(end.rivals)
        points = "1 point that was not refined" if count == 1 else f"{count} points that were not refined"
        parts.append(f"{points} may be as {end.word.removesuffix('est')}")
    return "; ".join(parts)

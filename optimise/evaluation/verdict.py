"""Which of two figures is the lower one, as far as their numerical errors let it be said."""

from __future__ import annotations

import math

__all__ = ["BETTER", "SAME", "UNKNOWN", "WORSE", "verdict"]

BETTER, WORSE, SAME, UNKNOWN = "better", "worse", "the same within the errors", "not known: no estimated error"


def verdict(before: float, before_error: float, after: float, after_error: float) -> str:
    """Say whether a figure that should be low is better after than before; each comes with its error.

    Errors are taken as independent, though those of two lines on the same numerics partly cancel: what is called
    better is so. Without an error (NaN) nothing is said, but for equal figures.
    """
    if after == before:
        return SAME
    error = math.hypot(before_error, after_error)
    if math.isnan(error):
        return UNKNOWN
    if abs(after - before) <= error:
        return SAME
    return BETTER if after < before else WORSE

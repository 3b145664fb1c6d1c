"""Where a rise first meets a limit on the way from zero, to either side: fit, bracket, refine.

The rise r(e) over a signed error e has a kink wherever a dropper slackens or tightens, so no derivative at zero is
carried far: a parabola through zero and the last two errors only says which error to try next, at most 2.5 times as far
out. Both sides are tried at every distance; the first one above the limit ends the way out. Between it and the last
distance below, chords and halves close in until the rise is the limit to one part in 25.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Crossing", "NoFigureError", "first_crossing"]

# how near the limit a rise has to be, of the limit
CLOSE = 0.04
MOST_REFINEMENTS = 8
LEAST_STEP, MOST_STEP = 1.3, 2.5


class NoFigureError(Exception):
    """A rise that cannot be computed, with the reason."""


@dataclass(frozen=True)
class Crossing:
    """First crossing of a limit.

    Attributes
    ----------
    at : float, optional
        Size of the error at which the rise of one side meets the limit; None where none that was tried does.
    sense : int
        Which side: +1 or -1; 0 without a crossing.
    slope : float
        Rise over size there, from the nearest sizes below and above.
    below : float
        Largest size up to which everything that was tried stays below the limit.
    tested : dict
        Rise of every error that was tried.
    message : str
        Why there is no crossing although not all was tried.
    """

    at: float | None
    sense: int
    slope: float
    below: float
    tested: dict[float, float]
    message: str = ""

    def stays_below(self, limit: float) -> float:
        """Largest size up to which everything that was tried stays below another limit."""
        over = [abs(e) for e, rise in self.tested.items() if rise >= limit]
        return max((abs(e) for e in self.tested if abs(e) < min(over, default=math.inf)), default=0.0)


@dataclass
class _Way:
    """Errors tried so far, and their rises."""

    rise: Callable[[float], float]
    limit: float
    tested: dict[float, float] = field(default_factory=lambda: {0.0: 0.0})

    def worst(self, size: float, senses: tuple[int, ...]) -> float:
        """Larger rise of some senses at a size."""
        for sense in senses:
            if sense * size not in self.tested:
                self.tested[sense * size] = self.rise(sense * size)
        return max(self.tested[sense * size] for sense in senses)

    def guess(self, sense: int) -> float:
        """Size at which the parabola of one sense meets the limit; infinite where it does not."""
        own = sorted(sense * e for e in self.tested if sense * e > 0.0)
        one, other = own[-1], own[-2] if len(own) > 1 else -own[-1]
        p, q = self.tested[sense * one] / one, self.tested[sense * other] / other
        curve = (p - q) / (one - other)
        slope = p - curve * one
        root = slope * slope + 4.0 * curve * self.limit
        if root < 0.0:
            return math.inf
        down = slope + math.sqrt(root)
        return 2.0 * self.limit / down if down > 0.0 else math.inf


def first_crossing(rise: Callable[[float], float], limit: float, most: float, first: float) -> Crossing:
    """Find the smallest error of either sense whose rise meets a limit.

    Parameters
    ----------
    rise : callable
        Rise of a signed error; may raise `NoFigureError`, which ends the search.
    limit : float
        Positive.
    most, first : float
        Largest size that is tried, and the first one.
    """
    way, low, size = _Way(rise, limit), 0.0, min(first, most)
    try:
        while way.worst(size, (1, -1)) < limit:
            if size >= most:
                return Crossing(None, 0, 0.0, most, way.tested)
            low, ahead = size, min(way.guess(1), way.guess(-1))
            size = min(most, max(LEAST_STEP * low, min(MOST_STEP * low, ahead)))
        return _refined(way, low, size)
    except NoFigureError as error:
        below = Crossing(None, 0, 0.0, 0.0, way.tested).stays_below(limit)
        return Crossing(None, 0, 0.0, below, way.tested, str(error))


def _refined(way: _Way, low: float, high: float) -> Crossing:
    """Crossing between a size below the limit and one above it."""
    limit, kept = way.limit, 0
    at = high
    for _ in range(MOST_REFINEMENTS):
        senses = tuple(s for s in (1, -1) if way.tested.get(s * high, -math.inf) >= limit)
        above = way.worst(high, senses)
        if above - limit <= CLOSE * limit:
            at = high
            break
        under = max(way.tested.get(s * low, -math.inf) for s in senses) if low else 0.0
        share = (limit - under) / (above - under) if abs(kept) < 2 else 0.5
        at = low + (high - low) * min(0.9, max(0.1, share))
        found = way.worst(at, senses)
        if abs(found - limit) <= CLOSE * limit:
            break
        if found >= limit:
            high, kept = at, max(1, kept + 1)
        else:
            low, kept = at, min(-1, kept - 1)
    sense = max((1, -1), key=lambda s: way.tested.get(s * at, -math.inf))
    return Crossing(at, sense, _slope(way, sense, at), low if low < at else 0.0, way.tested)


def _slope(way: _Way, sense: int, at: float) -> float:
    """Mean rise over size from the nearest size below to the nearest above, or to the size itself."""
    own = {abs(e): r for e, r in way.tested.items() if e == 0.0 or sense * e > 0.0}
    low = max(x for x in own if x < at)
    high = min((x for x in own if x > at), default=at)
    slopes = [(own[b] - own[a]) / (b - a) for a, b in ((low, at), (at, high), (low, high)) if b > a]
    return max(slopes[0], slopes[-1])

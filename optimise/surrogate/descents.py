"""Descents along exact derivatives from one design, and from it with one of its variables elsewhere.

Basins of a line differ in the place of one dropper, with a ridge between them that neither a descent nor a model near
the best design crosses. With that one variable moved and all others held a design is worse than on the ridge's other
side by some newtons, mostly since the heights do not fit, and says little of the place: what it is good for shows after
some steps of a descent (SciPy's SLSQP).

Designs are proposed one after the other. First come the moved designs, then as many descents at once as designs may be
in flight, each design of one as soon as the last one of the same descent has ended: the one from the design itself,
those from all moved ones, a few designs each, and then the best of these to their ends. All follows from the outcomes
of the designs so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

__all__ = ["Descents", "Shown", "length_of", "moved_designs"]

Floats = NDArray[np.float64]
Values = tuple[float, ...]

# places of a variable, in shares of its range, and how far from the design they are at least
PLACES, APART = (0.125, 0.375, 0.625, 0.875), 0.2
# moved designs and those of a descent: so many more than there are variables; a round has so many whole descents
MORE_MOVED, MORE, DESCENTS = 3, 4, 3
# a descent has twice as many designs where it is better than the design itself, or no worse than by such a share
CLOSE = 0.05
# designs of every descent, its start included, before the best ones are followed; it ends with these where it is worse
# than the design itself by such a share, and where it has come back so near
EACH, WORSE, BACK = 8, 0.1, 0.15
# as for a polish: the first step is short, and a step that gains less ends the descent
SCALE, GAIN = 0.2, 1.0e-4
# a start that holds its limits keeps this much from them, so that the end does hold them
MARGIN = 1.0e-3


@dataclass(frozen=True)
class Shown:
    """What a design has shown: its cost and how much it breaks limits (limit,), with derivatives by free variables."""

    cost: float
    slopes: Floats
    limits: Floats
    limit_slopes: Floats


def length_of(variables: int, in_flight: int) -> int:
    """Designs of a round of descents, of which each that begins at once can come to its end."""
    return (variables + MORE_MOVED) * EACH + max(DESCENTS, in_flight) * (variables + MORE)


def moved_designs(
    base: Floats, free: NDArray[np.int64], places: NDArray[np.int64], predicted: Callable[[Floats], Floats]
) -> Floats:
    """Designs with one variable elsewhere (design, variable).

    All places of the variables that are expected to cost least on the average of their places: these leave a basin,
    where others climb out of it and come back. ``free`` are the variables other than counts, and ``places`` those that
    shift something along the track, which alone are moved where there are any.
    """
    found = []
    for p in places if len(places) else free:
        shares = [share for share in PLACES if abs(share - base[p]) >= APART]
        points = np.tile(base, (len(shares), 1))
        points[:, p] = shares
        found.append((float(predicted(points).mean()), int(p), points))
    found.sort(key=lambda each: each[:2])
    return np.vstack([points for _, _, points in found])[: len(free) + MORE_MOVED]


class _StopError(Exception):
    """A descent has come to its end, or to a design without outcome."""


@dataclass
class Descents:
    """A round of descents.

    Parameters
    ----------
    base : float array (variable,)
        The design from which it begins, in shares of the ranges.
    cost : float
        What that design has.
    moved : float array (design, variable)
        Designs with one variable elsewhere.
    free : int array (free,)
        Variables other than counts.
    values_of : callable
        Values of a design by its shares.
    shown : callable
        What a design has shown, by its values; None where it has not ended or has no derivatives.
    unit : float
        Size of the cost, as that of the nominal line.
    """

    base: Floats
    cost: float
    moved: Floats
    free: NDArray[np.int64]
    values_of: Callable[[Floats], Values]
    shown: Callable[[Values], Shown | None]
    unit: float
    # of each start; its last design where that had no outcome yet
    _paths: dict[int, tuple[list[Values], Values | None]] = field(default_factory=dict, init=False, repr=False)

    def next(self, place: int, in_flight: int) -> Values | None:
        """Design at a place of the round, from 0; None where all descents have ended."""
        if place < len(self.moved):
            return self.values_of(self.moved[place])
        left, begun = list(range(-1, len(self.moved))), list[int]()
        lanes: list[list[Values]] = [[] for _ in range(in_flight)]
        running: list[int | None] = [None] * in_flight
        for now in range(len(self.moved), place + 1):
            at = now % in_flight
            while not lanes[at]:
                if (start := running[at]) is not None:
                    begun.append(start)
                running[at] = start = self._best_start(left, now + 1 - in_flight)
                if start is not None:
                    left.remove(start)
                    lanes[at] = self._path(start)[1:EACH]
                elif begun:
                    best = min(begun, key=self._reached)
                    begun.remove(best)
                    lanes[at] = self._path(best)[EACH:]
                else:
                    break
            point = lanes[at].pop(0) if lanes[at] else None
            if now == place:
                return point
        return None

    def _best_start(self, left: list[int], ended: int) -> int | None:
        """The design itself (-1) first, then the best of the moved ones that have ended."""
        if -1 in left:
            return -1
        costs = [(s.cost, k) for k in left if k < ended and (s := self.shown(self.values_of(self.moved[k])))]
        return min(costs)[1] if costs else None

    def _reached(self, start: int) -> tuple[float, int]:
        """Least cost of the first designs of a descent that hold their limits; that from the design itself is first."""
        shown = [s for values in self._path(start)[:EACH] if (s := self.shown(values))]
        cost = min((s.cost for s in shown if (s.limits <= 0.0).all()), default=np.inf)
        return (-np.inf if start < 0 else cost), start

    def _path(self, start: int) -> list[Values]:
        """Designs of a descent in their order, the start first, up to one without an outcome."""
        path, last = self._paths.get(start, ([], None))
        if not path or (last is not None and self.shown(last)):
            path = self._followed(start)
            last = path[-1] if self.shown(path[-1]) is None else None
            self._paths[start] = path, last
        return path

    def _followed(self, start: int) -> list[Values]:
        """The same by SLSQP."""
        begin = self.base if start < 0 else self.moved[start]
        path: list[Values] = []
        met: dict[Values, Shown] = {}

        def look(u: Floats) -> Shown:
            whole = begin.copy()
            whole[self.free] = np.clip(u, 0.0, 1.0)
            values = self.values_of(whole)
            if values in met:
                return met[values]
            if self._ended(list(met.values())):
                raise _StopError
            path.append(values)
            found = self.shown(values)
            if found is None:
                raise _StopError
            met[values] = found
            if start >= 0 and np.abs(whole - self.base).max() < BACK:
                raise _StopError
            return found

        scale = SCALE / self.unit
        try:
            first = look(begin[self.free])
            # a limit that counts, as contact loss does, has no derivatives to follow
            held, margin = first.limit_slopes.any(axis=1), np.clip(-first.limits, 0.0, MARGIN)
            limits: Any = {
                "type": "ineq",
                "fun": lambda u: (-look(u).limits - margin)[held],
                "jac": lambda u: -look(u).limit_slopes[held],
            }
            minimize(
                lambda u: scale * look(u).cost, begin[self.free], jac=lambda u: scale * look(u).slopes, method="SLSQP",
                bounds=[(0.0, 1.0)] * len(self.free), constraints=limits if held.any() else (),
                options={"maxiter": 100, "ftol": SCALE * GAIN},
            )  # fmt: skip
        except _StopError:
            pass
        return path

    def _ended(self, met: list[Shown]) -> bool:
        """Whether a descent has had its designs."""
        best = min((shown.cost for shown in met if (shown.limits <= 0.0).all()), default=np.inf)
        whole = len(self.free) + MORE
        if best < self.cost + CLOSE * abs(self.cost):
            return len(met) >= 2 * whole
        return len(met) >= whole or (len(met) >= EACH and best > self.cost + WORSE * abs(self.cost))

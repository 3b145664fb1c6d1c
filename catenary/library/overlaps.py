"""How the wires of two tension sections pass each other where they overlap, by default: heights and sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rise", "rises"]


@dataclass(frozen=True)
class Rise:
    """Curve on which a contact wire runs in or out: a parabola that leaves the level at one support.

    Attributes
    ----------
    level, end : float
        Stations of that support, and of the one where the wire ends [m].
    elevation : float
        Height there over the level [m].
    """

    level: float
    end: float
    elevation: float

    def height(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Height over the level at stations [m]; nothing on the level's side."""
        share = (np.asarray(x) - self.level) / (self.end - self.level)
        return self.elevation * np.maximum(share, 0.0) ** 2

    def below_chord(self, x: NDArray[np.float64], supports: Sequence[float]) -> NDArray[np.float64]:
        """How far the curve hangs below straight lines from support to support at stations [m]."""
        return np.interp(x, supports, self.height(np.array(supports))) - self.height(x)


def rises(
    sections: Sequence[tuple[int, int]], supports: Sequence[float], elevation: Sequence[float]
) -> list[list[Rise]]:
    """Curves of every tension section: where it runs in, and where it runs out.

    In the middle of an overlap of an even number of spans both wires are level at the support there; beyond, the wire
    that ends rises. In one of an odd number it rises from the support before the span in the middle, over which the
    other one comes down to the support behind it: both are level nowhere, and cross in the middle of that span.

    Parameters
    ----------
    sections : sequence of (int, int)
        First and last support of each.
    supports : sequence of float
        Stations of the line's supports [m].
    elevation : sequence of float
        Of both wires where they end, overlap by overlap [m].
    """
    found: list[list[Rise]] = [[] for _ in sections]
    for k, ((_, a_last), (b_first, _)) in enumerate(pairwise(sections)):
        half, odd = divmod(a_last - b_first, 2)
        out, into = supports[b_first + half], supports[b_first + half + odd]
        found[k].append(Rise(out, supports[a_last], elevation[k]))
        found[k + 1].append(Rise(into, supports[b_first], elevation[k]))
    return found

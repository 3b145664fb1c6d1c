"""A smooth map of any vector into a convex set around the origin, with its inverse.

The set is A y <= b with b > 0. With r = A v / b and p = 8 the vector asked for, v, becomes

    y = v / (1 + sum_k max(0, r_k)^p)^(1/p)

so that every face is kept (A y / b = r / (1 + ...)^(1/p) < 1), short vectors are taken as they are (y = v +
O(|v|^(p + 1))), and the direction stays. The inverse is v = y / (1 - sum_k max(0, (A y / b)_k)^p)^(1/p).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ConvexSet"]

POWER = 8
# A variable alone reaches at most this many times as far as the nearest face: farther gains nothing.
OVERREACH = 2.0


@dataclass(frozen=True)
class ConvexSet:
    """Convex set A y <= b around the origin.

    Attributes
    ----------
    a : float array (face, variable)
    b : float array (face,)
        Room that the origin leaves, positive.
    names : tuple of str
        What each face keeps, for messages.
    """

    a: NDArray[np.float64]
    b: NDArray[np.float64]
    names: tuple[str, ...]

    def into(self, asked: NDArray[np.float64]) -> NDArray[np.float64]:
        """Vector inside the set for any vector."""
        r = np.maximum(0.0, self.a @ asked / self.b)
        return asked / (1.0 + np.sum(r**POWER)) ** (1.0 / POWER)

    def back(self, made: NDArray[np.float64]) -> NDArray[np.float64]:
        """Vector that `into` takes to a vector inside the set.

        Raises
        ------
        ValueError
            If the vector is not inside; its message names the nearest face.
        """
        r = np.maximum(0.0, self.a @ made / self.b)
        rest = 1.0 - float(np.sum(r**POWER))
        if rest <= 0.0:
            raise ValueError(self.names[int(r.argmax())])
        return made / rest ** (1.0 / POWER)

    def kept_inside(self, made: NDArray[np.float64]) -> NDArray[np.float64]:
        """Vector itself, or where it is at the boundary or beyond as far along it as a variable reaches."""
        r = np.maximum(0.0, self.a @ made / self.b)
        most = 1.0 - OVERREACH**-POWER
        return made / max(1.0, float(np.sum(r**POWER)) / most) ** (1.0 / POWER)

    def reach(self, limit: NDArray[np.float64]) -> NDArray[np.float64]:
        """Range of each variable: its limit, or twice the way to the nearest face if that is less."""
        with np.errstate(divide="ignore"):
            nearest = np.min(self.b[:, None] / np.abs(self.a), axis=0)
        return np.minimum(limit, OVERREACH * nearest)

"""How the strips of a head share the force."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynamics.spec.mechanics.head import HeadSpec

__all__ = ["strip_forces"]

Array = NDArray[np.float64]


def strip_forces(head: HeadSpec, force: Array) -> Array:
    """Force of the wire on the front and on the rear strip (2, ...) [N].

    The head pitches freely about its shaft: friction drags strips backwards h over it and so raises the front by
    mu F h, which the strips balance with (F_front - F_rear) b / 2; one that would have to pull leaves all to the other.
    """
    unequal = np.minimum(head.friction * force * head.shaft_depth / head.strip_spacing, 0.5 * force)
    return np.stack([0.5 * force + unequal, 0.5 * force - unequal])

"""States that one search for a steady state leaves for the next to start from, and the choice among them.

Three policies choose: a learned start is the same for all designs near one (`steady_state/learned_start.py`),
continuation follows one parameter, the nearest start is taken where inputs differ anyhow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.poles.known import KnownPoles

__all__ = ["SecantBasis", "StartPolicy", "WarmStart"]


@dataclass(frozen=True)
class SecantBasis:
    """Secant pairs known beforehand: ``state`` (pair, state), ``feature`` (pair, feature), no feature zero."""

    state: NDArray[np.float64]
    feature: NDArray[np.float64]


@dataclass(frozen=True)
class WarmStart:
    """A steady state and the secant pairs with which a search near it is shortened; picklable.

    Attributes
    ----------
    state : float array (state,)
        See `SpanMap.pack`.
    scale : tuple of float
        Sizes of displacement and momentum that make the features comparable.
    gain : float
        d(mean contact force) / d(applied force) at rest [-].
    basis : SecantBasis or None
        Secant pairs that a search begins with.
    pairs : tuple of (state, feature)
        Secant pairs of the search that found the state, oldest first; none where they were not kept.
    """

    state: NDArray[np.float64]
    scale: tuple[float, float]
    gain: float
    basis: SecantBasis | None = None
    pairs: tuple[tuple[NDArray[np.float64], NDArray[np.float64]], ...] = ()


class StartPolicy(Protocol):
    """Chooses the start of each of several searches from those before it; depends on their order alone."""

    def start(self, place: tuple[float, ...]) -> WarmStart | KnownPoles | None:
        """Start of the search at a place of the inputs; None to begin at rest."""
        ...

    def keep(self, place: tuple[float, ...], found: WarmStart | KnownPoles | None) -> None:
        """Add the result of the search at a place; nothing where it found no steady state."""
        ...

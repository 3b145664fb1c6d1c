"""Stations of droppers on a grid that a fitter measures: whole steps from the nearest support, distances kept.

In each half of a span dropper k stands n_k steps from its support. With g_k the steps that a distance to keep needs,
rounded up, and G_k their sum, m_k = n_k - G_k must not decrease: the nearest such numbers are the isotonic regression
of the stations asked for, within the bounds that support, stitch clamp and mid-span leave, rounded. A dropper at
mid-span stays there.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from catenary.errors import InputError
from catenary.spec.line import CatenarySpec
from catenary.spec.placing.droppers import FROM_SUPPORT
from catenary.spec.placing.stitch import FROM_CLAMP
from optimise.spec.design import DesignSpec

__all__ = ["DIGITS", "line_on_grid", "stations_on_grid"]

Array = NDArray[np.float64]
# m: a station as a file holds it, and what rounding may leave of a distance
DIGITS, ROUNDING = 9, 1e-9


def line_on_grid(line: CatenarySpec, design: DesignSpec) -> CatenarySpec:
    """Line with its droppers at stations of the grid, their contact-wire heights as they are; itself without a grid.

    Raises
    ------
    InputError
        If the distances to keep leave no place on the grid for a dropper.
    """
    if design.station_grid is None:
        return line
    x = tuple(stations_on_grid(line, np.asarray(line.droppers.positions), design).tolist())
    return line.model_copy(update={"droppers": line.droppers.model_copy(update={"positions": x})})


def stations_on_grid(line: CatenarySpec, x: Array, design: DesignSpec, spare: int = 0) -> Array:
    """Stations of the grid near those asked for, float array (dropper,) [m].

    A distance is kept where the stations asked for keep it; elsewhere the least that any line must keep.

    Parameters
    ----------
    line : CatenarySpec
        Line whose supports and stitch wire the droppers stand between.
    x : float array (dropper,)
        Stations asked for, increasing [m].
    design : DesignSpec
        With a grid, and the distances to keep.
    spare : int
        Steps by which every half of a span must be too long.

    Raises
    ------
    InputError
        If there are no such stations.
    """
    assert design.station_grid is not None
    clamp = 0.5 * line.stitch.length if line.stitch is not None else None
    found = np.array(x, dtype=np.float64)
    for a, b in pairwise(line.supports):
        middle = 0.5 * (b - a)
        for begin, sense in ((a, 1.0), (b, -1.0)):
            away = sense * (x - begin)
            own = np.flatnonzero((away > 0.0) & (away < middle - 1e-6))[:: int(sense)]
            if own.size:
                at_middle = bool(np.any(np.abs(away - middle) <= 1e-6))
                half = _Half(away[own], middle, at_middle, clamp, design)
                found[own] = np.round(begin + sense * design.station_grid * half.steps(line.name, spare), DIGITS)
    return found


class _Half:
    """Droppers between a support and mid-span, by their distance from the support [m]."""

    def __init__(self, x: Array, middle: float, at_middle: bool, clamp: float | None, design: DesignSpec) -> None:
        self.x, self.middle, self.clamp, self.design = x, middle, clamp, design
        self.step = float(design.station_grid or 1.0)
        self.share = 1.0 if at_middle else 0.5  # of the least spacing, that a half keeps from mid-span

    def steps(self, name: str, spare: int) -> Array:
        """Number of steps from the support to each dropper (dropper,)."""
        low, high = self._bounds()
        needed = np.concatenate([[0.0], np.cumsum(self._between())])
        low = np.maximum.accumulate(low - needed)
        high = np.minimum.accumulate((high - needed)[::-1])[::-1]
        if np.any(low + spare > high):
            k = int(np.argmax(low - high))
            raise InputError(
                [
                    f"design.station_grid must leave every dropper a place at the distances to keep: {self.step:g} m "
                    f"leaves none for dropper {k + 1} of {len(self.x)} between support and mid-span of {name}; take a "
                    "finer grid, or lower the distances"
                ]
            )
        asked = np.round(self.x / self.step, 6) - needed
        near = np.clip(isotonic_regression(asked).x, low, high)
        return np.floor(near + 0.5) + needed

    def _between(self) -> list[float]:
        least = self.design.minimum_spacing
        return [float(self._up(least)) if gap >= least - ROUNDING else 1.0 for gap in np.diff(self.x)]

    def _bounds(self) -> tuple[Array, Array]:
        """Least and most steps from the support, for each dropper alone."""
        d, x = self.design, self.x
        least = FROM_SUPPORT
        for wanted in (d.support_clearance, 0.5 * d.minimum_spacing):
            least = max(least, wanted) if x[0] >= wanted - ROUNDING else least
        low = np.full(len(x), float(self._up(least)))
        keep = self.share * d.minimum_spacing
        within = self.middle - x[-1] >= keep - ROUNDING
        last = self._down(self.middle - keep) if within else math.ceil(self.middle / self.step - ROUNDING) - 1
        high = np.full(len(x), float(last))
        if self.clamp is not None:
            for k, apart in enumerate(x - self.clamp):
                keep = d.clamp_clearance if abs(apart) >= d.clamp_clearance - ROUNDING else FROM_CLAMP
                if apart < 0.0:
                    high[k] = min(high[k], self._down(self.clamp - keep))
                else:
                    low[k] = max(low[k], self._up(self.clamp + keep))
        return low, high

    def _up(self, distance: float) -> int:
        return math.ceil(distance / self.step - 1e-6)

    def _down(self, distance: float) -> int:
        return math.floor(distance / self.step + 1e-6)

"""The parts that a chart is made of, as plain frozen data: curves, stations, levels and colours.

Nothing here knows where numbers come from or how they are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Chart", "Curve", "HeatMap", "Level", "Mark", "Role", "Stations"]

Role = Literal["nominal", "best", "other", "fourth", "fifth", "sixth", "muted"]
Mark = Literal["line", "step", "dots", "rings", "crosses", "segments", "bars"]

# a curve whose ends differ by less than this share of its size is a level one
FLAT = 1e-9


@dataclass(frozen=True)
class Curve:
    """Points of one quantity over another, every coordinate finite.

    Attributes
    ----------
    label : str
        Name in the legend; curves of one chart that share a label share its entry, an empty one has none.
    x, y : float array (point,)
        Coordinates in ``x_unit`` and ``y_unit``. For ``segments`` and ``bars`` points 2k and 2k + 1 are joined.
    role : str
        What the curve stands for, which sets its colour and dashes: 'nominal', 'best', 'other', 'muted', or 'fourth'
        to 'sixth' where more are laid over one another.
    mark : str
        'line', 'step' (held until the next point), 'dots', 'rings', 'crosses', 'segments' or 'bars' (broad ones).
    notes : tuple of str
        One remark per point, shown on hover; empty where there is nothing to say.
    labels : tuple of str
        One short name per point, drawn next to it where there is room; empty for points without names.
    """

    label: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_unit: str
    y_unit: str
    role: Role = "best"
    mark: Mark = "line"
    notes: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what could not be drawn."""
        name = f"curve '{self.label}'"
        if self.x.ndim != 1 or self.x.shape != self.y.shape:
            raise ValueError(f"{name} needs one y per x: got shapes {self.x.shape} and {self.y.shape}")
        if not (np.isfinite(self.x).all() and np.isfinite(self.y).all()):
            bad = int(np.count_nonzero(~(np.isfinite(self.x) & np.isfinite(self.y))))
            raise ValueError(f"{name} must have finite coordinates: {bad} of {self.x.size} points have not")
        for what, texts in (("note", self.notes), ("label", self.labels)):
            if texts and len(texts) != self.x.size:
                raise ValueError(f"{name} needs one {what} per point: got {len(texts)} for {self.x.size} points")
        if self.mark in ("segments", "bars") and self.x.size % 2:
            raise ValueError(f"{name} is made of {self.mark} and needs an even number of points: got {self.x.size}")


@dataclass(frozen=True)
class Stations:
    """Places along the track [m] marked at the edge of a chart, such as droppers or supports."""

    label: str
    x: NDArray[np.float64]
    role: Role = "muted"
    full_height: bool = False


@dataclass(frozen=True)
class Level:
    """A horizontal reference line with its name, such as a limit or a held mean."""

    label: str
    y: float


@dataclass(frozen=True)
class HeatMap:
    """One value over two coordinates, as colours behind the curves of a chart.

    Attributes
    ----------
    label, unit : str
        The quantity.
    x : float array (column,)
        Even steps, centres of the columns.
    y : float array (row,)
        Centres of the rows, increasing; a place belongs to the nearest row.
    values : float array (row, column)
        NaN where there is nothing to show.
    at_or_below : float
        Values that are not above it are drawn in one colour of their own.
    below_label : str
        What that colour stands for; nothing where no value has it.
    low : float
        Value at the lower end of the scale.
    """

    label: str
    unit: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    values: NDArray[np.float64]
    at_or_below: float
    below_label: str
    low: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what could not be drawn."""
        if self.values.shape != (self.y.size, self.x.size):
            raise ValueError(
                f"heat map '{self.label}' needs one value per row and column: got shape {self.values.shape} for "
                f"{self.y.size} rows and {self.x.size} columns"
            )
        if not np.isfinite(self.values).any():
            raise ValueError(f"heat map '{self.label}' must have a finite value: got none")


@dataclass(frozen=True)
class Chart:
    """One pair of axes.

    Attributes
    ----------
    name : str
        File name of its PNG without the ending; also its name in the page.
    title, caption : str
        What it shows, and what a reader must know to read it.
    x_label, y_label : str
        Quantities without units; the units are those of the curves.
    x_range, y_range : tuple of float, optional
        Limits of the axes; from the data where not given.
    exaggeration : float, optional
        Length of one y unit over that of one x unit, for drawings of the line with exaggerated heights.
    pick : str
        What hovering reads: 'x', all lines at one x, 'point', the nearest point, or 'cell', the heat map.
    heat : HeatMap, optional
        Colours behind the curves.
    y_names : tuple of str
        What stands at y = 1, 2, …, in place of numbers; nothing where y is a quantity.
    logarithmic : bool
        Both axes by their logarithm; every coordinate above zero.
    powers : tuple of bool
        Whether x, and whether y, is the power of ten of what is read there: cells even in the logarithm.
    sampled : tuple of tuple
        Where x, and where y, is labelled: values that were evaluated; at round values where there are none.
    height : float
        Height of the axes over their width, where no exaggeration sets it.
    """

    name: str
    title: str
    caption: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    stations: tuple[Stations, ...] = ()
    levels: tuple[Level, ...] = ()
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    exaggeration: float | None = None
    pick: Literal["x", "point", "cell"] = "x"
    height: float = 0.42
    heat: HeatMap | None = None
    logarithmic: bool = False
    y_names: tuple[str, ...] = ()
    powers: tuple[bool, bool] = (False, False)
    sampled: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())

    def __post_init__(self) -> None:
        """Refuse a chart without curves, with curves in different units, or what has no logarithm."""
        units = {(c.x_unit, c.y_unit) for c in self.curves}
        if len(units) != 1:
            raise ValueError(f"chart '{self.name}' needs curves in one pair of units: got {sorted(units)}")
        if self.logarithmic and any(min(c.x.min(), c.y.min()) <= 0.0 for c in self.curves if c.x.size):
            raise ValueError(f"chart '{self.name}' is logarithmic and needs coordinates above zero")
        if self.logarithmic and (self.pick != "point" or self.stations or self.heat is not None):
            raise ValueError(f"chart '{self.name}' is logarithmic and has points to pick, no stations and no colours")

    @property
    def units(self) -> tuple[str, str]:
        """Units of the x and of the y axis."""
        return self.curves[0].x_unit, self.curves[0].y_unit

    @property
    def axis_titles(self) -> tuple[str, str]:
        """Titles of both axes, with units in brackets."""
        x, y = (
            f"{label} [{unit}]" if unit else label
            for label, unit in zip((self.x_label, self.y_label), self.units, strict=True)
        )
        return x, y

    def limits(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Limits of both axes: the ones given, or those of the data with a margin in y."""
        x = np.concatenate([c.x for c in self.curves])
        y = np.concatenate([*(c.y for c in self.curves), [level.y for level in self.levels]])
        low, high = float(y.min()), float(y.max())
        if self.logarithmic:
            # room around the outermost marks, and never less than a factor of four from end to end
            edges = [(v.min() / (r := max(1.15, (4.0 * v.min() / v.max()) ** 0.5)), v.max() * r) for v in (x, y)]
            return self.x_range or edges[0], self.y_range or edges[1]
        if low == high == 0.0:
            high = 1.0  # nothing at all: an axis of noise about zero would look like something
        flat = high - low <= FLAT * max(abs(low), abs(high))
        margin = max(0.05 * abs(high), 1e-3) if flat else 0.06 * (high - low)
        x_range = self.x_range or (float(x.min()), float(x.max()))
        if x_range[1] <= x_range[0]:
            x_range = (x_range[0] - 0.5, x_range[1] + 0.5)
        if self.y_names:
            return x_range, (0.4, len(self.y_names) + 0.6)
        return x_range, self.y_range or (low - margin, high + margin)

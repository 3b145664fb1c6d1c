"""Points in strands that one worker evaluates in order: what is asked, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["EvaluateStrand", "PointResult", "StrandResult", "StrandTask"]


@dataclass(frozen=True)
class StrandTask:
    """Points which one worker evaluates in order, each near one before it.

    Attributes
    ----------
    number : int
        Number of the strand.
    indices : tuple of tuple
        Index of every point in its study.
    values : tuple of tuple
        Values of the inputs (point, input).
    places : tuple of tuple
        Coordinates over which steady states are continued from one point to the next [-].
    tolerance : float, optional
        End of the search for a steady state, where it is not the case's [-].
    """

    number: int
    indices: tuple[tuple[int, ...], ...]
    values: tuple[tuple[float, ...], ...]
    places: tuple[tuple[float, ...], ...]
    tolerance: float | None = None


@dataclass(frozen=True)
class PointResult:
    """What came out at one point; without figures the message is the reason.

    Attributes
    ----------
    status : str
        'ok', 'not_periodic' (figures of a long march), or why there are no figures.
    message : str
    statistics : dict
        Statistics of the contact force by name, the unit at the end of each name; empty without figures.
    applied_force_N, static_dropper_force_min_N : float, optional
    wall_time_s : float
    """

    status: str
    message: str = ""
    statistics: dict[str, float] = field(default_factory=dict)
    applied_force_N: float | None = None
    static_dropper_force_min_N: float | None = None
    wall_time_s: float = 0.0


@dataclass(frozen=True)
class StrandResult:
    """Results of the points of one strand, in order."""

    number: int
    points: tuple[PointResult, ...]

    def to_dict(self) -> dict[str, Any]:
        """Content as JSON types."""
        return {"strand": self.number, "points": [asdict(point) for point in self.points]}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> StrandResult:
        """Result from what `to_dict` gave."""
        return cls(int(content["strand"]), tuple(PointResult(**point) for point in content["points"]))


EvaluateStrand = Callable[[StrandTask, Any], StrandResult]

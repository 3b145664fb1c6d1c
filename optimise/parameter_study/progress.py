"""How a sweep or a sensitivity study stands: points wanted, done and without figures, on one line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from optimise.evaluation.outcome import Outcome
from optimise.record.status_file import StudyProgress, StudyState
from optimise.search.progress import clock, rate_in_words

__all__ = ["ParameterStudyProgress", "points_line"]


@dataclass(frozen=True, kw_only=True)
class ParameterStudyProgress(StudyProgress):
    """State of a sweep or a sensitivity study; a point without figures has failed.

    Attributes
    ----------
    study : str
        Kind of study.
    points : int
        Points wanted.
    refined, to_refine : int
        Points of a filled sweep whose error is estimated, and how many of them there are to be.
    refining_s : float
        Wall time that the estimates have taken so far [s].
    """

    study: str
    points: int
    refined: int = 0
    to_refine: int = 0
    refining_s: float = 0.0

    @property
    def to_do(self) -> int:
        """Points that are left."""
        return self.points - self.done

    def with_points(self, points: Iterable[Outcome]) -> ParameterStudyProgress:
        """State with further points counted."""
        broken = [not point.statistics for point in points]
        return replace(self, done=self.done + len(broken), failed=self.failed + sum(broken))


def points_line(p: ParameterStudyProgress) -> str:
    """State on one line: done, rate, failed, time left; no rate where nothing runs."""
    parts = [f"{p.done}/{p.points} points", f"{p.failed} failed"]
    if p.state is StudyState.RUNNING:
        parts.insert(1, rate_in_words(p.rate_per_s))
        parts.append("time left -" if p.time_left_s is None else f"time left {clock(p.time_left_s)}")
    if p.to_refine:
        parts += [f"errors of {p.refined}/{p.to_refine} points", clock(p.refining_s)]
    return " | ".join(parts)

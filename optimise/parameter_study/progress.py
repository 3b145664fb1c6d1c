"""How a sweep or a sensitivity study stands: counts, rate, time left, on one line and in `status.json`."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

from catenary.errors import InputError
from optimise.evaluation.outcome import BatchOutcome, Outcome
from optimise.record.points_folder import PointsFolder
from optimise.record.status_file import StatusFile, read_status_file
from optimise.search.progress import clock

__all__ = ["PointsProgress", "PointsStatusWriter", "points_line"]


@dataclass(frozen=True)
class PointsProgress:
    """State of a sweep or a sensitivity study.

    Attributes
    ----------
    study, name, state : str
        Kind and name; 'running', 'refining', 'interrupted', 'stopped' (its driver is gone) or
        'finished'.
    points, done, failed : int
        Points wanted, done (failed ones included) and without figures, those of earlier runs included.
    rate_per_s, time_left_s : float, optional
        Points per second in this run and time left [s], None before they are known.
    command : str
        Command line that goes on with it; empty where it was not told.
    wall_time_s : float
        Wall time of its driver, earlier runs included [s].
    refined, to_refine : int
        Points of a filled sweep whose error is estimated, and how many of them there are to be.
    """

    study: str
    name: str
    state: str
    points: int
    done: int = 0
    failed: int = 0
    rate_per_s: float | None = None
    time_left_s: float | None = None
    command: str = ""
    wall_time_s: float = 0.0
    refined: int = 0
    to_refine: int = 0

    def with_points(self, points: Iterable[Outcome]) -> PointsProgress:
        """State with further points counted."""
        broken = [not point.statistics for point in points]
        return replace(self, done=self.done + len(broken), failed=self.failed + sum(broken))


class PointsStatusWriter:
    """Counts points as their batches end, and keeps `status.json` at most one second old."""

    def __init__(self, place: PointsFolder, begun: PointsProgress) -> None:
        self._file = StatusFile(place.status_json)
        self._begin, self._done_before = time.monotonic(), begun.done
        self._spent_before = _spent(place)
        self.current = begun
        self.write("running")

    def ended(self, found: BatchOutcome | None) -> PointsProgress:
        """State after a batch has ended, or after a look that found none."""
        p = self.current if found is None else self.current.with_points(found.outcomes)
        spent = time.monotonic() - self._begin
        rate = (p.done - self._done_before) / max(1e-9, spent)
        if rate > 0.0:
            p = replace(p, rate_per_s=rate, time_left_s=(p.points - p.done) / rate)
        self.current = p = replace(p, wall_time_s=self._spent_before + spent)
        self._file.write(asdict(p))
        return p

    def write(self, state: str) -> None:
        """Write the file at once with a new state."""
        spent = self._spent_before + time.monotonic() - self._begin
        self.current = replace(self.current, state=state, wall_time_s=spent)
        self._file.write(asdict(self.current), at_once=True)


def _spent(place: PointsFolder) -> float:
    """Wall time of earlier runs [s]; a file that cannot be read is written anew."""
    try:
        return float(read_status_file(place.status_json).get("wall_time_s", 0.0))
    except (InputError, TypeError, ValueError):
        return 0.0


def points_line(p: PointsProgress) -> str:
    """State on one line: done, rate, failed, time left; no rate where nothing runs."""
    parts = [f"{p.done}/{p.points} points", f"{p.failed} failed"]
    if p.state == "running":
        parts.insert(1, "rate -" if p.rate_per_s is None else f"{p.rate_per_s:.1f} per s")
        parts.append("time left -" if p.time_left_s is None else f"time left {clock(p.time_left_s)}")
    if p.to_refine:
        parts.append(f"errors of {p.refined}/{p.to_refine} points")
    return " | ".join(parts)

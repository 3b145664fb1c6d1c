"""Losses of contact: where and when the raw contact force is zero, for how long and how far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.results.force_history import ForceHistory

__all__ = ["ContactLoss", "ContactLosses", "contact_losses"]


@dataclass(frozen=True)
class ContactLoss:
    """One uninterrupted loss of contact: when and where it begins [s, m], how long and how far it lasts [s, m]."""

    start_time_s: float
    start_position_m: float
    duration_s: float
    length_m: float


@dataclass(frozen=True)
class ContactLosses:
    """Losses of one pantograph over the evaluated spans, in order; ``evaluated_s`` is the time these take [s]."""

    losses: tuple[ContactLoss, ...]
    evaluated_s: float

    @property
    def count(self) -> int:
        """Number of losses."""
        return len(self.losses)

    @property
    def total_s(self) -> float:
        """Time without contact [s]."""
        return float(sum(loss.duration_s for loss in self.losses))

    @property
    def longest_s(self) -> float:
        """Duration of the longest loss [s]; zero where contact is never lost."""
        return max((loss.duration_s for loss in self.losses), default=0.0)

    @property
    def longest_m(self) -> float:
        """Length of the longest loss [m]."""
        return max((loss.length_m for loss in self.losses), default=0.0)

    @property
    def total_percent(self) -> float:
        """Share of time without contact [%]."""
        return 100.0 * self.total_s / self.evaluated_s

    @property
    def summary(self) -> dict[str, float]:
        """Number, longest loss and share of time, with units in the names."""
        return {
            "count": self.count,
            "longest_s": self.longest_s,
            "longest_m": self.longest_m,
            "total_percent": self.total_percent,
        }


def contact_losses(history: ForceHistory) -> tuple[ContactLosses, ...]:
    """Find the losses of every pantograph.

    A sample stands for the step that ends with it. One that crosses the end of a period continues at its beginning;
    one that crosses an end of the evaluated spans of a march is cut there.
    """
    return tuple(
        _losses(history, history.raw[cut, p], history.time[cut], history.position[cut, p])
        for p, cut in enumerate(history.cut)
    )


def _losses(
    history: ForceHistory, force: NDArray[np.float64], time: NDArray[np.float64], position: NDArray[np.float64]
) -> ContactLosses:
    """Losses of one pantograph from its samples of the evaluated spans."""
    dt, n = history.time_step, force.size
    lost = force <= 0.0
    # a period is read from a sample with contact on, so that no loss is cut
    first = int(np.argmin(lost)) if history.periodic else 0
    order = np.roll(np.arange(n), -first)
    padded = np.concatenate([[False], lost[order], [False]])
    begin, end = np.flatnonzero(padded[1:] & ~padded[:-1]), np.flatnonzero(padded[:-1] & ~padded[1:])
    found = [
        ContactLoss(
            float(time[order[b]] - dt),
            float(position[order[b]] - history.speed * dt),
            float((e - b) * dt),
            float((e - b) * dt * history.speed),
        )
        for b, e in zip(begin, end, strict=True)
    ]
    return ContactLosses(tuple(sorted(found, key=lambda loss: loss.start_time_s)), n * dt)

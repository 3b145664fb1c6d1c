"""The last thing that a height passes: limits of height and speed, and the way to the safe height."""

from __future__ import annotations

import math

from dynamics.rig_service.frames import Reason
from dynamics.rig_service.spec import LimitsSpec, StopSpec

__all__ = ["OutputGuard"]


class OutputGuard:
    """Lets a height pass, or says which limit it breaks; from a stop on it leads to the safe height.

    The way is half a cosine, of the time asked for or longer where its speed would exceed the limit.
    """

    def __init__(self, limits: LimitsSpec, stop: StopSpec, dt: float) -> None:
        self._limits, self._stop, self._dt = limits, stop, dt
        self.last = stop.safe_height_m
        self._from, self._steps, self._done = 0.0, 0, 0

    def broken_limit(self, height: float) -> Reason | None:
        """Limit that a height breaks as the next one to send, or None."""
        if not self._limits.lowest_m <= height <= self._limits.highest_m:  # a NaN lies nowhere
            return Reason.HEIGHT_LIMIT
        if abs(height - self.last) > self._limits.speed_m_per_s * self._dt * (1.0 + 1e-9):
            return Reason.SPEED_LIMIT
        return None

    def begin_stop(self) -> None:
        """Start on the way to the safe height from where the actuator was sent last."""
        way = abs(self.last - self._stop.safe_height_m)
        slowest = 0.5 * math.pi * way / self._limits.speed_m_per_s
        self._from = self.last
        self._steps = max(1, math.ceil(max(self._stop.ramp_s, slowest) / self._dt))
        self._done = 0

    def stopping_height(self) -> float:
        """Next height on the way to the safe height."""
        self._done = min(self._done + 1, self._steps)
        share = 0.5 - 0.5 * math.cos(math.pi * self._done / self._steps)
        return self._from + share * (self._stop.safe_height_m - self._from)

    @property
    def stopped(self) -> bool:
        """Whether the safe height has been sent."""
        return self._steps > 0 and self._done >= self._steps

"""The last thing that a height passes: limits of height and speed, and the way to the safe height.

Speed is held twice: from step to step, which counts on the device's step, and on the server's own clock, which no frame
can change. The second is an account of time. It gains what the clock gains, up to a step and the jitter allowed, and
every height takes from it the time that its way needs at the largest speed. So within any time T heights go no further
than speed x (T + step + jitter), however fast frames come. The way to the safe height draws on the same account.
"""

from __future__ import annotations

import math

from dynamics.rig.service.frames import Reason
from dynamics.rig.service.spec import LimitsSpec, StopSpec

__all__ = ["OutputGuard"]


class OutputGuard:
    """Lets a height pass, or says which limit it breaks; from a stop on it leads to the safe height.

    The way is half a cosine, of the time asked for or longer where its speed would exceed the limit, or the server's
    clock does not grant the time.
    """

    def __init__(self, limits: LimitsSpec, stop: StopSpec, dt: float) -> None:
        self._limits, self._stop, self._dt = limits, stop, dt
        self.last = stop.safe_height_m
        self._step_ns = round(1e9 * dt)
        self._most_ns = self._step_ns + round(1e6 * limits.jitter_ms)
        self.account_ns = float(self._most_ns)
        self._now_ns: int | None = None
        self._from, self._way_ns, self._done_ns = 0.0, 0, 0.0

    def pass_time(self, now_ns: int) -> None:
        """Gain the time that has passed on the server's clock [ns]."""
        since = 0 if self._now_ns is None else max(0, now_ns - self._now_ns)
        self.account_ns = min(float(self._most_ns), self.account_ns + since)
        self._now_ns = now_ns

    def broken_limit(self, height: float) -> Reason | None:
        """Limit that a height breaks as the next one to send, or None."""
        if not self._limits.lowest_m <= height <= self._limits.highest_m:  # a NaN lies nowhere
            return Reason.HEIGHT_LIMIT
        if abs(height - self.last) > self._limits.speed_m_per_s * self._dt * (1.0 + 1e-9):
            return Reason.SPEED_LIMIT
        if self._needed_ns(height) > self.account_ns + 1.0:  # of rounding: a nanosecond
            return Reason.SPEED_LIMIT
        return None

    def send(self, height: float) -> None:
        """Charge a height that is about to be sent to the account of travel."""
        self.account_ns = max(0.0, self.account_ns - self._needed_ns(height))
        self.last = height

    def begin_stop(self) -> None:
        """Start on the way to the safe height from where the actuator was sent last."""
        way = abs(self.last - self._stop.safe_height_m)
        slowest = 0.5 * math.pi * way / self._limits.speed_m_per_s
        self._from = self.last
        self._way_ns = self._step_ns * max(1, math.ceil(max(self._stop.ramp_s, slowest) / self._dt))
        self._done_ns = 0.0

    def stopping_height(self) -> float:
        """Next height on the way to the safe height: a step further, or as far as the account reaches."""
        forward = min(float(self._step_ns), self.account_ns)
        self.account_ns -= forward
        self._done_ns = min(self._done_ns + forward, float(self._way_ns))
        share = 0.5 - 0.5 * math.cos(math.pi * self._done_ns / self._way_ns)
        self.last = self._from + share * (self._stop.safe_height_m - self._from)
        return self.last

    @property
    def stopped(self) -> bool:
        """Whether the safe height has been sent."""
        return 0 < self._way_ns <= self._done_ns

    def _needed_ns(self, height: float) -> float:
        return 1e9 * abs(height - self.last) / self._limits.speed_m_per_s

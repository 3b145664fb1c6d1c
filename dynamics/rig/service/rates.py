"""The rate of a test's steps, compared with the device's own stamps and, since stamps may lie, the server's clock."""

from __future__ import annotations

import math

__all__ = ["Pace", "Stamps"]

WINDOW_STEPS, TOLERANCE = 250, 0.02


class Stamps:
    """Clock of the device, by its stamps.

    Parameters
    ----------
    dt : float
        Step [s].
    """

    def __init__(self, dt: float) -> None:
        self._dt = dt
        self._begin: tuple[int, int] | None = None  # step and stamp at which the rate was looked at last
        self._last: int | None = None

    def fault(self, step: int, stamp_ns: int) -> str:
        """Report a clock that goes back, or whose steps are longer or shorter than ours; empty where all is well."""
        before, self._last = self._last, stamp_ns
        if before is not None and stamp_ns <= before:
            return f"the device's clock stands still or goes back at step {step}: from {before} to {stamp_ns} ns"
        if self._begin is None:
            self._begin = (step, stamp_ns)
        steps = step - self._begin[0]
        if steps < WINDOW_STEPS:
            return ""
        found = 1e-9 * (stamp_ns - self._begin[1]) / steps
        self._begin = (step, stamp_ns)
        if abs(found / self._dt - 1.0) <= TOLERANCE:
            return ""
        return f"the device sends every {1e3 * found:.3f} ms, the bundle steps every {1e3 * self._dt:g} ms"


class Pace:
    """Lead of a test's steps over the server's clock, whatever the device's stamps say.

    A share of every step is forgotten, so that a clock that is off by that much is let pass; what was ahead or behind
    for other reasons goes with it.

    Parameters
    ----------
    step_ns, allowed_ns : int
        Step, and how far steps may be ahead or behind [ns].
    """

    def __init__(self, step_ns: int, allowed_ns: int) -> None:
        self._step_ns, self._allowed_ns, self._forgotten_ns = step_ns, allowed_ns, TOLERANCE * step_ns
        self._ahead_ns, self._now_ns = 0.0, 0
        self._started = False

    def ahead_ns(self, now_ns: int, steps: int) -> float:
        """Lead of the test over the clock if so many steps were taken now [ns]; negative when behind."""
        if not self._started:
            return float((steps - 1) * self._step_ns)
        return self._ahead_ns + steps * self._step_ns - (now_ns - self._now_ns)

    def is_wrong(self, ahead_ns: float) -> bool:
        """Whether the test would be further ahead or behind than allowed."""
        return abs(ahead_ns) > self._allowed_ns

    def take(self, now_ns: int) -> None:
        """Count one step at a monotonic time [ns]."""
        ahead = self.ahead_ns(now_ns, 1)
        self._ahead_ns = math.copysign(max(0.0, abs(ahead) - self._forgotten_ns), ahead)
        self._now_ns, self._started = now_ns, True

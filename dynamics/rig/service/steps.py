"""One step of a test: a force or its substitute in, a guarded height out, everything on record.

From a stop on the model is not asked any more: heights lead to the safe one.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic_ns
from typing import Protocol

from dynamics.rig.service.frames import Frame, Mark, Reason
from dynamics.rig.service.guard import OutputGuard
from dynamics.rig.service.repeated_messages import RepeatedMessages
from dynamics.rig.service.spec import ServiceSpec

__all__ = ["SENTENCES", "Counts", "StepTaker", "Stepper", "Taken"]

# steps among which refused forces are counted that do not follow one another
ABSURD_AMONG = 250

SENTENCES = {
    Reason.DONE: "the test ran to its end",
    Reason.STOP_ASKED: "the device asked for an emergency stop",
    Reason.SILENT: "the device fell silent",
    Reason.FORCE: "the device sent forces that are not numbers or too large",
    Reason.HEIGHT_LIMIT: "the model asked for a height outside its limits",
    Reason.SPEED_LIMIT: "the model asked for a height faster than the actuator may move",
    Reason.RATE: "the device sends at another rate than the bundle steps",
    Reason.INTERRUPTED: "the server was interrupted",
    Reason.GAP: "too many forces in a row were missing",
    Reason.RECORD: "the record of the test could not be written",
    Reason.EMERGENCY: "an emergency stop was asked for at its own address",
    Reason.SUBSTITUTES: "the test ran to its end, but too many of its answers were to a substitute force",
    Reason.HELD_UP: "the server itself was held up for longer than its watchdog allows",
    Reason.EMERGENCY_LOST: "the process that listens for emergency stops has ended",
}


class Stepper(Protocol):
    """Stepper from forces to heights: the loop's engine."""

    @property
    def holding(self) -> bool:
        """Whether the next step takes a predicted force instead of the one that is given."""
        ...

    def step(self, force: float) -> float:
        """Take a force [N], return a height [m]; a ValueError refuses the force without a change of state."""
        ...


@dataclass
class Counts:
    """Counts of the frames of a test."""

    received: int = 0
    substituted: int = 0
    late: int = 0
    out_of_order: int = 0
    repeated: int = 0
    absurd: int = 0
    foreign: int = 0
    broken: int = 0
    refused_clients: int = 0

    @property
    def lost(self) -> int:
        """Forces that never arrived."""
        return self.substituted - self.late - self.out_of_order - self.absurd

    @property
    def refused(self) -> int:
        """Datagrams and clients that have no part in the test."""
        return self.foreign + self.broken + self.refused_clients


@dataclass(frozen=True)
class Taken:
    """Outcome of a step: height sent [m], force that the model took [N], marks, time that it took [s]."""

    height: float
    force: float
    mark: int
    service_time: float


class StepTaker:
    """Takes steps one after the other.

    Parameters
    ----------
    stepper : Stepper
        The loop's engine.
    service : ServiceSpec
        Limits, losses, stop.
    dt : float
        Step [s].
    record : callable
        Takes the record of every step, in the order of the journal's columns.
    say : callable
        Takes one sentence whenever something happens that a person should know.

    Attributes
    ----------
    counts, on_way_down : Counts
        Of the test with its way to the safe height, and of that way alone.
    steps_of_test : int, optional
        Steps before that way; None while the test runs.
    """

    def __init__(
        self,
        stepper: Stepper,
        service: ServiceSpec,
        dt: float,
        record: Callable[[tuple[float, ...]], None],
        say: Callable[[str], None],
    ) -> None:
        self._stepper, self._service, self._record, self._say = stepper, service, record, say
        self.guard = OutputGuard(service.limits, service.stop, dt)
        self.repeated_messages = RepeatedMessages(say)
        self.counts, self.on_way_down = Counts(), Counts()
        self.number = 0
        self.steps_of_test: int | None = None
        self.stopping: Reason | None = None
        self.force, self._earlier = 0.0, 0.0
        self.round_trip = math.nan
        self.unwritten: OSError | None = None
        self._absurd_in_row = 0
        self._absurd_at: deque[int] = deque()
        self._zero_ns = 0

    def stop(self, reason: Reason) -> None:
        """Begin the way to the safe height, once; the next height that is sent is on it already."""
        if self.stopping is not None and (reason is not Reason.EMERGENCY or self.stopping is reason):
            return
        if self.stopping is None:
            self.guard.begin_stop()
            self.steps_of_test = self.number
        self.stopping = reason  # an emergency stop on the way is the reason reported
        if reason not in (Reason.DONE, Reason.SUBSTITUTES):
            self._say(f"stop at step {self.number}: {SENTENCES[reason]}; going to the safe height")

    def count(self, what: str, step: int) -> None:
        """Count what happened to the force of a step, on the way to the safe height also among those of that way."""
        down = self.steps_of_test is not None and step >= self.steps_of_test
        for counts in (self.counts, self.on_way_down) if down else (self.counts,):
            setattr(counts, what, getattr(counts, what) + 1)

    def take(self, frame: Frame | None, now_ns: int) -> Taken:
        """Take the next step at a monotonic time [ns], with the force of a frame or without one."""
        began = monotonic_ns()
        if self.number == 0:
            self._zero_ns = now_ns
        self.guard.pass_time(now_ns)
        received, reached, trip, stamp = math.nan, math.nan, math.nan, math.nan
        if frame is not None:
            received, reached, trip, stamp = frame.value, frame.second, frame.third, 1e-9 * frame.time_ns
            self.round_trip = trip
        substituted = self._choose_force(frame, now_ns)
        predicted = self.stopping is None and self._stepper.holding
        model_height = math.nan if self.stopping is not None else self._ask()
        stopping = self.stopping is not None
        height = self.guard.stopping_height() if stopping else model_height
        if not stopping:
            self.guard.send(height)
        mark = Mark.SUBSTITUTED * substituted | Mark.STOPPING * stopping | Mark.PREDICTED * predicted
        service_time = 1e-9 * (monotonic_ns() - began)
        since = 1e-9 * (now_ns - self._zero_ns)
        forces = (received, self.force)
        self._keep((self.number, mark, since, stamp, *forces, model_height, height, reached, trip, service_time))
        self.number += 1
        return Taken(height, self.force, mark, service_time)

    def _keep(self, values: tuple[float, ...]) -> None:
        """Write the record of a step; from the first one that cannot be written on, none is, and the test ends."""
        if self.unwritten is not None:
            return
        try:
            self._record(values)
        except OSError as error:
            self.unwritten = error
            self._say(f"step {self.number}: {error}")
            self.stop(Reason.RECORD)

    def _ask(self) -> float:
        """Height of the model for the force at hand; a stop where it, or the force, is out of bounds."""
        try:
            height = self._stepper.step(self.force)
        except ValueError as error:
            self._say(str(error))
            self.stop(Reason.FORCE)
            return math.nan
        limit = self.guard.broken_limit(height)
        if limit is not None:
            self._say(
                f"step {self.number}: {1e3 * height:.1f} mm asked for after {1e3 * self.guard.last:.1f} mm, with "
                f"{1e-6 * self.guard.account_ns:.2f} ms to go there by the server's clock"
            )
            self.stop(limit)
        return height

    def _choose_force(self, frame: Frame | None, now_ns: int) -> bool:
        """Force of the step; whether it is a substitute."""
        if frame is not None and self._is_force(frame.value):
            self._absurd_in_row = 0
            self._earlier, self.force = self.force, frame.value
            return False
        self.count("substituted", self.number)
        if frame is not None:
            self.count("absurd", self.number)
            self._absurd_in_row += 1
            sentence = f"step {self.number}: the force {frame.value:g} N is refused, another one stands in"
            self.repeated_messages.tell("refused force", sentence, now_ns)
            self._absurd_at.append(self.number)
            while self._absurd_at[0] <= self.number - ABSURD_AMONG:
                self._absurd_at.popleft()
            loss = self._service.loss
            if self._absurd_in_row >= loss.absurd_forces or len(self._absurd_at) >= loss.absurd_of_250:
                self.stop(Reason.FORCE)
        if self._service.loss.substitute == "extrapolate":
            line = 2.0 * self.force - self._earlier
            if self._is_force(line):
                self._earlier, self.force = self.force, line
        return True

    def _is_force(self, force: float) -> bool:
        return math.isfinite(force) and abs(force) <= self._service.limits.force_N

"""A pantograph that is an FMU, from outside: a process with a time limit, and how its head gives way to a force."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from typing import NamedTuple, Self

from dynamics.pantograph.fmu.archive import FmuError
from dynamics.pantograph.fmu.process import ANSWER, FAILED, REQUEST, RESTART, STEP, STOP
from dynamics.spec.pantograph import FmuSpec

__all__ = ["FmuDevice", "Head", "Rest", "measured_yield"]

# while it comes to rest a dashpot under the head [N s/m] takes its swing
DASHPOT = 200.0
# added force by which the head's answer within a step is measured [N]
NUDGE = 1.0


class Head(NamedTuple):
    """Height of a head over the contact wire's at the support [m], and its velocity upwards [m/s]."""

    height: float
    velocity: float


class Rest(NamedTuple):
    """What a head comes to rest under: height of the wire [m], and what it rises by the head's force [m/N]."""

    height: float
    softness: float


class FmuDevice:
    """An FMU in a process of its own; a context that ends it.

    Parameters
    ----------
    spec : FmuSpec
    applied_force : float
        [N].

    Raises
    ------
    FmuError
        If it cannot be used, fails, crashes, or does not answer in time; in one sentence that names its file.
    """

    def __init__(self, spec: FmuSpec, applied_force: float) -> None:
        self._spec = spec
        if not hasattr(os, "fork"):
            raise FmuError("an FMU needs Linux or macOS, where it runs in a process that can be ended")
        (theirs, self._requests), (self._answers, written) = os.pipe(), os.pipe()
        command = [sys.executable, "-P", "-m", "dynamics.pantograph.fmu.process", str(theirs), str(written)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs, written),
            start_new_session=True,
        )
        os.close(theirs)
        os.close(written)
        told = spec.model_dump(include={"file", "sha256", "force", "height", "velocity"})
        told["values"] = {**spec.parameters, spec.applied: applied_force}
        try:
            self._send(json.dumps(told).encode() + b"\n")
            self.head = self._head()
        except FmuError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def step(self, force: float, dt: float) -> Head:
        """Advance by dt [s] under a force held on the head [N]."""
        self._send(REQUEST.pack(STEP, force, dt))
        self.head = self._head()
        return self.head

    def restart(self) -> None:
        """Begin again from the FMU's own start."""
        self._send(REQUEST.pack(RESTART, 0.0, 0.0))
        self.head = self._head()

    def settle(self, rest: Rest, dt: float) -> float:
        """Come to rest under the wire from the FMU's own start; the contact force there [N]."""
        force = 0.0
        for _ in range(round(self._spec.settle_s / dt)):
            reach = (self.head.height - rest.height) / rest.softness
            force = max(0.0, reach + DASHPOT * self.head.velocity)
            self.step(force, dt)
        return max(0.0, (self.head.height - rest.height) / rest.softness)

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._process.poll() is None:
            try:
                os.write(self._requests, REQUEST.pack(STOP, 0.0, 0.0))
                self._process.wait(timeout=1.0)
            except (OSError, subprocess.TimeoutExpired):
                self._process.kill()
        self._process.wait()
        for end in (self._requests, self._answers):
            if end >= 0:
                os.close(end)
        self._requests = self._answers = -1

    def _send(self, content: bytes) -> None:
        try:
            os.write(self._requests, content)
        except BrokenPipeError as error:
            raise self._failed("has ended without a word") from error

    def _head(self) -> Head:
        until = time.monotonic() + self._spec.time_limit_s
        status, height, velocity = ANSWER.unpack(self._read(ANSWER.size, until))
        if status == FAILED:
            raise self._failed(self._read(int(height), until).decode("utf-8", "replace"))
        return Head(height - self._spec.zero_height_m, velocity)

    def _read(self, size: int, until: float) -> bytes:
        content = b""
        while len(content) < size:
            left = until - time.monotonic()
            ready = left > 0.0 and select.select([self._answers], [], [], left)[0]
            if not ready:
                raise self._failed(f"gave no answer within {self._spec.time_limit_s:g} s and was ended")
            part = os.read(self._answers, size - len(content))
            if not part:
                raise self._failed("has crashed" + self._signal())
            content += part
        return content

    def _signal(self) -> str:
        """Say what ended the process."""
        try:
            code = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return ""
        return f": its process was ended by signal {-code}" if code < 0 else f": its process ended with code {code}"

    def _failed(self, what: str) -> FmuError:
        return FmuError(f"the FMU {self._spec.file} {what}")


def measured_yield(device: FmuDevice, rest: Rest, dt: float) -> float:
    """Part of a force on the head, held over a step, that it has given way by at the step's end [m/N].

    Two runs from the same rest under the wire, one step of the second with a little more force.
    """
    heights = []
    for more in (0.0, NUDGE):
        device.restart()
        force = device.settle(rest, dt)
        heights.append(device.step(force + more, dt).height)
    given = (heights[0] - heights[1]) / NUDGE
    if not given > 0.0:
        raise FmuError(
            f"the head of the pantograph's FMU must give way to a force within a step: {NUDGE:g} N more moved it down "
            f"by {1e3 * given * NUDGE:.3g} mm in {dt:g} s; check fmu.force and fmu.height, and their signs"
        )
    return given

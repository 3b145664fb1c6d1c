"""A pantograph that steps itself, from outside: a process with a time limit, and how its head gives way to a force."""

from __future__ import annotations

import json
from typing import Any, ClassVar, NamedTuple

from dynamics.pantograph.own_process import DeviceError, OwnProcess
from dynamics.pantograph.stepped.protocol import REQUEST, RESTART, STEP, STOP
from dynamics.spec.mechanics.stepped import SteppedSpec

__all__ = ["Head", "Rest", "SteppedDevice", "measured_yield"]

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


class SteppedDevice(OwnProcess):
    """A pantograph in a process of its own; a context that ends it.

    Parameters
    ----------
    module, about
        As `OwnProcess` has them.
    spec : SteppedSpec
    told : dict
        What the process is given first, as JSON has it.

    Attributes
    ----------
    head : Head
        Where its head is now.

    Raises
    ------
    DeviceError
        If it cannot be used, fails, crashes, or does not answer in time; in one sentence that names its file.
    """

    stop = REQUEST.pack(STOP, 0.0, 0.0)
    to_check: ClassVar[str] = ""

    def __init__(self, module: str, about: str, spec: SteppedSpec, told: dict[str, Any]) -> None:
        super().__init__(module, about, spec.time_limit_s)
        self._spec = spec
        try:
            self.head = self._head(json.dumps(told).encode() + b"\n")
        except DeviceError:
            self.close()
            raise

    def step(self, force: float, dt: float) -> Head:
        """Advance by dt [s] under a force held on the head [N]."""
        self.head = self._head(REQUEST.pack(STEP, force, dt))
        return self.head

    def restart(self) -> None:
        """Begin again from its own start."""
        self.head = self._head(REQUEST.pack(RESTART, 0.0, 0.0))

    def settle(self, rest: Rest, dt: float) -> float:
        """Come to rest under the wire from its own start; the contact force there [N]."""
        force = 0.0
        for _ in range(round(self._spec.settle_s / dt)):
            reach = (self.head.height - rest.height) / rest.softness
            force = max(0.0, reach + DASHPOT * self.head.velocity)
            self.step(force, dt)
        return max(0.0, (self.head.height - rest.height) / rest.softness)

    def no_yield(self, moved: float, dt: float) -> DeviceError:
        """Say that a force does not move the head down."""
        return self.error(
            f"{self._about} must have a head that gives way to a force within a step: {NUDGE:g} N more moved it down "
            f"by {1e3 * moved:.3g} mm in {dt:g} s; check {self.to_check}, and their signs"
        )

    def _head(self, request: bytes) -> Head:
        height, velocity = self.ask(request)
        return Head(height - self._spec.zero_height_m, velocity)


def measured_yield(device: SteppedDevice, rest: Rest, dt: float) -> tuple[float, float]:
    """Part of a force on the head, held over a step, that it has given way by at the step's end [m/N].

    Two runs from the same rest under the wire, one step of the first with a little more force; the second one stays at
    rest. Returns the force there, too [N].
    """
    force, heights = 0.0, []
    for more in (NUDGE, 0.0):
        device.restart()
        force = device.settle(rest, dt)
        heights.append(device.step(force + more, dt).height)
    given = (heights[1] - heights[0]) / NUDGE
    if not given > 0.0:
        raise device.no_yield(given * NUDGE, dt)
    return given, force

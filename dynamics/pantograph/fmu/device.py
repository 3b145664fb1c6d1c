"""A pantograph that is an FMU, from outside: a process with a time limit, and how its head gives way to a force."""

from __future__ import annotations

import json
from typing import NamedTuple

from dynamics.pantograph.fmu.archive import FmuError
from dynamics.pantograph.fmu.process import REQUEST, RESTART, STEP, STOP
from dynamics.pantograph.own_process import OwnProcess
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


class FmuDevice(OwnProcess):
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

    error = FmuError
    stop = REQUEST.pack(STOP, 0.0, 0.0)

    def __init__(self, spec: FmuSpec, applied_force: float) -> None:
        super().__init__("dynamics.pantograph.fmu.process", f"the FMU {spec.file}", spec.time_limit_s)
        self._spec = spec
        told = spec.model_dump(include={"file", "sha256", "force", "height", "velocity"})
        told["values"] = {**spec.parameters, spec.applied: applied_force}
        try:
            self.head = self._head(json.dumps(told).encode() + b"\n")
        except FmuError:
            self.close()
            raise

    def step(self, force: float, dt: float) -> Head:
        """Advance by dt [s] under a force held on the head [N]."""
        self.head = self._head(REQUEST.pack(STEP, force, dt))
        return self.head

    def restart(self) -> None:
        """Begin again from the FMU's own start."""
        self.head = self._head(REQUEST.pack(RESTART, 0.0, 0.0))

    def settle(self, rest: Rest, dt: float) -> float:
        """Come to rest under the wire from the FMU's own start; the contact force there [N]."""
        force = 0.0
        for _ in range(round(self._spec.settle_s / dt)):
            reach = (self.head.height - rest.height) / rest.softness
            force = max(0.0, reach + DASHPOT * self.head.velocity)
            self.step(force, dt)
        return max(0.0, (self.head.height - rest.height) / rest.softness)

    def _head(self, request: bytes) -> Head:
        height, velocity = self.ask(request)
        return Head(height - self._spec.zero_height_m, velocity)


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

"""How a pantograph that steps itself is asked, and the loop by which its process answers.

A request is its kind and two numbers (force, step); an answer holds height and velocity of the head.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import BinaryIO, Protocol

from dynamics.pantograph.own_process import ANSWER, DeviceError

__all__ = ["REQUEST", "RESTART", "STEP", "STOP", "Model", "serve_steps"]

REQUEST = struct.Struct("<bdd")
STEP, RESTART, STOP = 0, 1, 2


class Model(Protocol):
    """What steps itself inside the process."""

    def head(self) -> tuple[float, float]:
        """Height of its head [m], as it counts it, and the velocity upwards [m/s]."""
        ...

    def step(self, force: float, dt: float) -> None:
        """Advance by dt [s] under a force held on the head, downwards [N]."""
        ...

    def close(self) -> None:
        """Give up what it holds."""
        ...


def serve_steps(begin: Callable[[], Model], requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more, the first answer being that of a model at its start."""
    model, time = begin(), 0.0
    _answer(model, time, answers)
    while len(request := requests.read(REQUEST.size)) == REQUEST.size:
        kind, force, dt = REQUEST.unpack(request)
        if kind == STOP:
            break
        if kind == RESTART:
            model.close()
            model, time = begin(), 0.0
        else:
            model.step(force, dt)
            time += dt
        _answer(model, time, answers)
    model.close()


def _answer(model: Model, time: float, answers: BinaryIO) -> None:
    height, velocity = model.head()
    if not (math.isfinite(height) and math.isfinite(velocity)):
        raise DeviceError(f"gave {height} m and {velocity} m/s at {time:.4f} s, which are not finite")
    answers.write(ANSWER.pack(0, height, velocity))
    answers.flush()

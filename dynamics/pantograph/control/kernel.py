"""Compiled step of a controller with its actuator; the same in every march.

Between the ends of a step error, saturation and command run along straight lines, for which the law's states and the
actuator's lag are advanced exactly. ``memory`` of a controller holds, from the last step's end: the law's states, then
error, its rate, what saturation cut off, delayed command and control force, then the last commands, newest first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel

__all__ = [
    "ACCELERATION",
    "FORCE",
    "HEIGHT",
    "UNCONTROLLED",
    "Control",
    "commit",
    "held_force",
    "next_force",
    "share_of",
]

_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp"}}
FORCE, HEIGHT, ACCELERATION = 0, 1, 2
Floats = NDArray[np.float64]


class Control(NamedTuple):
    """A controller at one time step.

    ``present``; what it ``measures``, ``reference``; ``direction`` (coordinate,) of its force; ``advance`` (state,
    state), and what a step adds by the error, its rate and the excess at the step's two ends (6, state); ``output``
    (state,), ``through`` and ``through_rate``; ``limit`` [N]; ``delay`` in whole steps and a part of one; ``lag``:
    what is kept of the force, and taken of the delayed command before and after. ``damping``, ``stiffness``
    (coordinate,) of the head's equation, as its acceleration is formed.
    """

    present: bool
    measures: int
    reference: float
    direction: Floats
    advance: Floats
    driven: Floats
    output: Floats
    through: float
    through_rate: float
    limit: float
    delay: int
    part: float
    lag: Floats
    damping: Floats
    stiffness: Floats


UNCONTROLLED = Control(
    False, FORCE, 0.0, np.zeros(1), np.zeros((1, 1)), np.zeros((6, 1)), np.zeros(1), 0.0, 0.0, 1.0e300, 0, 0.0,
    np.array([0.0, 0.0, 1.0]), np.zeros(1), np.zeros(1),
)  # fmt: skip


@kernel(**_OPTIONS)
def held_force(law: Control, memory: Floats) -> float:
    """Control force at the end of the last step [N]."""
    return memory[law.output.size + 4]


@kernel(**_OPTIONS)
def _by_states(law, memory, error, rate, i):
    """State i at the step's end, without what saturation there adds."""
    n, total = law.output.size, 0.0
    for j in range(n):
        total += law.advance[i, j] * memory[j]
    total += law.driven[0, i] * memory[n] + law.driven[1, i] * error
    total += law.driven[2, i] * memory[n + 1] + law.driven[3, i] * rate
    return total + law.driven[4, i] * memory[n + 2]


@kernel(**_OPTIONS)
def _command(law, memory, error, rate):
    """Saturated command at the step's end, and what saturation cuts off it."""
    n, command, felt = law.output.size, law.through * error + law.through_rate * rate, 1.0
    for i in range(n):
        command += law.output[i] * _by_states(law, memory, error, rate, i)
        felt += law.output[i] * law.driven[5, i]
    limited = min(law.limit, max(-law.limit, command))
    if limited == command:
        return command, 0.0
    return limited, (limited - command) / felt


@kernel(**_OPTIONS)
def _delayed(law, memory, command):
    """Command that reaches the actuator at the step's end."""
    first = law.output.size + 5
    newer = command if law.delay == 0 else memory[first + law.delay - 1]
    return (1.0 - law.part) * newer + law.part * memory[first + law.delay]


@kernel(**_OPTIONS)
def next_force(law: Control, memory: Floats, error: float, rate: float) -> float:
    """Control force at the step's end by the error there and its rate [N]; the memory stays as it is."""
    n = law.output.size
    reached = _delayed(law, memory, _command(law, memory, error, rate)[0])
    return law.lag[0] * memory[n + 4] + law.lag[1] * memory[n + 3] + law.lag[2] * reached


@kernel(**_OPTIONS)
def commit(law: Control, memory: Floats, error: float, rate: float) -> None:
    """End the step: the memory becomes that at its end."""
    n = law.output.size
    command, excess = _command(law, memory, error, rate)
    reached = _delayed(law, memory, command)
    force = law.lag[0] * memory[n + 4] + law.lag[1] * memory[n + 3] + law.lag[2] * reached
    new = np.empty(n)
    for i in range(n):
        new[i] = _by_states(law, memory, error, rate, i) + law.driven[5, i] * excess
    memory[:n] = new
    memory[n], memory[n + 1], memory[n + 2], memory[n + 3], memory[n + 4] = error, rate, excess, reached, force
    for k in range(memory.size - 1, n + 5, -1):
        memory[k] = memory[k - 1]
    memory[n + 5] = command


@kernel(**_OPTIONS)
def share_of(law: Control, by_error: float, by_rate: float) -> float:
    """Part of a missing control force that an iteration takes, by what the force does to error and rate meanwhile."""
    direct = law.through
    rated = law.through_rate
    for i in range(law.output.size):
        direct += law.output[i] * law.driven[1, i]
        rated += law.output[i] * law.driven[3, i]
    reaches = law.lag[2] * (1.0 - law.part) if law.delay == 0 else 0.0
    loop = reaches * (direct * by_error + rated * by_rate)
    return 1.0 / (1.0 - loop) if loop < 0.0 else 1.0

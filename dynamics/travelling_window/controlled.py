"""Compiled controllers of the pantographs of a window: their forces within a step, and the step's end.

While a step is computed the mean velocities wp belong to the control force at its beginning; half of its change in the
step acts on top. Symbols as in `dynamics.travelling_window.kernel`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from catenary.kernels.compiled import PartCompiler, kernel
from dynamics.pantograph.control.kernel import FORCE, HEIGHT, Control, commit, held_force, next_force, share_of
from dynamics.travelling_window.layout import Inputs, March
from dynamics.travelling_window.scratch import Scratch
from dynamics.travelling_window.solve import OPTIONS

__all__ = ["control_sweep", "end_control", "held_push"]

Floats = NDArray[np.float64]
OPTIONS_OF_CALLERS: Any = {"error_model": "numpy", "pipeline_class": PartCompiler}


@kernel(**OPTIONS)
def _answers(panto):
    """Mean velocities of the masses by half of a change of the control force."""
    answer = np.zeros(panto.mass.size)
    for i in range(answer.size):
        for j in range(answer.size):
            answer[i] += 0.5 * panto.inverse[i, j] * panto.control.direction[j]
    return answer


@kernel(**OPTIONS)
def _velocity(q, i, state, scratch, panto, moved):
    """Velocity of a mass at the step's end, by the forces found so far; ``moved`` is what control adds to its mean."""
    mean, strips = scratch.wp[q, i], panto.strips.rides.size
    for k in range(strips):
        mean -= panto.answers[k, i] * 0.5 * scratch.pressed.force[q * strips + k]
    mean += moved
    return 2.0 * mean - state.vp[q, i]


@kernel(**OPTIONS)
def _error(q, state, scratch, inputs, answer, change):
    """Error at the step's end and its rate."""
    panto, dt, strips = inputs.panto, inputs.constants.scalars.dt, inputs.panto.strips
    law, each = panto.control, scratch.pressed.force[q * strips.rides.size : (q + 1) * strips.rides.size]
    if law.measures == FORCE:
        return law.reference - each.sum(), 0.0
    speed = _velocity(q, 0, state, scratch, panto, answer[0] * change)
    if law.measures == HEIGHT:
        return law.reference - state.zp[q, 0] - 0.5 * dt * (speed + state.vp[q, 0]), -speed
    force = panto.acted[0] * panto.applied[q]
    for k in range(each.size):
        force -= strips.load[k, 0] * each[k]
    force += law.direction[0] * (held_force(law, state.memory[q]) + change)
    for j in range(answer.size):
        speed = _velocity(q, j, state, scratch, panto, answer[j] * change)
        height = state.zp[q, j] + 0.5 * dt * (speed + state.vp[q, j])
        force -= law.damping[j] * speed + law.stiffness[j] * height
    return law.reference - force / panto.mass[0], 0.0


@kernel(**OPTIONS)
def _share(law, panto, answer, dt, softened):
    """Part of a missing control force that a sweep takes; ``softened`` is what its unit adds to the contact force."""
    if law.measures == FORCE:
        return share_of(law, -softened, 0.0)
    if law.measures == HEIGHT:
        return share_of(law, -dt * answer[0], -2.0 * answer[0])
    felt = law.direction[0]
    for j in range(answer.size):
        felt -= (2.0 * law.damping[j] + dt * law.stiffness[j]) * answer[j]
    return share_of(law, -felt / panto.mass[0], 0.0)


@kernel(**OPTIONS)
def _swept(sweep, state, scratch, inputs):
    """Sweep over the controllers, as `control_sweep` has it."""
    panto, push, dt, most = inputs.panto, scratch.pressed.push, inputs.constants.scalars.dt, 0.0
    law, answer, rides = panto.control, _answers(panto), panto.strips.rides
    for q in range(push.size):
        memory = state.memory[q]
        begun = held_force(law, memory)
        if sweep == 0:
            push[q] = begun
        error, rate = _error(q, state, scratch, inputs, answer, push[q] - begun)
        softened = 0.0
        for k in range(rides.size):
            softness = inputs.constants.contact_stiffness * scratch.pressed.yielding[q * rides.size + k]
            softened += softness * dt * answer[rides[k]]
        share = _share(law, panto, answer, dt, softened)
        change = share * (next_force(law, memory, error, rate) - push[q])
        push[q] += change
        for k in range(rides.size):
            scratch.pressed.head[q * rides.size + k] += dt * answer[rides[k]] * change
        most = max(most, abs(change))
    return most


@kernel(**OPTIONS)
def _ended(state, scratch, inputs, kept):
    """End of the step, as `end_control` has it."""
    panto, push = inputs.panto, scratch.pressed.push
    law, answer = panto.control, _answers(panto)
    for q in range(push.size):
        memory = state.memory[q]
        change = push[q] - held_force(law, memory)
        error, rate = _error(q, state, scratch, inputs, answer, change)
        for i in range(answer.size):
            scratch.wp[q, i] += answer[i] * change
        commit(law, memory, error, rate)
        kept[0][q, kept[1]] = held_force(law, memory)


def held_push(control: Control | None, memory: Floats, i: int) -> float:
    """Control force on a coordinate at the end of the last step [N]."""
    return 0.0 if control is None else float(control.direction[i]) * held_force(control, memory)


def control_sweep(control: Control | None, sweep: int, state: March, scratch: Scratch, inputs: Inputs) -> float:
    """Bring the control forces closer to what the controllers want at the step's end; returns the largest change [N].

    Heads move with them in ``scratch.pressed.head``.
    """
    return 0.0 if control is None else _swept(sweep, state, scratch, inputs)


def end_control(
    control: Control | None, state: March, scratch: Scratch, inputs: Inputs, kept: tuple[Floats, int]
) -> None:
    """End the step of every controller, and add what its force did to the masses' mean velocities.

    The forces at the step's end go into ``kept``: forces (pantograph, step) and the step.
    """
    if control is not None:
        _ended(state, scratch, inputs, kept)


# a passive pantograph's march holds nothing of the above: it would take a fifth longer to compile
@overload(held_push, jit_options=OPTIONS_OF_CALLERS)
def _held_push(control, memory, i):
    if isinstance(control, types.NoneType):
        return lambda control, memory, i: 0.0
    return lambda control, memory, i: control.direction[i] * held_force(control, memory)


@overload(control_sweep, jit_options=OPTIONS_OF_CALLERS)
def _control_sweep(control, sweep, state, scratch, inputs):
    if isinstance(control, types.NoneType):
        return lambda control, sweep, state, scratch, inputs: 0.0
    return lambda control, sweep, state, scratch, inputs: _swept(sweep, state, scratch, inputs)


@overload(end_control, jit_options=OPTIONS_OF_CALLERS)
def _end_control(control, state, scratch, inputs, kept):
    if isinstance(control, types.NoneType):
        return lambda control, state, scratch, inputs, kept: None
    return lambda control, state, scratch, inputs, kept: _ended(state, scratch, inputs, kept)

"""Compiled controllers of the pantographs of a window: their forces within a step, and the step's end.

While a step is computed the mean velocities wp belong to the control force at its beginning; half of its change in the
step acts on top. Symbols as in `dynamics.travelling_window.kernel`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dynamics.pantograph.control.kernel import FORCE, HEIGHT, commit, held_force, next_force, share_of
from dynamics.travelling_window.layout import Inputs, March
from dynamics.travelling_window.scratch import Scratch
from dynamics.travelling_window.solve import OPTIONS

__all__ = ["control_sweep", "end_control"]


@njit(**OPTIONS)
def _answers(panto):
    """Mean velocities of the masses by half of a change of the control force."""
    answer = np.zeros(panto.mass.size)
    for i in range(answer.size):
        for j in range(answer.size):
            answer[i] += 0.5 * panto.inverse[i, j] * panto.control.direction[j]
    return answer


@njit(**OPTIONS)
def _velocity(q, i, state, scratch, panto, moved):
    """Velocity of a mass at the step's end, by the forces found so far; ``moved`` is what control adds to its mean."""
    mean = scratch.wp[q, i] - panto.inverse[i, 0] * 0.5 * scratch.pressed.force[q] + moved
    return 2.0 * mean - state.vp[q, i]


@njit(**OPTIONS)
def _error(q, state, scratch, inputs, answer, change):
    """Error at the step's end and its rate."""
    panto, dt, lam = inputs.panto, inputs.constants.scalars.dt, scratch.pressed.force[q]
    law = panto.control
    if law.measures == FORCE:
        return law.reference - lam, 0.0
    speed = _velocity(q, 0, state, scratch, panto, answer[0] * change)
    if law.measures == HEIGHT:
        return law.reference - state.zp[q, 0] - 0.5 * dt * (speed + state.vp[q, 0]), -speed
    force = panto.acted[0] * panto.applied[q] - lam
    force += law.direction[0] * (held_force(law, state.memory[q]) + change)
    for j in range(answer.size):
        speed = _velocity(q, j, state, scratch, panto, answer[j] * change)
        height = state.zp[q, j] + 0.5 * dt * (speed + state.vp[q, j])
        force -= law.damping[j] * speed + law.stiffness[j] * height
    return law.reference - force / panto.mass[0], 0.0


@njit(**OPTIONS)
def _share(law, panto, answer, dt, softness):
    """Part of a missing control force that a sweep takes."""
    if law.measures == FORCE:
        return share_of(law, -softness * dt * answer[0], 0.0)
    if law.measures == HEIGHT:
        return share_of(law, -dt * answer[0], -2.0 * answer[0])
    felt = law.direction[0]
    for j in range(answer.size):
        felt -= (2.0 * law.damping[j] + dt * law.stiffness[j]) * answer[j]
    return share_of(law, -felt / panto.mass[0], 0.0)


@njit(**OPTIONS)
def control_sweep(sweep: int, state: March, scratch: Scratch, inputs: Inputs) -> float:
    """Bring the control forces closer to what the controllers want at the step's end; returns the largest change [N].

    Heads move with them in ``scratch.pressed.head``.
    """
    panto, push, dt, most = inputs.panto, scratch.pressed.push, inputs.constants.scalars.dt, 0.0
    law, answer = panto.control, _answers(panto)
    for q in range(push.size):
        memory = state.memory[q]
        begun = held_force(law, memory)
        if sweep == 0:
            push[q] = begun
        error, rate = _error(q, state, scratch, inputs, answer, push[q] - begun)
        softness = inputs.constants.contact_stiffness * scratch.pressed.yielding[q]
        share = _share(law, panto, answer, dt, softness)
        change = share * (next_force(law, memory, error, rate) - push[q])
        push[q] += change
        scratch.pressed.head[q] += dt * answer[0] * change
        most = max(most, abs(change))
    return most


@njit(**OPTIONS)
def end_control(state: March, scratch: Scratch, inputs: Inputs) -> None:
    """End the step of every controller, and add what its force did to the masses' mean velocities."""
    panto, push = inputs.panto, scratch.pressed.push
    if not panto.control.present:
        return
    law, answer = panto.control, _answers(panto)
    for q in range(push.size):
        memory = state.memory[q]
        change = push[q] - held_force(law, memory)
        error, rate = _error(q, state, scratch, inputs, answer, change)
        for i in range(answer.size):
            scratch.wp[q, i] += answer[i] * change
        commit(law, memory, error, rate)

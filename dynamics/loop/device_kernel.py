r"""Compiled rig: the device under test on its contact spring, the actuator's way to it, and one block of a test.

Legend: y, v heights and velocities of the masses, head first; G inverse of M + dt/2 C + dt^2/4 K; z imposed height, w
its backward difference; kc, cc stiffness and damping of the contact; f contact force. Newmark 1/4-1/2, as in the line.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dynamics.loop.kernel import loop_step

__all__ = ["RING", "actuator_position", "device_force", "run_block"]

RING = 256  # references under way; a delay and two ramps are shorter
_OPTIONS = {"cache": True, "error_model": "numpy"}


@njit(**_OPTIONS)
def device_force(z: float, device: Any, state: Any) -> float:
    """Move the device by one step to the imposed height z [m]; force with which it presses [N].

    ``device`` is (masses, C, K, G, applied force, kc, cc, unilateral, dt); ``state`` (y, v, past) with past = (force,
    imposed height) of the step before.
    """
    m, C, K, G, F, kc, cc, unilateral, dt = device
    y, v, past = state
    n = m.size
    rest = np.empty(n)
    for i in range(n):
        load = F if i == n - 1 else 0.0
        total = 2.0 * load - (past[0] if i == 0 else 0.0)
        for j in range(n):
            total -= C[i, j] * v[j] + K[i, j] * (2.0 * y[j] + 0.5 * dt * v[j])
        rest[i] = m[i] * v[i] + 0.5 * dt * total
    free = 0.0
    for j in range(n):
        free += G[0, j] * rest[j]
    w = (z - past[1]) / dt
    f = kc * (y[0] + 0.5 * dt * (v[0] + free) - z) + cc * (free - w)
    f /= 1.0 + (0.25 * kc * dt * dt + 0.5 * cc * dt) * G[0, 0]
    if unilateral and f < 0.0:
        f = 0.0
    rest[0] -= 0.5 * dt * f
    for i in range(n):
        new = 0.0
        for j in range(n):
            new += G[i, j] * rest[j]
        y[i] += 0.5 * dt * (v[i] + new)
        v[i] = new
    past[0], past[1] = f, z
    return f


@njit(**_OPTIONS)
def actuator_position(k: int, ring: Any, ramp: int, resolution: float) -> float:
    """Height reached at step k [m]: on a straight line between the references taken up every ``ramp`` steps."""
    late = k % ramp
    first = ring[(k - late) % RING]
    z = first if late == 0 else first + (ring[(k - late + ramp) % RING] - first) * late / ramp
    return np.round(z / resolution) * resolution if resolution > 0.0 else z


@njit(**_OPTIONS)
def run_block(k0: int, loop: Any, device: Any, rig: Any, out: Any) -> int:
    """Run one block from step k0; how many steps were done before the force or the height went out of bounds.

    ``loop`` holds the arguments of ``loop_step`` behind the force; ``device`` (constants, state); ``rig`` (ring, ramp,
    height resolution, force resolution, added force, largest force, largest height, predicted force, steps on it);
    ``out`` (noise, force, position, command), the noise being given. As long as a prediction is played back the loop
    is given its force instead of the measured one, so that a height still scaled by the ramp does not spoil it.
    """
    model, droppers, state, settings = loop
    ring, ramp, fine, grain, added, largest, highest, predicted, hold = rig
    noise, force, position, command = out
    delay = settings[3]
    for i in range(force.size):
        k = k0 + i
        z = actuator_position(k, ring, ramp, fine)
        f = device_force(z, device[0], device[1]) + noise[i]
        f = np.round(f / grain) * grain if grain > 0.0 else f
        position[i], force[i] = z, f
        if not abs(f) <= largest:
            return i
        given = predicted[k % predicted.size] if k < hold else f
        c = loop_step(k, given + added, model, droppers, state, settings)
        command[i] = c
        if not abs(c) <= highest:
            return i
        ring[(k + delay) % RING] = c
    return force.size

r"""Compiled rig: the device under test on its contact spring, the actuator's way to it, and one block of a test.

Legend: y, v heights and velocities of the masses, head first; G inverse of M + dt/2 C + dt^2/4 K; z imposed height, w
its backward difference; kc, cc stiffness and damping of the contact; f contact force. Newmark 1/4-1/2, as in the line.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.rig.loop.kernel import Loop, loop_step

__all__ = [
    "RING", "DeviceConstants", "DeviceState", "Records", "Rig", "actuator_position", "device_force", "run_block",
]  # fmt: skip

Floats = NDArray[np.float64]

RING = 256  # references in transit; a delay and two ramps are shorter
_OPTIONS = {"error_model": "numpy"}


class DeviceConstants(NamedTuple):
    """Masses (mass,), C, K, G (mass, mass) of a device, applied force F on its lowest mass [N], contact, step [s]."""

    m: Floats
    C: Floats
    K: Floats
    G: Floats
    F: float
    kc: float
    cc: float
    unilateral: bool
    dt: float


class DeviceState(NamedTuple):
    """Heights and velocities (mass,), and ``past``: force [N] and imposed height [m] of the step before."""

    y: Floats
    v: Floats
    past: Floats


class Rig(NamedTuple):
    """Actuator, sensor and limits of a rig.

    ``ring`` (RING,) references in transit [m], of which one is taken up every ``ramp`` steps; resolutions of height and
    force (0: exact); force added to the measured one; largest force and height; ``predicted`` (step,) force that is
    played back instead of the measured one for the first ``hold`` steps.
    """

    ring: Floats
    ramp: int
    height_resolution: float
    force_resolution: float
    added_force: float
    largest_force: float
    largest_height: float
    predicted: Floats
    hold: int


class Records(NamedTuple):
    """By step: noise, which is given, and force [N], position and command [m], which are filled."""

    noise: Floats
    force: Floats
    position: Floats
    command: Floats


@kernel(**_OPTIONS)
def device_force(z: float, device: DeviceConstants, state: DeviceState) -> float:
    """Move the device by one step to the imposed height z [m]; force with which it presses [N]."""
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


@kernel(**_OPTIONS)
def actuator_position(k: int, ring: Floats, ramp: int, resolution: float) -> float:
    """Height reached at step k [m]: on a straight line between the references taken up every ``ramp`` steps."""
    late = k % ramp
    first = ring[(k - late) % RING]
    z = first if late == 0 else first + (ring[(k - late + ramp) % RING] - first) * late / ramp
    return np.round(z / resolution) * resolution if resolution > 0.0 else z


@kernel(**_OPTIONS)
def run_block(
    k0: int, loop: Loop, device: DeviceConstants, device_state: DeviceState, rig: Rig, records: Records
) -> int:
    """Run one block from step k0; how many steps were done before the force or the height went out of bounds.

    As long as a prediction is played back the loop is given its force instead of the measured one, so that a height
    still scaled by the ramp does not spoil it.
    """
    ring, grain, delay = rig.ring, rig.force_resolution, loop.constants.delay
    noise, force, position, command = records
    for i in range(force.size):
        k = k0 + i
        z = actuator_position(k, ring, rig.ramp, rig.height_resolution)
        f = device_force(z, device, device_state) + noise[i]
        f = np.round(f / grain) * grain if grain > 0.0 else f
        position[i], force[i] = z, f
        if not abs(f) <= rig.largest_force:
            return i
        given = rig.predicted[k % rig.predicted.size] if k < rig.hold else f
        c = loop_step(k, given + rig.added_force, loop)
        command[i] = c
        if not abs(c) <= rig.largest_height:
            return i
        ring[(k + delay) % RING] = c
    return force.size

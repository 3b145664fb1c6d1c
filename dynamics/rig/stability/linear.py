"""The linear loop as operators over one block: what the device answers, and which heights it is sent.

In contact and without slack everything that happens in a block of N steps is linear: the force follows from the
heights reached and from the device's state at the block's beginning (Gil et al., eq. A.4), the heights from the forces
of the blocks before (eqs 2, 3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import toeplitz

from dynamics.rig.loop.device import LumpedDevice
from dynamics.rig.loop.device_kernel import device_force
from dynamics.rig.loop.harmonics import harmonic_basis, largest_count
from dynamics.rig.loop.model import PeriodicModel
from dynamics.rig.loop.spec import LoopSettings

__all__ = ["DeviceResponse", "LineResponse", "blend_weights", "device_response", "line_response"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DeviceResponse:
    """Device in contact over one block of N steps: force = P p + S x, state after it = R p + T x.

    Attributes
    ----------
    force_by_height : float array (step, step)
        P, lower triangular with equal diagonals [N/m].
    force_by_state : float array (step, state)
        S; the state holds heights, velocities, last force and last imposed height.
    state_by_height : float array (state, step)
        R.
    state_by_state : float array (state, state)
        T.
    """

    force_by_height: Array
    force_by_state: Array
    state_by_height: Array
    state_by_state: Array


@dataclass(frozen=True)
class LineResponse:
    """Line seen through the filter: z = Q zeta, zeta = g f.

    Attributes
    ----------
    basis : float array (step, harmonic)
        Q, orthonormal harmonics by rising frequency.
    gain : float array (harmonic, step)
        g = Q^T I_cc [m/N].
    """

    basis: Array
    gain: Array


def line_response(model: PeriodicModel, harmonics: int | None = None) -> LineResponse:
    """Line through the filter of ``harmonics`` harmonics, all that a period holds when none are named."""
    basis = harmonic_basis(largest_count(model.steps) if harmonics is None else harmonics, model.steps)
    return LineResponse(basis, basis.T @ model.I_cc)


def device_response(device: LumpedDevice, steps: int) -> DeviceResponse:
    """Response of a device that keeps contact over a block of ``steps`` steps, by stepping it."""
    linear = replace(device, applied_force=0.0, unilateral=False)
    masses = len(device.spec.masses)
    size = 2 * masses + 2
    P, states = _run(linear, np.zeros(size), 1.0, steps)
    S, T = np.empty((steps, size)), np.empty((size, size))
    for i in range(size):
        S[:, i], after = _run(linear, np.eye(size)[i], 0.0, steps)
        T[:, i] = after[-1]
    return DeviceResponse(toeplitz(P, np.zeros(steps)), S, states[::-1].T.copy(), T)


def _run(device: LumpedDevice, state: Array, impulse: float, steps: int) -> tuple[Array, Array]:
    """Forces and states of a device from a state, with a height of one step at the first."""
    y, v, past = device.state
    m = len(y)
    y[:], v[:], past[:] = state[:m], state[m : 2 * m], state[2 * m :]
    force, states = np.empty(steps), np.empty((steps, len(state)))
    for k in range(steps):
        force[k] = device_force(impulse if k == 0 else 0.0, device.constants, device.state)
        states[k] = np.concatenate(device.state)
    return force, states


def blend_weights(settings: LoopSettings, steps: int) -> tuple[NDArray[np.int64], Array]:
    """Station and weight of the newer span behind every command of a block (eq. 3), (step,) each.

    The command of step j is reached at j + D. At the last step the new span enters with the weight of nothing,
    which is the weight one of the span before.
    """
    j = np.arange(steps)
    ahead = settings.delay_steps if settings.compensation else 1
    return (j + ahead) % steps, np.minimum((j + 1) / (steps - 1.0), 1.0)

"""The loop as X' = A X + B from block to block, and whether it settles (Gil et al., section 4 and appendix A).

States hold what the appendix lists and what it leaves out (docs/theory/hardware-loop.md): heights in transit to the
actuator, and of a device its last force and height. Heights are carried as harmonics of the filter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from dynamics.rig.loop.device import LumpedDevice
from dynamics.rig.loop.model import PeriodicModel
from dynamics.rig.loop.spec import LoopSettings
from dynamics.rig.stability.linear import DeviceResponse, LineResponse, blend_weights, device_response, line_response

__all__ = ["block_matrix", "span_matrix", "spectral_radius", "step_matrix"]

Array = NDArray[np.float64]


def block_matrix(model: PeriodicModel, device: LumpedDevice, settings: LoopSettings) -> Array:
    """Matrix A of eq. 13 for a model, a device that keeps contact, and the loop's settings.

    Returns
    -------
    float array (state, state)
        Span by span the state is (harmonics of z^{b-2}, of z^{b-1}, heights in transit, device); step by step it is
        (relaxed forces of b-1, heights in transit, device).
    """
    line = line_response(model, settings.height_harmonics)
    response = device_response(device, model.steps)
    build = span_matrix if settings.strategy == "span_by_span" else step_matrix
    return build(line, response, settings)


def spectral_radius(matrix: Array) -> float:
    """Largest modulus of the eigenvalues: growth of the loop's error from block to block [-].

    Infinite where the map itself is beyond what numbers can hold.
    """
    if not np.isfinite(matrix).all():
        return float("inf")
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def span_matrix(line: LineResponse, device: DeviceResponse, settings: LoopSettings) -> Array:
    """Span-by-span map (eqs A.1 to A.11)."""
    Q, g, D, mu = line.basis, line.gain, settings.delay_steps, settings.contact_relaxation
    N, r = Q.shape
    station, weight = blend_weights(settings, N)
    older, newer = (1.0 - weight)[:, None] * Q[station], weight[:, None] * Q[station]
    ns = device.force_by_state.shape[1]
    heights = np.zeros((N, 2 * r + D + ns))  # reached in this block, by state
    heights[D:, :r], heights[D:, r : 2 * r] = older[: N - D], newer[: N - D]
    heights[:D, 2 * r : 2 * r + D] = np.eye(D)
    states = np.zeros((ns, 2 * r + D + ns))
    states[:, 2 * r + D :] = np.eye(ns)
    force = device.force_by_height @ heights + device.force_by_state @ states
    A = np.zeros((2 * r + D + ns, 2 * r + D + ns))
    A[:r, r : 2 * r] = np.eye(r)
    A[r : 2 * r] = mu * (g @ force)
    A[r : 2 * r, r : 2 * r] += (1.0 - mu) * np.eye(r)
    A[2 * r : 2 * r + D, :r], A[2 * r : 2 * r + D, r : 2 * r] = older[N - D :], newer[N - D :]
    A[2 * r + D :] = device.state_by_height @ heights + device.state_by_state @ states
    return A


def step_matrix(line: LineResponse, device: DeviceResponse, settings: LoopSettings) -> Array:
    """Step-by-step map (eqs A.12 to A.16); the products with the mask of A.14 are elementwise, after the filter."""
    Q, g, D, mu = line.basis, line.gain, settings.delay_steps, settings.contact_relaxation
    N = Q.shape[0]
    station, _ = blend_weights(settings, N)
    influence = Q[station] @ g  # by command: command j is reached at j + D
    known = np.tril(np.ones((N, N)))  # forces that a command knows from this block
    T, U = influence * known, influence * (1.0 - known)
    ns = device.force_by_state.shape[1]
    size = N + D + ns
    old, under_way, states = np.zeros((N, size)), np.zeros((D, size)), np.zeros((ns, size))
    old[:, :N], under_way[:, N : N + D], states[:, N + D :] = np.eye(N), np.eye(D), np.eye(ns)
    # heights reached at k >= D: command k - D
    reach = np.zeros((N, N))
    reach[D:] = T[: N - D]
    rest = np.vstack([under_way, (U + (1.0 - mu) * T)[: N - D] @ old])
    # a height knows earlier forces alone, so the system is solved step by step; it may grow beyond all numbers
    force = solve_triangular(
        np.eye(N) - mu * device.force_by_height @ reach,
        device.force_by_height @ rest + device.force_by_state @ states,
        lower=True,
        unit_diagonal=True,
        check_finite=False,
    )
    with np.errstate(over="ignore", invalid="ignore"):
        new = mu * force + (1.0 - mu) * old
        heights = rest + mu * reach @ force
        commands = T[N - D :] @ new + U[N - D :] @ old
        after = device.state_by_height @ heights + device.state_by_state @ states
    return np.vstack([new, commands, after])

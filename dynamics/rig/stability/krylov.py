r"""Compiled Krylov spaces of the block maps, for radii of many loops in little time.

Only the harmonics of the filter move from block to block, so that few vectors hold what grows; the eigenvalues that
cluster at 1 - mu_c do not have to be found one by one. Legend: x state, r harmonics kept, R harmonics of the tables,
D heights in transit, q harmonics' rows by command, g harmonics' gain by step, h and v heights and velocities of the
device's masses.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.rig.loop.device_kernel import DeviceConstants, DeviceState, device_force
from dynamics.rig.loop.kernel import dot

__all__ = ["Tables", "hessenbergs_span", "hessenbergs_step"]

Floats = NDArray[np.float64]

_OPTIONS = {"error_model": "numpy", "nogil": True, "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


class Tables(NamedTuple):
    """Line of a step-by-step loop: harmonics' rows by command and gain by step, (step, harmonic) each."""

    q: Floats
    g: Floats


@kernel(**_OPTIONS)
def _project(V, H, k, y):
    """Orthogonalise y against the first k + 1 vectors, twice, and make it the next one; false where nothing is left."""
    for _ in range(2):
        for i in range(k + 1):
            h = dot(V[i], y)
            H[i, k] += h
            for j in range(y.size):
                y[j] -= h * V[i, j]
    norm = np.sqrt(dot(y, y))
    if not norm > 1e-13 * np.abs(H[: k + 1, k]).max():
        return False
    if k + 1 < V.shape[0]:
        H[k + 1, k] = norm
        for j in range(y.size):
            V[k + 1, j] = y[j] / norm
    return True


@kernel(**_OPTIONS)
def hessenbergs_span(A: Floats, r: int, relaxations: Floats, start: Floats, size: int) -> Floats:
    """Projected span-by-span maps, (relaxation, size, size), from the map A of mu_c = 1 (span_matrix)."""
    out = np.zeros((relaxations.size, size, size))
    for p in range(relaxations.size):
        mu = relaxations[p]
        V = np.zeros((size, start.size))
        V[0] = start / np.sqrt(dot(start, start))
        for k in range(size):
            x, y = V[k], np.empty(start.size)
            for i in range(y.size):
                y[i] = dot(A[i], x)
            for i in range(r, 2 * r):
                y[i] = mu * y[i] + (1.0 - mu) * x[i]
            if not _project(V, out[p], k, y):
                break
    return out


@kernel(**_OPTIONS)
def _block(x, tables, device, state, relaxation, y):
    """One block of the step-by-step loop: state y after state x (relaxed forces, heights in transit, device)."""
    q, g = tables
    h, v, past = state
    N, r = g.shape
    D, m = x.size - N - 2 * h.size - 2, h.size
    zeta = np.zeros(r)
    for k in range(N):
        for j in range(r):
            zeta[j] += g[k, j] * x[k]
    at = N + D
    h[:], v[:], past[:] = x[at : at + m], x[at + m : at + 2 * m], x[at + 2 * m :]
    commands = np.empty(N)
    for k in range(N):
        z = float(x[N + k] if k < D else commands[k - D])
        change = relaxation * (device_force(z, device, state) - x[k])
        y[k] = x[k] + change
        for j in range(r):
            zeta[j] += g[k, j] * change
        commands[k] = dot(q[k], zeta)
    y[N : N + D] = commands[N - D :]
    y[at : at + m], y[at + m : at + 2 * m], y[at + 2 * m :] = h, v, past


@kernel(**_OPTIONS)
def hessenbergs_step(
    tables: Tables, device: DeviceConstants, state: DeviceState, relaxations: Floats, start: Floats, size: int
) -> Floats:
    """Projected step-by-step maps, (relaxation, size, size), applied without forming them.

    The ``device`` is without load; its ``state`` is worked in.
    """
    out = np.zeros((relaxations.size, size, size))
    for p in range(relaxations.size):
        V = np.zeros((size, start.size))
        V[0] = start / np.sqrt(dot(start, start))
        for k in range(size):
            y = np.empty(start.size)
            _block(V[k], tables, device, state, relaxations[p], y)
            if not _project(V, out[p], k, y):
                break
    return out

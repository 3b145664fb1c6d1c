"""One step of the half-explicit method that is reversible in time (Arnold & Simeon, eqs 39 to 41), compiled.

Legend: as in ``implicit``; n the step, h its length, a_n and lambda_n belong to its beginning:
    M a_n = b - D (v_(n-1) + v_n + h a_n) / 2 - K q_n + G_n^T lambda_n           (39, damping as in 41), g''_n = 0
    v_(n+1) = v_(n-1) + 2 h a_n + 2 h M^-1 G_n^T eta                             (40), g'_(n+1) = 0
    q_(n+1) = q_n + h (v_n + v_(n+1)) / 2 + h M^-1 (G'^T eta + G^T mu)_(n+1/2)   (40), g_(n+1) = 0.
Rows of ``mG``: M^-1 G^T of dropper 1, dropper 2, contact at n, contact at n + 1/2, contact's rate at n + 1/2;
of ``hG``: (M + h D / 2)^-1 G_n^T.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.arnold_simeon.constraints import COUNT, project, residuals, settle, spread
from dynamics.arnold_simeon.system import Contact, Factors, HalfExplicitState, Motion, System
from dynamics.arnold_simeon.window import solve, window
from dynamics.linear_algebra.sparse_rows import product

__all__ = ["half_explicit_answers", "half_explicit_step"]

Array = NDArray[np.float64]
OPTIONS = {"error_model": "numpy"}


@kernel(**OPTIONS)
def half_explicit_answers(system: System, factors: Factors, hG: Array, mG: Array) -> None:
    """Fill the droppers' rows of ``hG`` and ``mG``, which stay the same over a run."""
    n, none = mG.shape[1], Contact(0, np.zeros((3, 0)))
    for d in range(2):
        spread(system.droppers, none, d, mG[d])
        hG[d] = mG[d]
        solve(factors.mass, mG[d], 0, n)
        solve(factors.step, hG[d], 0, n)


@kernel(**OPTIONS)
def _contact_answers(system, factors, now, middle, hG, mG):
    """Fill the contact's rows of ``hG`` and ``mG``."""
    droppers, n = system.droppers, mG.shape[1]
    first, last = window(now, factors.reach, n)
    spread(droppers, now, 2, mG[2])
    hG[2] = mG[2]
    solve(factors.mass, mG[2], first, last)
    solve(factors.step, hG[2], first, last)
    first, last = window(middle, factors.reach, n)
    for k in (2, 3):
        spread(droppers, middle, k, mG[k + 1])
        solve(factors.mass, mG[k + 1], first, last)


@kernel(**OPTIONS)
def _answers(droppers, now, then, h, hG, mG, W):
    """Fill W: g'' at n, g' and g at n + 1 for each multiplier alone."""
    W[:] = 0.0
    P, R, Q = np.empty((3, COUNT)), np.empty((3, COUNT)), np.zeros((3, COUNT))
    for i in range(COUNT):
        project(droppers, now, hG[i], P)
        W[6:9, 6 + i] = P[0]
        project(droppers, then, hG[i], P)
        W[:3, 6 + i] = h * h * P[0]
        W[3:6, 6 + i] = h * h * P[1] + 2.0 * h * P[0]
        project(droppers, then, mG[i], P)
        if i == 2:
            project(droppers, then, mG[3], R)
            project(droppers, then, mG[4], Q)
        else:
            R[:] = P
        W[:3, 3 + i] = h * h * P[0] + h * Q[0]
        W[3:6, 3 + i] = h * h * P[1] + h * Q[1] + 2.0 * h * P[0]
        W[:3, i] = h * R[0]
        W[3:6, i] = h * R[1]


@kernel(**OPTIONS)
def half_explicit_step(
    system: System, factors: Factors, places: tuple[Contact, Contact, Contact], h: float, state: HalfExplicitState
) -> int:
    """Step from q_n, v_n, v_(n-1) to q_(n+1), v_(n+1), v_n; returns the tries for the active set.

    ``factors`` are those of M and M + h D / 2, ``places`` the contact at n, n + 1/2 and n + 1.
    """
    q, v, before, a, hG, mG, active, x = state
    D, K, b, droppers, g0 = system.D, system.K, system.b, system.droppers, system.g0
    now, middle, then = places
    n = q.size
    y, z = np.empty(n), np.empty(n)
    product(D, 0.5 * (before + v), y)
    product(K, q, z)
    a[:] = b - y - z
    solve(factors.step, a, 0, n)
    _contact_answers(system, factors, now, middle, hG, mG)
    W, r, at_start = np.empty((9, 9)), np.empty(9), np.empty(9)
    _answers(droppers, now, then, h, hG, mG, W)
    residuals(droppers, now, g0, Motion(q, v, a), at_start)
    for i in range(n):
        old = v[i]
        v[i] = before[i] + 2.0 * h * a[i]
        before[i] = old
        q[i] += 0.5 * h * (old + v[i])
    residuals(droppers, then, g0, Motion(q, v, a), r)
    r[6:] = at_start[6:]
    tries = settle(W, r, h, active, x)
    y[:], z[:] = 0.0, 0.0
    for c in range(COUNT):
        y += x[6 + c] * hG[c]
        z += x[3 + c] * mG[c]
    a += y
    v += 2.0 * h * (y + z)
    q += h * h * (y + z) + h * (x[0] * mG[0] + x[1] * mG[1] + x[2] * mG[3] + x[5] * mG[4])
    return tries

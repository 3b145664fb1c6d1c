"""One implicit step on the stabilised form of Gear, Gupta and Leimkuhler (Arnold & Simeon, eq. 38), compiled.

Legend: M, D, K, b of M q'' + D q' + K q = b + G^T lambda; mu, eta, lambda multipliers of g, g', g'' = 0:
    M (q' - v) = G'^T eta + G^T mu,    M (v' - a) = G^T eta,    M a = b - D v - K q + G^T lambda.
A backward difference gives q = Q + gam q', v = V + gam v' (two-step BDF: gam = 2 h / 3, Q = (4 q_n - q_(n-1)) / 3;
backward Euler: gam = h, Q = q_n), S = M + gam D + gam^2 K. All is linear: the answer without multipliers, the answer of
the accelerations to each of the nine (rows of ``ca``: mu, eta, lambda of dropper 1, dropper 2, contact), the active
set, their sum. ``mG`` (4, dof) holds M^-1 G^T of the three constraints and M^-1 F'^T of the contact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.arnold_simeon.constraints import COUNT, project, residuals, settle, spread
from dynamics.arnold_simeon.system import Contact, Factors, ImplicitState, Motion, System
from dynamics.arnold_simeon.window import solve, window
from dynamics.linear_algebra.sparse_rows import product

__all__ = ["dropper_answers", "implicit_step"]

Array = NDArray[np.float64]
OPTIONS = {"error_model": "numpy"}


@kernel(**OPTIONS)
def _unit(system, factors, gam, G, first, last, i, rate, mG, ca):
    """Fill rows of ``ca`` for unit mu, eta, lambda of constraint i; ``rate`` is M^-1 F'^T or zero."""
    D, K, n = system.D, system.K, G.size
    x, y, z = np.empty(n), np.empty(n), np.empty(n)
    mG[i] = G
    solve(factors.mass, mG[i], first, last)
    product(K, mG[i], x)
    product(D, mG[i], y)
    product(K, rate, z)
    for j in range(n):
        ca[i, j] = -gam * x[j]
        ca[COUNT + i, j] = -gam * y[j] - gam * gam * x[j] - gam * z[j]
        ca[2 * COUNT + i, j] = G[j]
    for kind in range(3):
        solve(factors.step, ca[COUNT * kind + i], first, last)


@kernel(**OPTIONS)
def dropper_answers(system: System, factors: Factors, gam: float, ca: Array, mG: Array) -> None:
    """Fill the droppers' rows of ``ca`` and ``mG``, which stay the same over a run."""
    n = mG.shape[1]
    G, none = np.empty(n), Contact(0, np.zeros((3, 0)))
    for d in range(2):
        spread(system.droppers, none, d, G)
        _unit(system, factors, gam, G, 0, n, d, np.zeros(n), mG, ca)


@kernel(**OPTIONS)
def _answers(system, contact, gam, ca, mG, W):
    """Fill W: what g, g' and g'' become for each multiplier alone."""
    droppers = system.droppers
    A, P, Pd = np.empty((3, COUNT)), np.empty((3, COUNT)), np.zeros((3, COUNT))
    for i in range(COUNT):
        project(droppers, contact, mG[i], P)
        if i == 2:
            project(droppers, contact, mG[3], Pd)
        for kind in range(3):
            c = COUNT * kind + i
            project(droppers, contact, ca[c], A)
            eta, mu = (1.0 if kind == 1 else 0.0), (1.0 if kind == 0 else 0.0)
            for j in range(COUNT):
                v0 = gam * A[0, j] + eta * gam * P[0, j]
                v1 = gam * A[1, j] + eta * gam * P[1, j]
                v2 = gam * A[2, j] + eta * gam * P[2, j]
                q0 = gam * (v0 + eta * Pd[0, j] + mu * P[0, j])
                q1 = gam * (v1 + eta * Pd[1, j] + mu * P[1, j])
                q2 = gam * (v2 + eta * Pd[2, j] + mu * P[2, j])
                W[j, c], W[3 + j, c], W[6 + j, c] = q0, q1 + v0, q2 + 2.0 * v1 + A[0, j]


@kernel(**OPTIONS)
def implicit_step(system: System, factors: Factors, contact: Contact, gam: float, state: ImplicitState) -> int:
    """Step from the differences' known parts to q, v, a; returns the tries for the active set.

    ``factors`` are those of M and S, ``contact`` is that at the step's end, q and v of the ``state`` are Q and V on
    entry.
    """
    q, v, a, ca, mG, active, x = state
    D, K, b, droppers, n = system.D, system.K, system.b, system.droppers, q.size
    G, y, z = np.empty(n), np.empty(n), np.empty(n)
    first, last = window(contact, factors.reach, n)
    spread(droppers, contact, 3, mG[3])
    solve(factors.mass, mG[3], first, last)
    spread(droppers, contact, 2, G)
    _unit(system, factors, gam, G, first, last, 2, mG[3], mG, ca)
    product(D, v, y)
    product(K, q + gam * v, z)
    a[:] = b - y - z
    solve(factors.step, a, 0, n)
    v += gam * a
    q += gam * v
    W, r = np.empty((9, 9)), np.empty(9)
    _answers(system, contact, gam, ca, mG, W)
    residuals(droppers, contact, system.g0, Motion(q, v, a), r)
    tries = settle(W, r, gam, active, x)
    y[:], z[:], G[:] = 0.0, 0.0, 0.0
    for c in range(3 * COUNT):
        y += x[c] * ca[c]
    for c in range(COUNT):
        z += x[COUNT + c] * mG[c]
        G += x[c] * mG[c]
    G += x[5] * mG[3]
    a += y
    v += gam * (y + z)
    q += gam * (gam * (y + z) + G)
    return tries

"""Values of the constraints, and which of them act in a step, found as in Arnold & Simeon, section 5.3.

Legend: three constraints i, the two droppers and the contact; g_i = G_i q + g0_i >= 0; G' and G'' time derivatives of
the contact's row; multipliers mu (of g), eta (of g') and lambda (of g'', the force) of the stabilised form (eq. 38).
Rows of ``W`` and ``r``: 3 level + i for g, g', g''; columns 3 kind + i for mu, eta, lambda.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.arnold_simeon.system import Contact, Droppers, Motion

__all__ = ["COUNT", "TRIES", "project", "residuals", "settle", "spread"]

Array = NDArray[np.float64]
OPTIONS = {"error_model": "numpy"}
COUNT = 3
# more sets than there are: an iteration that needs them goes round
TRIES = 2**COUNT


@kernel(**OPTIONS)
def project(droppers: Droppers, contact: Contact, x: Array, out: Array) -> None:
    """Products of G, G' and G'' with a vector of all dofs, float array (level, constraint)."""
    (dof, weight), (at, row) = droppers, contact
    out[:] = 0.0
    for d in range(dof.shape[0]):
        for k in range(dof.shape[1]):
            out[0, d] += weight[d, k] * x[dof[d, k]]
    for level in range(3):
        total = 0.0
        for k in range(row.shape[1]):
            total += row[level, k] * x[at + k]
        out[level, 2] = total
    # the head stands under the wire: the last dof but one
    out[0, 2] -= x[x.size - 2]


@kernel(**OPTIONS)
def spread(droppers: Droppers, contact: Contact, kind: int, out: Array) -> None:
    """Fill a vector of all dofs with G_i^T of dropper ``kind`` 0 or 1, with that of the contact (2) or its rate (3)."""
    (dof, weight), (at, row) = droppers, contact
    out[:] = 0.0
    if kind < 2:
        for k in range(dof.shape[1]):
            out[dof[kind, k]] += weight[kind, k]
        return
    for k in range(row.shape[1]):
        out[at + k] = row[kind - 2, k]
    if kind == 2:
        out[out.size - 2] = -1.0


@kernel(**OPTIONS)
def residuals(droppers: Droppers, contact: Contact, offset: Array, motion: Motion, out: Array) -> None:
    """Values of g, g' and g'' for heights, velocities and accelerations, float array (9,)."""
    Q, V, A = np.empty((3, COUNT)), np.empty((3, COUNT)), np.empty((3, COUNT))
    project(droppers, contact, motion.q, Q)
    project(droppers, contact, motion.v, V)
    project(droppers, contact, motion.a, A)
    for i in range(COUNT):
        out[i] = Q[0, i] + offset[i]
        out[COUNT + i] = Q[1, i] + V[0, i]
        out[2 * COUNT + i] = Q[2, i] + 2.0 * V[1, i] + A[0, i]


@kernel(**OPTIONS)
def settle(W: Array, r: Array, h: float, active: NDArray[np.bool_], x: Array) -> int:
    """Solve r + W x = 0 for the multipliers of the active constraints until set and signs agree; the tries used.

    A constraint joins when it would be violated without force. It leaves when its force would be negative, unless it
    has just joined: the force that is then found belongs to a moment before the two met. TRIES if none agree. The step
    ``h`` brings heights, velocities and accelerations to one scale.
    """
    scale = np.array([1.0 / (h * h), 1.0 / h, 1.0])
    if not (np.isfinite(r).all() and np.isfinite(W).all()):
        return TRIES
    pick = np.empty(3 * COUNT, np.int64)
    joined = np.zeros(COUNT, np.bool_)
    for tries in range(1, TRIES):
        n = 0
        for level in range(3):
            for i in range(COUNT):
                if active[i]:
                    pick[n] = 3 * level + i
                    n += 1
        x[:] = 0.0
        if n > 0:
            A, b = np.empty((n, n)), np.empty(n)
            for a in range(n):
                by = scale[pick[a] // COUNT]
                b[a] = -r[pick[a]] * by
                for c in range(n):
                    A[a, c] = W[pick[a], pick[c]] * by * (h if pick[c] < COUNT else 1.0)
            y = np.linalg.solve(A, b)
            for a in range(n):
                x[pick[a]] = y[a] * (h if pick[a] < COUNT else 1.0)
        changed = False
        for i in range(COUNT):
            if active[i]:
                if x[6 + i] < 0.0 and not joined[i]:
                    active[i] = False
                    changed = True
            else:
                gap = r[i]
                for c in range(3 * COUNT):
                    gap += W[i, c] * x[c]
                if gap < 0.0:
                    active[i] = True
                    joined[i] = True
                    changed = True
        if not changed:
            return tries
    return TRIES

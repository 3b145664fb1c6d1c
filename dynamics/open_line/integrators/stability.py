"""Largest stable step of the explicit method on a given mesh."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, SuperLU, eigsh, splu

from dynamics.open_line.integrators.scheme import Matrices

__all__ = ["longest_step"]

BISECTIONS = 40


def longest_step(matrices: Matrices) -> float:
    """Longest stable step [s] of the fourth-order Runge-Kutta method.

    For every frequency w up to the largest of the mesh, and the damping that belongs to it, both roots s of
    s^2 + c s + w^2 = 0 must have |R(h s)| <= 1, R(x) = 1 + x + x^2/2 + x^3/6 + x^4/24. The damping at w is bounded by
    the largest of v'Cv / v'Mv and, for Rayleigh damping, runs as alpha + beta w^2; both ends are covered.
    """
    M, C, K = matrices.mass, matrices.damping, matrices.stiffness
    start = np.random.default_rng(0).standard_normal(M.shape[0])
    inverse = splu(M.tocsc())
    top = _largest(K, matrices, inverse, start)
    damped = _largest(C, matrices, inverse, start)
    w = np.sqrt(top) * np.geomspace(1e-3, 1.0, 200)
    c = damped * np.linspace(0.0, 1.0, 21)[:, None]
    root = np.sqrt((0.25 * c**2 - w**2).astype(complex))
    s = np.concatenate([(-0.5 * c + root).ravel(), (-0.5 * c - root).ravel()])
    low, high = 0.0, 3.0 / np.sqrt(top)
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        x = middle * s
        growth = np.abs(1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0))))
        low, high = (middle, high) if growth.max() <= 1.0 + 1e-12 else (low, middle)
    return low


def _largest(A: csr_array, matrices: Matrices, inverse: SuperLU, start: NDArray[np.float64]) -> float:
    """Largest eigenvalue of the pair (A, M)."""
    n = A.shape[0]
    solve = LinearOperator((n, n), matvec=inverse.solve)
    options = {"M": matrices.mass, "Minv": solve, "which": "LM", "v0": start, "tol": 1e-4}
    return float(eigsh(A, k=1, return_eigenvectors=False, **options)[0])

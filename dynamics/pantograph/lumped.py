"""Lumped-mass pantograph: mass, damping and stiffness matrices from its list of masses, head first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynamics.spec import PantographSpec

__all__ = ["chain_matrix", "pantograph_matrices"]


def chain_matrix(links: tuple[float, ...]) -> NDArray[np.float64]:
    """Matrix of a chain of springs (or dampers), float array (mass, mass); the last link goes to the base."""
    n = len(links)
    matrix = np.diag(np.array(links))
    for k in range(n - 1):
        matrix[k + 1, k + 1] += links[k]
        matrix[k, k + 1] -= links[k]
        matrix[k + 1, k] -= links[k]
    return matrix


def pantograph_matrices(
    spec: PantographSpec,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Masses (mass,) [kg], damping [N s/m] and stiffness [N/m] matrices (mass, mass)."""
    return np.array(spec.masses), chain_matrix(spec.dampings), chain_matrix(spec.stiffnesses)

"""Lumped-mass pantograph: mass, damping and stiffness matrices from its list of masses, head first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from dynamics.spec.pantograph import PantographSpec

__all__ = ["chain_matrix", "pantograph_matrices", "pressed_at_rest"]


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
    """Masses (mass,) [kg], damping [N s/m] and stiffness [N/m] matrices (mass, mass).

    Raises
    ------
    InputError
        If the pantograph is not one of lumped masses, or its head rolls.
    """
    if spec.kind != "lumped":
        raise InputError([f"pantograph.kind must be lumped on the rig and in its emulation: got {spec.kind}"])
    if spec.head is not None:
        raise InputError(["pantograph.head must be left out on the rig and in its emulation: their head does not roll"])
    if spec.aerodynamic:
        raise InputError(
            ["pantograph.aerodynamic must be left out on the rig and in its emulation: add it to the applied force"]
        )
    if spec.control is not None:
        raise InputError(["pantograph.control must be left out on the rig and in its emulation, which are passive"])
    return np.array(spec.masses), chain_matrix(spec.dampings), chain_matrix(spec.stiffnesses)


def pressed_at_rest(
    stiffness: NDArray[np.float64],
    softness: NDArray[np.float64],
    height: NDArray[np.float64],
    applied: NDArray[np.float64],
    pressed: NDArray[np.int64] | None = None,
    by_force: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rest of equal pantographs that press against springs over their heads, each with its applied force.

    Nothing is inverted that a pantograph without a base spring makes singular: what it presses against holds it, with
    just the applied force.

    Parameters
    ----------
    stiffness : float array (mass, mass)
        Of one pantograph, head first [N/m].
    softness : float array (contact, contact)
        Rise of every head's resting place by the force of each [m/N]: contact springs and the line.
    height : float array (contact,)
        Where a head's resting place is without a force [m].
    applied : float array (pantograph, mass)
        Load of the applied forces [N].
    pressed : int array (contact,), optional
        Pantograph of each contact; without it every one has just its own.
    by_force : float array (mass,), optional
        Load on the masses, downwards, by the contact force of their head [-]: a controller's answer.

    Returns
    -------
    heights : float array (pantograph, mass)
        [m].
    force : float array (contact,)
        Contact force [N]; negative where a head would have to be pulled up.
    """
    count, masses = applied.shape
    n = count * masses
    heads = np.kron(np.eye(count), np.eye(masses)[:, :1])
    loads = heads if by_force is None else heads + np.kron(np.eye(count), by_force[:, None])
    heads, loads = (heads, loads) if pressed is None else (heads[:, pressed], loads[:, pressed])
    matrix = np.block([[np.kron(np.eye(count), stiffness), loads], [heads.T, -softness]])
    load = np.concatenate([applied.ravel(), height])
    found = np.asarray(np.linalg.solve(matrix, load), dtype=np.float64)
    return found[:n].reshape(count, masses), found[n:]

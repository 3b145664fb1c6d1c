"""Lumped-mass pantograph: mass, damping and stiffness matrices from its list of masses, head first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from dynamics.pantograph.strips import Touching
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
    touching: Touching,
    by_force: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rest of equal pantographs that press against springs over their heads, each with its applied force.

    Nothing is inverted that a pantograph without a base spring makes singular: what it presses against holds it, with
    just the applied force.

    Parameters
    ----------
    stiffness : float array (mass, mass)
        Of one pantograph, head first, without its roll [N/m].
    softness : float array (contact, contact)
        Rise of every head's resting place by the force of each [m/N]: contact springs and the line.
    height : float array (contact,)
        Where a head's resting place is without a force [m].
    applied : float array (pantograph, mass)
        Load of the applied forces [N].
    touching : Touching
        What each contact is of.
    by_force : float array (mass,), optional
        Load on the masses, downwards, by the contact force of their head [-]: a controller's answer.

    Returns
    -------
    heights : float array (pantograph, mass)
        And pitch, where the head has it [m, rad].
    force : float array (contact,)
        Contact force [N]; negative where a head would have to be pulled up.
    """
    count, masses = applied.shape
    n = count * masses
    (of, strip, strips), contacts = touching, np.arange(len(height))
    heads, loads = np.zeros((2, count, masses, len(height)))
    heads[of, strips.rides[strip], contacts] = 1.0
    loads[of, :, contacts] = strips.load[strip, :masses]
    if by_force is not None:
        loads[of, :, contacts] += by_force
    heads, loads = heads.reshape(n, -1), loads.reshape(n, -1)
    matrix = np.block([[np.kron(np.eye(count), stiffness), loads], [heads.T, -softness]])
    load = np.concatenate([applied.ravel(), height])
    found = np.asarray(np.linalg.solve(matrix, load), dtype=np.float64)
    return found[:n].reshape(count, masses), found[n:]

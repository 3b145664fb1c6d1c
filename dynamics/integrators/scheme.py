"""What a compiled step is handed: coefficients of the method and the factor of the matrix that it solves with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.banded_ldl import PADDING, BandedFactor

__all__ = ["Scheme", "StepFailure", "Work", "make_work"]


VECTORS = 9


class Scheme(NamedTuple):
    """One method at one step.

    ``substeps`` > 0 is Runge-Kutta with that many steps within dt, and ``factor`` that of M. Otherwise the method is
    HHT-alpha (0: Newmark) with ``beta`` and ``gamma``, and ``factor`` that of the effective matrix
    A = by_mass M + by_damping C + by_stiffness K with by_mass = 1 / (beta dt^2),
    by_damping = (1 + alpha) gamma / (beta dt), by_stiffness = 1 + alpha; ``mass_inverse`` is the same for a
    pantograph. ``contact_share`` is the part of a missing contact force that a correction takes.
    """

    substeps: int
    dt: float
    alpha: float
    beta: float
    gamma: float
    by_mass: float
    by_damping: float
    by_stiffness: float
    tolerance: float
    most: int
    factor: BandedFactor
    mass_inverse: NDArray[np.float64]
    contact_share: float


class Work(NamedTuple):
    """Memory of a step: a padded vector to solve for, vectors of the line and of the masses, contacts.

    ``contact`` is force, wire height and approach speed of every contact. Newmark and HHT carry M and K times
    displacement, velocity and acceleration along in ``carried`` (see `implicit`).
    """

    solved: NDArray[np.float64]
    carried: NDArray[np.float64]
    line: NDArray[np.float64]
    masses: NDArray[np.float64]
    contact: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
    force_new: NDArray[np.float64]


def make_work(dofs: int, pantographs: int, masses: int) -> Work:
    """Memory for steps of a line with that many dofs."""
    by_contact = np.zeros((4, pantographs))
    return Work(
        np.zeros(dofs + PADDING),
        np.zeros((VECTORS, dofs)),
        np.zeros((VECTORS, dofs)),
        np.zeros((VECTORS, pantographs, masses)),
        (by_contact[0], by_contact[1], by_contact[2]),
        by_contact[3],
    )


@dataclass(frozen=True)
class StepFailure:
    """A step that did not converge: when [s], residual [N], iterations."""

    time: float
    residual: float
    iterations: int

"""What every method is made from, and the memory that its compiled step works in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

__all__ = ["Matrices", "Request", "StepFailure", "Work", "make_work"]


VECTORS = 9


@dataclass(frozen=True)
class Matrices:
    """Line (sparse), masses of one pantograph (dense), contact stiffness [N/m] at the mean force.

    ``contact_dof``, ``contact_weight`` (point, 4): some points of the contact wire, as the contact meets it.
    """

    mass: csr_array
    damping: csr_array
    stiffness: csr_array
    masses: NDArray[np.float64]
    mass_damping: NDArray[np.float64]
    mass_stiffness: NDArray[np.float64]
    contact_stiffness: float
    contact_dof: NDArray[np.int64]
    contact_weight: NDArray[np.float64]


@dataclass(frozen=True)
class Request:
    """Step [s] at which a run is written down, and what its method may be told.

    ``alpha`` of HHT, ``substep`` of Runge-Kutta [s] (None: the longest stable one), ``tolerance`` on what is left to
    correct of a step [m], ``most`` corrections.
    """

    dt: float
    alpha: float = -0.05
    substep: float | None = None
    tolerance: float = 5.0e-8
    most: int = 200


class Work(NamedTuple):
    """Memory of a step: a vector to solve for, vectors of the line and of the masses, contacts.

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
        np.zeros(dofs),
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

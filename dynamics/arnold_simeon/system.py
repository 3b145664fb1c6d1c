"""Arguments of the compiled methods of Arnold & Simeon: one frozen tuple of plain arrays for each part.

Legend: M q'' + D q' + K q = b + G^T lambda, 0 <= g = G q + g0; constraints dropper 1, dropper 2, contact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.linear_algebra.banded_ldl import BandedFactor
from dynamics.linear_algebra.sparse_rows import SparseRows

__all__ = [
    "Contact", "Droppers", "Factors", "FirstRows", "Grid", "HalfExplicitState", "ImplicitState", "Motion", "Place",
    "System",
]  # fmt: skip

Array = NDArray[np.float64]


class Droppers(NamedTuple):
    """Dofs and weights of the droppers' rows of G, (dropper, end dof), padded with zeros to one width."""

    dof: NDArray[np.int64]
    weight: Array


class System(NamedTuple):
    """Rows of M, D and K, load b (dof,), droppers, and g0 (constraint,)."""

    M: SparseRows
    D: SparseRows
    K: SparseRows
    b: Array
    droppers: Droppers
    g0: Array


class Factors(NamedTuple):
    """Factors of M and of a step's matrix, and how many rows away from a load its answer is felt in either."""

    mass: BandedFactor
    step: BandedFactor
    reach: int


class Grid(NamedTuple):
    """Speed [m/s], half the contact area, interval [m], whether nodes have slopes, first dof of the contact wire."""

    v: float
    eps: float
    dx: float
    hermite: bool
    wire_start: int


class Place(NamedTuple):
    """Station at the start of a run, or at a step's end [m], step h [s], width of a contact's row."""

    station: float
    h: float
    width: int


class Contact(NamedTuple):
    """First dof under the contact, and the weights from it on with their time derivatives, (3, width)."""

    at: int
    row: Array


class Motion(NamedTuple):
    """Heights, velocities and accelerations, (dof,)."""

    q: Array
    v: Array
    a: Array


class FirstRows(NamedTuple):
    """Motion at a run's start and one step later, and the constraints that act, (constraint,)."""

    q_old: Array
    v_old: Array
    q: Array
    v: Array
    active: NDArray[np.bool_]


class ImplicitState(NamedTuple):
    """Motion, answers ``ca`` (9, dof) and ``mG`` (4, dof), the active set, multipliers x (9,)."""

    q: Array
    v: Array
    a: Array
    ca: Array
    mG: Array
    active: NDArray[np.bool_]
    x: Array


class HalfExplicitState(NamedTuple):
    """Motion, velocity a step before, answers ``hG`` (3, dof) and ``mG`` (5, dof), the active set, multipliers x."""

    q: Array
    v: Array
    before: Array
    a: Array
    hG: Array
    mG: Array
    active: NDArray[np.bool_]
    x: Array

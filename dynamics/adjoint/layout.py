"""What the compiled adjoint march is handed, and what it leaves; symbols as in `dynamics.adjoint.kernel`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.linear_algebra.vector_rows import Rows
from dynamics.travelling_window.layout import Floats

__all__ = ["AdjointState", "Frozen", "Lifted", "Multipliers"]


class AdjointState(NamedTuple):
    """Rows to work in, (2/dt) M mu and s of the line (row, column); mu and s of the pantograph (mass,)."""

    unused: Rows
    a: Rows
    s: Rows
    mp: Floats
    sp: Floats


class Lifted(NamedTuple):
    """Dof (row, column) whose place at the end of one step is the figure; step 0 where none is."""

    row: int
    column: int
    step: int


class Frozen(NamedTuple):
    """What the march found, by step, and what the multipliers answer to.

    Whether the head touches (step,), which droppers are slack (step, dropper, span), dJ/dlam (step,), a dof that is J;
    the number of dofs, and the tolerance of a step's sweeps.
    """

    in_contact: NDArray[np.bool_]
    slack: NDArray[np.bool_]
    cause: Floats
    lifted: Lifted
    n: int
    tolerance: float


class Multipliers(NamedTuple):
    """By step: eta_c (step,), means of mu of the line (dof, step, column), of the pantograph, and eta_d."""

    contact: Floats
    rows: Rows
    pantograph: Floats
    droppers: Floats

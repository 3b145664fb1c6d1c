"""Aerodynamic forces on a pantograph's masses, and the applied force and heights that stand for them.

Forces F_i = c_i v^2 do not vary, and masses, springs and dampers are linear: they press like an applied force P_a, and
move masses at rest by d_i, the head in the same place. K the chain's stiffness, a where the applied force acts:

    K d = F - a P_a,   d_0 = 0.

Without a spring to the base P_a is their sum. A case is solved for the pressed chain, then counted back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.pantograph.linear import linear_pantograph
from dynamics.spec.case import CaseSpec

__all__ = ["Lift", "lift_of", "pressed_case"]


class Lift(NamedTuple):
    """What aerodynamic forces come to: ``applied`` P_a [N], and ``heights`` d (mass,) [m]."""

    applied: float
    heights: NDArray[np.float64]


def lift_of(case: CaseSpec) -> Lift:
    """Applied force and heights that stand for the aerodynamic forces at the case's speed; nothing without any."""
    given = case.pantograph.aerodynamic
    if not given:
        return Lift(0.0, np.zeros(0))
    own, n = linear_pantograph(case.pantograph), len(given)
    matrix = np.column_stack([own.stiffness[:n, 1:n], own.applied[:n]])
    *heights, applied = np.linalg.solve(matrix, np.array(given) * case.speed**2)
    return Lift(float(applied), np.array([0.0, *heights]))


def pressed_case(case: CaseSpec, lift: Lift) -> CaseSpec:
    """The case with the same chain under applied forces alone; a mean force that is held stays."""
    changes: dict[str, object] = {"pantograph": case.pantograph.model_copy(update={"aerodynamic": ()})}
    if case.applied_force_N is not None:
        changes["applied_force_N"] = case.applied_force_N + lift.applied
    behind = case.trailing.applied_forces_N
    if behind is not None:
        more = tuple(force + lift.applied for force in behind)
        changes["trailing"] = case.trailing.model_copy(update={"applied_forces_N": more})
    return case.model_copy(update=changes)

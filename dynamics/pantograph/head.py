"""A head that rolls: its roll behind the masses of the chain, and how its strips share the force.

Legend: y the wire's place to the left of the head's middle; F the contact force; roll is positive where the left side
of the head rises; M the pitching moment of friction about the head's shaft.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynamics.pantograph.lumped import pantograph_matrices
from dynamics.spec.head import HeadSpec
from dynamics.spec.train import PantographSpec

__all__ = ["matrices_with_roll", "strip_forces"]

Array = NDArray[np.float64]


def matrices_with_roll(spec: PantographSpec) -> tuple[Array, Array, Array]:
    """Masses, damping and stiffness as `pantograph_matrices` has them, the roll of a head that has it last.

    Roll and heights meet in the contact alone: under the wire at y the head stands y x roll higher than its middle, and
    a force F turns it by the moment -F y.
    """
    mass, damping, stiffness = pantograph_matrices(spec)
    if spec.head is None:
        return mass, damping, stiffness
    n, grown = len(mass), []
    for matrix, own in ((damping, spec.head.roll_damping), (stiffness, spec.head.roll_stiffness)):
        grown.append(np.zeros((n + 1, n + 1)))
        grown[-1][:n, :n], grown[-1][n, n] = matrix, own
    return np.append(mass, spec.head.roll_inertia), grown[0], grown[1]


def strip_forces(head: HeadSpec, force: Array) -> Array:
    """Force of the wire on the front and on the rear strip (2, ...) [N].

    The head pitches freely about its shaft: what friction on the strips turns it by, mu F h with the shaft h below, the
    strips balance with (F_rear - F_front) b / 2, and one that would have to pull leaves all to the other.
    """
    unequal = np.minimum(head.friction * force * head.shaft_depth / head.strip_spacing, 0.5 * force)
    return np.stack([0.5 * force - unequal, 0.5 * force + unequal])

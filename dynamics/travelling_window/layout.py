"""Types of what the compiled march of a window is handed: tuples of arrays, in the kernel's order.

``Rows`` are arrays of the window's precision; row lists are (start, column, value), as `cell_rows.row_lists` makes
them. Symbols as in `dynamics.travelling_window.kernel`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynamics.linear_algebra.vector_rows import Rows

__all__ = [
    "Constants",
    "Contact",
    "Droppers",
    "Factor",
    "Floats",
    "Inputs",
    "Ints",
    "March",
    "NearField",
    "Now",
    "Operators",
    "Panto",
    "Product",
    "Records",
    "RowTerms",
    "Scalars",
    "Scratch",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
RowTerms = tuple[Ints, Ints, Rows]
"""Rows of an operator: where each starts, columns, values; or places of a block: rows, columns, values."""
Factor = tuple[
    int,
    int,
    Ints,
    RowTerms,
    RowTerms,
    tuple[RowTerms, RowTerms, RowTerms, Ints, Rows],
    RowTerms,
    RowTerms,
    Rows,
    RowTerms,
]
"""Factor of the effective matrix: interface dofs, dofs, interior rows that feel a support, what interiors do to the
supports on their left and right, the supports' inverses, coupling of neighbours, forward, diagonal and backward."""
Product = tuple[RowTerms, Ints, RowTerms, Rows, Rows]
"""Product with an operator of the cell: row lists, the order of the rows, the span before, interfaces at both ends."""
NearField = tuple[Ints, Ints, Ints, Rows]
"""Groups of columns of A^-1 where they have not decayed: where each starts, spans, dofs, values (term, column)."""
Operators = tuple[
    Factor, Product, NearField, NearField, Ints, Rows, Rows, Rows, tuple[Ints, Ints, Ints, Rows]
]  # fmt: skip
"""Factor, product with M, near fields of contact and droppers, element of every contact point, the compliances of
contact, contact to droppers and droppers, and the answers to squeezes as rows."""
Contact = tuple[Ints, Floats, Floats]
"""Contact by step: dofs and weights (step, 4), height of the wire at rest [m]."""
Panto = tuple[Floats, Floats, Floats, float]
"""Pantograph: inverse of its effective matrix, masses (mass,) [kg], stiffness [N/m], applied force [N]."""
Droppers = tuple[Ints, Floats, Floats, float, float, Rows, RowTerms, float]
"""Dofs and weights (dropper, 4 or more), static force [N], stiffness [N/m], beta that slack gives up [s], stretch
below which one is looked at [m], stretches as row lists, share of the stiffness that slack gives up."""
Scalars = tuple[float, float, float, Rows, Ints]
"""Step [s], gamma, kappa, momentum factors of the sponge (2, column), and which of them a dof has."""
Constants = tuple[
    float, float, float, float, float, float, Ints, Ints, tuple[Ints, Floats], int, float, Scalars
]  # fmt: skip
"""Step [s], gamma, kappa, contact stiffness [N/m], stiffness and damping of messenger supports, dofs of the messenger
and of the contact wire at supports, absorbing ends (dofs, impedance), span of the pantograph, tolerance [N]."""
Inputs = tuple[Contact, Panto, Droppers, Constants]
"""All that a march is given from outside the line's operators."""
March = tuple[Rows, Rows, Rows, Floats, Floats, Floats]
"""State that is marched: u, a, s (row, column); correction forces (dropper, span); zp, vp (mass,)."""
Scratch = tuple[Rows, Ints, Floats, Floats, Floats, Rows, tuple[Floats, ...], Ints, Rows]
"""Memory of a step, as `kernel.march_span` describes it."""
Records = tuple[Floats, Floats, Floats, Floats, Floats, Ints]
"""What is written down by step, as `kernel.march_span` describes it."""
Now = tuple[int, float, int]
"""Step, the head's height without contact [m], how many droppers were found near slack."""

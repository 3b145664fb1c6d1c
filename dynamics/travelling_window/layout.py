"""What the compiled march of a window is handed: one frozen tuple of plain arrays for each part.

``Rows`` are arrays of the window's precision. Symbols as in `dynamics.travelling_window.kernel`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.linear_algebra.predicted_loads import NOTHING, Unlike
from dynamics.linear_algebra.vector_rows import Rows
from dynamics.pantograph.control.kernel import Control
from dynamics.pantograph.strips import Strips

__all__ = [
    "Bays", "Constants", "Contact", "Droppers", "Ends", "Factor", "Floats", "Inputs", "Ints", "March", "Motion",
    "NearField", "Now", "Operators", "Panto", "Places", "Product", "Records", "RowList", "Scalars", "Squeezed",
    "SqueezedRows", "Supports",
]  # fmt: skip

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class RowList(NamedTuple):
    """Rows of an operator, as `cell_rows.row_lists` makes them: where each starts, columns, values."""

    start: Ints
    column: Ints
    value: Rows


class Places(NamedTuple):
    """Nonzeros of a block."""

    row: Ints
    column: Ints
    value: Rows


class Supports(NamedTuple):
    """Inverses of the supports: entries that copy an interface, that solve it, and once more for what is coupled.

    ``touched`` are the dofs that neighbours couple, ``ends`` the inverses of the window's first and last (2, dof, dof).
    """

    copied: RowList
    solved: RowList
    again: RowList
    touched: Ints
    ends: Rows


class Factor(NamedTuple):
    """Factor of the effective matrix.

    ``ni`` interface dofs, ``n`` dofs; ``near`` interior rows that feel a support, ``left`` and ``right`` what
    interiors do to the supports on either side; the supports and the ``coupling`` of neighbours; then L, 1/D and L^T.
    """

    ni: int
    n: int
    near: Ints
    left: RowList
    right: RowList
    supports: Supports
    coupling: Places
    forward: RowList
    inverse: Rows
    backward: RowList


class Product(NamedTuple):
    """Product with an operator of the cell: rows, their order, the span before, interfaces at both ends."""

    rows: RowList
    order: Ints
    beyond: Places
    end_left: Rows
    end_right: Rows


class NearField(NamedTuple):
    """Groups of columns of A^-1 where they have not decayed: where each starts, spans, dofs, values (term, column).

    The window's last column has the first ``interface`` dofs alone.
    """

    start: Ints
    cell: Ints
    dof: Ints
    value: Rows
    interface: int


class SqueezedRows(NamedTuple):
    """Answers to the droppers' squeezes by rows (see `near_fields.squeezed_rows`): rows that hold any, row list."""

    rows: Ints
    start: Ints
    column: Ints
    value: Rows


class AtEnds(NamedTuple):
    """What is added to the near fields of the droppers in the window's first span, and in its last."""

    first: NearField
    last: NearField


class Operators(NamedTuple):
    """What the line does.

    Factor, product with M, near fields of contact and droppers, ``element`` of every contact point (contact, step),
    the compliances of the contact (contact, step, 4, 4), of contact to droppers (element, cell before to after,
    dropper, 4) and among droppers (cell before to after, then in the window's first and in its last; felt by, from),
    the answers to squeezes as rows, and what both have more at the window's ends.
    """

    factor: Factor
    mass: Product
    near_contact: NearField
    near_droppers: NearField
    element: Ints
    at_contact: Rows
    by_contact: Rows
    among: Rows
    squeezed: SqueezedRows
    at_ends: AtEnds


class Contact(NamedTuple):
    """Contacts by step, of every strip of one pantograph after another.

    Dofs and weights (contact, step, 4), height of the wire at rest (contact, step) [m], and the column that each stands
    in, counted from the leading pantograph's (contact, step). ``lever`` (contact, step) is the wire's place to the left
    of a rolling head's middle [m], in the leading one's cell; zero where heads do not roll.
    """

    dof: Ints
    weight: Floats
    height: Floats
    column: Ints
    lever: Floats


class Panto(NamedTuple):
    """Equal pantographs.

    Inverse of the effective matrix, masses (mass,) [kg], stiffness [N/m], where applied forces act (mass,) [-], and
    these forces (pantograph,) [N]. Where the head ``rolls`` its roll is the last coordinate. ``control`` or None.
    ``strips``, and what 1 N on each, downwards, takes off the mean velocities (strip, mass) [m/s].
    """

    inverse: Floats
    mass: Floats
    stiffness: Floats
    acted: Floats
    applied: Floats
    rolls: bool
    control: Control | None
    strips: Strips
    answers: Floats


class Droppers(NamedTuple):
    """Dofs and weights (dropper, 4 or more), static forces [N], stiffnesses [N/m] (dropper, span), stretches as rows.

    ``force`` is at rest, of a spring which pushes too; a dropper that hangs loose has the correction force ``at_rest``.
    Slack gives up the share ``given_up`` of stiffness and of ``beta`` [s]; it is sought below a stretch ``limit`` [m].
    """

    dof: Ints
    weight: Floats
    force: Floats
    stiffness: Floats
    beta: Floats
    limit: Rows
    rows: RowList
    given_up: Floats
    at_rest: Floats


class Bays(NamedTuple):
    """Tensions of the bays: dofs, and their diagonal entries in the stiffness."""

    dof: Ints
    diagonal: Floats


class Ends(NamedTuple):
    """Absorbing ends: dofs, and impedance [N s/m]."""

    dof: Ints
    impedance: Floats


class Scalars(NamedTuple):
    """Step [s], gamma, kappa, momentum factors of the sponge (2, column), and which of them a dof has."""

    dt: float
    gamma: float
    kappa: float
    sponge: Rows
    kind: Ints


class Constants(NamedTuple):
    """Contact stiffness [N/m]; stiffness and damping of messenger supports, and their dofs; the contact wire's there.

    ``span`` is the leading pantograph's, ``tolerance`` [N] ends a step's sweeps.
    """

    contact_stiffness: float
    support_stiffness: float
    support_damping: float
    support_dof: Ints
    support_contact_dof: Ints
    ends: Ends
    span: int
    tolerance: float
    scalars: Scalars


class Inputs(NamedTuple):
    """All that a march is given from outside the line's operators."""

    contact: Contact
    panto: Panto
    droppers: Droppers
    constants: Constants
    unlike: Unlike = NOTHING


class March(NamedTuple):
    """State that is marched.

    u, a, s (row, column); correction forces (dropper, span); zp, vp (pantograph, mass); memories of controllers.
    """

    u: Rows
    a: Rows
    s: Rows
    fd: Floats
    zp: Floats
    vp: Floats
    memory: Floats


class Motion(NamedTuple):
    """All that moved, by step; empty where nobody asks for it.

    Mean velocities of the line (dof, step, column) and of the leading pantograph (step, mass) [m/s], and the droppers'
    correction forces at the step's end (step, dropper, span) [N].
    """

    rows: Rows
    pantograph: Floats
    squeeze: Floats


class Records(NamedTuple):
    """What is written down by step.

    Force [N], height [m] (contact, step), head [m], roll, or the lowest mass [rad, m], and pitch, or the head
    (pantograph, step), uplift (step, support, column) [m], dropper force (step, dropper) of the span that the leading
    pantograph passes [N]; steps that each dropper ended slack (dropper, span), the whole motion, control forces
    (pantograph, step) [N], and, where asked for, every dropper's force (step, dropper, span) [N].
    """

    force: Floats
    height: Floats
    head: Floats
    roll: Floats
    pitch: Floats
    uplift: Floats
    dropper: Floats
    slack_steps: Ints
    motion: Motion
    control: Floats
    every: Floats


class Now(NamedTuple):
    """Step, and how many droppers were found near slack."""

    step: int
    found: int


class Squeezed(NamedTuple):
    """Forces that squeeze droppers (dropper, span) [N], and the list of those, of which the first ``found`` hold."""

    force: Floats
    which: Ints
    found: int

"""Arguments of the compiled march of a whole line: one frozen tuple of plain arrays for each physical part.

Every dof index counts the kept dofs of the line (held ones have index -1). Lengths in m, forces in N.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.linear_algebra.sparse_rows import FixedRows, SparseRows
from dynamics.pantograph.control.kernel import UNCONTROLLED, Control
from dynamics.pantograph.strips import Strips

__all__ = [
    "ANCF",
    "BEAM",
    "CHUNK",
    "STILL",
    "UPRIGHT",
    "Arms",
    "ContactLaw",
    "ContactWire",
    "Contacts",
    "Droppers",
    "Floats",
    "Gusts",
    "Marks",
    "Motion",
    "Pantographs",
    "Space",
    "Springs",
    "State",
    "System",
    "Touch",
    "Wires",
]

Ints = NDArray[Any]  # signed where -1 says held, unsigned where it is quicker
Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]
ANCF, BEAM = 0, 1
# rows of the line that one mark stands for
CHUNK = 64
NOTHING = np.zeros((0, 0))


class Wires(NamedTuple):
    """Wire elements: dofs and coordinates at rest (elem, 12), what makes their force, and that force at rest.

    ``shortening`` (elem, 8): what curvature adds to an element's length by its places and slopes across and up; without
    a curve it has no elements.
    """

    dof: Ints
    rest: Floats
    l0: Floats
    EA: Floats
    EI: Floats
    rest_force: Floats
    shortening: Floats


class ContactWire(NamedTuple):
    """Elements of the contact wires, one wire after another, each in its order along the track.

    ``begin`` (elem,) station at rest where each begins, ``end`` (wire,) where each wire ends; the elements of wire w
    are ``first[w]`` to ``first[w + 1] - 1``. ``surface`` has the heights of the running surfaces over the smooth wires
    on even grids, that of wire w from ``surface_first[w]`` on, from the wire's begin to its end; empty of smooth ones.
    """

    dof: Ints
    rest: Floats
    l0: Floats
    begin: Floats
    end: Floats
    first: Ints
    surface: Floats
    surface_first: Ints


class Droppers(NamedTuple):
    """Bars that do not push.

    ``dof`` (dropper, 6) of the lower and the upper end, ``rest`` (dropper, 3) from lower to upper end at rest,
    ``weight`` (dropper, 6) stretch by unit of each dof at rest, ``force`` static tension, negative by stiffness x gap
    of one that hangs loose, ``cut`` unloaded length, ``stiffness`` (dropper,). A
    slack one gives up the share ``given_up`` of its stiffness, and the dashpot ``dashpot`` (dropper,) [N s/m] in a step
    that it begins slack, which ``slack`` (dropper,) says.
    """

    dof: Ints
    rest: Floats
    weight: Floats
    force: Floats
    cut: Floats
    stiffness: Floats
    given_up: float
    dashpot: Floats
    slack: NDArray[np.bool_]


class Arms(NamedTuple):
    """Steady arms as straight bars (spatial model): ``rest`` (arm, 3) from contact wire to joint, pull at rest."""

    dof: Ints
    rest: Floats
    force: Floats
    stiffness: float


class Springs(NamedTuple):
    """Springs between one dof and the ground."""

    dof: Ints
    stiffness: Floats


class Space(NamedTuple):
    """Contact in space: whether it is, friction, the speed that regularises it, a damper, and the head's profile.

    ``fixed`` is friction along one direction; ``crown`` and ``horn`` are radii, horns beyond ``half_width`` [m].
    """

    wanted: bool
    friction: float
    regular: float
    damping: float
    fixed: bool
    crown: float
    half_width: float
    horn: float


class Gusts(NamedTuple):
    """Loads of gusts: entries of dofs, loads by speed [N s/m] and stations, and speeds (time, station) [m/s]."""

    dof: Ints
    load: Floats
    station: Ints
    step: float
    speed: Floats


UPRIGHT = Space(False, 0.0, 1.0, 0.0, False, 1.0e6, 1.0e6, 1.0)
"""Contact at the pantograph's station, along the vertical."""
STILL = Gusts(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64), 1.0, np.zeros((2, 0)))
"""Air without gusts."""


class ContactLaw(NamedTuple):
    """F = K d^n (1 + hysteresis d'/d'_impact), d the penetration; n = 1 and no hysteresis is the linear spring.

    The contact is spread over the points ``offset`` from the pantograph [m] by ``weight`` (sum 1); one point as a rule.
    """

    stiffness: float
    exponent: float
    hysteresis: float
    offset: Floats
    weight: Floats
    space: Space


class Pantographs(NamedTuple):
    """Equal pantographs on one train.

    ``start`` (pantograph,) stations at t = 0. Of one that is ``entering`` (pantograph,) applied force and base rise
    from station 0 on over ``entry_length``, the base from ``entry_drop`` below; the others have both from the start.
    ``base_time``, ``base_height``: motion of the train roof. ``acted`` (mass,): where the applied force acts;
    ``lift`` (mass,): what a rigid lift of all moves; ``shown`` (shown, mass): what records show; ``base_stiffness``,
    ``base_damping`` (mass,): forces of a base that rises. ``held`` (pantograph,), of a device that is stepped from
    outside and whose head alone stands here: contact force at the end of a step with which its prediction holds [N];
    empty where the equations of motion are known. ``mechanism`` (row, 6) of arms, as
    `dynamics.pantograph.articulated.Mechanism` has it, with ``row`` (3,): where its rows begin [m], their distance [m],
    speed of full friction [m/s]; without rows for what is linear. Where the head ``rolls`` its roll is the last
    coordinate. ``strips`` say where heads touch wires. Cant puts its middle ``head_y`` to the left, and turns it by
    ``head_turned``, as roll counts, at stations ``head_x``. ``control`` adds its own force.
    """

    mass: Floats
    damping: Floats
    stiffness: Floats
    applied: Floats
    acted: Floats
    lift: Floats
    shown: Floats
    start: Floats
    entering: NDArray[np.bool_]
    entry_length: float
    entry_drop: float
    speed: float
    base_time: Floats
    base_height: Floats
    base_stiffness: Floats
    base_damping: Floats
    held: Floats
    mechanism: Floats
    row: Floats
    rolls: bool
    head_x: Floats
    head_y: Floats
    head_turned: Floats
    strips: Strips
    control: Control = UNCONTROLLED


class Motion(NamedTuple):
    """Displacement and velocity of the line (dof,), height and velocity of the masses (pantograph, mass)."""

    u: Floats
    v: Floats
    z: Floats
    zv: Floats


class Contacts(NamedTuple):
    """Contacts at one moment, of each strip with each wire: force [N], height of the wire [m], approach [m/s].

    ``load`` and ``moment`` are what the force does to the head: downwards [N], and against its roll [N m]; ``place`` is
    the wire's on the head, to the left of its middle [m], where contacts are sought in space.
    """

    force: Floats
    height: Floats
    approach: Floats
    load: Floats
    moment: Floats
    place: Floats


class Touch(NamedTuple):
    """Contacts to find, the ``last`` force of an iteration [N], the ``share`` of the way to the law's that it goes.

    ``marks`` (chunk,) say in which rows a linearised line is loaded, so that others need not be looked at; none: the
    whole line is.
    """

    found: Contacts
    last: Floats
    share: float
    marks: Marks


class System(NamedTuple):
    """Line and pantographs: M u'' + C u' + s(u) = contact, s(u) = K u with slack corrections, or the full force.

    C = alpha M + beta K + ``damping``, which holds what is not common to the whole line in
    ``damping_rows``.
    """

    nonlinear: bool
    element: int
    mass: FixedRows
    alpha: float
    beta: float
    damping: SparseRows
    damping_rows: Ints
    stiffness: SparseRows
    wires: Wires
    contact_wire: ContactWire
    droppers: Droppers
    arms: Arms
    springs: Springs
    law: ContactLaw
    pantographs: Pantographs
    gusts: Gusts


class State(NamedTuple):
    """Displacement, velocity, acceleration of the line (dof,) and of every mass (pantograph, mass); contact.

    ``force`` contact force and ``impact`` approach speed at the last closing of each contact (0: elastic), (contact,)
    for each strip of each pantograph with each contact wire. ``memory`` (pantograph, memory) of controllers.
    """

    u: Floats
    v: Floats
    a: Floats
    z: Floats
    zv: Floats
    za: Floats
    force: Floats
    impact: Floats
    memory: Floats = NOTHING

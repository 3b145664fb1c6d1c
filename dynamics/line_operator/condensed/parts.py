"""Numbers of a line's network, as the compiled kernels are given them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bays", "Damping", "Points", "Ports"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Entries = NDArray[np.uint64]


class Damping(NamedTuple):
    """Rayleigh factors: ``alpha`` [1/s] and ``beta`` [s] of the contact wire, beta of ``droppers`` and steady ``arms``.

    Other wires' are with their bays, what alpha makes of lumped masses with the points.
    """

    alpha: float
    beta: float
    droppers: float
    arms: float


class Bays(NamedTuple):
    """Bays of all wires.

    ``dof`` (bay, 4): height and slope at the left and at the right end; ``along`` (bay, 2): position of both along the
    track, -1 where the tension stays as it is; ``entry`` (bay, 21) where in the network's matrix, row by row, its lower
    triangle has heights and slopes, then what the places along the track have with those and with each other (none
    where the tension stays as it is); ``side`` (bay, 4): place and slope across the track at both ends, -1
    where held, no rows in the plane; ``turn`` (bay,) factor of those at the right end, -1 where it is a mirrored
    period's. ``length`` [m], ``tension`` [N], ``bending`` stiffness [N m^2], ``mass`` [kg/m]; ``curvature`` [1/m] at
    rest, none in the contact wire, and end ``slope`` (bay, 2), ``veer`` (bay,) of the chord across the track,
    ``compliance`` l0 / EA [m/N]; ``alpha`` [1/s] and ``beta`` [s] of the wire's damping (bay,).
    """

    dof: Ints
    along: Ints
    entry: Entries
    side: Ints
    turn: Ints
    length: Floats
    tension: Floats
    bending: Floats
    mass: Floats
    curvature: Floats
    slope: Floats
    veer: Floats
    compliance: Floats
    alpha: Floats
    beta: Floats


class Points(NamedTuple):
    """What is attached at stations.

    ``mass`` [kg], its ``drag`` by alpha [N s/m], and ``stiffness`` [N/m] (dof,) of arms to the ground, ``dashpot``
    [N s/m] and ``held`` [N/m] (dof,) those of the messenger supports, which beta does not touch; ``bottom`` and ``top``
    dofs of the droppers' heights, their own ``dropper`` stiffness [N/m], and what it is between heights, ``upright``;
    ``swaying`` (dropper, 2) dofs along the track of the same, -1 where there are none, and the stiffness ``sway`` [N/m]
    with which a dropper hangs straight. ``loose`` (dropper,) is 1 for one that hangs loose at rest, of whose spring the
    network has nothing but the damping.

    Droppers hang askew in space: ``axis`` (dropper, 2) points up one, across the track and in height; ``aside``
    (dropper, 2) are the dofs across the track of its ends, -1 where held, no rows in the plane, ``mixed`` and
    ``across`` (dropper,) the stiffness between height and side, and across the track [N/m]. An ``arm`` (support, 2)
    stands between the contact wire's dofs of height and side, none in the plane, its stiffness between both ``skew``.
    """

    mass: Floats
    drag: Floats
    stiffness: Floats
    held: Floats
    dashpot: Floats
    bottom: Ints
    top: Ints
    dropper: Floats
    upright: Floats
    sway: Floats
    swaying: Ints
    loose: Floats
    axis: Floats
    aside: Ints
    mixed: Floats
    across: Floats
    arm: Ints
    skew: Floats


class Ports(NamedTuple):
    """What acts on the stations of the contact wire, and where.

    ``stiffness`` [N/m] to the ground, ``mass`` [kg] and its ``drag`` [N s/m], dofs of ``height`` and position ``along``
    the track (station,); stiffness of droppers between heights, ``upright`` [N/m], their ``bottom`` and ``top`` dofs
    and the station that each hangs ``at`` (dropper,); ``chord`` stiffness [N/m] of the bay from each station to the
    next, and its ``tilt`` at both ends (bay, 2), none with constant tensions; stations that are a ``support``
    (support,). ``side`` (station,) are dofs across the track, none in the plane, ``skew`` (station,) the arms'
    stiffness between height and side; ``loose``, ``axis``, ``aside`` and ``mixed`` as in `Points`, ``veer`` and
    ``turn`` of chords (bay,) as in `Bays`.
    """

    stiffness: Floats
    mass: Floats
    drag: Floats
    height: Ints
    along: Ints
    upright: Floats
    bottom: Ints
    top: Ints
    at: Ints
    chord: Floats
    tilt: Floats
    support: Ints
    side: Ints
    skew: Floats
    loose: Floats
    axis: Floats
    aside: Ints
    mixed: Floats
    veer: Floats
    turn: Ints

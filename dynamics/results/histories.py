"""Histories of a run on an open line, step by step: every pantograph, every dropper, every support, chosen points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["LINE_HISTORIES", "SINGLE", "TRAIN_HISTORIES", "WIRES", "Frames", "Histories"]

WIRES = "wire: 0 contact, 1 messenger, 2 stitch, 3 auxiliary"
# name in the file, attribute, dimensions after time, unit, what it is
LINE_HISTORIES = (
    ("pantograph_position", "position", ("pantograph",), "m", "station of every pantograph"),
    ("pantograph_contact_force", "contact_force", ("pantograph",), "N", "contact force of every pantograph, raw"),
    (
        "pantograph_contact_force_filtered",
        "contact_force_filtered",
        ("pantograph",),
        "N",
        "contact force of every pantograph, low-pass filtered with zero phase",
    ),
    (
        "pantograph_contact_height",
        "contact_height",
        ("pantograph",),
        "m",
        "height of the contact point of every pantograph, relative to the contact wire at the support",
    ),
    ("pantograph_wire_force", "wire_force", ("pantograph", "contact_wire"), "N", "contact force by contact wire, raw"),
    ("pantograph_control_force", "control_force", ("pantograph",), "N", "force that its controller adds, upwards"),
    ("mass_height", "mass_height", ("pantograph", "mass"), "m", "height of every pantograph mass, head first"),
    ("mass_velocity", "mass_velocity", ("pantograph", "mass"), "m s-1", "vertical velocity of every pantograph mass"),
    (
        "mass_acceleration",
        "mass_acceleration",
        ("pantograph", "mass"),
        "m s-2",
        "vertical acceleration of every pantograph mass",
    ),
    (
        "line_dropper_force",
        "dropper_force",
        ("line_dropper",),
        "N",
        "axial force of every dropper of the line, static share included, tension positive",
    ),
    (
        "line_support_uplift",
        "support_uplift",
        ("support",),
        "m",
        "rise of the contact wire from rest at every support that is not an end of the line",
    ),
    ("point_displacement", "point_displacement", ("point", "axis"), "m", "displacement of chosen nodes from rest"),
    ("point_velocity", "point_velocity", ("point", "axis"), "m s-1", "velocity of chosen nodes"),
    ("point_acceleration", "point_acceleration", ("point", "axis"), "m s-2", "acceleration of chosen nodes"),
)
TRAIN_HISTORIES = 4  # the first of them, which every solver has
# kept in single precision: many, and 1e-7 of a force or of 100 mm is far below what a solver resolves
SINGLE = ("line_dropper_force", "frame_displacement")


@dataclass(frozen=True)
class Frames:
    """Shape of the whole line at some moments, for pictures that move.

    Attributes
    ----------
    time : float array (frame,)
        [s] from the start.
    node_wire : int array (node,)
        CONTACT, MESSENGER, STITCH or AUXILIARY of every wire node.
    node_x : float array (node,)
        Station of every wire node at rest [m].
    rest, position : float array (node, 3), (frame, node, 3)
        Coordinates at rest and at every moment [m].
    dropper_ends : int array (dropper, 2)
        Wire node at the lower and at the upper end.
    mass_height : float array (frame, pantograph, mass)
        Height of every pantograph mass, head first [m]; 0 is the contact wire's height at the support.
    pantograph_x : float array (frame, pantograph)
        Station of every pantograph [m].
    """

    time: NDArray[np.float64]
    node_wire: NDArray[np.int64]
    node_x: NDArray[np.float64]
    rest: NDArray[np.float64]
    position: NDArray[np.float64]
    dropper_ends: NDArray[np.int64]
    mass_height: NDArray[np.float64]
    pantograph_x: NDArray[np.float64]


@dataclass(frozen=True)
class Histories:
    """Histories at the end of every time step; displacements are from rest.

    Attributes
    ----------
    time : float array (time,)
        [s] from the start.
    position, contact_force, contact_force_filtered, contact_height : float array (time, pantograph)
        Station of every pantograph [m], raw and filtered contact force [N], height of the wire at the contact [m].
    wire_force : float array (time, pantograph, contact wire)
        Contact force of every pantograph with every contact wire, as computed [N]; their sum is the contact force.
    mass_height, mass_velocity, mass_acceleration : float array (time, pantograph, mass)
        Of every pantograph mass, head first [m, m/s, m/s^2]; 0 is the contact wire's height at the support.
    dropper_force : float array (time, dropper)
        Axial force, static share included, tension positive [N].
    dropper_x : float array (dropper,)
        Station of every dropper [m].
    support_uplift : float array (time, support)
        Rise of the contact wire at every support that is not an end of the line [m].
    support_x : float array (support,)
        Station of those supports [m].
    point_x : float array (point,)
        Stations of the chosen wire nodes at rest [m].
    point_wire : int array (point,)
        CONTACT, MESSENGER, STITCH or AUXILIARY.
    point_displacement, point_velocity, point_acceleration : float array (time, point, 3)
        Of the chosen nodes along, across and up [m, m/s, m/s^2].
    control_force : float array (time, pantograph)
        Force of its controller, positive upwards [N]; without pantographs where there is none.
    frames : Frames or None
        Shapes of the line, where an animation was asked for.
    """

    time: NDArray[np.float64]
    position: NDArray[np.float64]
    contact_force: NDArray[np.float64]
    contact_force_filtered: NDArray[np.float64]
    contact_height: NDArray[np.float64]
    wire_force: NDArray[np.float64]
    mass_height: NDArray[np.float64]
    mass_velocity: NDArray[np.float64]
    mass_acceleration: NDArray[np.float64]
    dropper_force: NDArray[np.float64]
    dropper_x: NDArray[np.float64]
    support_uplift: NDArray[np.float64]
    support_x: NDArray[np.float64]
    point_x: NDArray[np.float64]
    point_wire: NDArray[np.int64]
    point_displacement: NDArray[np.float64]
    point_velocity: NDArray[np.float64]
    point_acceleration: NDArray[np.float64]
    control_force: NDArray[np.float64]
    frames: Frames | None

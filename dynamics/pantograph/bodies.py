"""Bodies and joints of an articulated pantograph in motion: places, angles, velocities, and what its joints carry.

From the height z of the apex and its velocity and acceleration every body's place x_i(z) and turn phi_i(z) follow with

    x' = x_z z',   x'' = x_z z'' + x_zz z'^2,

and the balance of forces and moments of three bodies (Newton, Euler) gives two components of the force in each of four
joints and the torque on the lower arm: nine equations. Plane coordinates: forwards, up, from the lower arm's joint; a
turn is positive from forwards to up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from dynamics.pantograph.articulated import GRAVITY, linkage_by_height
from dynamics.spec.mechanics.articulated import ArticulatedSpec

__all__ = ["BODIES", "JOINTS", "ApexMotion", "ArmsInMotion", "arms_in_motion"]

Floats = NDArray[np.float64]
BODIES = ("lower arm", "upper arm", "coupling rod")
JOINTS = ("lower arm's on the base", "knee", "rod's on the base", "rod's on the upper arm")


@dataclass(frozen=True)
class ApexMotion:
    """Height of the apex over the working height (time,) [m], its velocity and acceleration, and the load on it [N].

    ``load`` is what the head's suspension and a controller there add at the apex, upwards; the head's weight is not in
    it.
    """

    height: Floats
    velocity: Floats
    acceleration: Floats
    load: Floats


@dataclass(frozen=True)
class ArmsInMotion:
    """Bodies, joints and torque over time; names in `BODIES` and `JOINTS`.

    Attributes
    ----------
    position, velocity, acceleration : float array (time, body, 2)
        Of the centres of mass, forwards and up [m], [m/s], [m/s2].
    angle, rate : float array (time, body)
        Of each body's line from its lower joint (the rod's on the base) to its upper one [rad], and its rate [rad/s].
    apex_forwards : float array (time,)
        Place of the apex forwards of the lower arm's joint [m].
    reaction : float array (time, joint, 2)
        Force of the base, or of the lower arm in the knee and of the rod on the upper arm, on the other body [N].
    torque : float array (time,)
        What raises the lower arm: bellows or spring, and damper, which lowers it as it rises [N m].
    """

    position: Floats
    velocity: Floats
    acceleration: Floats
    angle: Floats
    rate: Floats
    apex_forwards: Floats
    reaction: Floats
    torque: Floats


def arms_in_motion(spec: ArticulatedSpec, apex: ApexMotion) -> ArmsInMotion:
    """Kinematics of the arms and the forces in their joints for a motion of the apex.

    Returns
    -------
    ArmsInMotion
        Not a number where the arms do not reach.
    """
    z, places = linkage_by_height(spec)
    low, up, rod, top = places.centres
    turns = np.array([np.pi + places.turns[0], places.turns[1], places.turns[2]])
    turns -= 2.0 * np.pi * np.round(turns[:, len(z) // 2, None] / (2.0 * np.pi))
    over_height = CubicSpline(z, np.vstack([low, up, rod, top, turns]).T, extrapolate=False)
    at, slope, bend = (over_height(apex.height, k) for k in range(3))
    speed = slope * apex.velocity[:, None]
    growth = slope * apex.acceleration[:, None] + bend * (apex.velocity**2)[:, None]
    points, velocity, acceleration = (x[:, :8].reshape(-1, 4, 2) for x in (at, speed, growth))
    rubbing = np.tanh(apex.velocity / spec.friction_speed)[:, None] * _against(spec, slope[:, 8:])
    reaction, torque = _balance(spec, (points, at[:, 8:]), (acceleration, growth[:, 8:]), (apex.load, rubbing))
    return ArmsInMotion(
        position=points[:, :3],
        velocity=velocity[:, :3],
        acceleration=acceleration[:, :3],
        angle=at[:, 8:],
        rate=speed[:, 8:],
        apex_forwards=points[:, 3, 0],
        reaction=reaction,
        torque=torque,
    )


def _against(spec: ArticulatedSpec, turning: Floats) -> Floats:
    """Moment of full dry friction in each joint on the body beyond it while the apex rises (time, joint) [N m]."""
    lower, upper, rod = turning.T
    return -np.array(spec.friction) * np.sign(np.column_stack([lower, upper - lower, rod, upper - rod]))


def _balance(
    spec: ArticulatedSpec, places: tuple[Floats, Floats], growths: tuple[Floats, Floats], pushed: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Forces in the joints (time, joint, 2) and torque that raises the lower arm (time,) from three bodies' balance.

    ``places`` and ``growths``: points (time, 4, 2), of three centres and the apex, and turns (time, 3), and their
    second derivatives; ``pushed``: load on the apex (time,) and friction (time, joint).
    """
    (points, turns), (acceleration, spin), (load, rubbing) = places, growths, pushed
    lower, upper, rod, apex = (points[:, k] for k in range(4))
    along = np.stack([np.cos(turns), np.sin(turns)], axis=2)
    base = np.broadcast_to([spec.rod_joint_x, spec.rod_joint_z], lower.shape)
    knee, heel = spec.lower_arm.length * along[:, 0], base + spec.rod_length * along[:, 2]
    # joint, on which body with which sign
    acts = ((0, 0, 1.0), (1, 0, -1.0), (1, 1, 1.0), (2, 2, 1.0), (3, 2, -1.0), (3, 1, 1.0))
    joints, centres = (np.zeros_like(base), knee, base, heel), (lower, upper, rod)
    inertias = (spec.lower_arm.inertia, spec.upper_arm.inertia, spec.rod_mass * spec.rod_length**2 / 12.0)
    A, b = np.zeros((len(load), 9, 9)), np.zeros((len(load), 9))
    for body, mass in enumerate((spec.lower_arm.mass, spec.upper_arm.mass, spec.rod_mass)):
        b[:, 3 * body : 3 * body + 2] = mass * (acceleration[:, body] + [0.0, GRAVITY])
        b[:, 3 * body + 2] = inertias[body] * spin[:, body]
    for joint, body, sign in acts:
        arm = joints[joint] - centres[body]
        A[:, 3 * body, 2 * joint] = A[:, 3 * body + 1, 2 * joint + 1] = sign
        A[:, 3 * body + 2, 2 * joint], A[:, 3 * body + 2, 2 * joint + 1] = -sign * arm[:, 1], sign * arm[:, 0]
        b[:, 3 * body + 2] -= sign * rubbing[:, joint]
    A[:, 2, 8] = -1.0  # what raises the lower arm turns it backwards
    # on the upper arm: the head through the apex, with the mass that is fixed there
    carried = np.zeros_like(apex)
    carried[:, 1] = load - GRAVITY * sum(spec.head.masses)
    carried -= spec.apex_mass * (acceleration[:, 3] + [0.0, GRAVITY])
    arm = apex - upper
    b[:, 3:5] -= carried
    b[:, 5] -= arm[:, 0] * carried[:, 1] - arm[:, 1] * carried[:, 0]
    found = np.full((len(load), 9), np.nan)
    known = np.isfinite(b).all(axis=1)
    found[known] = np.linalg.solve(A[known], b[known, :, None])[:, :, 0]
    return found[:, :8].reshape(-1, 4, 2), found[:, 8]

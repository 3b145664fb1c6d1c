"""An articulated pantograph as one coordinate, the height of its apex: mass, forces and their change with height.

The lower arm AB (angle a over the horizontal, backwards), the upper arm B to the apex E and the rod CD close a four-bar
linkage: D, on the upper arm, lies where a circle about B meets one about C. All places are functions of a, and with
z = z_E(a) of the apex's height. Kinetic energy m(z) z'^2 / 2 and virtual work give

    m z'' + m' z'^2 / 2 + c z' + f tanh(z' / v) + G = F b + head,

m = sum of (m_i |dx_i/dz|^2 + J_i (dphi_i/dz)^2), c = c_a (da/dz)^2, f = sum of joint frictions |dangle/dz|,
b = (da/dz) / (da/dz at the working height), as a torque on the lower arm gives it, G the weights less what carries them
there, and the main spring; a cam that carries all weights at every height leaves b = 1 and the spring in G. The marches
take a linear pantograph about the working height and a table of what differs from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from catenary.errors import InputError
from dynamics.pantograph.lumped import chain_matrix
from dynamics.spec.mechanics.articulated import ArticulatedSpec

__all__ = ["GRAVITY", "Mechanism", "linkage", "linkage_by_height", "mechanism_of"]

Floats = NDArray[np.float64]
GRAVITY = 9.81  # m/s2
ANGLES = 4001  # of the lower arm, between which everything is smooth
ROWS = 4001  # of the table over the height
REACH = 0.5  # m, of the table above and below the working height, as far as the arms reach
STRAIGHT = 0.2  # of the upper arm's length, rise by angle: nearer to a dead point the table ends


@dataclass(frozen=True)
class Linkage:
    """Places and angles of all bodies over the lower arm's angle (angle,) [m], [rad]; centres in x and z."""

    angle: Floats
    apex: Floats
    centres: tuple[Floats, Floats, Floats, Floats]
    turns: tuple[Floats, Floats, Floats]


@dataclass(frozen=True)
class Mechanism:
    """Arms and head about the working height, and what differs from their linearisation elsewhere.

    Attributes
    ----------
    masses : float array (mass,)
        Head first, the arms as felt at the apex last [kg].
    stiffness, damping : float array (mass, mass)
        Linearised about the working height under the applied force [N/m], [N s/m].
    begin, step : float
        Height of the table's first row over the working height, and from row to row [m].
    table : float array (row, 6)
        By apex height: force beyond stiffness x height [N], share of the applied force beyond 1, damping beyond that
        at the working height [N s/m], friction [N], half of dm/dz [kg/m], mass at the working height / mass.
    friction_speed : float
        [m/s].
    """

    masses: Floats
    stiffness: Floats
    damping: Floats
    begin: float
    step: float
    table: Floats
    friction_speed: float


def linkage(spec: ArticulatedSpec, angle: Floats) -> Linkage:
    """Places of all bodies for angles of the lower arm [rad]; not a number where the rod does not reach."""
    low, up = spec.lower_arm, spec.upper_arm
    knee = low.length * np.array([-np.cos(angle), np.sin(angle)])
    base = np.array([[spec.rod_joint_x], [spec.rod_joint_z]])
    across = base - knee
    distance = np.hypot(*across)
    cosine = (distance**2 + spec.heel_length**2 - spec.rod_length**2) / (2.0 * distance * spec.heel_length)
    with np.errstate(invalid="ignore"):
        heel_angle = np.arctan2(across[1], across[0]) - np.arccos(cosine)
    upper = np.unwrap(heel_angle - np.pi - np.deg2rad(spec.heel_angle_deg))
    along = np.array([np.cos(upper), np.sin(upper)])
    heel = knee + spec.heel_length * np.array([np.cos(heel_angle), np.sin(heel_angle)])
    rod = np.unwrap(np.arctan2(heel[1] - base[1], heel[0] - base[0]))
    apex = knee + up.length * along
    centres = low.centre / low.length * knee, knee + up.centre * along, 0.5 * (base + heel), apex
    return Linkage(angle, apex, centres, (-angle, upper, rod))


def mechanism_of(spec: ArticulatedSpec, force: float) -> Mechanism:
    """Mechanism of an articulated pantograph under an applied force [N].

    Raises
    ------
    InputError
        If the arms do not reach the working height, or stand at a dead point there.
    """
    found = _over_height(spec)
    z, mass, weight, angle, frictions = found
    here = CubicSpline(z, angle).derivative()
    rise = here(z)
    begin, end = max(-REACH, z[0]), min(REACH, z[-1])
    if not begin < 0.0 < end:
        low, high = z[[0, -1]] + spec.working_height
        raise InputError(
            [
                f"pantograph.articulated.working_height must lie where the arms reach, {low:.3f} to {high:.3f} m: got "
                f"{spec.working_height:g} m"
            ]
        )
    at, unit = CubicSpline(z, mass), float(here(0.0))
    carried = float(CubicSpline(z, weight)(0.0)) / unit
    spring = spec.spring_stiffness * (angle - float(CubicSpline(z, angle)(0.0)))
    cam = spec.lifting == "cam"
    static = CubicSpline(z, spring * rise + (0.0 if cam else 1.0) * (weight - carried * rise))
    share = CubicSpline(z, np.ones(len(z)) if cam else rise / unit)
    stiffness = float(static(0.0, 1)) - force * float(share(0.0, 1))
    rows = np.linspace(begin, end, ROWS)
    turned = here(rows) ** 2
    table = np.column_stack(
        [
            static(rows) - stiffness * rows,
            share(rows) - 1.0,
            spec.damping * (turned - unit**2),
            CubicSpline(z, frictions)(rows),
            0.5 * at(rows, 1),
            float(at(0.0)) / at(rows),
        ]
    )
    head = spec.head
    K, C = (chain_matrix((*links, 0.0)) for links in (head.stiffnesses, head.dampings))
    K[-1, -1] += stiffness
    C[-1, -1] += spec.damping * unit**2
    masses = np.array([*head.masses, float(at(0.0))])
    return Mechanism(masses, K, C, begin, float(rows[1] - rows[0]), table, spec.friction_speed)


def linkage_by_height(spec: ArticulatedSpec) -> tuple[Floats, Linkage]:
    """Rising heights of the apex over the working height (angle,) [m], and the linkage there.

    Of the stretch between two dead points that holds the working height.

    Raises
    ------
    InputError
        If the rod does not reach, or the apex does not rise with the lower arm.
    """
    found = linkage(spec, np.linspace(np.deg2rad(1.0), np.deg2rad(89.0), ANGLES))
    rising = np.gradient(found.apex[1], found.angle)
    good = np.isfinite(rising) & (rising > STRAIGHT * spec.upper_arm.length)
    first, last = _stretch(good, np.abs(found.apex[1] - spec.working_height))
    if last - first < 10:
        raise InputError(
            [
                "pantograph.articulated must close to a linkage whose apex rises with the lower arm: its rod does not "
                "reach, or its heel turns over"
            ]
        )
    cut = slice(first, last)
    centres, turns = [place[:, cut] for place in found.centres], [turn[cut] for turn in found.turns]
    low, up, rod, top = centres
    z = found.apex[1, cut] - spec.working_height
    return z, Linkage(found.angle[cut], found.apex[:, cut], (low, up, rod, top), (turns[0], turns[1], turns[2]))


def _over_height(spec: ArticulatedSpec) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Height of the apex over the working height, mass, weight, lower arm's angle and friction there."""
    z, found = linkage_by_height(spec)

    def by_height(values: Floats) -> Floats:
        return np.asarray(CubicSpline(z, values)(z, 1), dtype=np.float64)

    head_weight = GRAVITY * sum(spec.head.masses)
    bodies = (spec.lower_arm.mass, spec.upper_arm.mass, spec.rod_mass, spec.apex_mass)
    turning = (spec.lower_arm.inertia, spec.upper_arm.inertia, spec.rod_mass * spec.rod_length**2 / 12.0)
    mass, weight = np.zeros(len(z)), np.full(len(z), head_weight)
    for own, place in zip(bodies, found.centres, strict=True):
        sideways, upwards = by_height(place[0]), by_height(place[1])
        mass += own * (sideways**2 + upwards**2)
        weight += GRAVITY * own * upwards
    lower, upper, rod = (by_height(turn) for turn in found.turns)
    for inertia, turn in zip(turning, (lower, upper, rod), strict=True):
        mass += inertia * turn**2
    joints = (lower, upper - lower, rod, upper - rod)
    friction = sum((t * np.abs(turn) for t, turn in zip(spec.friction, joints, strict=True)), np.zeros(len(z)))
    return z, mass, weight, found.angle, friction


def _stretch(good: NDArray[np.bool_], apart: Floats) -> tuple[int, int]:
    """First and behind the last of the run of ``good`` that holds, or comes nearest to, where ``apart`` is smallest."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(np.int8)))
    runs = list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
    return min(runs, key=lambda run: float(np.nanmin(apart[run[0] : run[1]])), default=(0, 0))

"""Arms of every pantograph of a run on an open line: their motion, and the figures of what their joints carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.pantograph.bodies import JOINTS, ApexMotion, ArmsInMotion, arms_in_motion
from dynamics.pantograph.control.law import acting_on
from dynamics.pantograph.linear import linear_pantograph

if TYPE_CHECKING:
    from dynamics.spec.case import CaseSpec

__all__ = ["ArmFigures", "JointFigures", "TrainMotion", "arms_of_run", "figures_of_arms"]

Floats = NDArray[np.float64]


class TrainMotion(NamedTuple):
    """What a run kept of its pantographs: time (time,) [s], stations [m] and control forces [N] (time, pantograph).

    ``height``, ``velocity``, ``acceleration`` (time, pantograph, mass), head first, the apex of the arms last [m, m/s,
    m/s2]; control forces are empty where there is no controller.
    """

    time: Floats
    position: Floats
    height: Floats
    velocity: Floats
    acceleration: Floats
    control_force: Floats


@dataclass(frozen=True)
class JointFigures:
    """Force that a joint carries over the spans that count [N]."""

    joint: str
    force_max_N: float
    force_mean_N: float


@dataclass(frozen=True)
class ArmFigures:
    """Arms of one pantograph over the spans that count; the first pantograph is 1."""

    pantograph: int
    lower_arm_angle_min_deg: float
    lower_arm_angle_max_deg: float
    lifting_torque_min_Nm: float
    lifting_torque_max_Nm: float
    joints: tuple[JointFigures, ...]


def arms_of_run(case: CaseSpec, kept: TrainMotion) -> tuple[ArmsInMotion, ...]:
    """Motion and joints of the arms of every pantograph; none where it has no arms."""
    spec = case.pantograph.articulated
    if spec is None:
        return ()
    found, head = [], spec.head
    for p in range(kept.height.shape[1]):
        rise, lift = _base(case, kept, p)
        heights, speeds = kept.height[:, p], kept.velocity[:, p]
        load = head.stiffnesses[-1] * (heights[:, -2] - heights[:, -1])
        load = load + head.dampings[-1] * (speeds[:, -2] - speeds[:, -1]) + _controlled(case, kept, p)
        apex = ApexMotion(heights[:, -1] - rise, speeds[:, -1] - lift, kept.acceleration[:, p, -1], load)
        found.append(arms_in_motion(spec, apex))
    return tuple(found)


def _base(case: CaseSpec, kept: TrainMotion, p: int) -> tuple[Floats, Floats]:
    """Height of a pantograph's base [m] and its velocity: one that enters the line on its way is raised there."""
    x, entry = kept.position[:, p], case.trailing
    if not x.size or x[0] - case.speed * kept.time[0] >= 0.0:
        return np.zeros(x.size), np.zeros(x.size)
    share = x / entry.entry_length_m
    lifted = np.asarray(-entry.entry_drop_m * (1.0 - np.clip(share, 0.0, 1.0)), dtype=np.float64)
    rate = entry.entry_drop_m * case.speed / entry.entry_length_m
    return lifted, np.where((share > 0.0) & (share < 1.0), rate, 0.0)


def _controlled(case: CaseSpec, kept: TrainMotion, p: int) -> Floats:
    """Force at the apex of a controller that acts in the suspension [N]; at the base it is part of the torque."""
    control = case.pantograph.control
    if control is None or not kept.control_force.size:
        return np.zeros(len(kept.time))
    direction = acting_on(control, linear_pantograph(case.pantograph, case.pressed_N))
    return kept.control_force[:, p] * (direction[-1] if direction[0] != 0.0 else 0.0)


def figures_of_arms(number: int, arms: ArmsInMotion, evaluated: slice) -> ArmFigures:
    """Figures of a pantograph's arms over the steps that are evaluated; the first pantograph is ``number`` 1."""
    angle, torque = np.rad2deg(np.pi - arms.angle[evaluated, 0]), arms.torque[evaluated]
    force = np.hypot(arms.reaction[evaluated, :, 0], arms.reaction[evaluated, :, 1])
    return ArmFigures(
        pantograph=number,
        lower_arm_angle_min_deg=float(angle.min()),
        lower_arm_angle_max_deg=float(angle.max()),
        lifting_torque_min_Nm=float(torque.min()),
        lifting_torque_max_Nm=float(torque.max()),
        joints=tuple(
            JointFigures(name, float(own.max()), float(own.mean())) for name, own in zip(JOINTS, force.T, strict=True)
        ),
    )

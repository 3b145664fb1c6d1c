"""Figures of the head: where the wire touches it, its roll, its strips, and where it wears."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.spec.mechanics.head import HeadSpec

__all__ = ["HeadFigures", "OnHead", "figures_on_head"]

BINS = 20
LEAST_WIDTH = 0.4  # m to either side of the middle, which the wear's bins cover at least


class OnHead(NamedTuple):
    """What a head does, step by step (step,).

    Wire's ``place`` on it [m], filtered ``force`` [N], ``roll`` and ``pitch``, each empty where it has none [rad];
    filtered forces of its ``strips`` (strip, step) [N]; ``side_motion`` of the wire from its place at rest [m], empty
    where it was not kept.
    """

    place: NDArray[np.float64]
    force: NDArray[np.float64]
    roll: NDArray[np.float64]
    pitch: NDArray[np.float64]
    strips: NDArray[np.float64]
    side_motion: NDArray[np.float64]


@dataclass(frozen=True)
class HeadFigures:
    """Contact wire and head of one pantograph over the spans that count.

    Attributes
    ----------
    pantograph : int
        The first one being 1.
    place_min_m, place_max_m : float
        Wire's places to the left of the head's middle.
    working_margin_m, lost_margin_m : float or None
        What is left from there to the end of the working range, and to the tip of a horn; negative beyond it.
    passing_place_max_m, passing_margin_m : float or None
        Farthest place to either side with the wire's own motion to the side as the head passes, and what is left from
        there to the end of the working range; None where that motion was not kept.
    roll_max_mrad : float or None
        Largest roll to either side.
    front_strip_max_N, rear_strip_max_N : float or None
        Largest filtered force of the first and of the last strip.
    strip_shares : list of float
        What every strip carries of the mean force, the front one first [-].
    pitch_max_mrad : float or None
        Largest pitch to either side; None where no strip is suspended.
    wear_edges_m, wear_share : list of float
        Places on the strip, and the share of the force times way that is between neighbouring ones.
    """

    pantograph: int
    place_min_m: float
    place_max_m: float
    working_margin_m: float | None
    lost_margin_m: float | None
    passing_place_max_m: float | None
    passing_margin_m: float | None
    roll_max_mrad: float | None
    front_strip_max_N: float | None
    rear_strip_max_N: float | None
    strip_shares: list[float]
    pitch_max_mrad: float | None
    wear_edges_m: list[float]
    wear_share: list[float]


def figures_on_head(number: int, head: HeadSpec | None, moving: OnHead) -> HeadFigures:
    """Figures of a head.

    Every step is the same way along the track, so that the force is the weight of its wear.
    """
    place, force, roll, pitch, _, side_motion = moving
    farthest = float(np.abs(place).max())
    passing = float(np.abs(place + side_motion).max()) if side_motion.size else None
    half = max(LEAST_WIDTH if head is None else head.half_length, farthest)
    edges = np.linspace(-half, half, BINS + 1)
    wear = np.histogram(place, bins=edges, weights=np.maximum(force, 0.0))[0]
    strips = moving.strips if len(moving.strips) else None
    return HeadFigures(
        pantograph=number,
        place_min_m=float(place.min()),
        place_max_m=float(place.max()),
        working_margin_m=None if head is None else head.working_half_width - farthest,
        lost_margin_m=None if head is None else head.half_length - farthest,
        passing_place_max_m=passing,
        passing_margin_m=None if head is None or passing is None else head.working_half_width - passing,
        roll_max_mrad=1e3 * float(np.abs(roll).max()) if roll.size else None,
        front_strip_max_N=None if strips is None else float(strips[0].max()),
        rear_strip_max_N=None if strips is None else float(strips[-1].max()),
        strip_shares=[] if strips is None else (strips.sum(axis=1) / strips.sum()).tolist(),
        pitch_max_mrad=1e3 * float(np.abs(pitch).max()) if pitch.size else None,
        wear_edges_m=edges.tolist(),
        wear_share=(wear / wear.sum() if wear.any() else wear).tolist(),
    )

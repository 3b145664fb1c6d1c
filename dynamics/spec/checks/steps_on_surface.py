"""Whether time steps are short enough for what the head meets on the contact wire's running surface."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from catenary.spec.line import CatenarySpec
from catenary.spec.running_surface.surface import ProfileSpec

__all__ = ["faults_of_steps"]

# time steps in which a pantograph passes the shortest wave of a running surface
STEPS_A_WAVE = 4
# on a bend of the contact wire, which would stand between two steps else; from crest to trough of a profile half of it
STEPS_A_BEND = 2
CREST = 5e-4  # m: what a measured profile turns by less is not looked at


def faults_of_steps(line: CatenarySpec, speed: float, dt: float) -> Iterator[str]:
    """Name kinks, profiles and waves of a line that a train at a speed [m/s] passes in too few steps of ``dt`` [s]."""
    step = speed * dt
    for name, block in (("repeat", line.repeat), ("section", line.section)):
        bends = [] if block is None else [kink.length for kink in block.kinks]
        if bends and min(bends) < STEPS_A_BEND * step:
            yield (
                f"dt must be at most {min(bends) / (STEPS_A_BEND * speed):.3g} s, {STEPS_A_BEND} steps on the shortest "
                f"bend of catenary.{name}.kinks, {min(bends):g} m: got {dt:g} s"
            )
    if line.section is None:
        return
    for k, profile in enumerate(line.section.profiles):
        shortest, station = _shortest_slope(profile)
        if shortest < 0.5 * STEPS_A_BEND * step:
            yield (
                f"dt must be at most {shortest / (0.5 * STEPS_A_BEND * speed):.3g} s, a step from crest to trough of "
                f"catenary.section.profiles[{k}], {shortest:.3g} m at {station:g} m from the first support: got "
                f"{dt:g} s (or smooth the profile)"
            )
    drawn = line.section.irregularity
    if drawn is not None and drawn.shortest < STEPS_A_WAVE * step:
        yield (
            f"dt must be at most {drawn.shortest / (STEPS_A_WAVE * speed):.3g} s, {STEPS_A_WAVE} steps on the "
            f"shortest wave of the irregularity, {drawn.shortest:g} m: got {dt:g} s"
        )


def _shortest_slope(profile: ProfileSpec) -> tuple[float, float]:
    """Shortest way from a point where a profile turns to the next, where heights differ by `CREST`; its station [m]."""
    x, height = np.array(profile.stations), np.array(profile.heights)
    uneven = np.flatnonzero(np.append(True, np.diff(height) != 0.0))  # the first of equal ones in a row
    x, height = x[uneven], height[uneven]
    rises = np.diff(height) > 0.0
    turns = np.concatenate([[0], 1 + np.flatnonzero(rises[1:] != rises[:-1]), [len(x) - 1]])
    way, change = np.diff(x[turns]), np.abs(np.diff(height[turns]))
    ways = np.where(change > CREST, way, np.inf)
    return (float(ways.min()), float(x[turns][ways.argmin()])) if ways.size else (np.inf, 0.0)

"""Whether stitch wires fit the spans and droppers of a line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

__all__ = ["FROM_CLAMP", "stitch_problems"]

# droppers keep this far from a stitch clamp [m]
FROM_CLAMP = 0.3


def stitch_problems(supports: Sequence[float], droppers: Sequence[float], half: float) -> list[str]:
    """List where a stitch wire reaches too far, meets a dropper with its clamp, or has none to carry.

    Parameters
    ----------
    supports, droppers : sequence of float
        Their stations [m].
    half : float
        Distance of a clamp from its support [m].
    """
    problems, shortest = [], min(b - a for a, b in pairwise(supports))
    if half > 0.4 * shortest:
        which = "the span" if len(supports) == 2 else "the shortest span"
        problems.append(f"stitch.length must be below 0.8 of {which}: got {2.0 * half:g} m")
    for a, b in pairwise(supports):
        own = [(k, station) for k, station in enumerate(droppers) if a < station < b]
        problems += [
            f"droppers.positions[{k}] = {station:g} m must stay {FROM_CLAMP:g} m clear of the stitch clamp "
            f"at {half:g} m from the support"
            for k, station in own
            if min(abs(station - a - half), abs(b - station - half)) < FROM_CLAMP
        ]
        inside = sum(1 for _, s in own if s < a + half), sum(1 for _, s in own if s > b - half)
        if min(inside) == 0:
            problems.append(
                f"a stitch wire needs at least one dropper on each side of the support, within {half:g} m of it"
            )
    return list(dict.fromkeys(problems))

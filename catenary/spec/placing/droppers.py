"""Whether droppers stand in the spans of a line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

__all__ = ["FROM_SUPPORT", "MOST_DROPPERS", "stations_outside"]

# droppers keep this far from a support [m]
FROM_SUPPORT = 0.5
MOST_DROPPERS = 40


def stations_outside(
    positions: Sequence[float],
    by_section: Sequence[Sequence[float]],
    supports: Sequence[float],
    sections: Sequence[tuple[int, int]],
) -> list[str]:
    """List droppers at a support or beyond the spans, and spans with none or too many.

    Parameters
    ----------
    positions, supports : sequence of float
        Their stations [m].
    by_section : sequence of sequence of float
        Stations of the droppers of every tension section [m].
    sections : sequence of (int, int)
        First and last support of every tension section; none of a line without.
    """
    end, spans = supports[-1], len(supports) - 1
    problems, inside = [], f"{FROM_SUPPORT:g} and {end - FROM_SUPPORT:g} m"
    for k, station in enumerate(positions):
        if not FROM_SUPPORT <= station <= end - FROM_SUPPORT:
            where = "span" if spans == 1 else f"{spans} spans before the line repeats"
            problems.append(f"droppers.positions[{k}] must lie between {inside}, inside the {where}: got {station:g} m")
        elif min(abs(station - s) for s in supports) < FROM_SUPPORT:
            near = min(supports, key=lambda s: abs(station - s))
            problems.append(
                f"droppers.positions[{k}] = {station:g} m must stay {FROM_SUPPORT:g} m clear of the support at "
                f"{near:g} m"
            )
    for hung, (first, last) in zip(by_section, sections or [(0, spans)], strict=False):
        counts = [sum(1 for at in hung if a < at < b) for a, b in pairwise(supports[first : last + 1])]
        problems += [
            f"droppers.positions must give span {n}, from {supports[n - 1]:g} to {supports[n]:g} m, 1 to "
            f"{MOST_DROPPERS} droppers: got {count}"
            for n, count in enumerate(counts, start=first + 1)
            if not 1 <= count <= MOST_DROPPERS
        ]
        if sections and sum(counts) != len(hung):
            problems.append(
                f"droppers.positions must lie in their tension sections: {len(hung) - sum(counts)} lie outside "
                f"{supports[first]:g} to {supports[min(last, spans)]:g} m"
            )
    return problems

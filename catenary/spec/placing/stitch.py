"""Whether stitch wires fit the spans and droppers of a line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

__all__ = ["FROM_CLAMP", "stitch_problems"]

# droppers keep this far from a stitch clamp [m]
FROM_CLAMP = 0.3
MOST_NAMED = 5


def stitch_problems(
    supports: Sequence[float],
    by_section: Sequence[Sequence[float]],
    sections: Sequence[tuple[int, int]],
    half: float,
) -> list[str]:
    """List where a stitch wire reaches too far, meets a dropper with its clamp, or has none to carry.

    Parameters
    ----------
    supports : sequence of float
        Their stations [m].
    by_section : sequence of sequence of float
        Stations of the droppers of every tension section, whose stitch wires carry no others [m].
    sections : sequence of (int, int)
        First and last support of every tension section; none of a line without.
    half : float
        Distance of a clamp from its support [m].
    """
    problems, shortest = [], min(b - a for a, b in pairwise(supports))
    if half > 0.4 * shortest:
        which = "the span" if len(supports) == 2 else "the shortest span"
        short = [
            f"span {n} has {b - a:g} m" for n, (a, b) in enumerate(pairwise(supports), start=1) if half > 0.4 * (b - a)
        ]
        where = f" ({', '.join(short[:MOST_NAMED])})" if len(supports) > 2 else ""
        problems.append(f"stitch.length must be below 0.8 of {which}{where}: got {2.0 * half:g} m")
    begins = accumulate(map(len, by_section), initial=0)
    spans = [
        ([(begin + k, x) for k, x in enumerate(hung) if a < x < b], a, b, n)
        for begin, hung, (first, last) in zip(begins, by_section, sections or [(0, len(supports) - 1)], strict=False)
        for n, (a, b) in enumerate(pairwise(supports[first : last + 1]), start=first + 1)
    ]
    for own, a, b, n in spans:
        problems += [
            f"droppers.positions[{k}] = {station:g} m must stay {FROM_CLAMP:g} m clear of the stitch clamp "
            f"at {half:g} m from the support"
            for k, station in own
            if min(abs(station - a - half), abs(b - station - half)) < FROM_CLAMP
        ]
        # a span without any is named with the droppers
        for support, (k, near) in ((a, own[0]), (b, own[-1])) if own else ():
            if abs(near - support) >= half:
                problems.append(
                    f"droppers.positions[{k}] = {near:g} m is the nearest in span {n} to the support at {support:g} m: "
                    f"a stitch wire needs at least one dropper on each side of the support, within {half:g} m of it"
                )
    return list(dict.fromkeys(problems))

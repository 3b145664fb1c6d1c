"""A layout whose contact wire hangs from an auxiliary messenger wire, and that from the messenger wire.

At supports the auxiliary wire passes: nothing holds it up there, and in space it is held sideways as far out as the
contact wire. Where an open line ends, it is held like all wires.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from catenary.layout.key_points import AUXILIARY, CONTACT, MESSENGER, KeyPoint, Layout

__all__ = ["hung_on_auxiliary"]

# clamps nearer to each other than this are one [m]
ONE_CLAMP = 1.0e-6
T = TypeVar("T")
Main = tuple[tuple[int, ...], tuple[float, ...], tuple[float, ...]]


def hung_on_auxiliary(
    layout: Layout, main: Main, own: tuple[tuple[float, ...], tuple[KeyPoint, ...]], period: float
) -> Layout:
    """Put an auxiliary wire between contact and messenger wire of a line without stitch wires.

    Droppers are numbered period by period, main ones after the others.

    Parameters
    ----------
    layout : Layout
        Of the line without it.
    main : tuple of (int, float, float)
        Number among the line's droppers, station and height of the auxiliary wire [m] of every main dropper.
    own : tuple of (float, KeyPoint)
        Heights of the auxiliary wire at every support [m], and point masses on it.
    period : float
        Length after which the line repeats [m].
    """
    (kind, x, height), (level, masses) = main, own
    n = len(layout.dropper_x)
    stations = (*layout.dropper_x, *x)
    order = sorted(range(len(stations)), key=lambda k: (int(stations[k] // period), k))
    number = {k: at for at, k in enumerate(order)}
    runs = {wire: tuple(_renumbered(p, number) for p in on) for wire, on in layout.runs}
    hung = [KeyPoint(at, "dropper", number[n + k]) for k, at in enumerate(x)]
    low = [p for p in runs[CONTACT] if p.what == "dropper"]
    shared = {p.index: m.index for p in low for m in hung if abs(p.x - m.x) < ONE_CLAMP}
    below = [p for p in runs[CONTACT] if p.what == "support" or (p.what == "dropper" and p.index not in shared)]
    below += masses
    above = [p for p in runs[MESSENGER] if p.what != "dropper"]
    # the support that closes a cell stays last: it has the number of the first
    runs[AUXILIARY], runs[MESSENGER] = (tuple(sorted([*on, *hung], key=lambda p: p.x)) for on in (below, above))
    return replace(
        layout,
        runs=tuple(runs.items()),
        dropper_kind=_ordered((*layout.dropper_kind, *kind), order),
        dropper_x=_ordered(stations, order),
        dropper_height=_ordered((*layout.dropper_height, *height), order),
        dropper_on_stitch=(False,) * len(stations),
        auxiliary_height=level,
        auxiliary_side=layout.contact_side,
        dropper_is_main=tuple(k >= n for k in order),
        shared_clamps=tuple(shared.items()),
    )


def _ordered(values: tuple[T, ...], order: list[int]) -> tuple[T, ...]:
    return tuple(values[k] for k in order)


def _renumbered(point: KeyPoint, number: dict[int, int]) -> KeyPoint:
    return replace(point, index=number[point.index]) if point.what == "dropper" else point

"""From parameters to layout: where wires are held, clamped and hung, span by span."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from catenary.layout.auxiliary import hung_on_auxiliary
from catenary.layout.key_points import AUXILIARY, CONTACT, MESSENGER, STITCH, KeyPoint, Layout
from catenary.layout.track import curvature_at, head_offset
from catenary.spec.attached.elements import ElementSpec
from catenary.spec.line import CatenarySpec

__all__ = [
    "AUXILIARY",
    "CONTACT",
    "MESSENGER",
    "STITCH",
    "KeyPoint",
    "Layout",
    "line_layout",
    "periodic_layout",
    "spans_at",
]

WIRES = {"contact": CONTACT, "messenger": MESSENGER, "stitch": STITCH, "auxiliary": AUXILIARY}


def spans_at(spec: CatenarySpec, x: Any) -> Any:
    """Spans from the line's first support to places on it [m], the inverse of `CatenarySpec.station`."""
    whole, rest = np.divmod(x, spec.period)
    return whole * len(spec.spans) + np.interp(rest, spec.supports, np.arange(len(spec.supports)))


def periodic_layout(spec: CatenarySpec) -> Layout:
    """Lay out one cell of the infinite periodic line, support at x = 0 (run order: contact, messenger, stitch)."""
    return _with_auxiliary(spec, _layout(spec, len(spec.spans), periodic=True))


def line_layout(spec: CatenarySpec, n_spans: int) -> Layout:
    """Lay out an open line of ``n_spans`` spans whose wires are fixed at the first and last support.

    The end supports carry no stitch wire; their droppers hang from the messenger wire.
    """
    return _with_auxiliary(spec, _layout(spec, n_spans, periodic=False))


def _with_auxiliary(spec: CatenarySpec, layout: Layout) -> Layout:
    """Hang the contact wire from an auxiliary wire, where there is one."""
    own = spec.auxiliary_wire
    if own is None:
        return layout
    kind, x = _placed(spec, list(enumerate(own.droppers.positions)), layout.n_spans)
    given = own.droppers.auxiliary_wire_heights or (0.0,) * len(own.droppers.positions)
    level = tuple(z + own.encumbrance for z in layout.contact_height)
    ends = np.interp(x, layout.supports, [*level, level[0]][: len(layout.supports)])
    heights = tuple((ends + np.array(given)[list(kind)]).tolist())
    main = tuple(len(spec.droppers.positions) + k for k in kind), x, heights
    own_masses = tuple(_on(AUXILIARY, _masses(spec, layout.supports[-1])))
    return hung_on_auxiliary(layout, main, (level, own_masses), spec.period)


def _layout(spec: CatenarySpec, n_spans: int, *, periodic: bool) -> Layout:
    at = tuple(spec.station(s) for s in range(n_spans + 1))
    kind, x = _droppers(spec, n_spans)
    given = spec.droppers.contact_wire_heights or (0.0,) * len(spec.droppers.positions)
    heights = _heights(spec, n_spans)
    masses = _masses(spec, at[-1])
    supports = [KeyPoint(at[s], "support", s) for s in range(n_spans if periodic else n_spans + 1)]
    stitched = supports if periodic else supports[1:-1]
    half = 0.5 * spec.stitch.length if spec.stitch else 0.0
    length = at[-1]

    def from_support(station: float, support: KeyPoint) -> float:
        """Signed distance, the short way round where the line closes on itself."""
        d = float(station - support.x)  # numpy rounds its own numbers much more slowly
        return d - length * round(d / length) if periodic else d

    near = [[k for k, s in enumerate(x) if abs(from_support(s, sup)) < half] for sup in stitched]
    on_stitch = {k for group in near for k in group}
    points = [KeyPoint(s, "dropper", k) for k, s in enumerate(x)]
    contact = sorted([*supports, *points, *_on(CONTACT, masses)], key=lambda p: p.x)
    messenger = [*supports, *(p for p in points if p.index not in on_stitch), *_on(MESSENGER, masses)]
    runs: list[tuple[int, tuple[KeyPoint, ...]]] = []
    for i, (sup, group) in enumerate(zip(stitched, near, strict=True) if half else ()):
        left, right = KeyPoint(sup.x - half, "clamp", 2 * i), KeyPoint(sup.x + half, "clamp", 2 * i + 1)
        hung = [KeyPoint(sup.x + from_support(x[k], sup), "dropper", k) for k in group]
        middle = KeyPoint(sup.x, "crossing", i)
        near_by = [(p, from_support(p.x, sup)) for p in _on(STITCH, masses)]
        hung += [KeyPoint(sup.x + d, "mass", p.index) for p, d in near_by if abs(d) < half]
        runs.append((STITCH, (left, *sorted([*hung, middle], key=lambda p: p.x), right)))
        messenger += [KeyPoint(left.x % length if periodic else left.x, "clamp", 2 * i), right]
    messenger.sort(key=lambda p: p.x)
    if periodic:
        closing = KeyPoint(length, "support", 0)
        contact, messenger = [*contact, closing], [*messenger, closing]
    return Layout(
        runs=((CONTACT, tuple(contact)), (MESSENGER, tuple(messenger)), *runs),
        length=length,
        supports=at,
        periodic=periodic,
        dropper_kind=kind,
        dropper_x=x,
        dropper_height=_over_chords(tuple(given[k] for k in kind), x, at, heights[0]),
        dropper_on_stitch=tuple(k in on_stitch for k in range(len(x))),
        contact_height=heights[0],
        messenger_height=heights[1],
        contact_side=_sides(spec, "stagger", n_spans),
        messenger_side=_sides(spec, "messenger_stagger", n_spans),
        masses=tuple((wire, mass) for _, wire, mass in masses),
        elements=_elements(spec, at[-1]),
        mirrored=spec.mirrored,
    )


def _on(wire: int, masses: list[tuple[float, int, float]]) -> list[KeyPoint]:
    """Key points of the point masses on one wire."""
    return [KeyPoint(x, "mass", k) for k, (x, on, _) in enumerate(masses) if on == wire]


def _masses(spec: CatenarySpec, end: float) -> list[tuple[float, int, float]]:
    """Station [m], wire and mass [kg] of every point mass, and without mass of every clamp of an element."""
    given = () if spec.section is None else spec.section.masses
    clamps = [(x, WIRES[wire], 0.0) for element, _ in _elements(spec, end) for wire, x in element.points]
    return [*((m.station, WIRES[m.wire], m.mass) for m in given if m.station < end), *clamps]


def _elements(spec: CatenarySpec, end: float) -> tuple[tuple[ElementSpec, tuple[int, ...]], ...]:
    """Elements of a line, and the numbers of the masses at their clamps."""
    own, found = spec.section, []
    at = 0 if own is None else sum(1 for mass in own.masses if mass.station < end)
    for element in () if own is None else own.elements:
        if max(element.clamps) < end:
            found.append((element, tuple(range(at, at + len(element.points)))))
            at += len(element.points)
    return tuple(found)


def _heights(spec: CatenarySpec, n_spans: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Height of the contact wire and of the messenger wire at every support [m]."""
    n, own = n_spans + 1, spec.section
    contact = (own.contact_heights if own is not None else ()) or (0.0,) * n
    above = (own.encumbrances if own is not None else ()) or (spec.encumbrance,) * n
    return contact[:n], tuple(z + up for z, up in zip(contact[:n], above[:n], strict=True))


def _sides(spec: CatenarySpec, name: str, n_spans: int) -> tuple[float, ...]:
    """Offset of a wire at every support [m]: each its own, or one that changes side from support to support."""
    own = () if spec.section is None else getattr(spec.section, f"{name}s")
    alike, track = getattr(spec.support, name), spec.track
    # a stagger to the left, where y is positive, is negative
    sides = [-y for y in own[: n_spans + 1]] or [alike * (-1.0) ** k for k in range(n_spans + 1)]
    if track is None:
        return tuple(sides)
    at = np.array([spec.station(s) for s in range(n_spans + 1)])
    curvature = curvature_at(track, at)
    if not own:
        outside = np.abs(curvature) * track.outside_below > 1.0
        sides = np.where(outside, -alike * np.sign(curvature), sides).tolist()
    return tuple((np.array(sides) + head_offset(track, at)).tolist())


def _over_chords(
    heights: tuple[float, ...], x: tuple[float, ...], supports: tuple[float, ...], contact: tuple[float, ...]
) -> tuple[float, ...]:
    """Heights [m] from those over the straight line between the contact wire's heights at the supports."""
    if not any(contact):
        return heights
    return tuple((np.array(heights) + np.interp(x, supports, contact)).tolist())


def _droppers(spec: CatenarySpec, n_spans: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Number of every dropper among those that the line names, and its station [m], span by span."""
    return _placed(spec, list(enumerate(spec.droppers.positions)), n_spans)


def _placed(
    spec: CatenarySpec, named: list[tuple[int, float]], n_spans: int
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Repeat what stands at stations of a period [m], span by span: its number and its station on the line."""
    by_span = [[(k, x - a) for k, x in named if a < x < b] for a, b in pairwise(spec.supports)]
    found = [(k, spec.station(s) + x) for s in range(n_spans) for k, x in by_span[s % len(by_span)]]
    return tuple(k for k, _ in found), tuple(x for _, x in found)

"""From parameters to layout: where wires are held, clamped and hung, span by span."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from catenary.spec.line import CatenarySpec

__all__ = ["KeyPoint", "Layout", "line_layout", "periodic_layout", "spans_at"]

CONTACT, MESSENGER, STITCH = 0, 1, 2


@dataclass(frozen=True)
class KeyPoint:
    """A station of one wire where something is attached.

    Attributes: ``x`` station [m]; ``what`` is 'support', 'dropper', 'clamp' or 'crossing' (a stitch wire passing
    its support); ``index`` numbers each of them along the whole line.
    """

    x: float
    what: str
    index: int


@dataclass(frozen=True)
class Layout:
    """Stations of every wire run of a line or of one periodic cell.

    Attributes
    ----------
    runs : tuple of (wire, key points)
        Each run is one continuous wire: ``wire`` is CONTACT, MESSENGER or STITCH.
    length : float
        Length of the line or cell [m].
    supports : tuple of float
        Station of every support, that which begins the next cell included [m].
    periodic : bool
        True when the last point of the line is the first one of the next cell.
    dropper_kind : tuple of int
        Which of the droppers that the line names stands there.
    dropper_x, dropper_height : tuple of float
        Station of every dropper and contact-wire height there [m]; the height is prescribed, or 0 where the line
        prescribes lengths and it is not known yet.
    dropper_on_stitch : tuple of bool
        True for droppers that hang from a stitch wire.
    """

    runs: tuple[tuple[int, tuple[KeyPoint, ...]], ...]
    length: float
    supports: tuple[float, ...]
    periodic: bool
    dropper_kind: tuple[int, ...]
    dropper_x: tuple[float, ...]
    dropper_height: tuple[float, ...]
    dropper_on_stitch: tuple[bool, ...]

    @property
    def n_spans(self) -> int:
        """Number of spans."""
        return len(self.supports) - 1


def spans_at(spec: CatenarySpec, x: Any) -> Any:
    """Spans from the line's first support to places on it [m], the inverse of `CatenarySpec.station`."""
    whole, rest = np.divmod(x, spec.period)
    return whole * len(spec.spans) + np.interp(rest, spec.supports, np.arange(len(spec.supports)))


def periodic_layout(spec: CatenarySpec) -> Layout:
    """Lay out one cell of the infinite periodic line, support at x = 0 (run order: contact, messenger, stitch)."""
    return _layout(spec, len(spec.spans), periodic=True)


def line_layout(spec: CatenarySpec, n_spans: int) -> Layout:
    """Lay out an open line of ``n_spans`` spans whose wires are fixed at the first and last support.

    The end supports carry no stitch wire; their droppers hang from the messenger wire.
    """
    return _layout(spec, n_spans, periodic=False)


def _layout(spec: CatenarySpec, n_spans: int, *, periodic: bool) -> Layout:
    at = tuple(spec.station(s) for s in range(n_spans + 1))
    kind, x = _droppers(spec, n_spans)
    given = spec.droppers.contact_wire_heights or (0.0,) * len(spec.droppers.positions)
    supports = [KeyPoint(at[s], "support", s) for s in range(n_spans if periodic else n_spans + 1)]
    stitched = supports if periodic else supports[1:-1]
    half = 0.5 * spec.stitch.length if spec.stitch else 0.0
    length = at[-1]

    def from_support(station: float, support: KeyPoint) -> float:
        """Signed distance, the short way round where the line closes on itself."""
        d = station - support.x
        return d - length * round(d / length) if periodic else d

    near = [[k for k, s in enumerate(x) if abs(from_support(s, sup)) < half] for sup in stitched]
    on_stitch = {k for group in near for k in group}
    points = [KeyPoint(s, "dropper", k) for k, s in enumerate(x)]
    contact = sorted([*supports, *points], key=lambda p: p.x)
    messenger = supports + [p for p in points if p.index not in on_stitch]
    runs: list[tuple[int, tuple[KeyPoint, ...]]] = []
    for i, (sup, group) in enumerate(zip(stitched, near, strict=True) if half else ()):
        left, right = KeyPoint(sup.x - half, "clamp", 2 * i), KeyPoint(sup.x + half, "clamp", 2 * i + 1)
        hung = [KeyPoint(sup.x + from_support(x[k], sup), "dropper", k) for k in group]
        middle = KeyPoint(sup.x, "crossing", i)
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
        dropper_height=tuple(given[k] for k in kind),
        dropper_on_stitch=tuple(k in on_stitch for k in range(len(x))),
    )


def _droppers(spec: CatenarySpec, n_spans: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Number of every dropper among those that the line names, and its station [m], span by span."""
    named = list(enumerate(spec.droppers.positions))
    by_span = [[(k, x - a) for k, x in named if a < x < b] for a, b in pairwise(spec.supports)]
    found = [(k, spec.station(s) + x) for s in range(n_spans) for k, x in by_span[s % len(by_span)]]
    return tuple(k for k, _ in found), tuple(x for _, x in found)

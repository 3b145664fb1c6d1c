"""From parameters to layout: where wires are held, clamped and hung, span by span."""

from __future__ import annotations

from dataclasses import dataclass

from catenary.spec import CatenarySpec

__all__ = ["KeyPoint", "Layout", "line_layout", "periodic_layout"]

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
    n_spans : int
        Number of spans.
    periodic : bool
        True when the last point of the line is the first one of the next cell.
    dropper_x, dropper_height : tuple of float
        Station of every dropper and contact-wire height there [m]; the height is prescribed, or 0 where the line
        prescribes lengths and it is not known yet.
    dropper_on_stitch : tuple of bool
        True for droppers that hang from a stitch wire.
    """

    runs: tuple[tuple[int, tuple[KeyPoint, ...]], ...]
    length: float
    n_spans: int
    periodic: bool
    dropper_x: tuple[float, ...]
    dropper_height: tuple[float, ...]
    dropper_on_stitch: tuple[bool, ...]


def periodic_layout(spec: CatenarySpec) -> Layout:
    """Lay out one cell of the infinite periodic line, support at x = 0 (run order: contact, messenger, stitch)."""
    return _layout(spec, 1, periodic=True)


def line_layout(spec: CatenarySpec, n_spans: int) -> Layout:
    """Lay out an open line of ``n_spans`` spans whose wires are fixed at the first and last support.

    The end supports carry no stitch wire; their droppers hang from the messenger wire.
    """
    return _layout(spec, n_spans, periodic=False)


def _layout(spec: CatenarySpec, n_spans: int, *, periodic: bool) -> Layout:
    span, drops = spec.span_length, spec.droppers
    x = [s * span + d for s in range(n_spans) for d in drops.positions]
    heights = tuple(drops.contact_wire_heights or (0.0,) * len(drops.positions)) * n_spans
    supports = [KeyPoint(s * span, "support", s) for s in range(n_spans if periodic else n_spans + 1)]
    stitched = supports if periodic else supports[1:-1]
    half = 0.5 * spec.stitch.length if spec.stitch else 0.0
    length = n_spans * span

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
        n_spans=n_spans,
        periodic=periodic,
        dropper_x=tuple(x),
        dropper_height=heights,
        dropper_on_stitch=tuple(k in on_stitch for k in range(len(x))),
    )

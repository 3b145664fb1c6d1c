"""The line at rest: from the ends of its elements to drawings with exaggerated heights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from catenary.layout.geometry import AUXILIARY, CONTACT, MESSENGER, STITCH
from dynamics.charts.parts import Chart, Curve, Role
from dynamics.charts.ticks import nice_exaggeration
from studies.report.content.pieces import Array, LineDrawing, SpanResult
from studies.report.sections.charts import marks_of, span_of, supports_of

__all__ = ["contact_wire_chart", "line_chart", "line_drawing"]

MM = 1.0e3


def line_drawing(shape: Mapping[str, Array], supports: Sequence[float], role: Role) -> LineDrawing:
    """Lay out one period of the line for drawing, with enough of its neighbours to show whole stitch wires.

    Parameters
    ----------
    shape : mapping of str to array
        Both ends of wire elements and droppers of one periodic cell, under the names of a result file:
        ``elem_wire`` (elem,), ``elem_end_position`` and ``elem_end_height`` (elem, 2),
        ``dropper_end_position`` and ``dropper_end_height`` (dropper, 2), lower end first [m]. Where there are
        ``station`` and ``contact_wire_static_height`` too, they make the contact wire smoother between nodes.
    supports : sequence of float
        Stations of its supports, that which begins the next period included [m].
    role : str
        'nominal' or 'best', which sets the colour.
    """
    span = supports[-1]
    beyond = max(1.0, -float(shape["elem_end_position"].min()) + 1.0)
    window = (-beyond, span + beyond)
    pieces = {wire: _wire_pieces(shape, wire, span, window) for wire in (CONTACT, MESSENGER, STITCH, AUXILIARY)}
    wires = tuple(Curve("", x, z, "m", "m", role) for group in pieces.values() for x, z in group)
    at, ends = shape["dropper_end_position"], shape["dropper_end_height"]
    x = np.concatenate([at[:, 0] + s for s in (-span, 0.0, span)])
    z = np.concatenate([ends] * 3)
    seen = (x >= window[0]) & (x <= window[1])
    several = len(pieces[CONTACT]) > 1  # those of a line that ends
    contact_x, contact_z = _as_segments(pieces[CONTACT]) if several else _finely(shape, *pieces[CONTACT][0])
    own = (contact_x >= -1e-9) & (contact_x <= span + 1e-9)
    return LineDrawing(
        wires=wires,
        droppers=Curve("", np.repeat(x[seen], 2), z[seen].ravel(), "m", "m", role, "segments"),
        contact_wire=Curve("", contact_x[own], contact_z[own] * MM, "m", "mm", role, "segments" if several else "line"),
        dropper_x=at[:, 0].copy(),
        dropper_height=ends[:, 0] * MM,
        supports=np.array(supports),
    )


def _as_segments(pieces: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Both ends of every segment of several wires, stations and heights [m]."""
    ends = [(np.repeat(x, 2)[1:-1], np.repeat(z, 2)[1:-1]) for x, z in pieces]
    return np.concatenate([x for x, _ in ends]), np.concatenate([z for _, z in ends])


def _finely(shape: Mapping[str, Array], x: Array, z: Array) -> tuple[Array, Array]:
    """Contact wire with the stations between its nodes at which the file also has heights."""
    if "station" not in shape or "contact_wire_static_height" not in shape:
        return x, z
    all_x = np.concatenate([x, shape["station"]])
    all_z = np.concatenate([z, shape["contact_wire_static_height"]])
    _, first = np.unique(np.round(all_x, 6), return_index=True)
    return all_x[first], all_z[first]


def _wire_pieces(
    shape: Mapping[str, Array], wire: int, span: float, window: tuple[float, float]
) -> list[tuple[Array, Array]]:
    """Continuous pieces of one wire within a window, as stations and heights of its nodes [m]."""
    mine = shape["elem_wire"] == wire
    x, z = shape["elem_end_position"][mine], shape["elem_end_height"][mine]
    ordered = np.sort(x, axis=0)
    if len(x) and (ordered[1:, 0] < ordered[:-1, 1] - 1e-6).any():
        # wires of a line that ends, of which some pass each other: each from its first node to its last, as filed
        return _split(x, z, (np.abs(x[1:, 0] - x[:-1, 1]) > 1e-6) | (np.abs(z[1:, 0] - z[:-1, 1]) > 1e-6))
    x, z = np.concatenate([x + s for s in (-span, 0.0, span)]), np.concatenate([z] * 3)
    seen = (x[:, 0] >= window[0] - 1e-6) & (x[:, 1] <= window[1] + 1e-6)
    x, z = x[seen], z[seen]
    if not len(x):
        return []
    order = np.argsort(x[:, 0])
    x, z = x[order], z[order]
    return _split(x, z, x[1:, 0] - x[:-1, 1] > 1e-6)


def _split(x: Array, z: Array, apart: NDArray[np.bool_]) -> list[tuple[Array, Array]]:
    """Stations and heights of nodes [m] of the pieces that neighbouring elements are ``apart`` between."""
    breaks = np.flatnonzero(apart) + 1
    return [
        (np.append(px[:, 0], px[-1, 1]), np.append(pz[:, 0], pz[-1, 1]))
        for px, pz in zip(np.split(x, breaks), np.split(z, breaks), strict=True)
    ]


def line_chart(results: tuple[SpanResult, ...]) -> Chart | None:
    """Draw contact wire, messenger wire, stitch wires and droppers of every design, heights exaggerated."""
    curves: list[Curve] = []
    for label, drawing in _drawn(results):
        first, *others = drawing.wires
        curves += [replace(first, label=label), *others, drawing.droppers]
    about = "line", "The line at rest"
    caption = ". Zero is the contact wire at the supports; dotted lines are supports. Hovering reads the contact wire."
    axes = "Station along the span", "Height"
    return _exaggerated(Chart(*about, caption, *axes, tuple(curves)), results, 0.0, 0.42) if curves else None


def contact_wire_chart(results: tuple[SpanResult, ...]) -> Chart | None:
    """Draw the contact wire alone, its heights exaggerated far more, with the droppers' clamps as points."""
    curves: list[Curve] = []
    for label, d in _drawn(results):
        role = d.contact_wire.role
        clamps = Curve("", d.dropper_x, d.dropper_height, "m", "mm", role, "dots" if role == "best" else "rings")
        curves += [replace(d.contact_wire, label=label), clamps]
    about = "contact_wire", "The contact wire at rest"
    caption = "; points are dropper clamps. Between droppers the wire sags under its own weight."
    axes = "Station along the span", "Height over the supports"
    if not curves:
        return None
    return _exaggerated(Chart(*about, caption, *axes, tuple(curves), x_range=span_of(results)), results, 2.0, 0.36)


def _drawn(results: tuple[SpanResult, ...]) -> list[tuple[str, LineDrawing]]:
    return [(r.label, r.drawing) for r in results if r.drawing is not None]


def _exaggerated(chart: Chart, results: tuple[SpanResult, ...], least: float, part: float) -> Chart:
    """Let heights, with a margin and at least so far apart, take a part of the width at a factor that is said."""
    z = np.concatenate([c.y for c in chart.curves])
    middle, half = 0.5 * float(z.max() + z.min()), 0.5 * max(1.16 * float(z.max() - z.min()), least)
    x_range, y_range = chart.limits()[0], (middle - half, middle + half)
    unit = MM if chart.units[1] == "mm" else 1.0
    factor = nice_exaggeration(x_range[1] - x_range[0], (y_range[1] - y_range[0]) / unit, part)
    return replace(
        chart,
        caption=f"Heights are exaggerated {factor:g} times{chart.caption}",
        stations=(*supports_of(results), *marks_of(results)),
        x_range=x_range,
        y_range=y_range,
        exaggeration=factor / unit,
    )

"""The line at rest: from the ends of its elements to drawings with exaggerated heights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from catenary.layout.geometry import CONTACT, MESSENGER, STITCH
from dynamics.charts.numbers import nice_exaggeration
from dynamics.charts.parts import Chart, Curve, Role, Stations
from studies.report.content.pieces import Array, LineDrawing, SpanResult

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
    pieces = {wire: _wire_pieces(shape, wire, span, window) for wire in (CONTACT, MESSENGER, STITCH)}
    wires = tuple(Curve("", x, z, "m", "m", role) for group in pieces.values() for x, z in group)
    at, ends = shape["dropper_end_position"], shape["dropper_end_height"]
    x = np.concatenate([at[:, 0] + s for s in (-span, 0.0, span)])
    z = np.concatenate([ends] * 3)
    seen = (x >= window[0]) & (x <= window[1])
    contact_x, contact_z = _finely(shape, *pieces[CONTACT][0])
    own = (contact_x >= -1e-9) & (contact_x <= span + 1e-9)
    return LineDrawing(
        wires=wires,
        droppers=Curve("", np.repeat(x[seen], 2), z[seen].ravel(), "m", "m", role, "segments"),
        contact_wire=Curve("", contact_x[own], contact_z[own] * MM, "m", "mm", role),
        dropper_x=at[:, 0].copy(),
        dropper_height=ends[:, 0] * MM,
        supports=np.array(supports),
    )


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
    x, z = np.concatenate([x + s for s in (-span, 0.0, span)]), np.concatenate([z] * 3)
    seen = (x[:, 0] >= window[0] - 1e-6) & (x[:, 1] <= window[1] + 1e-6)
    x, z = x[seen], z[seen]
    if not len(x):
        return []
    order = np.argsort(x[:, 0])
    x, z = x[order], z[order]
    breaks = np.flatnonzero(x[1:, 0] - x[:-1, 1] > 1e-6) + 1
    return [
        (np.append(px[:, 0], px[-1, 1]), np.append(pz[:, 0], pz[-1, 1]))
        for px, pz in zip(np.split(x, breaks), np.split(z, breaks), strict=True)
    ]


def line_chart(results: tuple[SpanResult, ...]) -> Chart | None:
    """Draw contact wire, messenger wire, stitch wires and droppers of every design, heights exaggerated."""
    drawn = [(r.label, r.drawing) for r in results if r.drawing is not None]
    if not drawn:
        return None
    curves: list[Curve] = []
    for label, drawing in drawn:
        first, *others = drawing.wires
        curves += [replace(first, label=label), *others, drawing.droppers]
    x = np.concatenate([c.x for c in curves])
    x_range = float(x.min()), float(x.max())
    y_range = _heights(curves, 0.0)
    factor = nice_exaggeration(x_range[1] - x_range[0], y_range[1] - y_range[0], 0.42)
    return Chart(
        name="line",
        title="The line at rest",
        caption=f"Heights are exaggerated {factor:g} times. Zero is the contact wire at the supports; "
        "dotted lines are supports. Hovering reads the contact wire.",
        x_label="Station along the span",
        y_label="Height",
        curves=tuple(curves),
        stations=(Stations("supports", _longest(drawn).supports, full_height=True),),
        x_range=x_range,
        y_range=y_range,
        exaggeration=factor,
    )


def contact_wire_chart(results: tuple[SpanResult, ...]) -> Chart | None:
    """Draw the contact wire alone, its heights exaggerated far more, with the droppers' clamps as points."""
    drawn = [(r.label, r.drawing) for r in results if r.drawing is not None]
    if not drawn:
        return None
    curves: list[Curve] = []
    for label, d in drawn:
        role = d.contact_wire.role
        clamps = Curve("", d.dropper_x, d.dropper_height, "m", "mm", role, "dots" if role == "best" else "rings")
        curves += [replace(d.contact_wire, label=label), clamps]
    x_range = float(_longest(drawn).supports.min()), float(_longest(drawn).supports.max())
    y_range = _heights(curves, 2.0)
    factor = nice_exaggeration(x_range[1] - x_range[0], (y_range[1] - y_range[0]) / MM, 0.36)
    return Chart(
        name="contact_wire",
        title="The contact wire at rest",
        caption=f"Heights are exaggerated {factor:g} times; points are dropper clamps. Between droppers "
        "the wire sags under its own weight.",
        x_label="Station along the span",
        y_label="Height over the supports",
        curves=tuple(curves),
        stations=(Stations("supports", _longest(drawn).supports, full_height=True),),
        x_range=x_range,
        y_range=y_range,
        exaggeration=factor / MM,
    )


def _heights(curves: list[Curve], least: float) -> tuple[float, float]:
    """Limits of the height axis: those of the curves with a margin, at least so far apart."""
    z = np.concatenate([c.y for c in curves])
    middle, half = 0.5 * float(z.max() + z.min()), 0.5 * max(1.16 * float(z.max() - z.min()), least)
    return middle - half, middle + half


def _longest(drawn: list[tuple[str, LineDrawing]]) -> LineDrawing:
    """Drawing of the line that repeats after the greatest length."""
    return max((drawing for _, drawing in drawn), key=lambda d: float(d.supports[-1]))

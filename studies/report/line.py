"""The line at rest: from an equilibrium to drawings with exaggerated heights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.equilibrium import Equilibrium
from catenary.geometry import CONTACT, MESSENGER, STITCH
from studies.report.content import LineDrawing, SpanResult
from studies.report.frame import nice_exaggeration
from studies.report.parts import Chart, Curve, Role, Stations

__all__ = ["contact_wire_chart", "line_chart", "line_drawing"]

WIRE_NAMES = {CONTACT: "contact wire", MESSENGER: "messenger wire", STITCH: "stitch wire"}
MM = 1.0e3


def line_drawing(eq: Equilibrium, role: Role) -> LineDrawing:
    """Lay out one periodic cell for drawing, with enough of its neighbours to show whole stitch wires.

    Parameters
    ----------
    eq : Equilibrium
        Equilibrium of one periodic cell.
    role : str
        'nominal' or 'best', which sets the colour.
    """
    span, stitch = eq.spec.span_length, eq.spec.stitch
    beyond = 1.0 + (0.5 * stitch.length if stitch is not None else 0.0)
    window = (-beyond, span + beyond)
    pieces = {wire: _wire_pieces(eq, wire, window) for wire in WIRE_NAMES}
    wires = tuple(Curve("", x, z, "m", "m", role) for group in pieces.values() for x, z in group)
    low, high = eq.q[eq.mesh.dropper_bottom], eq.q[eq.mesh.dropper_top]
    copies = [(low[:, 0] + s, low[:, 2], high[:, 2]) for s in (-span, 0.0, span)]
    x, z0, z1 = (np.concatenate(parts) for parts in zip(*copies, strict=True))
    seen = (x >= window[0]) & (x <= window[1])
    ends = np.column_stack([z0[seen], z1[seen]]).ravel()
    contact_x, contact_z = pieces[CONTACT][0]
    own = (contact_x >= -1e-9) & (contact_x <= span + 1e-9)
    return LineDrawing(
        wires=wires,
        droppers=Curve("", np.repeat(x[seen], 2), ends, "m", "m", role, "segments"),
        contact_wire=Curve("", contact_x[own], contact_z[own] * MM, "m", "mm", role),
        dropper_x=low[:, 0].copy(),
        dropper_height=low[:, 2] * MM,
        supports=np.array([0.0, span]),
    )


def _wire_pieces(
    eq: Equilibrium, wire: int, window: tuple[float, float]
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Continuous pieces of one wire within a window, as stations and heights of its nodes [m]."""
    mesh, span = eq.mesh, eq.spec.span_length
    mine = mesh.elem_wire == wire
    if not mine.any():
        return []
    x = eq.q[mesh.elem_nodes[mine], 0] + mesh.elem_shift[mine]
    z = eq.q[mesh.elem_nodes[mine], 2]
    x, z = (np.concatenate([x + s for s in (-span, 0.0, span)]), np.concatenate([z] * 3))
    order = np.argsort(x[:, 0])
    x, z = x[order], z[order]
    seen = (x[:, 0] >= window[0] - 1e-6) & (x[:, 1] <= window[1] + 1e-6)
    x, z = x[seen], z[seen]
    breaks = np.flatnonzero(x[1:, 0] - x[:-1, 1] > 1e-6) + 1
    return [
        (np.append(px[:, 0], px[-1, 1]), np.append(pz[:, 0], pz[-1, 1]))
        for px, pz in zip(np.split(x, breaks), np.split(z, breaks), strict=True)
        if len(px)
    ]


def line_chart(results: tuple[SpanResult, ...]) -> Chart | None:
    """Draw contact wire, messenger wire, stitch wires and droppers of every design, heights exaggerated."""
    drawn = [(r.label, r.drawing) for r in results if r.drawing is not None]
    if not drawn:
        return None
    curves: list[Curve] = []
    for label, drawing in drawn:
        first, *others = drawing.wires
        curves += [_named(first, label), *others, drawing.droppers]
    x = np.concatenate([c.x for c in curves])
    z = np.concatenate([c.y for c in curves])
    x_range = float(x.min()), float(x.max())
    extent = x_range[1] - x_range[0]
    tall = 1.16 * float(z.max() - z.min())
    factor = nice_exaggeration(extent, tall, 0.42)
    middle = 0.5 * float(z.max() + z.min())
    return Chart(
        name="line",
        title="The line at rest",
        caption=f"Heights are exaggerated {factor:g} times. Zero is the contact wire at the supports; "
        "dotted lines are supports.",
        x_label="Station along the span",
        y_label="Height",
        curves=tuple(curves),
        stations=(Stations("supports", drawn[0][1].supports, full_height=True),),
        x_range=x_range,
        y_range=(middle - 0.5 * tall, middle + 0.5 * tall),
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
        clamps = Curve(
            "", d.dropper_x, d.dropper_height, "m", "mm", role, "dots" if role == "best" else "rings"
        )
        curves += [_named(d.contact_wire, label), clamps]
    z = np.concatenate([c.y for c in curves])
    x_range = float(drawn[0][1].supports.min()), float(drawn[0][1].supports.max())
    tall = max(1.16 * float(z.max() - z.min()), 2.0)
    factor = nice_exaggeration(x_range[1] - x_range[0], tall / MM, 0.36)
    middle = 0.5 * float(z.max() + z.min())
    return Chart(
        name="contact_wire",
        title="The contact wire at rest",
        caption=f"Heights are exaggerated {factor:g} times; points are dropper clamps. Between droppers "
        "the wire sags under its own weight.",
        x_label="Station along the span",
        y_label="Height over the supports",
        curves=tuple(curves),
        x_range=x_range,
        y_range=(middle - 0.5 * tall, middle + 0.5 * tall),
        exaggeration=factor / MM,
    )


def _named(curve: Curve, label: str) -> Curve:
    return Curve(label, curve.x, curve.y, curve.x_unit, curve.y_unit, curve.role, curve.mark, curve.notes)

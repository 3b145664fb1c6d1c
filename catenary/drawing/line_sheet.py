"""A line at rest as a drawing: elevation with droppers and their lengths, plan with stagger, stations of supports."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from catenary.drawing.sheet import Sheet, Stroke, Words
from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.key_points import AUXILIARY, CONTACT, MESSENGER, STITCH
from catenary.layout.laid_out import laid_out
from catenary.layout.sections import parts_of
from catenary.layout.track import head_offset
from catenary.spec.line import CatenarySpec
from catenary.spec.section import DefectSpec

__all__ = ["line_sheet"]

LAYER = {CONTACT: "CONTACT_WIRE", MESSENGER: "MESSENGER_WIRE", STITCH: "STITCH_WIRE", AUXILIARY: "AUXILIARY_WIRE"}
# heights of texts, and room between elevation, texts and plan [m]
TEXT, TITLE_TEXT, ROOM = 0.6, 1.2, 3.0
BESIDE = 0.3


def line_sheet(line: CatenarySpec, rest: Equilibrium, heights: float, sides: float) -> Sheet:
    """Draw a line as it hangs: one period of a line that repeats, or all of a line by stations.

    Parameters
    ----------
    line : CatenarySpec
        As its files have it, with its defects.
    rest : Equilibrium
        Where it hangs.
    heights, sides : float
        By what heights in the elevation, and offsets from the track in the plan, are exaggerated [-].
    """
    top = float(rest.q[:, 2].max()) * heights
    low = float(rest.q[:, 2].min()) * heights
    plan = low - 3.0 * ROOM - sides * max(0.4, *(abs(y) for y in rest.mesh.layout.contact_side))
    wires = _wires(rest)
    strokes = [Stroke(LAYER[wire], tuple((float(a), heights * float(b)) for a, b in points)) for wire, points in wires]
    parts = (_droppers(rest, heights), _supports(rest, heights, low), _plan(rest, sides, plan))
    parts = (*parts, _defects(line, wires, heights), _elements(rest, heights))
    strokes += [stroke for own, _ in parts for stroke in own]
    now = line.temperature
    warm = "" if now is None else f" as strung at {now.strung_C:g} C, drawn at {now.now_C:g} C"
    title = (
        f"{line.name}: {line.in_words.partition(': ')[2]}{warm}; stations in m to scale, heights x {heights:g}, "
        f"sides x {sides:g}; lengths of droppers as cut, from wire axis to wire axis, in mm"
    )
    words = [Words("TITLE", (0.0, top + ROOM), title, TITLE_TEXT), *(word for _, own in parts for word in own)]
    return Sheet(title, tuple(strokes), tuple(words))


def _wires(rest: Equilibrium) -> list[tuple[int, NDArray[np.float64]]]:
    """Every wire run, and its points (point, 2): station and height [m]."""
    mesh = rest.mesh
    x = rest.q[mesh.elem_nodes, 0] + mesh.elem_shift
    z = rest.q[mesh.elem_nodes, 2]
    runs: list[tuple[int, list[tuple[float, float]]]] = []
    for k, wire in enumerate(mesh.elem_wire):
        begin, end = zip(x[k], z[k], strict=True)
        if not runs or runs[-1][0] != wire or abs(runs[-1][1][-1][0] - begin[0]) > 1.0e-6:
            runs.append((int(wire), [begin]))
        runs[-1][1].append(end)
    return [(wire, np.array(points)) for wire, points in runs]


Part = tuple[list[Stroke], list[Words]]


def _droppers(rest: Equilibrium, heights: float) -> Part:
    """Droppers between their clamps, each with the length that it is cut to [mm]."""
    mesh, lengths = rest.mesh, rest.dropper_unstretched_length
    strokes, words = [], []
    for x, low, high, length in zip(
        mesh.layout.dropper_x, rest.q[mesh.dropper_bottom, 2], rest.q[mesh.dropper_top, 2], lengths, strict=True
    ):
        strokes.append(Stroke("DROPPERS", ((x, heights * low), (x, heights * high))))
        at = (x + BESIDE, heights * 0.5 * (low + high))
        words.append(Words("DROPPER_LENGTHS", at, f"{1e3 * length:.0f}", TEXT, 90.0))
    return strokes, words


def _supports(rest: Equilibrium, heights: float, low: float) -> Part:
    """Supports with their number and station [m]."""
    layout = rest.mesh.layout
    strokes, words = [], []
    for k, contact, messenger in zip(layout.wire_supports, layout.contact_height, layout.messenger_height, strict=True):
        x = layout.supports[k]
        strokes.append(Stroke("SUPPORTS", ((x, heights * contact), (x, heights * messenger))))
    for k, x in enumerate(layout.supports, start=1):
        words.append(Words("STATIONS", (x, low - ROOM), f"{k}: {x:.3f}", TEXT))
    return strokes, words


def _plan(rest: Equilibrium, sides: float, axis: float) -> Part:
    """Track, wires from support to support, and their staggers, to the left negative [mm]."""
    layout = rest.mesh.layout
    supports = layout.supports
    strokes = [Stroke("TRACK", ((supports[0], axis), (supports[-1], axis)), dashed=True)]
    words = []
    at = [supports[k] for k in layout.wire_supports]
    ends = list(accumulate((last - first + 1 for first, last in layout.sections_or_one), initial=0))
    for layer, offsets in (("PLAN_CONTACT_WIRE", layout.contact_side), ("PLAN_MESSENGER_WIRE", layout.messenger_side)):
        points = tuple((x, axis + sides * y) for x, y in zip(at, offsets, strict=True))
        strokes += [Stroke(layer, points[a:b]) for a, b in pairwise(ends)]
    centre = head_offset(rest.spec.track, np.array(at))  # where the head stands, from which a stagger counts
    for x, y, head in zip(at, layout.contact_side, centre.tolist(), strict=True):
        stagger = round(-1e3 * (y - head))
        words.append(Words("STAGGER", (x, axis + sides * y + BESIDE), f"{stagger:+d}" if stagger else "0", TEXT))
    return strokes, words


def _defects(line: CatenarySpec, wires: list[tuple[int, NDArray[np.float64]]], heights: float) -> Part:
    """Marks where droppers are not as designed: from wire to wire, dashed, and in words."""
    strokes, words = [], []
    below, above = ([points for wire, points in wires if wire == kind] for kind in (CONTACT, MESSENGER))
    for part, contact, messenger in zip(parts_of(laid_out(line)), below, above, strict=True):
        for defect in () if part.line.section is None else part.line.section.defects:
            x = part.begin + _station(part.line, defect)
            low, high = (heights * float(np.interp(x, *points.T)) for points in (contact, messenger))
            strokes.append(Stroke("DEFECTS", ((x, low), (x, high)), dashed=True))
            words.append(Words("DEFECTS", (x - BESIDE, low + BESIDE), _in_words(defect), TEXT, 90.0))
    return strokes, words


def _elements(rest: Equilibrium, heights: float) -> Part:
    """Marks of spring supports, dampers and insulators on their wires, and worn stretches, in words."""
    mesh, own = rest.mesh, rest.spec.section
    strokes, words = [], []
    for element, numbers in mesh.layout.elements:
        points = [(float(x), heights * float(z)) for x, z in rest.q[mesh.mass_nodes[list(numbers)]][:, [0, 2]]]
        reach = ((points[0][0], points[0][1] + BESIDE), (points[0][0], points[0][1] - BESIDE))
        strokes.append(Stroke("ELEMENTS", tuple(points) if len(points) > 1 else reach))
        at = points[0][0] - BESIDE, points[0][1] + BESIDE
        words.append(Words("ELEMENTS", at, element.kind.replace("_", " "), TEXT, 90.0))
    for worn in () if own is None else own.wear:
        contact = rest.q[mesh.node_wire == CONTACT]
        level = heights * float(contact[np.abs(contact[:, 0] - worn.begin).argmin(), 2]) - BESIDE
        strokes.append(Stroke("ELEMENTS", ((worn.begin, level), (worn.end, level)), dashed=True))
        words.append(Words("ELEMENTS", (worn.begin, level - 2.0 * BESIDE), f"worn by {100.0 * worn.area:g} %", TEXT))
    return strokes, words


def _station(line: CatenarySpec, defect: DefectSpec) -> float:
    """Station of a defect's dropper [m]."""
    begin, end = list(pairwise(line.supports))[defect.span - 1]
    return [x for x in line.droppers.positions if begin < x < end][defect.dropper - 1]


def _in_words(defect: DefectSpec) -> str:
    if defect.kind == "length":
        return f"{1e3 * (defect.by or 0.0):+.0f} mm"
    if defect.kind == "loose":
        return f"loose by {1e3 * (defect.by or 0.0):.0f} mm"
    return "broken" if defect.stiffness is None else f"{defect.stiffness / 1e3:g} kN/m"

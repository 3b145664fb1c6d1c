"""Charts of a line and its heads in space: plan view, cross-sections to scale, place on the head, roll, strips, wear.

They are made from the arrays of a result file by their names there (`dynamics.results.in_space`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.layout.geometry import AUXILIARY, CONTACT, MESSENGER, STITCH
from catenary.layout.track import head_offset, head_roll, plan_points
from dynamics.charts.numbers import number
from dynamics.charts.parts import Chart, Curve, Mark, Role, Stations
from dynamics.charts.ticks import nice_exaggeration
from dynamics.spec.case import CaseSpec
from dynamics.spec.mechanics.head import HeadSpec

__all__ = ["charts_in_space", "cross_sections"]

Array = NDArray[Any]
MM, MRAD = 1.0e3, 1.0e3
WIRES: tuple[tuple[int, str, Role], ...] = (
    (CONTACT, "contact wire", "best"),
    (MESSENGER, "messenger wire", "nominal"),
    (STITCH, "stitch wire", "other"),
    (AUXILIARY, "auxiliary wire", "fifth"),
)
SECTIONS = 9  # stations with a cross-section, from one support to the next but one where two are shown
HALF_WIDTH = 1.45  # m, of a cross-section to either side of the middle of the head
NEAR_DROPPER, NEAR_ARM = 1.0, 1.0  # m along the track, within which a cross-section shows them
HIGHER = 0.25  # m, room over the highest wire
PERIODS = 10  # of a line that repeats, in its plan
PLAN_PART, LATERAL_PART = 0.5, 0.4  # largest height of a plan over its width


@dataclass(frozen=True)
class _Run:
    """What a file keeps of the leading head over the spans shown: (sample,), and (sample, strip) for strips."""

    x: Array
    height: Array
    place: Array
    roll: Array | None
    pitch: Array | None
    strips: Array | None
    supports: Array


def charts_in_space(values: Mapping[str, Array], case: CaseSpec, supports: Array) -> tuple[Chart, ...]:
    """Charts of the leading pantograph and the line, between supports at stations [m]; none of a run in the plane."""
    if "head_place" not in values:
        return ()
    run, head = _leading(values, supports), case.pantograph.head
    charts = [*_plan_of_track(case, values), _lateral(values, case, run), _place(head, run)]
    if run.roll is not None and run.strips is not None:
        turned, title = {"roll": MRAD * run.roll}, "Roll of the head"
        if run.pitch is not None:
            turned, title = {**turned, "pitch": MRAD * run.pitch}, "Roll and pitch of the head"
        charts += [_over_track("head_roll", title, "Angle", "mrad", run, turned)]
        strips = {_name_of(k, run.strips.shape[1]): force for k, force in enumerate(run.strips.T)}
        charts += [_over_track("strip_force", "Force of the strips", "Force, filtered", "N", run, strips)]
    return (*charts, _wear(values))


def cross_sections(values: Mapping[str, Array], case: CaseSpec, supports: Array) -> tuple[Chart, ...]:
    """Draw the line and the head to scale at stations from support to support, as the leading pantograph passes."""
    if "head_place" not in values:
        return ()
    run = _leading(values, supports)
    shown = np.linspace(supports[0], supports[-1], SECTIONS)
    return tuple(_cross_section(values, case, run, float(x), k) for k, x in enumerate(shown, start=1))


def _leading(values: Mapping[str, Array], supports: Array) -> _Run:
    x = values["pantograph_position"][:, 0] if "pantograph_position" in values else values["position"]
    height = values["pantograph_contact_height"][:, 0] if "pantograph_position" in values else values["contact_height"]
    cut = np.flatnonzero((x > supports[0] - 1e-6) & (x <= supports[-1] + 1e-6))
    roll, strips, pitch = values.get("head_roll"), values.get("strip_force"), values.get("head_pitch")
    return _Run(
        x=x[cut],
        height=height[cut],
        place=values["head_place"][cut, 0],
        roll=None if roll is None else roll[cut, 0],
        pitch=None if pitch is None else pitch[cut, 0],
        strips=None if strips is None else strips[cut, 0],
        supports=supports,
    )


def _name_of(strip: int, count: int) -> str:
    """Front, rear, or the number of one between them."""
    return {0: "front strip", count - 1: "rear strip"}.get(strip, f"strip {strip + 1}")


def _plan_of_track(case: CaseSpec, values: Mapping[str, Array]) -> list[Chart]:
    """The track from above with the line's supports; none where it is straight."""
    track = case.catenary.track
    if track is None or (track.radius is None and not track.plan):
        return []
    at = np.sort(values["space_arm_end"][:, 0, 0])
    if track.radius is not None:  # a line that repeats is shown for long enough to see it curve
        at = (at + case.line.period * np.arange(PERIODS)[:, None]).ravel()
    points, stands = (
        plan_points(track, np.linspace(float(at[0]), float(at[-1]), 200)),
        plan_points(track, np.asarray(at, dtype=np.float64)),
    )
    notes = tuple(f"support at {number(float(x), 1)} m" for x in at)
    east, north = points[:, 0], points[:, 1]
    tall = max(float(np.ptp(north)), 0.02 * float(np.ptp(east)))
    factor = max(1.0, nice_exaggeration(float(np.ptp(east)), tall, PLAN_PART))
    scale = "To scale" if factor == 1.0 else f"Exaggerated {factor:g} times across the first direction"
    chart = Chart(
        name="track_plan",
        title="The track from above",
        caption=f"{scale}; points are supports.",
        x_label="Along the first direction",
        y_label="To the left",
        curves=(
            Curve("track", east, north, "m", "m", "muted"),
            Curve("supports", stands[:, 0], stands[:, 1], "m", "m", "best", "dots", notes),
        ),
        y_range=(float(north.min()) - 0.1 * tall, float(north.max()) + 0.1 * tall),
        exaggeration=factor,
        pick="point",
    )
    return [chart]


def _lateral(values: Mapping[str, Array], case: CaseSpec, run: _Run) -> Chart:
    """Wires and head from above, places across the track exaggerated."""
    ends, wire = values["space_wire_end"], values["space_wire"]
    low, high = float(run.supports[0]), float(run.supports[-1])
    seen = (ends[:, 1, 0] > low - 1e-6) & (ends[:, 0, 0] < high + 1e-6)
    curves = [
        Curve(name, ends[mine, :, 0].ravel(), ends[mine, :, 1].ravel(), "m", "m", role, "segments")
        for w, name, role in WIRES
        if (mine := seen & (wire == w)).any()
    ]
    track, x = case.catenary.track, np.linspace(low, high, 100)
    middle, head = head_offset(track, x), case.pantograph.head
    curves.append(Curve("middle of the head", x, middle, "m", "m", "fourth"))
    if head is not None:
        edges = [Curve("working range", x, middle + s * head.working_half_width, "m", "m", "muted") for s in (-1, 1)]
        curves += edges
    across = np.concatenate([c.y for c in curves])
    extent = max(1.1 * float(np.ptp(across)), 0.1)
    factor = nice_exaggeration(high - low, extent, LATERAL_PART)
    mid = 0.5 * float(across.max() + across.min())
    return Chart(
        name="line_plan",
        title="Wires and head from above",
        caption="At rest, from the track's axis, to the left positive; the last spans that count, exaggerated "
        f"{factor:g} times across the track."
        + " On a curve the axis is drawn straight."
        * (track is not None and bool(track.radius or track.plan)),
        x_label="Station",
        y_label="To the left of the track's axis",
        curves=tuple(curves),
        stations=(Stations("supports", run.supports, full_height=True),),
        x_range=(low, high),
        y_range=(mid - 0.5 * extent, mid + 0.5 * extent),
        exaggeration=factor,
    )


def _place(head: HeadSpec | None, run: _Run) -> Chart:
    curves = {"contact wire": run.place}
    if head is not None:
        for s, side in ((1, "left"), (-1, "right")):
            curves[f"end of the working range, {side}"] = np.full(run.x.size, s * head.working_half_width)
            curves[f"tip of the horn, {side}"] = np.full(run.x.size, s * head.half_length)
    shown = {name: MM * y for name, y in curves.items()}
    return _over_track("head_place", "Place of the wire on the head", "To the left of the middle", "mm", run, shown)


def _over_track(name: str, title: str, y_label: str, unit: str, run: _Run, curves: Mapping[str, Array]) -> Chart:
    """Histories over the station of the leading pantograph; what is said of both sides has one colour and one entry."""
    roles: dict[str, Role] = {}
    drawn = []
    for label, y in curves.items():
        entry = label.partition(",")[0]
        role = roles.setdefault(entry, ("best", "nominal", "muted", "other")[min(len(roles), 3)])
        drawn.append(Curve(entry if len(curves) > 1 else "", run.x, y, "m", unit, role))
    return Chart(
        name=name,
        title=title,
        caption="Of the leading pantograph, over the last spans that count; dotted lines are supports.",
        x_label="Station of the pantograph",
        y_label=y_label,
        curves=tuple(drawn),
        stations=(Stations("supports", run.supports, full_height=True),),
        height=0.34,
    )


def _wear(values: Mapping[str, Array]) -> Chart:
    edges, share = values["wear_edge"][:, 0], values["wear_share"][:, 0]
    middle = MM * 0.5 * (edges[1:] + edges[:-1])
    bars = np.stack([np.zeros(share.size), 100.0 * share], axis=1).ravel()
    return Chart(
        name="head_wear",
        title="Where the strips wear",
        caption="Share of force times way by place on the head, over all spans that count.",
        x_label="Place to the left of the middle of the head",
        y_label="Share of wear",
        curves=(Curve("", np.repeat(middle, 2), bars, "mm", "%", "best", "bars"),),
        x_range=(MM * float(edges[0]), MM * float(edges[-1])),
        y_range=(0.0, 108.0 * max(float(share.max()), 1e-3)),
        height=0.34,
    )


def _cross_section(values: Mapping[str, Array], case: CaseSpec, run: _Run, x: float, number_of: int) -> Chart:
    """Draw what stands at a station, from the middle of the head, to the left as it is seen against the running."""
    track, head = case.catenary.track, case.pantograph.head
    offset, now = float(head_offset(track, np.array([x]))[0]), int(np.argmin(np.abs(run.x - x)))
    place, height = float(run.place[now]), float(run.height[now])
    turned = (0.0 if run.roll is None else float(run.roll[now])) - float(head_roll(track, np.array([x]))[0])
    curves: list[Curve] = [
        Curve(name, points[:, 0] - offset, points[:, 1], "m", "m", role, "rings")
        for w, name, role in WIRES
        if (points := _crossings(values, w, x)).size
    ]
    curves.append(_seen("contact wire on the head", np.array([[place, height]]), "best", "dots"))
    if head is not None:
        y = np.linspace(-head.half_length, head.half_length, 81)
        z = _profile(head, y)
        over = height + turned * (y - place) + z - float(_profile(head, np.array([place]))[0])
        curves.append(_seen("head", np.column_stack([y, over]), "nominal", "line"))
    for label, key, near in (("dropper", "space_dropper_end", NEAR_DROPPER), ("steady arm", "space_arm_end", NEAR_ARM)):
        ends = values[key]
        close = ends[np.abs(ends[:, :, 0].mean(axis=1) - x) < near] if ends.size else ends
        if len(close):
            curves.append(_seen(label, close[:, :, 1:].reshape(-1, 2) - [offset, 0.0], "muted", "segments"))
    z = np.concatenate([c.y for c in curves])
    return Chart(
        name=f"cross_section_{number_of}",
        title=f"Cross-section at {number(x, 1)} m",
        caption="To scale, seen in the direction of running, from the middle of the head. Rings are wires at rest, the "
        f"filled point is the contact wire as the leading pantograph passes; the head is turned by {MRAD * turned:.1f} "
        "mrad.",
        x_label="To the right of the middle of the head",
        y_label="Height",
        curves=tuple(Curve(c.label, -c.x, c.y, "m", "m", c.role, c.mark) for c in curves),
        x_range=(-HALF_WIDTH, HALF_WIDTH),
        y_range=(float(z.min()) - HIGHER, float(z.max()) + HIGHER),
        exaggeration=1.0,
        pick="point",
    )


def _seen(label: str, points: Array, role: Role, mark: Mark) -> Curve:
    return Curve(label, points[:, 0], points[:, 1], "m", "m", role, mark)


def _profile(head: HeadSpec, y: Array) -> Array:
    """Height of the head over its middle, with its horns, as the contact in space has it [m]."""
    beyond = np.maximum(0.0, np.abs(y) - head.working_half_width)
    return -0.5 * y**2 / head.crown_radius - 0.5 * beyond**2 / head.horn_radius


def _crossings(values: Mapping[str, Array], wire: int, x: float) -> Array:
    """Where wires of one kind pass a station (wire, 2) [m]: to the left of the track's axis, and up."""
    ends = values["space_wire_end"][values["space_wire"] == wire]
    through = ends[(ends[:, 0, 0] <= x + 1e-9) & (ends[:, 1, 0] >= x - 1e-9)]
    share = (x - through[:, 0, 0]) / np.maximum(through[:, 1, 0] - through[:, 0, 0], 1e-12)
    return np.unique(np.round(through[:, 0, 1:] + share[:, None] * np.diff(through, axis=1)[:, 0, 1:], 6), axis=0)

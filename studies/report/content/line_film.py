"""From the shapes of a line in a result file to a picture that moves: runs of nodes, view, exaggeration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from catenary.layout.geometry import AUXILIARY, CONTACT, MESSENGER, STITCH
from catenary.layout.track import head_offset
from dynamics.charts.moving.animation import Animation, Moment
from dynamics.charts.numbers import number
from dynamics.charts.ticks import nice_exaggeration
from dynamics.spec.case import CaseSpec
from studies.report.content.pieces import Array

__all__ = ["ACROSS", "line_animation"]

WIDTH = 760.0
RATE = 25.0
# the view: spans behind the last pantograph and ahead of the first one
BEHIND, AHEAD = 0.8, 1.2
# parts of the width: the system's height, and the largest displacement
HEIGHT_PART, MOVE_PART = 0.22, 0.05
ACROSS, UP = 1, 2  # what is drawn upwards: the line from above, or from its side
MARGIN, MASS_GAP = 14.0, 26.0
# numbers a page holds for its player: some 1.2 MB
MOST_NUMBERS = 240_000
MOST_NODES_IN_VIEW = 260
SLACK_N = 1.0e-6


@dataclass(frozen=True)
class _Shapes:
    """Shapes of the evaluated spans: nodes in runs, moments, exaggeration of heights and of displacements."""

    runs: tuple[tuple[int, NDArray[np.int64]], ...]
    x: Array
    rest: Array
    rise: Array
    masses: Array
    pantograph_x: Array
    heights: float
    moves: float
    scale: float
    top: float

    def down(self, rest: Array, rise: Array) -> NDArray[np.int64]:
        """Tenths of a drawing unit below the upper edge."""
        up = self.heights * rest + self.moves * rise
        return np.rint(10.0 * (self.top - self.scale * up)).astype(np.int64)

    def over(self, at: Array) -> Array:
        """Where the contact wire over a place is at rest, the lowest of those that pass there [m]."""
        wires = [nodes for wire, nodes in self.runs if wire == CONTACT]
        each = [np.interp(at, self.x[n], self.rest[n], np.inf, np.inf) for n in wires]
        found = np.min(each, axis=0)
        beyond = np.interp(at, self.x[wires[-1]], self.rest[wires[-1]])
        return np.asarray(np.where(np.isfinite(found), found, beyond), dtype=np.float64)


def line_animation(values: Mapping[str, Array], case: CaseSpec, axis: int = UP) -> Animation | None:
    """Lay out what the file keeps of the evaluated spans; None where there is nothing to see, as from above a plane.

    Heights and displacements are exaggerated by two factors, which the caption states. Nodes between droppers are
    thinned, and moments too, so that a page stays light.
    """
    if "frame_displacement" not in values or (axis == ACROSS and case.catenary.dimension == "planar"):
        return None
    span, station, line = case.catenary.mean_span, case.catenary.station, case.open_line
    x = values["frame_pantograph_position"]
    passing = (x[:, 0] >= station(line.first_evaluated - 1)) & (x[:, -1] <= station(line.last_evaluated))
    moments = np.flatnonzero(passing)
    if moments.size < 2:
        return None
    view = span * (BEHIND + AHEAD) + float((x[moments, 0] - x[moments, -1]).max())
    step = max(1, int(np.ceil(moments.size * MOST_NODES_IN_VIEW / MOST_NUMBERS)))
    moments = moments[::step]
    shapes = _shapes(values, moments, view, axis)
    if axis == ACROSS:  # the head's middle alone, which cant moves: exaggerated as what is at rest
        wire = shapes.over(shapes.pantograph_x)
        middle = head_offset(case.catenary.track, shapes.pantograph_x)
        shapes = replace(shapes, masses=(wire + (middle - wire) * shapes.heights / shapes.moves)[:, :, None])
        low = min((shapes.heights * shapes.rest + shapes.moves * shapes.rise).min(), shapes.heights * middle.min())
    else:
        low = shapes.moves * float(shapes.masses.min())
    droppers = _dropper_ends(values["line_dropper_node"], shapes.runs)
    lowest = MASS_GAP * shapes.masses.shape[2] + shapes.scale * max(0.0, -low)
    size = (WIDTH, float(np.ceil(shapes.top + lowest + 2.0 * MARGIN)))
    slower = case.histories.frames_per_second / step / RATE
    return Animation(
        name="animation" if axis == UP else "animation_above",
        title="The line while the pantograph passes" + ", from above" * (axis == ACROSS),
        caption=_caption(shapes, slower, "Heights" if axis == UP else "Places across the track, the left one up,"),
        note=f"{'heights' if axis == UP else 'across'} x {shapes.heights:g}, displacements x {shapes.moves:g}",
        size=size,
        scale=shapes.scale,
        rate=RATE,
        wires=tuple((wire, shapes.x[nodes]) for wire, nodes in shapes.runs),
        droppers=droppers,
        supports=np.array([station(k) for k in range(line.spans + 1)]),
        frames=tuple(_moment(values, shapes, k, int(m)) for k, m in enumerate(moments)),
    )


def _caption(shapes: _Shapes, slower: float, what: str) -> str:
    """What a reader must know: exaggeration and speed."""
    pace = "as fast as in reality"
    if abs(slower - 1.0) > 0.05:
        pace = f"{number(max(slower, 1.0 / slower), 1)} times {'slower' if slower > 1.0 else 'faster'} than in reality"
    hung = "pink the auxiliary wire" if shapes.runs[-1][0] == AUXILIARY else "green a stitch wire"
    return (
        f"The spans that count, {pace}. {what} at rest are exaggerated {shapes.heights:g} times, displacements from "
        f"rest {shapes.moves:g} times; the masses of a pantograph are drawn apart. Blue is the contact wire, black the "
        f"messenger wire, {hung}; a slack dropper is drawn bold in orange; dotted lines are supports."
    )


def _shapes(values: Mapping[str, Array], moments: NDArray[np.int64], view: float, axis: int) -> _Shapes:
    """Choose the nodes to draw and the exaggeration."""
    rest, x = values["node_rest"][:, axis], values["node_rest"][:, 0]
    rise = np.asarray(values["frame_displacement"][moments][:, :, axis], dtype=np.float64)
    wire = values["node_wire"].astype(np.int64)
    own = _own_nodes(wire)
    kept = _kept_nodes(x, own, values["line_dropper_node"].astype(np.int64), view)
    runs = tuple((w, run) for w, nodes in own for run in _runs(x, nodes[kept[nodes]], w))
    scale = WIDTH / view
    heights = nice_exaggeration(view, float(np.ptp(rest)), HEIGHT_PART)
    moves = max(heights, nice_exaggeration(view, float(np.abs(rise).max()), MOVE_PART))
    top = MARGIN + scale * float((heights * rest + moves * rise).max())
    return _Shapes(
        runs=runs,
        x=x,
        rest=rest,
        rise=rise,
        masses=values["frame_mass_height"][moments],
        pantograph_x=values["frame_pantograph_position"][moments],
        heights=heights,
        moves=moves,
        scale=scale,
        top=top,
    )


def _own_nodes(wire: NDArray[np.int64]) -> list[tuple[int, NDArray[np.int64]]]:
    """Nodes of every wire of every tension section; a file has one section after another, contact wires first."""
    section = np.cumsum((wire == CONTACT) & (np.roll(wire, 1) != CONTACT))
    return [
        (w, np.flatnonzero((wire == w) & (section == k)))
        for w in (CONTACT, MESSENGER, STITCH, AUXILIARY)
        for k in np.unique(section[wire == w])
    ]


def _kept_nodes(
    x: Array, own: list[tuple[int, NDArray[np.int64]]], ends: NDArray[np.int64], view: float
) -> NDArray[np.bool_]:
    """Nodes to draw: both ends of every dropper, and every so many of the others."""
    in_view = x.size * view / max(float(np.ptp(x)), view)
    every = max(1, int(np.ceil(in_view / MOST_NODES_IN_VIEW)))
    kept = np.zeros(x.size, dtype=bool)
    for w, nodes in own:
        mine = nodes[np.argsort(x[nodes])]
        kept[mine[::every]] = True
        kept[mine[[0, -1]]] = True
        if w == STITCH:
            kept[mine] = True
    kept[ends.ravel()] = True
    return kept


def _runs(x: Array, nodes: NDArray[np.int64], wire: int) -> list[NDArray[np.int64]]:
    """Nodes of one wire from left to right; a stitch wire ends where a gap is many times the usual distance."""
    nodes = nodes[np.argsort(x[nodes], kind="stable")]
    if wire != STITCH or nodes.size < 3:
        return [nodes] if nodes.size else []
    gaps = np.diff(x[nodes])
    return [run for run in np.split(nodes, np.flatnonzero(gaps > 5.0 * np.median(gaps)) + 1) if run.size]


def _dropper_ends(ends: Array, runs: tuple[tuple[int, NDArray[np.int64]], ...]) -> NDArray[np.int64]:
    """Run and place in the run of both ends of every dropper."""
    where = {int(node): (r, k) for r, (_, nodes) in enumerate(runs) for k, node in enumerate(nodes)}
    return np.array([[*where[int(low)], *where[int(high)]] for low, high in ends], dtype=np.int64).reshape(-1, 4)


def _moment(values: Mapping[str, Array], shapes: _Shapes, k: int, frame: int) -> Moment:
    """Lay out one moment: moment ``k`` of those drawn, ``frame`` of those kept."""
    at = shapes.pantograph_x[k]
    view = WIDTH / shapes.scale
    left = float(at.min()) - (view - float(np.ptp(at))) * BEHIND / (BEHIND + AHEAD)
    heights = []
    for r, (_, nodes) in enumerate(shapes.runs):
        x = shapes.x[nodes]
        # one node more on either side, so that wires run to the edges
        first, last = max(0, np.searchsorted(x, left) - 1), min(x.size, np.searchsorted(x, left + view) + 1)
        if last - first > 1:
            shown = nodes[first:last]
            heights.append((r, int(first), shapes.down(shapes.rest[shown], shapes.rise[k, shown])))
    time = float(values["frame_time"][frame])
    now = min(int(np.searchsorted(values["time"], time - 1e-9)), values["time"].size - 1)
    force = values["pantograph_contact_force_filtered"][now]
    pace = "; ".join(f"pantograph at {number(x, 1)} m, {number(f, 0)} N" for x, f in zip(at, force, strict=True))
    return Moment(
        text=f"{number(time, 2)} s; {pace}",
        left=left,
        heights=tuple(heights),
        slack=tuple(int(d) for d in np.flatnonzero(values["line_dropper_force"][now] <= SLACK_N)),
        pantographs=tuple((float(x), _masses(shapes, float(x), shapes.masses[k, p])) for p, x in enumerate(at)),
    )


def _masses(shapes: _Shapes, x: float, height: Array) -> tuple[int, ...]:
    """Upper edges of a pantograph's masses: the head against the wire, the others below it."""
    rest = float(shapes.over(np.array([x]))[0])
    head = shapes.down(np.array([rest]), np.array([height[0] - rest]))
    below = shapes.down(np.zeros(height.size - 1), height[1:]) + np.rint(
        10.0 * MASS_GAP * np.arange(1, height.size)
    ).astype(np.int64)
    return tuple(int(y) for y in (*head, *below))

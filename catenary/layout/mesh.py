"""From layout to finite-element mesh: nodes, degrees of freedom, wire elements and attachments."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from catenary.layout.key_points import AUXILIARY, CONTACT, MESSENGER, STITCH, KeyPoint, Layout
from catenary.spec.mesh import MeshSpec

__all__ = ["Mesh", "build_mesh", "elements_of_bay"]

X, Y, Z, DX, DY, DZ = range(6)
# of a number of elements: a bay of 5.4 m holds nine of 0.6 m, whatever the last bit of their stations
ROUNDING = 1.0e-6


@dataclass(frozen=True)
class Mesh:
    """Wire mesh of a line or cell (dofs x, z, z' of each node; y, y' in the spatial model, x' in some formulations).

    Attributes
    ----------
    node_wire : int array (node,)
        CONTACT, MESSENGER, STITCH or AUXILIARY.
    node_x : float array (node,)
        Station before loading [m].
    dof : int array (node, 6)
        Global degree of freedom of (x, y, z, x', y', z'); -1 where held. A stitch end shares x and z with
        its messenger clamp.
    n_dof : int
        Number of degrees of freedom.
    elem_nodes : int array (elem, 2)
        First and second node.
    elem_shift : float array (elem, 2)
        Added to the x of the first and second node [m]; not zero where the periodic cell closes.
    elem_mirror : float array (elem, 2)
        Factor of y of the first and second node: -1 where the element reaches into a mirrored neighbour cell.
    elem_wire, elem_group : int array (elem,)
        Wire, and group of elements that share one unstretched-length factor (one bay of one wire).
    elem_run : int array (elem,)
        Run of the layout, one continuous wire, that each element is part of.
    elem_length : float array (elem,)
        Straight distance between its stations [m].
    group_wire : int array (group,)
        Wire of each group.
    group_elems : int array (group, 2)
        First and last element of each group.
    dropper_bottom, dropper_top : int array (dropper,)
        Nodes at its lower and at its upper end: from contact to messenger, stitch or auxiliary wire, or from there on.
    support_contact, support_messenger : int array (support,)
        Nodes at the supports.
    clamp_messenger : int array (clamp,)
        Messenger nodes at the stitch clamps.
    crossing : int array (stitch,)
        Stitch nodes where the stitch wire passes its support.
    mass_nodes : int array (mass,)
        Nodes of the layout's point masses.
    wire_ends : int array (section, 4 or 6)
        Nodes where the wires of a line end, first and last: of the contact, messenger and auxiliary wire.
    tension_elem : int array (wire present,)
        First element of the segment whose tension is prescribed, for each wire present.
    support_auxiliary : int array (support,)
        Nodes where the auxiliary wire passes the supports.
    """

    node_wire: NDArray[np.int64]
    node_x: NDArray[np.float64]
    dof: NDArray[np.int64]
    n_dof: int
    elem_nodes: NDArray[np.int64]
    elem_shift: NDArray[np.float64]
    elem_mirror: NDArray[np.float64]
    elem_wire: NDArray[np.int64]
    elem_group: NDArray[np.int64]
    elem_run: NDArray[np.int64]
    elem_length: NDArray[np.float64]
    group_wire: NDArray[np.int64]
    group_elems: NDArray[np.int64]
    dropper_bottom: NDArray[np.int64]
    dropper_top: NDArray[np.int64]
    support_contact: NDArray[np.int64]
    support_messenger: NDArray[np.int64]
    clamp_messenger: NDArray[np.int64]
    crossing: NDArray[np.int64]
    mass_nodes: NDArray[np.int64]
    wire_ends: NDArray[np.int64]
    tension_elem: NDArray[np.int64]
    layout: Layout
    support_auxiliary: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def spatial(self) -> bool:
        """Whether nodes move sideways."""
        return bool(self.dof[0, Y] >= 0)

    @property
    def axes(self) -> tuple[int, ...]:
        """Components of position that are degrees of freedom."""
        return (X, Y, Z) if self.spatial else (X, Z)

    @property
    def contact_runs(self) -> tuple[int, ...]:
        """Runs that are contact wires, in their order along the track."""
        return tuple(np.unique(self.elem_run[self.elem_wire == CONTACT]).tolist())

    @property
    def elements_of_bays(self) -> NDArray[np.int64]:
        """Elements of every group, shape (group,)."""
        first, last = self.group_elems.T
        return last - first + 1

    @property
    def axial_slope(self) -> bool:
        """Whether x' is a degree of freedom."""
        return bool(self.dof[0, DX] >= 0)


class _Builder:
    """Collects nodes and elements run by run."""

    def __init__(self, layout: Layout, count: Callable[[int, float], int]) -> None:
        self.layout, self.count = layout, count
        self.x: list[float] = []
        self.wire: list[int] = []
        self.tied: dict[int, int] = {}
        self.elem_nodes: list[NDArray[np.int64]] = []
        self.elem_stations: list[NDArray[np.float64]] = []
        self.lengths: list[float] = []
        self.groups: list[int] = []
        self.runs: list[int] = []
        self.counts: list[int] = []
        self.at: dict[tuple[int, str, int], int] = {}

    def node(self, wire: int, x: float) -> int:
        self.x.append(x % self.layout.length if self.layout.periodic else x)
        self.wire.append(wire)
        return len(self.x) - 1

    def key_node(self, wire: int, point: KeyPoint) -> int:
        """Node of a key point; the closing support of a cell is its first one."""
        key = (wire, point.what, point.index)
        if key not in self.at:
            self.at[key] = self.node(wire, point.x)
            if wire == STITCH and point.what == "clamp":
                self.tied[self.at[key]] = self.at[(MESSENGER, "clamp", point.index)]
        return self.at[key]

    def run(self, number: int, wire: int, points: tuple[KeyPoint, ...]) -> None:
        for a, b in pairwise(points):
            group = len(self.groups)
            count = self.count(group, b.x - a.x)
            self.groups.append(wire)
            self.runs.append(number)
            self.counts.append(count)
            self.lengths.append((b.x - a.x) / count)
            stations, first = np.linspace(a.x, b.x, count + 1), len(self.x)
            inner = stations[1:-1]
            self.x += (inner % self.layout.length if self.layout.periodic else inner).tolist()
            self.wire += [wire] * len(inner)
            ends = self.key_node(wire, a), self.key_node(wire, b)
            nodes = np.array([ends[0], *range(first, first + len(inner)), ends[1]])
            self.elem_nodes.append(np.stack([nodes[:-1], nodes[1:]], axis=1))
            self.elem_stations.append(np.stack([stations[:-1], stations[1:]], axis=1))


def elements_of_bay(bay: float, mesh: MeshSpec) -> int:
    """Count the equal elements of a bay [m]: the least number, or more where one would be longer than the largest."""
    return max(mesh.elements_per_bay, math.ceil(bay / mesh.largest_element_length - ROUNDING))


def build_mesh(layout: Layout, mesh: MeshSpec | Mesh, *, spatial: bool = False, axial_slope: bool = True) -> Mesh:
    """Mesh every wire of a layout with equal elements between key points.

    ``mesh`` says how many, or is a mesh of as many bays, each of which has as many elements as here; dofs then have its
    numbers, where they mean the same. ``axial_slope`` makes x' a degree of freedom, as the element of the line's
    formulation has it.
    """
    if isinstance(mesh, Mesh):
        of_bay = mesh.elements_of_bays
        builder = _Builder(layout, lambda group, _: int(of_bay[group]))
    else:
        builder = _Builder(layout, lambda _, bay: elements_of_bay(bay, mesh))
    for number, (wire, points) in enumerate(layout.runs):
        builder.run(number, wire, points)
    node_x, node_wire = np.array(builder.x), np.array(builder.wire)
    elem_nodes, stations = np.concatenate(builder.elem_nodes), np.concatenate(builder.elem_stations)
    at = builder.at
    counts = np.array(builder.counts, dtype=np.int64)
    last = np.cumsum(counts)
    group_of = np.repeat(np.arange(len(counts)), counts)
    elem_wire = np.array(builder.groups)[group_of]
    cells = np.round((stations - node_x[elem_nodes]) / layout.length)
    axes = (X, Y, Z) if spatial else (X, Z)
    slopes = tuple(c + DX for c in axes if axial_slope or c != X)
    dof, n_dof = _number_dofs(node_x, node_wire, builder.tied, (axes, slopes))
    if isinstance(mesh, Mesh) and _have_same_dofs(mesh, dof, (node_wire, elem_nodes)):
        dof = mesh.dof  # nodes of two wires may change their order along the track
    clamps = sorted(k for w, what, k in at if w == MESSENGER and what == "clamp")
    n_supports = layout.n_spans + (0 if layout.periodic else 1)
    wires = (CONTACT, MESSENGER) + ((AUXILIARY,) if layout.auxiliary_height else ())
    held = [np.array([at[(w, "support", s)] for s in range(n_supports)]) for w in wires]
    low, high = _dropper_ends(layout, at)
    return Mesh(
        node_wire=node_wire,
        node_x=node_x,
        dof=dof,
        n_dof=n_dof,
        elem_nodes=elem_nodes,
        elem_shift=cells * layout.length,
        elem_mirror=np.where(layout.mirrored & (cells * layout.n_spans % 2 == 1), -1.0, 1.0),
        elem_wire=elem_wire,
        elem_group=group_of,
        elem_run=np.array(builder.runs)[group_of],
        elem_length=np.array(builder.lengths)[group_of],
        group_wire=np.array(builder.groups),
        group_elems=np.stack([last - counts, last - 1], axis=1),
        dropper_bottom=low,
        dropper_top=high,
        support_contact=held[0],
        support_messenger=held[1],
        **({"support_auxiliary": held[2]} if len(held) > 2 else {}),
        clamp_messenger=np.array([at[(MESSENGER, "clamp", k)] for k in clamps], dtype=np.int64),
        crossing=np.array([n for (w, what, _), n in sorted(at.items()) if what == "crossing"], dtype=np.int64),
        mass_nodes=np.array([at[(w, "mass", k)] for k, (w, _) in enumerate(layout.masses)], dtype=np.int64),
        wire_ends=np.array([[node for nodes in held for node in nodes[[0, -1]]]]),
        tension_elem=_named_tension_elements(layout, group_of),
        layout=layout,
    )


def _dropper_ends(layout: Layout, at: dict[tuple[int, str, int], int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Nodes at the lower and at the upper end of every dropper (dropper,)."""
    n, shared = len(layout.dropper_x), dict(layout.shared_clamps)
    above = AUXILIARY if layout.auxiliary_height else MESSENGER
    main = layout.dropper_is_main or (False,) * n
    lower = [at[(AUXILIARY if main[k] else CONTACT, "dropper", k)] for k in range(n)]
    tops = [MESSENGER if main[k] else STITCH if on else above for k, on in enumerate(layout.dropper_on_stitch)]
    return np.array(lower), np.array([at[(top, "dropper", shared.get(k, k))] for k, top in enumerate(tops)])


def _number_dofs(
    node_x: NDArray[np.float64],
    node_wire: NDArray[np.int64],
    tied: dict[int, int],
    components: tuple[tuple[int, ...], tuple[int, ...]],
) -> tuple[NDArray[np.int64], int]:
    """Number the dofs along the track, so that matrices are banded; tied nodes share their position, not slopes."""
    places, slopes = (np.array(each, dtype=np.int64) for each in components)
    order = np.lexsort((node_wire, np.round(node_x, 9)))
    owner = np.arange(len(node_x))
    owner[list(tied)] = list(tied.values())
    # of a node and its owner the first in order brings the position
    first, inverse = np.unique(owner[order], return_index=True)[1], np.empty(len(node_x), dtype=np.int64)
    brings = np.zeros(len(node_x), dtype=bool)
    brings[first] = True
    count = len(slopes) + len(places) * brings
    begin = np.cumsum(count) - count
    inverse[order] = np.arange(len(node_x))
    at_owner = np.empty(len(node_x), dtype=np.int64)
    at_owner[owner[order[first]]] = begin[first]
    dof = np.full((len(node_x), 6), -1)
    dof[:, places] = at_owner[owner][:, None] + np.arange(len(places))
    dof[:, slopes] = (begin + len(places) * brings)[inverse][:, None] + np.arange(len(slopes))
    return dof, int(count.sum())


def _have_same_dofs(mesh: Mesh, dof: NDArray[np.int64], line: tuple[NDArray[np.int64], NDArray[np.int64]]) -> bool:
    """Whether a mesh has dofs where another one has them, which may number them otherwise, and the same wires."""
    node_wire, elem_nodes = line
    return (
        np.array_equal(mesh.node_wire, node_wire)
        and np.array_equal(mesh.elem_nodes, elem_nodes)
        and np.array_equal(mesh.dof < 0, dof < 0)
    )


def _named_tension_elements(layout: Layout, group_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pick the first element of the segment in which each wire's tension is prescribed.

    Contact wire: first bay. Messenger: first bay beyond a stitch (its tension inside is what balances the
    stitch). Every stitch wire: its first bay.
    """
    named: list[int] = []
    group = 0
    for wire, points in layout.runs:
        bays = list(pairwise(points))
        pick = 0
        if wire == MESSENGER:
            half = [k for k, (a, _) in enumerate(bays) if a.what == "clamp" and a.index % 2 == 1]
            pick = half[0] if half else 0
        named.append(int(np.flatnonzero(group_of == group + pick)[0]))
        group += len(bays)
    return np.array(named)

"""A mesh moved along with its layout: the same bays, longer or shorter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from catenary.layout.key_points import Layout
from catenary.layout.mesh import Mesh

__all__ = ["moved_mesh"]


def moved_mesh(mesh: Mesh, layout: Layout) -> Mesh | None:
    """Mesh of a layout whose wires carry the same in the same order; None where they do not.

    Nodes and elements keep their numbers, so that only their stations are new.
    """
    if _order(layout) != _order(mesh.layout):
        return None
    first, last = mesh.group_elems.T
    begin, end = _ends(layout).T
    length = (end - begin) / mesh.elements_of_bays
    group = mesh.elem_group
    within = np.arange(len(group)) - first[group]
    stations = np.stack([begin[group] + within * length[group], begin[group] + (within + 1) * length[group]], axis=1)
    stations[last, 1] = end
    node_x = np.empty_like(mesh.node_x)
    node_x[mesh.elem_nodes[::-1, ::-1]] = stations[::-1, ::-1]  # a node is where the first element that has it puts it
    node_x = node_x % layout.length if layout.periodic else node_x
    cells = np.round((stations - node_x[mesh.elem_nodes]) / layout.length)
    return replace(
        mesh,
        node_x=node_x,
        elem_shift=cells * layout.length,
        elem_mirror=np.where(layout.mirrored & (cells * layout.n_spans % 2 == 1), -1.0, 1.0),
        elem_length=length[group],
        layout=layout,
    )


def _order(layout: Layout) -> tuple[object, ...]:
    """What stands on the wires in which order, and what hangs where."""
    runs = [(wire, [(point.what, point.index) for point in points]) for wire, points in layout.runs]
    hung = layout.dropper_on_stitch, layout.dropper_is_main, layout.shared_clamps
    return runs, *hung, layout.periodic, layout.n_spans, layout.sections


def _ends(layout: Layout) -> NDArray[np.float64]:
    """Stations of both ends of every bay (bay, 2) [m]."""
    wires = [np.array([point.x for point in points]) for _, points in layout.runs]
    return np.concatenate([np.stack([x[:-1], x[1:]], axis=1) for x in wires])

"""Start of a search on a period of several like spans: the steady state of the line without its defects, laid in rows.

Where the defects stand, the first passages change what they change; elsewhere the state is right from the beginning.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.layout.mesh import DX, Y
from catenary.linearised.cell import VerticalCell
from dynamics.results.warm_start import WarmStart
from dynamics.spec.case import CaseSpec
from dynamics.steady_state.span_map import SpanMap

__all__ = ["tiled_start", "without_repeat"]

Ints = NDArray[np.int64]


def without_repeat(case: CaseSpec) -> CaseSpec | None:
    """The case on the line as designed, repeating after the spans that it names; None where it does so anyway."""
    line = case.catenary
    if line.repeat is None or line.section is not None:
        return None
    return case.model_copy(update={"catenary": line.model_copy(update={"repeat": None})})


def tiled_start(target: SpanMap, source: SpanMap, found: WarmStart) -> WarmStart:
    """Steady state of a short period (``found``, of ``source``) as the start of one of whole short periods."""
    source.unpack(found.state)
    old, new = source.state, target.window.rest()
    ours, theirs, at, turn = _matched(target.window.cell, source.window.cell)
    times = int(at.max()) + 1
    carried = np.isin(theirs, np.concatenate(source.window.cell.along))
    ni = target.window.cell.n_interface
    for column in range(target.window.spans + 1):
        where = source.window.behind + (column - target.window.behind) * times + at
        inside = (where >= 0) & (where < source.window.spans)
        valid = ours < ni if column == target.window.spans else np.ones(len(ours), bool)
        held = np.clip(where, 0, source.window.spans - 1)
        # what moved along the track stays where it is, however far away
        u = np.where(inside | carried, turn * old.u[theirs, held], 0.0)
        a = np.where(inside, turn * old.a[theirs, held], 0.0)
        new.u[ours[valid], column], new.a[ours[valid], column] = u[valid], a[valid]
    new.z[:], new.z_dot[:], new.applied_forces[:] = old.z, old.z_dot, old.applied_forces
    new.control[:] = old.control
    target.state = new
    return WarmStart(target.pack(), found.scale, found.gain, None)


def _matched(long: VerticalCell, short: VerticalCell) -> tuple[Ints, Ints, Ints, NDArray[np.float64]]:
    """Dofs of a long cell, those at the same place of a short one, in which of these it is, and the sign sideways.

    A place where the short cell has no node has the nearest one's.
    """
    mesh, other = long.equilibrium.mesh, short.equilibrium.mesh
    period = other.layout.length
    turned = bool((other.elem_mirror < 0.0).any())
    found: dict[int, tuple[int, int, float]] = {}
    for wire in np.unique(mesh.node_wire):
        nodes, known = np.flatnonzero(mesh.node_wire == wire), np.flatnonzero(other.node_wire == wire)
        at = np.floor(mesh.node_x[nodes] / period + 1.0e-9).astype(np.int64)
        apart = np.abs((mesh.node_x[nodes] - at * period)[:, None] - other.node_x[known])
        for node, near, k in zip(nodes, known[apart.argmin(axis=1)], at, strict=True):
            for c, (dof, same) in enumerate(zip(mesh.dof[node], other.dof[near], strict=True)):
                if dof < 0 or same < 0 or long.dof_of[dof] < 0 or short.dof_of[same] < 0:
                    continue
                sign = -1.0 if turned and c in (Y, Y + DX) and k % 2 else 1.0
                found[int(long.dof_of[dof])] = int(short.dof_of[same]), int(k), sign
    theirs, at, sign = zip(*found.values(), strict=True)
    return np.array([*found]), np.array(theirs), np.array(at), np.array(sign)

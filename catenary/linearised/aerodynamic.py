"""Wires and droppers that move in a steady wind: the slope of their drag by the wind's speed, at every dof.

Along the wind the slope of rho C_d d U^2 / 2 is rho C_d d U; in height, where motion only turns the wind, half of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.elements.hermite import shape_products
from catenary.form_finding.equilibrium import Equilibrium
from catenary.form_finding.side_loads import drag_by_wire, load_shares
from catenary.layout.mesh import Y, Z
from catenary.spec.surroundings.wind import WindSpec

__all__ = ["damping_of_wires", "drag_slopes", "gust_loads"]

Array = NDArray[np.float64]


def drag_slopes(eq: Equilibrium, wind: WindSpec) -> tuple[Array, float]:
    """Slope of drag by speed of every wire element (elem,) and of droppers [N s/m2]."""
    by_wire = np.array([wind.slope(drag) for drag in drag_by_wire(wind)])
    return by_wire[eq.mesh.elem_wire], wind.slope(wind.droppers)


def damping_of_wires(eq: Equilibrium, wind: WindSpec) -> tuple[Array, Array]:
    """Damping of every element (elem, 12, 12) [N s/m], and of every dof by half droppers (dof,)."""
    slopes, hung = drag_slopes(eq, wind)
    products, blocks = shape_products(eq.elem_l0), np.zeros((len(slopes), 12, 12))
    at_ends = np.zeros(eq.mesh.n_dof)
    for component, share in ((Y, 1.0), (Z, 0.5)):
        at = [component, component + 3, component + 6, component + 9]
        rows, columns = np.array(at)[:, None], np.array(at)
        blocks[:, rows, columns] = share * slopes[:, None, None] * products
    for nodes in (eq.mesh.dropper_bottom, eq.mesh.dropper_top):
        np.add.at(at_ends, eq.mesh.dof[nodes, Y], 0.5 * hung * eq.dropper_length)
    return blocks, at_ends


def gust_loads(eq: Equilibrium, wind: WindSpec) -> tuple[NDArray[np.int64], Array, Array]:
    """Dofs across the track, load on each by 1 m/s of a gust [N s/m], and its station [m], entry by entry."""
    mesh, (slopes, hung) = eq.mesh, drag_slopes(eq, wind)
    dof = mesh.dof[mesh.elem_nodes][:, :, [Y, Y + 3]].reshape(-1, 4)
    load = wind.sign * slopes[:, None] * load_shares(mesh.elem_length)
    at = np.repeat(mesh.node_x[mesh.elem_nodes] + mesh.elem_shift, 2, axis=1)
    ends = np.concatenate([mesh.dropper_bottom, mesh.dropper_top])
    half = 0.5 * wind.sign * hung * np.tile(eq.dropper_length, 2)
    return (
        np.concatenate([dof.ravel(), mesh.dof[ends, Y]]),
        np.concatenate([load.ravel(), half]),
        np.concatenate([at.ravel(), mesh.node_x[ends]]),
    )

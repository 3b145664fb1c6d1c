"""Static elasticity of a line that ends: rise of its contact wire under a vertical force, slack droppers included."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array
from scipy.sparse.linalg import splu

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.mesh import X
from catenary.linearised.chain import AXIAL_HOLD
from catenary.linearised.elasticity import missing_tension
from catenary.linearised.open_line import CatenaryModel, linearise

__all__ = ["open_line_elasticity"]

# droppers of this many spans on either side go slack as the force asks for
NEIGHBOURS = 1


def open_line_elasticity(eq: Equilibrium, x: NDArray[np.float64], force: float) -> NDArray[np.float64]:
    """Rise of the contact wire per force at stations of a whole line [m/N], the wires held at both ends.

    Parameters
    ----------
    eq : Equilibrium
        Of a line that ends.
    x : float array (point,)
        Stations in increasing order, from its first support to its last [m].
    force : float
        Upward force [N].
    """
    model = linearise(eq)
    solver, kept = _factors(model)
    supports, mesh = np.array(eq.mesh.layout.supports), eq.mesh
    of_point = np.clip(np.searchsorted(supports, x, side="right"), 1, len(supports) - 1) - 1
    of_dropper = np.searchsorted(supports, mesh.node_x[mesh.dropper_bottom], side="right") - 1
    rise = np.zeros(len(x))
    by_span = [solver.solve(_columns(model, of_dropper == s)[kept]) for s in range(len(supports) - 1)]
    for s in range(len(supports) - 1):
        here = np.flatnonzero(of_point == s)
        near = range(max(0, s - NEIGHBOURS), min(len(by_span), s + NEIGHBOURS + 1))
        droppers = np.concatenate([np.flatnonzero(of_dropper == k) for k in near])
        load = _loads(model, x[here])[kept]
        by_load, by_pair = solver.solve(load), np.concatenate([by_span[k] for k in near], axis=1)
        pair = model.dropper[kept][:, droppers]
        rise[here] = (load * by_load).sum(axis=0)
        stiffness = model.dropper_stiffness[droppers]
        coupling = stiffness[:, None] * (pair.T @ by_pair)
        static = eq.dropper_spring_force[droppers]
        loose = np.maximum(0.0, -static)
        static = static + coupling @ loose
        stretch, off = pair.T @ by_load, load.T @ by_pair
        for p, point in enumerate(here):
            missing = missing_tension(static + stiffness * force * stretch[:, p], coupling) - loose
            rise[point] -= float(off[p] @ missing) / force
    return rise


def _factors(model: CatenaryModel) -> tuple[Any, NDArray[np.int64]]:
    """Factors of the stiffness of what is not held, the wires' ends held softly along the track."""
    mesh = model.equilibrium.mesh
    ends = mesh.dof[mesh.wire_ends.ravel(), X]
    n = model.mass.shape[0]
    kept = np.setdiff1d(np.arange(n), np.setdiff1d(model.fixed, ends))
    hold = coo_array((np.full(len(ends), AXIAL_HOLD), (ends, ends)), shape=(n, n))
    stiffness = csc_array(model.stiffness + csc_array(hold))
    return splu(csc_array(stiffness[kept][:, kept])), kept


def _columns(model: CatenaryModel, which: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Stretch of chosen droppers per unit of each dof (dof, chosen)."""
    return np.asarray(model.dropper[:, np.flatnonzero(which)].toarray())


def _loads(model: CatenaryModel, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit forces on the contact wire at stations (dof, point)."""
    dof, weight = model.contact_operator(x)
    load = np.zeros((model.mass.shape[0], len(x)))
    np.add.at(load, (dof, np.arange(len(x))[:, None]), weight)
    return load

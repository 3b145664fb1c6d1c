"""Static elasticity of the contact wire: its rise under a vertical force, slack droppers included."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.cell import vertical_cell
from catenary.linearised.chain import chain_stiffness, held_along

__all__ = ["missing_tension", "span_mean", "static_elasticity"]

SPANS_EACH_SIDE = 10
NEIGHBOURS = 1
MAX_SWEEPS = 2000


def static_elasticity(eq: Equilibrium, x: NDArray[np.float64], force: float) -> NDArray[np.float64]:
    """Rise of the contact wire per force at stations of one period of a long line [m/N].

    Parameters
    ----------
    eq : Equilibrium
        Periodic equilibrium.
    x : float array (point,)
        Stations in [0, period) [m].
    force : float
        Upward force [N]; droppers of this span (period) and its neighbours go slack as it asks for, so the elasticity
        depends on it. Farther ones stay taut up to 1000 N on every line of the library.

    Raises
    ------
    ValueError
        If the force is not positive, or the equilibrium is not one of a periodic cell.
    """
    if not force > 0.0:
        raise ValueError(f"the elasticity needs a positive force: got {force:g} N")
    if not eq.mesh.layout.periodic:
        raise ValueError("the elasticity needs the equilibrium of a periodic cell")
    cell = vertical_cell(eq)
    n, each_side = cell.n_dof, eq.spec.periods(SPANS_EACH_SIDE)
    spans = 2 * each_side + 1
    solver = splu(held_along(cell, chain_stiffness(cell, spans), spans))
    dof, weight = cell.contact_operator(np.asarray(x, dtype=float))
    size = spans * n + cell.n_interface
    load = np.zeros((size, len(weight)))
    point = np.arange(len(weight))
    np.add.at(load, (each_side * n + dof, point[:, None]), weight)
    near = each_side + np.arange(-NEIGHBOURS, NEIGHBOURS + 1)
    one = cell.dropper_operator()
    pair = np.zeros((size, len(near) * one.shape[1]))
    for k, span in enumerate(near):
        pair[span * n : (span + 1) * n, k * one.shape[1] : (k + 1) * one.shape[1]] = one
    by_load, by_pair = solver.solve(load), solver.solve(pair)
    static = np.tile(eq.dropper_spring_force, len(near))
    stiffness = eq.spec.droppers.stiffness
    stretch, coupling = pair.T @ by_load, pair.T @ by_pair
    # what droppers that hang loose at rest miss there; the rise is counted from that rest
    loose = np.maximum(0.0, -static)
    static = static + stiffness * coupling @ loose
    rise = (load * by_load).sum(axis=0)
    for p in point:
        pull = static + stiffness * force * stretch[:, p]
        missing = missing_tension(pull, stiffness * coupling) - loose
        rise[p] -= float(load[:, p] @ (by_pair @ missing)) / force
    return rise


def span_mean(values: NDArray[np.float64]) -> float:
    """Mean along a span of what is given at evenly spaced stations from support to support, ends included.

    The line repeats from span to span: the last station is the first one again and counts once.
    """
    return float(values[:-1].mean())


def missing_tension(pull: NDArray[np.float64], coupling: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squeezing forces f >= 0 that leave no dropper in compression: pull - coupling f + f >= 0, complementary."""
    missing = np.zeros(len(pull))
    if (pull >= 0.0).all():
        return missing
    matrix = np.eye(len(pull)) - coupling
    for _ in range(MAX_SWEEPS):
        change = 0.0
        for d in range(len(pull)):
            new = max(0.0, missing[d] - (pull[d] + matrix[d] @ missing) / matrix[d, d])
            change, missing[d] = max(change, abs(new - missing[d])), new
        if change < 1e-9:
            break
    return missing

"""How far the contact wire moves to the side where the pantographs press it, in a steady state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynamics.steady_state.span_map import SpanMap

__all__ = ["side_motion"]


def side_motion(span_map: SpanMap, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """March a packed steady state over one period and follow the contact wire to the side.

    Parameters
    ----------
    span_map : SpanMap
        Its state is changed.
    x : float array
        Packed state that repeats.

    Returns
    -------
    float array (pantograph, step)
        Displacement of the wire to the left at each head, the mean of its contacts', at the end of every step, from
        rest [m].
    """
    span_map.unpack(x)
    window, state = span_map.window, span_map.state
    before, cell, contact = state.u.copy(), window.cell, window.operators.contact
    rows = window.march(state, whole=True).motion.rows
    steps, n = window.steps, cell.n_dof
    period = span_map.case.line.period
    mirrored = bool((cell.equilibrium.mesh.elem_mirror < 0.0).any())
    found = np.zeros((len(contact.column), steps))
    for q, distance in enumerate(window.distances):
        column = contact.column[q, 1:]
        at = np.arange(1, steps + 1) * (period / steps) - distance - column * period
        dof, weight = cell.side_operator(at)
        weight = weight * ((-1.0) ** column if mirrored else np.ones(steps))[:, None]
        for k in range(4):
            row, where = dof[:, k] % n, window.behind + column + dof[:, k] // n
            # what a row has moved by at the end of a step is the sum of its mean velocities up to there
            for r, c in set(zip(row.tolist(), where.tolist(), strict=True)):
                here = (row == r) & (where == c)
                moved = before[r, c] + window.dt * np.cumsum(rows[r, :, c], dtype=np.float64)
                found[q, here] += weight[here, k] * moved[here]
    return found.reshape(window.pantographs, -1, steps).mean(axis=1)

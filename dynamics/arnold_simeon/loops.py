"""The time loops of both methods, compiled, and what they write down at every step (Arnold & Simeon, section 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.arnold_simeon.constraints import COUNT, TRIES, project, residuals
from dynamics.arnold_simeon.contact_area import contact_row
from dynamics.arnold_simeon.half_explicit import half_explicit_answers, half_explicit_step
from dynamics.arnold_simeon.implicit import dropper_answers, implicit_step
from dynamics.arnold_simeon.system import (
    Contact,
    Factors,
    FirstRows,
    Grid,
    HalfExplicitState,
    ImplicitState,
    Motion,
    Place,
    System,
)
from dynamics.linear_algebra.sparse_rows import product

__all__ = ["CHANNELS", "march_bdf", "march_half_explicit", "start_step"]

Array = NDArray[np.float64]
OPTIONS = {"error_model": "numpy"}
# columns of a record: forces 0-2, gaps 3-5, their rates 6-8, head 9, body 10, kinetic 11 and potential energy 12,
# power of damping 13, F' q of the contact 14, contact wire at the droppers 15-16, tries 17
CHANNELS = 18


@kernel(**OPTIONS)
def _observe(system, contact, wire_start, q, v, out):
    """Write down one moment but for the forces."""
    M, D, K, b, droppers, g0 = system
    n = q.size
    r, Q, work = np.empty(9), np.empty((3, COUNT)), np.zeros(n)
    residuals(droppers, contact, g0, Motion(q, v, work), r)
    project(droppers, contact, q, Q)
    out[3:9] = r[:6]
    out[9], out[10] = q[n - 2], q[n - 1]
    product(M, v, work)
    out[11] = 0.5 * np.dot(v, work)
    product(K, q, work)
    out[12] = 0.5 * np.dot(q, work) - np.dot(b, q)
    product(D, v, work)
    out[13] = np.dot(v, work)
    out[14] = Q[1, 2]
    dof, weight = droppers
    for d in range(2):
        for k in range(dof.shape[1]):
            if dof[d, k] > wire_start:
                out[15 + d] += weight[d, k] * q[dof[d, k]]


@kernel(**OPTIONS)
def _contact(grid, station, row):
    """Contact at a station; its ``row`` is filled."""
    first = contact_row((station, grid.v, grid.eps, grid.dx), grid.hermite, row)
    return Contact(grid.wire_start + (2 * first if grid.hermite else first), row)


@kernel(**OPTIONS)
def start_step(
    system: System, factors: Factors, grid: Grid, place: Place, motion: Motion, active: NDArray[np.bool_]
) -> int:
    """One step of backward Euler; the station of ``place`` is that at its end."""
    q, v, a = motion
    station, h, width = place
    n = q.size
    ca, mG, x = np.zeros((9, n)), np.zeros((4, n)), np.zeros(9)
    dropper_answers(system, factors, h, ca, mG)
    contact = _contact(grid, station, np.zeros((3, width)))
    return implicit_step(system, factors, contact, h, ImplicitState(q, v, a, ca, mG, active, x))


@kernel(**OPTIONS)
def march_bdf(system: System, factors: Factors, grid: Grid, place: Place, state: FirstRows, out: Array) -> int:
    """Two-step BDF over the rows of ``out`` from 2 on; the row in which no active set was found, or their number.

    The station of ``place`` is that of row 0; the ``state`` has the motion of rows 0 and 1, and is worked in.
    """
    q_old, v_old, q, v, active = state
    start, h, width = place
    n, gam = q.size, 2.0 * h / 3.0
    ca, mG, x, a = np.zeros((9, n)), np.zeros((4, n)), np.zeros(9), np.zeros(n)
    row, held = np.zeros((3, width)), ImplicitState(q, v, a, ca, mG, active, x)
    dropper_answers(system, factors, gam, ca, mG)
    _observe(system, _contact(grid, start, row), grid.wire_start, q_old, v_old, out[0])
    _observe(system, _contact(grid, start + grid.v * h, row), grid.wire_start, q, v, out[1])
    for step in range(2, out.shape[0]):
        for i in range(n):
            q_known, v_known = (4.0 * q[i] - q_old[i]) / 3.0, (4.0 * v[i] - v_old[i]) / 3.0
            q_old[i], v_old[i] = q[i], v[i]
            q[i], v[i] = q_known, v_known
        contact = _contact(grid, start + grid.v * h * step, row)
        out[step, 17] = implicit_step(system, factors, contact, gam, held)
        _observe(system, contact, grid.wire_start, q, v, out[step])
        out[step, :3] = x[6:]
        if out[step, 17] == TRIES or not np.isfinite(x[8]):
            return step
    return out.shape[0]


@kernel(**OPTIONS)
def march_half_explicit(
    system: System, factors: Factors, grid: Grid, place: Place, state: FirstRows, out: Array
) -> int:
    """The half-explicit method over the rows of ``out`` from 2 on; arguments and answer as of ``march_bdf``.

    Forces belong to a step's beginning, so the last row has those of the row before.
    """
    _, before, q, v, active = state
    start, h, width = place
    n = q.size
    hG, mG, x, a = np.zeros((3, n)), np.zeros((5, n)), np.zeros(9), np.zeros(n)
    rows, held = np.zeros((3, 3, width)), HalfExplicitState(q, v, before, a, hG, mG, active, x)
    half_explicit_answers(system, factors, hG, mG)
    _observe(system, _contact(grid, start, rows[0]), grid.wire_start, state.q_old, before, out[0])
    then = _contact(grid, start + grid.v * h, rows[0])
    _observe(system, then, grid.wire_start, q, v, out[1])
    for step in range(2, out.shape[0]):
        now = Contact(then.at, rows[(step - 2) % 2])
        middle = _contact(grid, start + grid.v * h * (step - 0.5), rows[2])
        then = _contact(grid, start + grid.v * h * step, rows[(step - 1) % 2])
        places = (now, middle, then)
        out[step, 17] = half_explicit_step(system, factors, places, h, held)
        _observe(system, then, grid.wire_start, q, v, out[step])
        out[step - 1, :3] = x[6:]
        out[step, :3] = x[6:]
        if out[step, 17] == TRIES or not np.isfinite(x[8]):
            return step
    return out.shape[0]

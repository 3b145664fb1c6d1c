"""Set-up of the travelling window: effective matrix, its factor, local columns of its inverse, contact table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from catenary.errors import InputError
from catenary.linearised.cell import VerticalCell
from catenary.linearised.cell_parts.blocks import CellMatrix
from catenary.linearised.contact_wire import place_on_head, running_height
from dynamics.linear_algebra.skyline import envelope_ldl, envelope_solve
from dynamics.spec.case import CaseSpec
from dynamics.travelling_window.arrays import in_precision
from dynamics.travelling_window.cell_rows import dropper_rows, entries, product_rows, row_lists
from dynamics.travelling_window.forces import NEAR_SLACK
from dynamics.travelling_window.layout import Contact, Droppers, Ends, Factor, Operators, Supports
from dynamics.travelling_window.near_fields import near_fields

__all__ = ["WindowOperators", "build_window", "droppers_of", "slack_limit", "with_levers"]

# the cut is made good once a span, when elastic forces are formed again from displacements
DECAYED = 1.0e-8
# neighbouring supports feel each other within a step through the bays' tensions; the first correction is made
LARGEST_COUPLING = 1.0e-3


@dataclass(frozen=True)
class WindowOperators:
    """Everything about a window that does not change while it travels."""

    cell: VerticalCell
    dt: float
    steps: int
    operators: Operators
    contact: Contact
    ends: Ends


def build_window(cell: VerticalCell, dt: float, steps: int, distances: tuple[float, ...] = (0.0,)) -> WindowOperators:
    """Factor the effective matrix of one cell and tabulate what the march needs.

    Parameters
    ----------
    cell : VerticalCell
    dt : float
        Time step [s].
    steps : int
        Steps per period.
    distances : tuple of float
        Of every contact behind the leading pantograph's place, negative ahead of it [m].

    Raises
    ------
    InputError
        If neighbouring supports act on each other too much within one step (dt too large for this span), or a
        component has damping of its own: K w then no longer follows from A w and M w.
    """
    spec = cell.equilibrium.spec
    refusal = spec.damping.refusal("a travelling window")
    if refusal is not None:
        raise InputError([refusal])
    gam, kap = 2.0 / dt + spec.damping.alpha, 0.5 * dt + spec.damping.beta
    parts = {
        name: gam * getattr(cell.mass, name) + kap * getattr(cell.stiffness, name)
        for name in ("own", "next", "interface_left", "interface_right")
    }
    A = CellMatrix(**parts)
    support = spec.support.messenger_damping + 0.5 * dt * spec.support.messenger_stiffness
    A.own[cell.support_dof, cell.support_dof] += support
    for block in (A.interface_left, A.interface_right):
        block[cell.support_dof[0], cell.support_dof[0]] += support
    end_dof = np.array([d for d, _ in cell.wire_ends])
    end_imp = np.array([z for _, z in cell.wire_ends])
    contact = _contacts(cell, steps, distances)
    shape = contact.height.shape
    absorb = np.zeros((cell.n_interface, cell.n_interface))
    absorb[end_dof, end_dof] = end_imp
    fields = near_fields(cell, A, contact.dof.reshape(-1, 4), absorb)
    near, hung, element, own, by_contact, among, squeezed, at_ends = fields
    return WindowOperators(
        cell=cell,
        dt=dt,
        steps=steps,
        operators=Operators(
            _factor(cell, A, absorb, dt),
            product_rows(cell, cell.mass),
            near,
            hung,
            element.reshape(shape),
            own.reshape(*shape, 4, 4),
            by_contact,
            among,
            squeezed,
            at_ends,
        ),
        contact=contact,
        ends=Ends(end_dof, end_imp),
    )


def _contacts(cell: VerticalCell, steps: int, distances: tuple[float, ...]) -> Contact:
    """Tabulate the contact points, so far behind the leading pantograph [m], of every step."""
    period = cell.equilibrium.spec.period
    x = np.arange(steps + 1, dtype=np.float64) * (period / steps)
    column, at = _cells_passed(x, distances, period)
    dof, weight = cell.contact_operator(at.ravel())
    return Contact(
        np.ascontiguousarray(dof).reshape(*at.shape, 4),
        np.ascontiguousarray(weight).reshape(*at.shape, 4),
        running_height(cell.equilibrium, at.ravel()).reshape(at.shape),
        column,
        np.zeros(at.shape),
    )


def with_levers(operators: WindowOperators, case: CaseSpec, distances: tuple[float, ...]) -> WindowOperators:
    """The same window with the wire's places on heads that roll, of every contact and step.

    Every other cell of a mirrored line sees a head from the other side.
    """
    if case.pantograph.head is None:
        return operators
    eq, contact = operators.cell.equilibrium, operators.contact
    period, steps = eq.spec.period, contact.height.shape[1] - 1
    column, at = _cells_passed(np.arange(steps + 1) * (period / steps), distances, period)
    turned = (-1.0) ** column if (eq.mesh.elem_mirror < 0.0).any() else np.ones(column.shape)
    lever = turned * place_on_head(eq, at.ravel()).reshape(at.shape)
    return replace(operators, contact=contact._replace(lever=lever))


def slack_limit(
    force: NDArray[np.float64], stiffness: NDArray[np.float64], beta: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Stretch below which a dropper is looked at [m]; always one that gives up its damping, or hangs loose at rest."""
    return np.where((beta > 0.0) | (force < 0.0), np.inf, (NEAR_SLACK - force) / stiffness)


def droppers_of(cell: VerticalCell, slack: tuple[float, float], number: np.dtype[Any], spans: int) -> Droppers:
    """Droppers of so many equal cells in a window's precision; ``slack`` is what `slack_damping.slack_share` says."""
    hung, (given_up, beta) = cell.equilibrium, slack
    force, stiffness = (
        np.repeat(x[:, None], spans, axis=1) for x in (hung.dropper_spring_force, hung.dropper_stiffness)
    )
    damping = np.full(force.shape, beta)
    return Droppers(
        dof=cell.dropper_dof,
        weight=cell.dropper_weight,
        force=force,
        stiffness=stiffness,
        beta=damping,
        limit=slack_limit(force, stiffness, damping).astype(number),
        rows=in_precision(dropper_rows(cell), number),
        given_up=np.full(force.shape, given_up),
        at_rest=given_up * np.maximum(0.0, -force),
    )


def _cells_passed(
    x: NDArray[np.float64], distances: tuple[float, ...], period: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Cell of every contact by step, counted from the leading pantograph's, and its station in that cell [m].

    The leading pantograph ends its cell at the cell's own end.
    """
    places = x - np.array(distances)[:, None]
    column = np.where(np.array(distances)[:, None] != 0.0, np.floor(places / period), 0.0)
    return column.astype(np.int64), places - column * period


def _factor(cell: VerticalCell, A: CellMatrix, absorb: NDArray[np.float64], dt: float) -> Factor:
    """Factor the interior (L D L^T on its envelope) and the interfaces, as row lists for the kernel."""
    n, ni, spec = cell.n_dof, cell.n_interface, cell.equilibrium.spec
    i, j, value = entries(A.own[ni:, ni:])
    inside = csr_array(coo_array((value, (i, j)), shape=(n - ni, n - ni)))
    first, start, low, diag = envelope_ldl(inside, len(cell.equilibrium.mesh.group_elems))
    dinv = 1.0 / diag
    links = np.hstack([A.own[ni:, :ni], A.next[ni:, :]])
    G = links.copy()
    envelope_solve(first, start, low, diag, G)
    GL, GR = G[:, :ni], G[:, ni:]
    left_term, right_term = A.own[:ni, ni:] @ GL, A.next[ni:].T @ GR
    blocks = (
        A.interface_right - left_term + absorb,
        A.own[:ni, :ni] - left_term - right_term,
        A.interface_left - right_term + absorb,
    )
    inverse = np.array([np.linalg.inv(b) for b in blocks], dtype=np.float64)
    coupling = -A.own[:ni, ni:] @ GR
    strength = float(np.abs(inverse[1] @ coupling).max())
    if strength > LARGEST_COUPLING:
        raise InputError(
            [
                f"dt must be small enough that neighbouring supports hardly act on each other within one step: at "
                f"dt = {dt:g} s on a period of {spec.period:g} m they do by {strength:.1e}, allowed "
                f"{LARGEST_COUPLING:.0e}; use a smaller dt"
            ]
        )
    coupling[np.abs(coupling) < DECAYED * np.abs(blocks[1]).max()] = 0.0
    # nothing loads a tension and nothing reads its rate: those rows need not be kept
    G[cell.tensions - ni] = 0.0
    GL, GR = (np.where(np.abs(g) > DECAYED * np.abs(G).max(), g, 0.0) for g in (GL, GR))
    i, j, value = _lower_entries(first, start, low)
    i, j, value = i[value != 0.0], j[value != 0.0], value[value != 0.0]
    forward = row_lists(
        n,
        (i + ni, j + ni, -value),
        entries(-A.own[ni:, :ni], ni, n + ni),
        entries(-A.next[ni:, :], ni, n),
    )
    return Factor(
        ni,
        n,
        ni + np.flatnonzero(np.abs(GL).max(axis=1) + np.abs(GR).max(axis=1)),
        row_lists(ni, entries(-GL.T, 0, ni)),
        row_lists(ni, entries(-GR.T, 0, ni)),
        _support_lists(inverse, coupling, n + ni),
        entries(coupling),
        forward,
        np.concatenate([np.ones(ni), dinv]),
        # what was found last comes last: a sum need not wait for it
        row_lists(n, (j + ni, i + ni, -value), order=-1),
    )


def _support_lists(inverse: NDArray[np.float64], coupling: NDArray[np.float64], at: int) -> Supports:
    """Entries that copy the interface rows to ``at``, that solve them there, and once more for what is coupled."""
    ni = len(coupling)
    touched = np.flatnonzero(np.abs(coupling).max(axis=0) + np.abs(coupling).max(axis=1))
    middle, again = inverse[1], np.zeros((ni, ni))
    again[:, touched] = -inverse[1][:, touched]
    return Supports(
        row_lists(ni, entries(np.eye(ni))),
        row_lists(ni, entries(middle, 0, at)),
        row_lists(ni, entries(again, 0, at)),
        touched,
        np.ascontiguousarray(inverse[[0, 2]]),
    )


def _lower_entries(
    first: NDArray[np.int64], start: NDArray[np.int64], low: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Coordinates of the factor's envelope."""
    n = len(first)
    count = np.arange(n) - first
    i = np.repeat(np.arange(n), count)
    return i, np.arange(len(low)) - np.repeat(start - first, count), low

"""A train's pantographs at rest under a window, the leading one at a support."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from catenary.linearised.chain import chain_stiffness, held_along
from dynamics.pantograph.control.discrete import StaticControl
from dynamics.pantograph.linear import LinearPantograph
from dynamics.pantograph.lumped import pressed_at_rest
from dynamics.pantograph.strips import Touching
from dynamics.spec.case import CaseSpec
from dynamics.travelling_window.setup import WindowOperators

__all__ = ["TrainAtRest", "rest_of_train"]

Floats = NDArray[np.float64]


class TrainAtRest(NamedTuple):
    """Pantographs at rest.

    ``heights`` of the masses, with the pitch (pantograph, coordinate) [m, rad], ``roll`` and force (pantograph,)
    [rad, N]; ``contact`` forces (contact,) [N] and the window's displacements by 1 N at each (contact, dof, span + 1);
    ``applied`` forces and what 1 N of them adds to the contact force (pantograph,) [N], [-].
    """

    heights: Floats
    roll: Floats
    force: Floats
    contact: Floats
    unit: Floats
    applied: Floats
    gain: Floats


def rest_of_train(
    case: CaseSpec,
    own: LinearPantograph,
    operators: WindowOperators,
    window: tuple[int, int],
    applied: Floats | None,
) -> TrainAtRest:
    """Static equilibrium of line and pantographs; ``window`` is how many spans are behind, and in all.

    The applied forces [N] are those given, or such as give the mean force that the case holds.
    """
    strips, contact = own.strips, operators.contact
    pantographs, count = len(contact.lever) // len(strips.rides), len(own.mass) - own.rolls
    of, strip = np.divmod(np.arange(len(contact.lever)), len(strips.rides))
    each, one = Touching(of, strip, strips), np.ones(pantographs)
    unit, compliance = _unit_loads(operators, window)
    softness, lever = np.eye(len(of)) / case.contact.stiffness + compliance, contact.lever[:, 0]
    if own.rolls:
        softness += (of[:, None] == of) * np.outer(lever, lever) / own.stiffness[-1, -1]
    rest = StaticControl(case.pantograph.control, own, case.pressed_N)
    stiffness, answer = rest.stiffened(own.stiffness[:count, :count]), rest.answer[:count]
    push, height = own.applied[:count], contact.height[:, 0]
    gain = _by_head(pressed_at_rest(stiffness, softness, 0.0 * height, np.outer(one, push), each, answer)[1], of)
    steady = np.outer(one, rest.load[:count])
    if applied is None:
        unforced = _by_head(pressed_at_rest(stiffness, softness, height, steady, each, answer)[1], of)
        applied = (float(case.mean_force_N or 0.0) - unforced) / gain
    loads = np.outer(applied, push) + steady
    heights, force = pressed_at_rest(stiffness, softness, height, loads, each, answer)
    roll = -_by_head(force * lever, of) / own.stiffness[-1, -1] if own.rolls else 0.0 * one
    return TrainAtRest(heights, roll, _by_head(force, of), force, unit, applied, gain)


def _by_head(values: Floats, of: NDArray[np.int64]) -> Floats:
    """Sums over the contacts of every pantograph (pantograph,)."""
    return np.asarray(np.bincount(of, values), dtype=np.float64)


def _unit_loads(operators: WindowOperators, window: tuple[int, int]) -> tuple[Floats, Floats]:
    """Displacements of a window under 1 N at each contact, and compliances (felt at, from) there [m/N]."""
    (behind, spans), cell, contact = window, operators.cell, operators.contact
    n, stiffness = cell.n_dof, chain_stiffness(cell, spans)
    loads = np.zeros((stiffness.shape[0], len(contact.column)))
    for q in range(loads.shape[1]):
        np.add.at(loads[:, q], (behind + contact.column[q, 0]) * n + contact.dof[q, 0], contact.weight[q, 0])
    factor = splu(held_along(cell, stiffness, spans))
    solved = np.stack([factor.solve(load) for load in loads.T], axis=1)
    u = np.zeros((loads.shape[1], n, spans + 1))
    u[:, :, :-1] = np.moveaxis(solved[: n * spans].reshape(spans, n, -1), (2, 0), (0, 2))
    u[:, : cell.n_interface, -1] = solved[n * spans :].T
    return u, loads.T @ solved

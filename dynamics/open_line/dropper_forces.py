"""Compiled forces of the droppers of a whole line: bars that pull, and what slack ones keep.

Legend: u, v displacement and velocity of the line; pull the force of a bar that pulls and pushes alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from catenary.kernels.compiled import kernel
from dynamics.open_line.system import CHUNK, Droppers, Floats, Marks, State, System

__all__ = ["dropper_forces", "dropper_tensions", "note_slack", "take_off"]

_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


@kernel(**_OPTIONS)
def _pull_of(nonlinear, droppers, u, d, axis):
    """Tension of dropper d before slack, negative where it would push; ``axis`` (3,) its direction upwards."""
    if nonlinear:
        length = 0.0
        for k in range(3):
            low, high = droppers.dof[d, k], droppers.dof[d, 3 + k]
            axis[k] = droppers.rest[d, k] + (u[high] if high >= 0 else 0.0) - (u[low] if low >= 0 else 0.0)
            length += axis[k] * axis[k]
        length = np.sqrt(length)
        for k in range(3):
            axis[k] /= length
        return droppers.stiffness[d] * (length - droppers.cut[d])
    stretch = 0.0
    for k in range(6):
        i = droppers.dof[d, k]
        if i >= 0:
            stretch += droppers.weight[d, k] * u[i]
    return droppers.force[d] + droppers.stiffness[d] * stretch


@kernel(**_OPTIONS)
def _taut(pull, given_up):
    """Force of a dropper [N] from that of a bar that pulls and pushes alike."""
    return max(0.0, pull) + (1.0 - given_up) * min(0.0, pull)


@kernel(**_OPTIONS)
def dropper_tensions(nonlinear: bool, droppers: Droppers, u: Floats, out: Floats) -> None:
    """Fill the tension of every dropper (dropper,) [N]; without a call a dropper, as in `_correct_slack`."""
    axis, dof, weight = np.empty(3), droppers.dof, droppers.weight
    for d in range(out.size):
        if nonlinear:
            pull = _pull_of(True, droppers, u, d, axis)
        else:
            stretch = 0.0
            for k in range(6):
                i = dof[d, k]
                if i >= 0:
                    stretch += weight[d, k] * u[i]
            pull = droppers.force[d] + droppers.stiffness[d] * stretch
        out[d] = _taut(pull, droppers.given_up)


@kernel(**_OPTIONS)
def note_slack(system: System, state: State) -> None:
    """Note which droppers a step begins slack, where they give up damping."""
    axis = np.empty(3)
    for d in range(system.droppers.force.size):
        if not system.droppers.dashpot[d] > 0.0:
            continue
        system.droppers.slack[d] = _pull_of(system.nonlinear, system.droppers, state.u, d, axis) <= 0.0


@kernel(**_OPTIONS)
def take_off(onto: tuple[Floats, Marks], row: int, load: float) -> None:
    """Subtract a load on a row of the line from its local force, and mark it if marks are kept."""
    out, marks = onto
    out[row] -= load
    if marks.size > 0:
        marks[row // CHUNK] = True


@kernel(**_OPTIONS)
def dropper_forces(nonlinear: bool, droppers: Droppers, u: Floats, v: Floats, out: Floats, marks: Marks) -> None:
    """Add the droppers' force beyond that at rest, or the correction of those that would push; take off dashpots."""
    if nonlinear:
        _pull(droppers, u, v, out, marks)
    else:
        _correct_slack(droppers, u, v, out, marks)


@kernel(**_OPTIONS)
def _pull(droppers, u, v, out, marks):
    """Add what droppers pull beyond their force at rest."""
    axis = np.empty(3)
    for d in range(droppers.force.size):
        if droppers.dashpot[d] > 0.0 and droppers.slack[d]:
            _take_off_dashpot(droppers, d, v, (out, marks))
        pull = _taut(_pull_of(True, droppers, u, d, axis), droppers.given_up)
        for k in range(3):
            low, high = droppers.dof[d, k], droppers.dof[d, 3 + k]
            at_rest = droppers.weight[d, 3 + k] * _taut(droppers.force[d], droppers.given_up)
            if low >= 0:
                out[low] -= pull * axis[k] - at_rest
            if high >= 0:
                out[high] += pull * axis[k] - at_rest


@kernel(**_OPTIONS)
def _correct_slack(droppers, u, v, out, marks):
    """Take off what slack droppers of a linearised line would push.

    Nothing is called for a dropper that is taut: the call would take longer than the rest.
    """
    dof, weight, force = droppers.dof, droppers.weight, droppers.force
    for d in range(force.size):
        if droppers.dashpot[d] > 0.0 and droppers.slack[d]:
            _take_off_dashpot(droppers, d, v, (out, marks))
        stretch = 0.0
        for k in range(6):
            i = dof[d, k]
            if i >= 0:
                stretch += weight[d, k] * u[i]
        pull = force[d] + droppers.stiffness[d] * stretch
        missing = droppers.given_up * (min(0.0, pull) - min(0.0, force[d]))
        if missing != 0.0:
            for k in range(6):
                i = dof[d, k]
                if i >= 0:
                    take_off((out, marks), i, missing * weight[d, k])


@kernel(**_OPTIONS)
def _take_off_dashpot(droppers, d, v, onto):
    """Subtract the damping that a slack dropper gives up from the line's, which assumes all droppers taut."""
    rate = 0.0
    for k in range(6):
        i = droppers.dof[d, k]
        if i >= 0:
            rate += droppers.weight[d, k] * v[i]
    for k in range(6):
        i = droppers.dof[d, k]
        if i >= 0:
            take_off(onto, i, droppers.dashpot[d] * rate * droppers.weight[d, k])

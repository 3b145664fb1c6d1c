"""The time loop of a whole line: steps of one integrator, what each step ends with written down."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.open_line.contact import contacts_of_head, height_over, on_head, place_in_motion
from dynamics.open_line.dropper_forces import dropper_tensions
from dynamics.open_line.integrators.compiled import begin, step
from dynamics.open_line.integrators.registry import Scheme
from dynamics.open_line.integrators.scheme import Work
from dynamics.open_line.system import State, System

__all__ = ["Record", "march", "march_step"]

_OPTIONS: Any = {"error_model": "numpy"}
NO_CONTROL = np.zeros((0, 0))


class Record(NamedTuple):
    """Record of every step's end, first axis time.

    ``force``, ``height`` (pantograph): contact force and wire height there; ``each_force`` (contact): that of each
    strip with each contact wire; ``masses`` (3, pantograph, mass): height, velocity, acceleration; ``head`` (2,
    pantograph): roll, and the place on it of the first wire where contacts are sought in space, of the lowest one as it
    moves where the line is ``in_space``; ``dropper`` (dropper): tension; ``points`` (3, point): displacement, velocity,
    acceleration of the watched dofs; ``shape`` (frame, dof): whole line every ``every`` steps; ``iterations``;
    ``control`` (pantograph): force of a controller, if any.
    """

    force: NDArray[np.float64]
    height: NDArray[np.float64]
    each_force: NDArray[np.float64]
    masses: NDArray[np.float64]
    head: NDArray[np.float64]
    dropper: NDArray[np.float64]
    points: NDArray[np.float64]
    watched: NDArray[np.int64]
    shape: NDArray[np.float64]
    every: int
    iterations: NDArray[np.int64]
    in_space: bool
    control: NDArray[np.float64] = NO_CONTROL


@kernel(**_OPTIONS)
def _write(system, state, work, record, at, t):
    """Note the end of a step, at time t, in row and step ``at``."""
    (k, step), panto, each = at, system.pantographs, contacts_of_head(system)
    record.each_force[k] = state.force
    for p in range(record.force.shape[1]):
        record.force[k, p] = on_head(state.force, p, each)
        record.height[k, p] = height_over(system, work.contacts.height, p)
        if system.law.space.wanted:
            record.head[k, 1, p] = work.contacts.place[p * each]
        elif record.in_space:
            record.head[k, 1, p] = place_in_motion(system, state.u, work.contacts, p, panto.start[p] + panto.speed * t)
    if system.pantographs.control.present:
        record.control[k] = work.push
    record.masses[k, 0], record.masses[k, 1], record.masses[k, 2] = state.z, state.zv, state.za
    if system.pantographs.rolls:
        record.head[k, 0] = state.z[:, -1]
    dropper_tensions(system.nonlinear, system.droppers, state.u, record.dropper[k])
    for j in range(record.watched.size):
        i = record.watched[j]
        if i >= 0:
            record.points[k, 0, j], record.points[k, 1, j] = state.u[i], state.v[i]
            record.points[k, 2, j] = state.a[i]
    if record.every > 0 and (step + 1) % record.every == 0:
        record.shape[(step + 1) // record.every - 1 - (step - k) // record.every] = state.u


@kernel(**_OPTIONS)
def _close_contacts(state, work):
    """Adopt contact forces; a contact that has just closed keeps its closing speed."""
    force, approach = work.contacts.force, work.contacts.approach
    for c in range(force.size):
        if force[c] <= 0.0:
            state.impact[c] = 0.0
        elif state.force[c] <= 0.0:
            state.impact[c] = approach[c]
        state.force[c] = force[c]


@kernel(**_OPTIONS)
def _march_rows(
    system: System, state: State, scheme: Scheme, work: Work, record: Record, rows: tuple[int, int, int, bool]
) -> tuple[int, float, int]:
    """March rows of the record: the first, the one behind the last, the step of row 0, and whether the run begins.

    One program for whole runs and for single steps: compiling it takes minutes on a slow machine.
    """
    first, end, before, begins = rows
    residual, count = 0.0, 0
    if begins:
        begin(system, state, scheme, work)
    for k in range(first, end):
        number = before + k
        count, residual = step(system, state, scheme, work, number * scheme.dt)
        if count < 0:
            return k, residual, count
        _close_contacts(state, work)
        _write(system, state, work, record, (k, number), (number + 1) * scheme.dt)
        record.iterations[k] = count
    return end, residual, count


def march_step(
    system: System, state: State, scheme: Scheme, work: Work, record: Record, at: tuple[int, int]
) -> tuple[int, float]:
    """March the step of a row ``at`` (row, step) of the record; iterations (negative: not converged), residual [N].

    What the integrator carries from step to step must have been made ready.
    """
    row, number = at
    _, residual, count = _march_rows(system, state, scheme, work, record, (row, row + 1, number - row, False))
    return count, residual


def march(
    system: System, state: State, scheme: Scheme, work: Work, record: Record, first: int
) -> tuple[int, float, int]:
    """March as many steps as the record has rows, from step ``first`` on; the state is advanced in place.

    Returns how many steps were done, and the residual [N] and iterations of the last one; fewer than rows: that step
    did not converge.
    """
    return _march_rows(system, state, scheme, work, record, (0, record.force.shape[0], first, True))

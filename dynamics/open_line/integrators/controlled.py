"""Controllers of pantographs within an implicit step: their forces at its end, found along with the contact's."""

from __future__ import annotations

from typing import Any

from catenary.kernels.compiled import kernel
from dynamics.open_line.contact import contacts_of_head, on_head
from dynamics.open_line.forces import base_motion
from dynamics.open_line.integrators.scheme import ImplicitScheme, Work
from dynamics.open_line.system import State, System
from dynamics.pantograph.control.kernel import FORCE, HEIGHT, commit, held_force, next_force, share_of

__all__ = ["begin_controls", "correct_controls", "end_controls"]

_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


@kernel(**_OPTIONS)
def _error(system, state, work, p, t):
    """Error of a controller and its rate; a pantograph that has not entered the line has none."""
    panto = system.pantographs
    law, acting = panto.control, base_motion(panto, p, t)[2]
    if law.measures == FORCE:
        return acting * (law.reference - on_head(work.contacts.load, p, contacts_of_head(system))), 0.0
    if law.measures == HEIGHT:
        return acting * (law.reference - state.z[p, 0]), -acting * state.zv[p, 0]
    return acting * (law.reference - state.za[p, 0]), 0.0


@kernel(**_OPTIONS)
def _moved(scheme, law, i):
    """What a correction moves coordinate i by, by a unit control force."""
    moved, part = 0.0, 1.0 + scheme.alpha
    for j in range(law.direction.size):
        moved += part * scheme.mass_inverse[i, j] * law.direction[j]
    return moved


@kernel(**_OPTIONS)
def _share(system, scheme):
    """Part of a missing control force that a correction takes."""
    law = system.pantographs.control
    if law.measures == FORCE:
        moved = 0.0
        for ride in system.pantographs.strips.rides:
            moved += _moved(scheme, law, ride)
        return share_of(law, -system.law.stiffness * scheme.contact_share * moved, 0.0)
    moved = _moved(scheme, law, 0)
    if law.measures == HEIGHT:
        return share_of(law, -moved, -scheme.gamma / (scheme.beta * scheme.dt) * moved)
    return share_of(law, -moved / (scheme.beta * scheme.dt * scheme.dt), 0.0)


@kernel(**_OPTIONS)
def begin_controls(system: System, state: State, scheme: ImplicitScheme, work: Work, t: float) -> None:
    """Control forces at the end of a step by what is predicted there."""
    if not system.pantographs.control.present:
        return
    for p in range(work.push.size):
        work.push[p] = held_force(system.pantographs.control, state.memory[p])
    _move(system, state, scheme, work, t)


@kernel(**_OPTIONS)
def _move(system, state, scheme, work, t):
    """Bring the control forces closer to what the controllers want."""
    law, share = system.pantographs.control, _share(system, scheme)
    for p in range(work.push.size):
        error, rate = _error(system, state, work, p, t)
        work.push[p] += share * (next_force(law, state.memory[p], error, rate) - work.push[p])


@kernel(**_OPTIONS)
def correct_controls(system: System, state: State, scheme: ImplicitScheme, work: Work, t: float) -> None:
    """Bring the control forces closer to what is wanted, and what that changes into the residual of the masses."""
    if not system.pantographs.control.present:
        return
    law, rz, part = system.pantographs.control, work.corrections.rz, 1.0 + scheme.alpha
    for p in range(work.push.size):
        for i in range(law.direction.size):
            rz[p, i] -= part * law.direction[i] * work.push[p]
    _move(system, state, scheme, work, t)
    for p in range(work.push.size):
        for i in range(law.direction.size):
            rz[p, i] += part * law.direction[i] * work.push[p]


@kernel(**_OPTIONS)
def end_controls(system: System, state: State, work: Work, t: float) -> None:
    """End the step of every controller."""
    if not system.pantographs.control.present:
        return
    for p in range(work.push.size):
        error, rate = _error(system, state, work, p, t)
        commit(system.pantographs.control, state.memory[p], error, rate)

"""Static start of a run along a whole line: pantographs that press on the wires over them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import splu

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.running_surface import surface_of
from catenary.layout.track import head_offset
from catenary.linearised.chain import AXIAL_HOLD
from catenary.linearised.contact_wire import contact_table, covered_by, place_on_head, static_height
from dynamics.open_line.build import WholeLine
from dynamics.open_line.system import Floats, Ints, Pantographs, State
from dynamics.pantograph.control.discrete import StaticControl
from dynamics.pantograph.linear import HEAD_ALONE, linear_pantograph
from dynamics.pantograph.lumped import pressed_at_rest
from dynamics.pantograph.strips import Touching
from dynamics.spec.case import CaseSpec

__all__ = ["rest_under", "start_at_rest", "static_start", "vehicle_side"]


def static_start(case: CaseSpec, line: WholeLine, pantographs: Pantographs) -> State:
    """Static equilibrium of line and of the pantographs that stand under it; the others rest on their base.

    Droppers hold both ways here and the line is the linearised one; what that leaves is small and part of the run.
    """
    n, runs = line.mass.shape[0], line.equilibrium.mesh.contact_runs
    count, masses = len(pantographs.start), len(pantographs.mass)
    strips, on_each = pantographs.strips, len(pantographs.strips.rides)
    u, z, force = np.zeros(n), np.zeros((count, masses)), np.zeros((count, on_each, len(runs)))
    standing = np.flatnonzero(~pantographs.entering)
    rest, controlled = _control_at_rest(case), pantographs.control.present
    z -= pantographs.entry_drop * np.outer(pantographs.entering, pantographs.lift)
    if len(standing):
        places = (pantographs.start[standing][:, None] + strips.ahead).ravel()
        place, wire, height, load = _contacts(line, places)
        head, strip = place // on_each, place % on_each
        unit = _unit_loads(line, load)
        heights = masses - pantographs.rolls
        applied = np.outer(pantographs.applied[standing], pantographs.acted[:heights])
        applied = applied + (rest.load[:heights] if controlled else 0.0)
        own = np.asarray(pantographs.stiffness)[:heights, :heights]
        own = rest.stiffened(own) if controlled else own
        soft = load.T @ unit + np.eye(len(head)) / _secant(case, pantographs)
        lever = _levers(line, pantographs, places)[place, wire]
        if pantographs.rolls:
            soft += (head[:, None] == head) * np.outer(lever, lever) / pantographs.stiffness[-1, -1]
        z[standing, :heights], lam = _pressed(
            (own, rest.answer[:heights] if controlled else np.zeros(heights)),
            soft,
            height,
            applied,
            Touching(head, strip, strips),
        )
        if pantographs.rolls:
            z[standing, -1] = -np.bincount(head, lam * lever, len(standing)) / pantographs.stiffness[-1, -1]
        u = unit @ lam
        force[standing[head], strip, wire] = lam
    zero = np.zeros_like(z)
    start = State(u, np.zeros(n), np.zeros(n), z, zero, zero.copy(), force.ravel(), np.zeros(force.size))
    return _remembering(rest, start, pantographs) if controlled else start


def _control_at_rest(case: CaseSpec) -> StaticControl:
    """What a controller does at rest; nothing where there is none."""
    control = case.pantograph.control
    own = HEAD_ALONE if control is None else linear_pantograph(case.pantograph, case.pressed_N)
    return StaticControl(control, own, case.pressed_N)


def _remembering(rest: StaticControl, start: State, pantographs: Pantographs) -> State:
    """The same start with memories of controllers at rest; those of pantographs on their way have had no error."""
    force, height = start.force.reshape(len(start.z), -1).sum(axis=1), start.z[:, 0]
    memories = rest.memories(pantographs.control, force, height)
    memories[pantographs.entering] = 0.0
    return start._replace(memory=memories)


def rest_under(case: CaseSpec, line: WholeLine, pantographs: Pantographs) -> list[tuple[float, float]]:
    """Height of the lowest wire at rest over each pantograph [m], and what it and the contact give way by [m/N]."""
    head, _, height, load = _contacts(line, pantographs.start)
    soft = np.einsum("ij,ij->j", load, _unit_loads(line, load)) + 1.0 / _secant(case, pantographs)
    lowest = [min(np.flatnonzero(head == p), key=lambda c: height[c]) for p in range(len(pantographs.start))]
    return [(float(height[c]), float(soft[c])) for c in lowest]


def start_at_rest(line: WholeLine, pantographs: Pantographs, force: Floats, z: Floats) -> State:
    """State of a line at rest under contact forces (pantograph,) [N], the heads at heights (pantograph,) [m].

    Each pantograph presses on the lowest wire over it.
    """
    n, runs, count = line.mass.shape[0], len(line.equilibrium.mesh.contact_runs), len(z)
    head, wire, height, load = _contacts(line, pantographs.start)
    by_contact, pressed = np.zeros(count * runs), np.zeros(len(head))
    for p in range(count):
        c = min(np.flatnonzero(head == p), key=lambda c: height[c])
        by_contact[p * runs + wire[c]] = pressed[c] = force[p]
    zero = np.zeros((count, 1))
    u = _unit_loads(line, load) @ pressed
    return State(u, np.zeros(n), np.zeros(n), z[:, None].copy(), zero, zero.copy(), by_contact, 0.0 * by_contact)


def _unit_loads(line: WholeLine, load: Floats) -> Floats:
    """Displacements (dof, contact) of the line under unit loads [m/N]."""
    n = line.mass.shape[0]
    hold = coo_array((np.full(len(line.along), AXIAL_HOLD), (line.along, line.along)), shape=(n, n))
    return np.asarray(splu(csr_array(line.stiffness + csr_array(hold)).tocsc()).solve(load), dtype=np.float64)


def _levers(line: WholeLine, pantographs: Pantographs, x: Floats) -> Floats:
    """Place of every wire to the left of the middle of heads at stations (x,) [m] (place, wire) [m]."""
    eq = line.equilibrium
    places = np.stack([place_on_head(eq, x, run) for run in eq.mesh.contact_runs], axis=1)
    return places - vehicle_side(line, pantographs, x)[:, None]


def vehicle_side(line: WholeLine, pantographs: Pantographs, x: Floats) -> Floats:
    """Places to which the vehicle moves heads at stations (x,), to the left of where cant puts them [m]."""
    middle = np.interp(x, pantographs.head_x, pantographs.head_y)
    return np.asarray(middle - head_offset(line.equilibrium.spec.track, x), dtype=np.float64)


def _contacts(line: WholeLine, x: Floats) -> tuple[Ints, Ints, Floats, Floats]:
    """Contacts that heads at stations [m] may have: head, wire, its height at rest [m], a unit load (dof, contact)."""
    eq, found, n = line.equilibrium, [], line.mass.shape[0]
    runs = eq.mesh.contact_runs
    for w, run in enumerate(runs):
        over = np.flatnonzero(covered_by(eq, x, run)) if len(runs) > 1 else np.arange(len(x))
        _, dof, weight = contact_table(eq, x[over], run)
        dof, load = line.kept(dof), np.zeros((n, len(over)))
        for k in range(len(over)):
            np.add.at(load[:, k], dof[k][dof[k] >= 0], weight[k][dof[k] >= 0])
        found.append((over, np.full(len(over), w), static_height(eq, x[over], run) + surface_at(eq, w, x[over]), load))
    head, wire, height, load = zip(*found, strict=True)
    return np.concatenate(head), np.concatenate(wire), np.concatenate(height), np.concatenate(load, axis=1)


def surface_at(eq: Equilibrium, wire: int, x: Floats) -> Floats:
    """Height of a contact wire's running surface over the smooth wire at stations (place,) [m]."""
    section = eq.spec.section
    own = section.tension_sections[wire] if section is not None and section.tension_sections else None
    supports = eq.spec.supports
    begin, end = (
        (supports[0], supports[-1]) if own is None else (supports[own.first_support], supports[own.last_support])
    )
    heights = surface_of(section, eq.spec.contact_wire, wire, (begin, end))
    return np.interp(x, np.linspace(begin, end, len(heights)), heights) if heights.size else np.zeros(len(x))


def _pressed(
    pantograph: tuple[Floats, Floats], soft: Floats, height: Floats, applied: Floats, each: Touching
) -> tuple[Floats, Floats]:
    """Heights of the masses at rest [m] and contact forces [N]; a wire that would have to pull hangs free.

    ``pantograph`` is its stiffness, and what a controller answers a contact force with. Without a spring to the base
    some contact has a force, and a head that stands free does not come about.
    """
    (own, by_force), (head, strip, strips) = pantograph, each
    z, lam = np.empty((len(applied), len(own))), np.zeros(len(head))
    touching: NDArray[np.bool_] = np.ones(len(head), np.bool_)
    while touching.any():
        among, on = np.ix_(touching, touching), np.unique(head[touching])
        pressed = Touching(np.searchsorted(on, head[touching]), strip[touching], strips)
        z[on], lam[touching] = pressed_at_rest(
            own, soft[among], height[touching], applied[on], pressed, by_force=by_force
        )
        pulled = touching & (lam <= 0.0)
        if not pulled.any():
            break
        touching &= ~pulled
    lam[~touching] = 0.0
    free = np.setdiff1d(np.arange(len(applied)), head[touching])
    if free.size:
        z[free] = np.linalg.solve(own, applied[free].T).T
    return z, lam


def _secant(case: CaseSpec, pantographs: Pantographs) -> float:
    """Contact force over penetration at the applied force [N/m]."""
    law, force = case.contact, float(pantographs.applied.max())
    if law.exponent == 1.0:
        return law.stiffness
    return force / (force / law.stiffness) ** (1.0 / law.exponent)

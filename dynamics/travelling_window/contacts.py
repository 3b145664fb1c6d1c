"""Compiled contact points of a window: loads and values there, and what contacts feel of each other within a step.

Symbols as in `dynamics.travelling_window.kernel`.
"""

from __future__ import annotations

from catenary.kernels.compiled import kernel
from dynamics.linear_algebra.vector_rows import Rows
from dynamics.travelling_window.layout import Contact, Floats, Inputs, Ints, Operators
from dynamics.travelling_window.scratch import Pressed
from dynamics.travelling_window.solve import OPTIONS

__all__ = ["begin_contacts", "begin_heads", "move_partners", "point_load", "point_value"]


@kernel(**OPTIONS)
def point_load(target: Rows, dof: Ints, weight: Floats, amount: float, p: int, n: int) -> None:
    """Add a load [N] at a contact-wire point; dofs beyond n belong to the next span's interface."""
    for k in range(4):
        if dof[k] < n:
            target[dof[k], p] += amount * weight[k]
        else:
            target[dof[k] - n, p + 1] += amount * weight[k]


@kernel(**OPTIONS)
def point_value(source: Rows, dof: Ints, weight: Floats, p: int, n: int) -> float:
    """Value of a nodal field at a contact-wire point."""
    total = 0.0
    for k in range(4):
        if dof[k] < n:
            total += weight[k] * source[dof[k], p]
        else:
            total += weight[k] * source[dof[k] - n, p + 1]
    return total


@kernel(**OPTIONS)
def _answer_at(step: int, felt_by: int, source: int, operators: Operators, contact: Contact, n: int) -> float:
    """Rate of the wire at one contact by a unit push of another within the step."""
    start, cell, dofs, value, _ = operators.near_contact
    away = contact.column[felt_by, step] - contact.column[source, step]
    element, total = operators.element[source, step], 0.0
    for t in range(start[element], start[element + 1]):
        for k in range(4):
            dof = contact.dof[felt_by, step, k]
            over = 1 if dof >= n else 0
            if dofs[t] == dof - over * n and cell[t] == away + over:
                for i in range(4):
                    total += contact.weight[felt_by, step, k] * contact.weight[source, step, i] * value[t, i]
    return total


@kernel(**OPTIONS)
def begin_contacts(step: int, field: tuple[Rows, Rows], pressed: Pressed, operators: Operators, inputs: Inputs) -> bool:
    """Wire at every contact without the forces sought, and its compliances; returns whether contacts feel others."""
    u, w = field
    contact, n, coupled = inputs.contact, u.shape[0], False
    for q in range(pressed.force.size):
        dof, phi, p = contact.dof[q, step], contact.weight[q, step], inputs.constants.span + contact.column[q, step]
        own = 0.0
        for i in range(4):
            for j in range(4):
                own += phi[i] * phi[j] * operators.at_contact[q, step, i, j]
        pressed.own[q] = own
        pressed.below[q] = contact.height[q, step] + point_value(u, dof, phi, p, n)
        pressed.wire[q] = point_value(w, dof, phi, p, n)
        pressed.force[q] = 0.0
        for r in range(pressed.force.size):
            pressed.mutual[q, r] = 0.0
            if r != q and abs(contact.column[q, step] - contact.column[r, step]) <= 1:
                pressed.mutual[q, r] = _answer_at(step, q, r, operators, contact, n)
                coupled = coupled or pressed.mutual[q, r] != 0.0
    return coupled or inputs.panto.strips.rides.size > 1


@kernel(**OPTIONS)
def begin_heads(step: int, pressed: Pressed, inputs: Inputs) -> None:
    """What strips yield by their own forces, and what each does to the others of its head."""
    panto, lever = inputs.panto, inputs.contact.lever
    strips, r = panto.strips.rides.size, panto.mass.size - 1
    for c in range(pressed.force.size):
        for k in range(strips):
            other = c // strips * strips + k
            turned = 0.5 * lever[c, step] * lever[other, step] * panto.inverse[r, r]
            pressed.shared[c, other] = 0.5 * panto.answers[k, panto.strips.rides[c % strips]] + turned
        pressed.yields[c] = pressed.shared[c, c]


@kernel(**OPTIONS)
def move_partners(c: int, change: float, pressed: Pressed, inputs: Inputs) -> None:
    """Move the other strips of a head by a change of the force of strip ``c``."""
    strips = inputs.panto.strips.rides.size
    for other in range(c // strips * strips, (c // strips + 1) * strips):
        if other != c:
            pressed.head[other] -= inputs.constants.scalars.dt * pressed.shared[other, c] * change

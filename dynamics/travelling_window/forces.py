"""Compiled forces of contact and slack droppers, solved in their own step by projected Gauss-Seidel.

Only what contact and droppers near slack feel of each other is followed, through the compliances among them; the
columns of A^-1 that carry their answer to the line are added once, when the forces are found. Symbols as in
`dynamics.travelling_window.kernel`.
"""

from __future__ import annotations

import numpy as np

from catenary.kernels.compiled import kernel
from dynamics.linear_algebra.row_widths import Lanes, widths_apart
from dynamics.linear_algebra.vector_rows import Rows, row_combine, row_stretch
from dynamics.travelling_window.contacts import begin_contacts, begin_heads, move_partners
from dynamics.travelling_window.controlled import control_sweep
from dynamics.travelling_window.layout import Droppers, Floats, Inputs, Ints, March, NearField, Now, Operators, Squeezed
from dynamics.travelling_window.scratch import Scratch
from dynamics.travelling_window.solve import OPTIONS

__all__ = [
    "MAX_SWEEPS", "NEAR_SLACK", "ONE_BY_ONE", "add_near", "add_squeezed", "between", "dropper_loads", "felt_by",
    "forces_of_step", "list_squeezed", "mark_neighbours", "near_slack", "stretch_of", "stretches",
]  # fmt: skip

MAX_SWEEPS = 200
NEAR_SLACK = 2.0
# more squeezed droppers than these are answered at once
ONE_BY_ONE = 8
ONE = np.ones(1)


@kernel(**OPTIONS)
def dropper_loads(target: Rows, squeezed: Squeezed, droppers: Droppers, amount: float) -> None:
    """Add forces that squeeze the ends of the droppers of a list together."""
    force, which, count = squeezed
    dof, weight = droppers.dof, droppers.weight
    for x in range(count):
        d, c = which[x, 0], which[x, 1]
        if force[d, c] != 0.0:
            for k in range(dof.shape[1]):
                target[dof[d, k], c] -= amount * weight[d, k] * force[d, c]


@kernel(**OPTIONS)
def add_near(w: Rows, group: int, weight: Floats, amount: float, c: int, near: NearField) -> None:
    """Add the answer to a point load: a group of columns of A^-1 weighted, its source standing in span c."""
    start, cell, dof, value, ni = near
    S = w.shape[1] - 1
    for t in range(start[group], start[group + 1]):
        where = c + cell[t]
        if where >= 0 and (where < S or (where == S and dof[t] < ni)):
            total = 0.0
            for k in range(weight.size):
                total += weight[k] * value[t, k]
            w[dof[t], where] += amount * total


@widths_apart(**OPTIONS)
def stretches(lanes: Lanes, target: Rows, u: Rows, w: Rows, droppers: Droppers, dt: float) -> None:
    """Stretch of every dropper at the end of a step (dropper, span)."""
    start, column, value = droppers.rows
    for d in range(target.shape[0]):
        row_stretch(lanes, target, d, u, w, dt, (column, value, start[d], start[d + 1]))


@kernel(**OPTIONS)
def near_slack(stretch: Rows, fd_old: Floats, droppers: Droppers, found: Ints) -> int:
    """Find the droppers that begin the step without their damping, hang loose, or may lose their tension in it.

    They are listed span after span, each with its number, its span, and the part of the list (from, to) that stands
    at most a span away.
    """
    F0, kd, beta, limit = droppers.force, droppers.stiffness, droppers.beta, droppers.limit
    n_found = flagged = 0
    for d in range(fd_old.shape[0]):
        low = 0
        for c in range(fd_old.shape[1]):
            low += stretch[d, c] < limit[d, c]
        if low > 0:
            found[flagged, 2] = d
            flagged += 1
    for c in range(fd_old.shape[1] if flagged > 0 else 0):
        for k in range(flagged):
            d = found[k, 2]
            pull = F0[d, c] + kd[d, c] * stretch[d, c]
            loose = droppers.at_rest[d, c] > 0.0  # drawn taut, it gives up the force that it has at rest
            if pull < NEAR_SLACK or loose or (beta[d, c] > 0.0 and fd_old[d, c] > 0.0):
                found[n_found, 0], found[n_found, 1] = d, c
                n_found += 1
    mark_neighbours(found, n_found)
    return n_found


@kernel(**OPTIONS)
def mark_neighbours(found: Ints, n_found: int) -> None:
    """Enter, for each dropper of a list by spans, the part of the list (from, to) that stands at most a span away."""
    first = last = 0
    for x in range(n_found):
        while found[first, 1] < found[x, 1] - 1:
            first += 1
        while last < n_found and found[last, 1] <= found[x, 1] + 1:
            last += 1
        found[x, 2], found[x, 3] = first, last


@kernel(**OPTIONS)
def stretch_of(field: Rows, droppers: Droppers, d: int, c: int) -> float:
    """Stretch of a dropper in a nodal field."""
    dof, weight = droppers.dof, droppers.weight
    total = 0.0
    for k in range(dof.shape[1]):
        total += weight[d, k] * field[dof[d, k], c]
    return total


@kernel(**OPTIONS)
def between(span: int, other: int, last: int) -> int:
    """Index of the compliances by which droppers of a span feel those of another; ``last`` is the window's last."""
    if span == other and (span == 0 or span == last):
        return 3 if span == 0 else 4
    return span - other + 1


@kernel(**OPTIONS)
def felt_by(rate: Floats, change: float, at: int, listed: tuple[Ints, int], compliance: Rows) -> None:
    """Add to the droppers' rates of stretch what a change of the squeeze of dropper ``at`` of the list does."""
    found, last = listed
    d, c = found[at, 0], found[at, 1]
    for x in range(found[at, 2], found[at, 3]):
        rate[x] -= change * compliance[between(found[x, 1], c, last), found[x, 0], d]


@kernel(**OPTIONS)
def _slack_sweep(listed, slack, found, n_found, droppers, dt, compliance, felt):
    """One projected Gauss-Seidel sweep over the droppers found; returns the largest change [N], fills ``felt``.

    That is what it changes the wire's rate at every contact by. Spring and dashpot of a dropper are solved together:
    fb = -k beta e', and pull + fd = 0 or fd = 0; one that keeps a share of its stiffness gives up
    the rest of both. Forces are counted from those at rest, where a loose dropper has one already.
    """
    start, rate, reach = listed
    fd, fb, fd_old = slack
    F0, kd, beta, share = droppers.force, droppers.stiffness, droppers.beta, droppers.given_up
    at_rest = droppers.at_rest
    move, last = 0.0, fd.shape[1] - 1
    felt[:] = 0.0
    for x in range(n_found):
        d, c = found[x, 0], found[x, 1]
        own, gone = compliance[between(c, c, last), d, d], share[d, c] * kd[d, c]  # stiffness that slack gives up
        dash = gone * beta[d, c] if fd_old[d, c] + at_rest[d, c] > 0.0 else 0.0
        free = 1.0 - dash * own
        before = 0.5 * fd[d, c] + fb[d, c]
        alone = (rate[x] + before * own) / free  # without this dropper's own forces
        pull = F0[d, c] + kd[d, c] * (start[x] + dt * alone)
        fd[d, c] = max(-at_rest[d, c], (-share[d, c] * pull - at_rest[d, c]) / (1.0 - 0.5 * dt * gone * own / free))
        fb[d, c] = -dash * (alone - 0.5 * fd[d, c] * own / free)
        change = 0.5 * fd[d, c] + fb[d, c] - before
        if change != 0.0:
            felt_by(rate, change, x, (found, last), compliance)
            for q in range(felt.size):
                felt[q] -= change * reach[q, x]
            move = max(move, 2.0 * abs(change))
    return move


@kernel(**OPTIONS)
def _list(now, field, listed, found, operators, inputs):
    """Stretch and its rate of the droppers found, without the forces sought, and how they feel every contact."""
    step, n_found = now
    u, w = field
    start, rate, reach = listed
    contact = inputs.contact
    for x in range(n_found):
        d, c = found[x, 0], found[x, 1]
        start[x], rate[x] = stretch_of(u, inputs.droppers, d, c), stretch_of(w, inputs.droppers, d, c)
        for q in range(reach.shape[0]):
            element, away = operators.element[q, step], c - inputs.constants.span - contact.column[q, step]
            reach[q, x] = 0.0
            if -1 <= away <= 1:
                for k in range(4):
                    reach[q, x] += contact.weight[q, step, k] * operators.by_contact[element, away + 1, d, k]


@widths_apart(**OPTIONS)
def add_squeezed(
    lanes: Lanes,
    w: Rows,
    forces: tuple[Floats, Floats],
    listed: tuple[Ints, int],
    squeeze: Rows,
    operators: Operators,
) -> None:
    """Add the answers to the droppers' squeezes: few of them one by one, many in one product over all spans."""
    fd, fb = forces
    found, n_found = listed
    near, (rows, start, column, value), ends = operators.near_droppers, operators.squeezed, operators.at_ends
    many, nd, S = 0, fd.shape[0], w.shape[1] - 1
    for x in range(n_found):
        many += 0.5 * fd[found[x, 0], found[x, 1]] + fb[found[x, 0], found[x, 1]] != 0.0
    if many > ONE_BY_ONE:
        squeeze[:] = 0.0
    for x in range(n_found):
        d, c = found[x, 0], found[x, 1]
        amount = -float(0.5 * fd[d, c] + fb[d, c])
        if amount != 0.0 and (c == 0 or c == S - 1):
            add_near(w, d, ONE, amount, c, ends.first if c == 0 else ends.last)
        if many <= ONE_BY_ONE:
            if amount != 0.0:
                add_near(w, d, ONE, amount, c, near)
            continue
        if c > 0:
            squeeze[d, c - 1] = amount
        squeeze[nd + d, c] = amount
        squeeze[3 * nd + d, c + 1] = amount
        if c + 1 < S:
            squeeze[2 * nd + d, c + 1] = amount
    if many > ONE_BY_ONE:
        for i in rows:
            row_combine(lanes, w, i, 1.0, squeeze, (column, value, start[i], start[i + 1]))


@kernel(**OPTIONS)
def forces_of_step(lanes: int, now: Now, state: March, scratch: Scratch, operators: Operators, inputs: Inputs) -> int:
    """Contact forces and correction forces at the end of a step, by projected Gauss-Seidel.

    Only what contacts and the droppers found feel of each other is followed; w is updated once at the end. Leaves the
    contact forces [N] in ``scratch.pressed`` and returns the number of sweeps.
    """
    step, n_found = now
    u, fd, w, found, fb, listed = state.u, state.fd, scratch.w, scratch.found, scratch.fb, scratch.listed
    rate, reach, pressed = listed.rate, listed.reach, scratch.pressed
    contact, panto, droppers, constants, _ = inputs
    dt, kc, tolerance = constants.scalars.dt, constants.contact_stiffness, constants.tolerance
    lam, wire, own, yielding = pressed.force, pressed.wire, pressed.own, pressed.yielding
    slack = fd, fb, scratch.fd_old
    h_comp, sweeps = pressed.yields, 0
    _list(now, (u, w), listed, found, operators, inputs)
    coupled = begin_contacts(step, (u, w), pressed, operators, inputs)
    begin_heads(step, pressed, inputs)
    for q in range(lam.size):
        yielding[q] = 1.0 / (1.0 + kc * dt * (0.5 * own[q] + h_comp[q]))
    for sweep in range(MAX_SWEEPS):
        sweeps, move = sweep, 0.0
        for q in range(lam.size):
            gap = pressed.head[q] - dt * h_comp[q] * lam[q] - pressed.below[q] - dt * wire[q]
            new = max(0.0, lam[q] + (kc * gap - lam[q]) * yielding[q])
            move, change = max(move, abs(new - lam[q])), 0.5 * (new - lam[q])
            lam[q] = new
            wire[q] += change * own[q]
            move_partners(q, 2.0 * change, pressed, inputs)
            if coupled:
                wire[:] += change * pressed.mutual[:, q]
            for x in range(n_found):
                rate[x] += change * reach[q, x]
        if n_found > 0:
            move = max(move, _slack_sweep(listed, slack, found, n_found, droppers, dt, operators.among, pressed.felt))
            wire[:] += pressed.felt
        pushed = control_sweep(panto.control, sweep, state, scratch, inputs)
        move = max(move, pushed)
        if move < tolerance or (n_found == 0 and not coupled and pushed == 0.0):
            break
    for q in range(lam.size):
        column = constants.span + contact.column[q, step]
        add_near(w, operators.element[q, step], contact.weight[q, step], 0.5 * lam[q], column, operators.near_contact)
    add_squeezed(lanes, w, (fd, fb), (found, n_found), scratch.squeeze, operators)
    return sweeps


@kernel(**OPTIONS)
def list_squeezed(fd: Floats, which: Ints) -> int:
    """List the droppers that are squeezed; returns how many."""
    count = 0
    for d in range(fd.shape[0]):
        for c in range(fd.shape[1]):
            if fd[d, c] != 0.0:
                which[count, 0], which[count, 1] = d, c
                count += 1
    return count

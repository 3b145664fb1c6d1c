r"""Compiled adjoint march of a window: one cell of train travel per call, backwards in time.

The march (`dynamics.travelling_window.kernel`) solves, at every step's end n, for the state and for

    g_c = lam - kc (z_head - z0 - phi' u) = 0 in contact, else lam = 0,
    g_d = fd + share (F0 + kd delta' u) = 0 where a dropper is slack, else fd = 0.

With which of them hold frozen, all is linear, and what a number J of the contact force changes by follows from
multipliers: mu (of the equations of motion, at half steps), nu (of u_{n+1} = u_n + dt w), and eta (of g). With M, C and
K symmetric, mean and difference of two half steps obey the equations of the march itself, backwards in time:

    A m = (2/dt) M mu - s - (dt/2) G eta,   mu <- 2 m - mu,   s <- s + dt K m + dt G eta,      s = -nu,
    eta_c = -dJ/dlam + phi' m - m_head,     eta_d = -delta' m,

G eta being loads kc phi eta_c on the wire, -kc eta_c on the head, share kd delta eta_d on a dropper's ends, and 1 on a
dof whose place at one step is itself the figure. So the same factor and the same near fields serve. The pantograph runs
from right to left, and the window with it.

Symbols as there; rows, columns and lists of droppers too.
"""

from __future__ import annotations

from catenary.kernels.compiled import kernel
from dynamics.adjoint.layout import AdjointState, Frozen, Multipliers
from dynamics.travelling_window.contacts import point_load, point_value
from dynamics.travelling_window.forces import (
    MAX_SWEEPS,
    add_near,
    add_squeezed,
    between,
    dropper_loads,
    felt_by,
    mark_neighbours,
    stretch_of,
)
from dynamics.travelling_window.kernel import carry_supports
from dynamics.travelling_window.layout import Inputs, Operators, Squeezed
from dynamics.travelling_window.scratch import Scratch
from dynamics.travelling_window.solve import OPTIONS, advance, share_interface, solve_spans

__all__ = ["march_span_back"]


@kernel(**OPTIONS)
def _list_slack(slack, found):
    """List the droppers slack at a step's end, span after span, with the part of the list at most a span away."""
    n_found, spans = 0, slack.shape[1]
    for c in range(spans):
        for d in range(slack.shape[0]):
            if slack[d, c]:
                found[n_found, 0], found[n_found, 1] = d, c
                n_found += 1
    mark_neighbours(found, n_found)
    return n_found


@kernel(**OPTIONS)
def _multipliers(step, wp, n_found, frozen, scratch, operators, inputs):
    """Multipliers of contact and slack droppers at a step's end: eta_c, those of droppers by list into ``start``."""
    w, found, listed = scratch.w, scratch.found, scratch.listed
    eta, rate, reach = listed.start, listed.rate, listed.reach[0]
    contact, panto, droppers, constants, _ = inputs
    dt, kc, p = constants.scalars.dt, constants.contact_stiffness, constants.span
    n, element = frozen.n, operators.element[0, step]
    dof, phi, by_contact = contact.dof[0, step], contact.weight[0, step], operators.by_contact[element]
    held, last = frozen.in_contact[step - 1], frozen.slack.shape[2] - 1
    own = panto.inverse[0, 0]
    for i in range(4):
        for j in range(4):
            own += phi[i] * phi[j] * operators.at_contact[0, step, i, j]
    half = 0.5 * dt * kc
    pull = 0.5 * dt * droppers.given_up * droppers.stiffness
    gap = point_value(w, dof, phi, p, n) - wp[0]
    for x in range(n_found):
        d, c = found[x, 0], found[x, 1]
        eta[x], rate[x], reach[x] = 0.0, stretch_of(w, droppers, d, c), 0.0
        if -1 <= c - p <= 1:
            for k in range(4):
                reach[x] += phi[k] * by_contact[c - p + 1, d, k]
    eta_c = 0.0
    for _ in range(MAX_SWEEPS):
        move = 0.0
        if held:
            new = (gap + half * own * eta_c - frozen.cause[step - 1]) / (1.0 + half * own)
            change = new - eta_c
            eta_c = new
            gap -= half * own * change
            move = abs(change)
            for x in range(n_found):
                rate[x] -= half * change * reach[x]
        if n_found == 0:
            break
        for x in range(n_found):
            d, c = found[x, 0], found[x, 1]
            alone, pulls = operators.among[between(c, c, last), d, d], pull[d, c]
            new = -(rate[x] + pulls * alone * eta[x]) / (1.0 - pulls * alone)
            change = new - eta[x]
            eta[x] = new
            felt_by(rate, pulls * change, x, (found, last), operators.among)
            gap -= pulls * change * reach[x]
            move = max(move, abs(change))
        if move < frozen.tolerance:
            break
    return eta_c


@kernel(**OPTIONS)
def march_span_back(
    lanes: int,
    state: AdjointState,
    scratch: Scratch,
    operators: Operators,
    inputs: Inputs,
    task: tuple[Frozen, Multipliers],
) -> None:
    """March the multipliers over one cell, backwards in time, in place."""
    (unused, a, s, mp, sp), (frozen, out) = state, task
    w, found, wp, fb, none = scratch.w, scratch.found, scratch.wp[0], scratch.fb, scratch.fd_old
    contact, panto, droppers, constants, _ = inputs
    dt, kc, p = constants.scalars.dt, constants.contact_stiffness, constants.span
    ni, n, masses = operators.factor.ni, operators.factor.n, mp.size
    none[:] = 0.0
    pull = 0.5 * dt * droppers.given_up * droppers.stiffness
    row, column, at_step = frozen.lifted
    for step in range(frozen.in_contact.size, 0, -1):
        if step == at_step:
            s[row, column] += 0.5 * dt
        solve_spans(lanes, w, a, s, operators.factor)
        for i in range(masses):
            wp[i] = 0.0
            for j in range(masses):
                wp[i] += panto.inverse[i, j] * (2.0 / dt * panto.mass[j] * mp[j] - sp[j])
        n_found = _list_slack(frozen.slack[step - 1], found)
        eta_c = _multipliers(step, wp, n_found, frozen, scratch, operators, inputs)
        fb[:] = 0.0
        for x in range(n_found):
            fb[found[x, 0], found[x, 1]] = pull[found[x, 0], found[x, 1]] * scratch.listed.start[x]
        load = 0.5 * dt * kc * eta_c
        add_near(w, operators.element[0, step], contact.weight[0, step], -load, p, operators.near_contact)
        add_squeezed(lanes, w, (none, fb), (found, n_found), scratch.squeeze, operators)
        for i in range(masses):
            wp[i] += panto.inverse[i, 0] * load
        share_interface(w, n, ni)
        now = Squeezed(fb, found, n_found)
        point_load(s, contact.dof[0, step], contact.weight[0, step], load, p, n)
        dropper_loads(s, now, droppers, -1.0)
        carry_supports(s, w, constants, True)
        advance(lanes, (unused, a, s, w), operators.mass, constants.scalars, n, ni)
        point_load(s, contact.dof[0, step], contact.weight[0, step], load, p, n)
        dropper_loads(s, now, droppers, -1.0)
        carry_supports(s, w, constants, False)
        if step == at_step:
            s[row, column] += 0.5 * dt
        for i in range(masses):
            mp[i] = 2.0 * wp[i] - mp[i]
            for j in range(masses):
                sp[i] += dt * panto.stiffness[i, j] * wp[j]
        sp[0] -= 2.0 * load
        out.contact[step - 1] = eta_c
        out.pantograph[step - 1] = wp
        if out.rows.shape[1] > 0:
            out.rows[:, step - 1] = w[:n]
            out.droppers[step - 1] = 0.0
            for x in range(n_found):
                out.droppers[step - 1, found[x, 0], found[x, 1]] = scratch.listed.start[x]

"""HHT-alpha and Newmark, one step: predictor, then corrections with the effective matrix of the line at rest.

    M a_n+1 + (1 + alpha) h_n+1 - alpha h_n = 0,     h = C v + s(u) - contact
    u_n+1 = u_n + dt v_n + dt^2 ((1/2 - beta) a_n + beta a_n+1),   v_n+1 = v_n + dt ((1 - gamma) a_n + gamma a_n+1)

(Hilber, Hughes, Taylor 1977; alpha = 0, beta = 1/4, gamma = 1/2 is Newmark's method of constant average acceleration,
as PantoCat, eqs 4 to 8, iterates it.) After a correction A du = r the residual of the linear part is zero, and what
remains is the change of the local force e beyond K du. No stiffness product is formed in a step: with C = alpha_R M +
beta_R K + C', K du follows from A du, M du and C' du, and M, K times v, a are carried along; what a linearised line has
in their place is in `linear_line`. The contact force is corrected by the share 1 / (1 + k g) of what its law asks for,
g being what wire and head give way to it within a step. After the first correction of a linearised line, forces change
at contacts and slack droppers alone, and a step is so short that the line answers near them alone: later corrections
are solved for in those rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from catenary.kernels.compiled import kernel
from dynamics.linear_algebra.block_ldl import block_solve, rows_near
from dynamics.linear_algebra.sparse_rows import multiply, multiply_fixed
from dynamics.open_line.contact import contacts_of_head, on_head
from dynamics.open_line.dropper_forces import note_slack
from dynamics.open_line.forces import local_forces, pantograph_residual
from dynamics.open_line.integrators.controlled import begin_controls, correct_controls, end_controls
from dynamics.open_line.integrators.linear_line import (
    changed_rows,
    correct_predicted,
    largest,
    move_line,
    predict_line,
    right_side,
)
from dynamics.open_line.integrators.scheme import ImplicitScheme, Work
from dynamics.open_line.system import Motion, State, System, Touch

__all__ = ["implicit_step", "refresh"]

LEAST_CONTRACTION = 0.1
# share of the largest answer that may stand where the rows end in which it is solved for
DECAYED = 1e-11
_OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


@kernel(**_OPTIONS)
def refresh(system: System, state: State, scheme: ImplicitScheme, work: Work) -> None:
    """Form the carried products (K v, K a, M v, M a) again, before the first of many steps."""
    if not system.nonlinear:
        return
    Kv, Ka, Mv, Ma = work.carried
    Kv[:], Ka[:] = 0.0, 0.0
    multiply(system.stiffness, state.v, Kv, 1.0)
    multiply(system.stiffness, state.a, Ka, 1.0)
    multiply_fixed(system.mass, state.v, Mv, 0, Mv.size)
    multiply_fixed(system.mass, state.a, Ma, 0, Ma.size)


@kernel(**_OPTIONS)
def _predict(system, state, scheme, work):
    """Constant acceleration over the step."""
    dt = scheme.dt
    half = 0.5 * dt * dt
    state.z[:] += dt * state.zv + half * state.za
    state.zv[:] += dt * state.za
    if not system.nonlinear:
        predict_line(system, state, scheme, work)
        return
    u, v, a = state.u, state.v, state.a
    Kv, Ka, Mv, Ma = work.carried
    for i in range(u.size):
        u[i] += dt * v[i] + half * a[i]
        v[i] += dt * a[i]
        Kv[i] += dt * Ka[i]
        Mv[i] += dt * Ma[i]


@kernel(**_OPTIONS)
def _residual(system, state, scheme, work, r):
    """Residual of the line at the predictor."""
    if not system.nonlinear:
        right_side(system, state, scheme, work)
        return
    Kv, Mv, Ma = work.carried.Kv, work.carried.Mv, work.carried.Ma
    e, h_old = work.corrections.e, work.weighed.h
    for i in range(e.size):
        r[i] = e[i] + system.alpha * Mv[i] + system.beta * Kv[i]
    multiply(system.damping, state.v, r[: e.size], 1.0)
    part = 1.0 + scheme.alpha
    for i in range(e.size):
        r[i] = scheme.alpha * h_old[i] - Ma[i] - part * r[i]


@kernel(**_OPTIONS)
def _mass_residual(system, state, scheme, t, contacts, push, r):
    """Residual of every pantograph's masses at the predictor, under contact and control forces ``push``."""
    panto, each = system.pantographs, contacts_of_head(system)
    push, g_old = push
    if panto.held.size > 0:
        for p in range(state.z.shape[0]):
            r[p, 0] = (1.0 + scheme.alpha) * (panto.held[p] - on_head(contacts.load, p, each))
        return
    for p in range(state.z.shape[0]):
        pantograph_residual(panto, p, t, (state.z, state.zv), (contacts, push[p]), r[p])
        for i in range(panto.mass.size):
            r[p, i] = (1.0 + scheme.alpha) * r[p, i] - scheme.alpha * g_old[p, i] - panto.mass[i] * state.za[p, i]


@kernel(**_OPTIONS)
def _solve_line(scheme, r, du, rows):
    """Solve for the answer du to the residual within ``rows``; returns the rows it is found in, and its largest entry.

    An answer that has not decayed where they end, as on a line that is unlike where its reach was found, is solved
    for in all rows.
    """
    (first, last), n = rows, r.size
    width = scheme.factor.below.shape[2]
    du[first:last] = r[first:last]
    block_solve(scheme.factor, du, first, last)
    size = largest(du, first, last)
    before = largest(du, first, min(first + width, last)) if first > 0 else 0.0
    after = largest(du, max(last - width, first), last) if last < n else 0.0
    if max(before, after) > DECAYED * size:
        r[:first], r[last:] = 0.0, 0.0
        du[:] = r
        block_solve(scheme.factor, du, 0, n)
        return 0, n, largest(du, 0, n)
    du[max(0, first - width) : first] = 0.0
    du[last : last + width] = 0.0
    return first, last, size


@kernel(**_OPTIONS)
def _correct_line(system, state, scheme, work, r, rows):
    """Solve for a correction and apply it to the line's motion and to what is carried; returns the largest entry.

    The residual ``r``, zero but in ``rows``, becomes (1 + alpha) K du there on a line that is not linear.
    """
    du, Mdu, Ddu = work.solved, work.corrections.Mdu, work.corrections.Ddu
    first, last, size = _solve_line(scheme, r, du, rows)
    if not system.nonlinear:
        move_line(state, scheme, du, (first, last))
        return size
    multiply_fixed(system.mass, du, Mdu, first, last)
    few = system.damping_rows
    for k in range(few.size):
        i = few[k]
        if not first <= i < last:
            continue
        total = 0.0
        for j in range(system.damping.ptr[i], system.damping.ptr[i + 1]):
            total += system.damping.val[j] * du[system.damping.idx[j]]
        Ddu[i] = scheme.by_damping * total
    by_m = scheme.by_mass + scheme.by_damping * system.alpha
    by_v = scheme.gamma / (scheme.beta * scheme.dt)
    by_a = 1.0 / (scheme.beta * scheme.dt * scheme.dt)
    by_k = 1.0 / (scheme.by_stiffness + scheme.by_damping * system.beta)
    u, v, a = state.u, state.v, state.a
    Kv, Ka, Mv, Ma = work.carried
    for i in range(first, last):
        Kdu = by_k * (r[i] - by_m * Mdu[i] - Ddu[i])
        u[i] += du[i]
        v[i] += by_v * du[i]
        a[i] += by_a * du[i]
        Kv[i] += by_v * Kdu
        Ka[i] += by_a * Kdu
        Mv[i] += by_v * Mdu[i]
        Ma[i] += by_a * Mdu[i]
        r[i] = scheme.by_stiffness * Kdu
    return size


@kernel(**_OPTIONS)
def _remaining(system, scheme, work, r):
    """Form the residual that a correction has left; returns the rows in which its answer is felt."""
    e, e_new, n, part = work.corrections.e, work.corrections.e_new, r.size, 1.0 + scheme.alpha
    if system.nonlinear:
        for i in range(n):
            r[i] += part * (e[i] - e_new[i])
            e[i] = e_new[i]
        return 0, n
    first, last = changed_rows(work)
    near = rows_near(scheme.factor, min(first, last), last, scheme.reach)
    r[near[0] : near[1]] = 0.0
    for i in range(first, last):
        r[i] = part * (e[i] - e_new[i])
        e[i] = e_new[i]
    return near


@kernel(**_OPTIONS)
def _correct_masses(state, scheme, rz, dz):
    """Solve for a correction of the pantographs and apply it; returns the largest."""
    by_v = scheme.gamma / (scheme.beta * scheme.dt)
    by_a = 1.0 / (scheme.beta * scheme.dt * scheme.dt)
    for p in range(rz.shape[0]):
        for i in range(rz.shape[1]):
            dz[p, i] = 0.0
            for j in range(rz.shape[1]):
                dz[p, i] += scheme.mass_inverse[i, j] * rz[p, j]
    state.z[:] += dz
    state.zv[:] += by_v * dz
    state.za[:] += by_a * dz
    return np.abs(dz).max()


@kernel(**_OPTIONS)
def _take_over_contacts(system, part, now, new, rz):
    """Adopt contacts after a correction, and fill the masses' residual with what has changed."""
    each, wires, strips = contacts_of_head(system), system.contact_wire.end.size, system.pantographs.strips
    rz[:] = 0.0
    for c in range(now.force.size):
        p, k = c // each, c // wires % strips.rides.size
        for i in range(rz.shape[1]):
            rz[p, i] += part * strips.load[k, i] * (now.load[c] - new.load[c])
        if system.pantographs.rolls:
            rz[p, -1] += part * (now.moment[c] - new.moment[c])
            now.moment[c] = new.moment[c]
        now.force[c], now.load[c] = new.force[c], new.load[c]
        now.height[c], now.approach[c], now.place[c] = new.height[c], new.approach[c], new.place[c]


@kernel(**_OPTIONS)
def implicit_step(system: System, state: State, scheme: ImplicitScheme, work: Work, t: float) -> tuple[int, float]:
    """Advance the state from t to t + dt in place; returns iterations (negative: not converged) and residual [N].

    A correction that is c times the last one leaves about c times itself to come (c is taken as 0.1 at least: the first
    correction is also that of the predictor); the step has converged when that is below the tolerance.
    """
    note_slack(system, state)
    e, e_new, r = work.corrections.e, work.corrections.e_new, work.corrections.r
    rz, dz, g_old = work.corrections.rz, work.corrections.dz, work.weighed.g
    rows, now, new = (0, state.u.size), work.contacts, work.trial
    force = now.force
    kept = 0 if system.nonlinear else work.corrections.marks.size
    full = Touch(work.contacts, force, 1.0, work.corrections.marks[:kept])
    trial = Touch(new, force, scheme.contact_share, work.corrections.marks_new[:kept])
    moving = Motion(state.u, state.v, state.z, state.zv)
    after, part = t + scheme.dt, 1.0 + scheme.alpha
    _predict(system, state, scheme, work)
    local_forces(system, state, after, moving, e, full)
    _residual(system, state, scheme, work, r)
    begin_controls(system, state, scheme, work, after)
    _mass_residual(system, state, scheme, after, now, (work.push, g_old), rz)
    count, size, last = -scheme.most, 1.0e300, 1.0e300
    for iteration in range(1, scheme.most + 1):
        if iteration == 1 and not system.nonlinear:
            size, rows = correct_predicted(system, state, scheme, work), (0, 0)
        else:
            size = _correct_line(system, state, scheme, work, r, rows)
        size = max(size, _correct_masses(state, scheme, rz, dz))
        if not size < 1.0e3:
            break
        if size * min(1.0, max(LEAST_CONTRACTION, size / last)) < scheme.tolerance:
            count = iteration
            break
        last = size
        local_forces(system, state, after, moving, e_new, trial)
        rows = _remaining(system, scheme, work, r)
        _take_over_contacts(system, part, now, new, rz)
        correct_controls(system, state, scheme, work, after)
        if system.pantographs.mechanism.shape[0] > 0:  # arms are not linear: all that a correction leaves
            _mass_residual(system, state, scheme, after, now, (work.push, g_old), rz)
    if count >= 0:
        end_controls(system, state, work, after)
    if scheme.alpha != 0.0:
        _carry(system, state, scheme, work, g_old)
    return count, max(largest(r, rows[0], rows[1]), np.abs(rz).max())


@kernel(**_OPTIONS)
def _carry(system, state, scheme, work, g):
    """h_n+1 from the equation that the step has just met (h: line, g: masses), for the alpha part of the next one.

    Of a linearised line the local force alone is kept.
    """
    panto, h, Ma = system.pantographs, work.weighed.h, work.carried.Ma
    if system.nonlinear:
        for i in range(h.size):
            h[i] = (scheme.alpha * h[i] - Ma[i]) / (1.0 + scheme.alpha)
    else:
        h[:] = work.corrections.e
    for p in range(state.z.shape[0]):
        for i in range(panto.mass.size):
            g[p, i] = (panto.mass[i] * state.za[p, i] + scheme.alpha * g[p, i]) / (1.0 + scheme.alpha)

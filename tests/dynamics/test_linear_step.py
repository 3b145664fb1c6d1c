"""Steps of a linearised open line meet the method's equation, as the line's own sparse matrices have it."""

import numpy as np
import pytest

from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.spec.mesh import per_bay
from dynamics.open_line.build import build_pantographs, build_system
from dynamics.open_line.forces import local_forces
from dynamics.open_line.integrators import INTEGRATORS, Request, make_work, start_accelerations
from dynamics.open_line.integrators.compiled import begin, step
from dynamics.open_line.integrators.linear_line import largest
from dynamics.open_line.run import build_matrices, prepare_line
from dynamics.open_line.static_start import static_start
from dynamics.open_line.system import Motion, Touch

STEPS = 40


def local_force(system, state, t):
    """Forces of contact and slack droppers in a state."""
    out, work = np.zeros_like(state.u), make_work(state.u.size, *state.z.shape)
    moving = Motion(state.u, state.v, state.z, state.zv)
    local_forces(
        system, state, t, moving, out, Touch(work.contacts, work.contacts.force, 1.0, work.corrections.marks[:0])
    )
    return out


@pytest.mark.parametrize("alpha", [0.0, -0.2])
@pytest.mark.parametrize("dimension", ["planar", "spatial"])
def test_every_step_meets_the_equation_of_motion(build_line, build_case, dimension, alpha):
    """M a1 + (1 + alpha) (C v1 + K u1 + e1) - alpha (C v0 + K u0 + e0) = 0, and Newmark's formulas for u1 and v1."""
    spec = build_line("bruni_2015", dimension=dimension).with_changes(damping={"alpha": 0.5, "beta": 2e-4})
    spec = spec.model_copy(update={"mesh": per_bay(2)})
    case = build_case(spec, 320.0, applied_force_N=220.0, solver="open_line", dt=1e-3)
    line = prepare_line(case, open_line_equilibrium(spec, 3))
    pantographs = build_pantographs(case, 60.0)
    system = build_system(case, line, pantographs)
    assert system.damping_rows.size and not system.nonlinear  # supports have dashpots of their own
    request = Request(case.time_step, alpha, tolerance=1e-13)
    integrator = INTEGRATORS["hht"]
    scheme = integrator.init(build_matrices(case, line, system), request)
    state, work = static_start(case, line, pantographs), make_work(line.mass.shape[0], 1, 3)
    start_accelerations(system, state, line.mass, work)
    begin(system, state, scheme, work)
    dt, beta, gamma = case.time_step, 0.25 * (1.0 - alpha) ** 2, 0.5 - alpha

    def force():
        return line.damping @ state.v + line.stiffness @ state.u

    for k in range(STEPS):
        u, v, a, h = state.u.copy(), state.v.copy(), state.a.copy(), force() + local_force(system, state, k * dt)
        assert step(system, state, scheme, work, k * dt)[0] > 0
        u1, v1, a1, e1 = state.u, state.v, state.a, local_force(system, state, (k + 1) * dt)
        assert u1 == pytest.approx(u + dt * v + dt * dt * ((0.5 - beta) * a + beta * a1), abs=1e-14)
        assert v1 == pytest.approx(v + dt * ((1.0 - gamma) * a + gamma * a1), abs=1e-12)
        inertia = line.mass @ a1
        left = inertia + (1.0 + alpha) * (force() + e1) - alpha * h
        assert np.abs(left).max() < 1e-7 * np.abs(inertia).max()
    assert np.abs(state.u).max() > 1e-3


@pytest.mark.parametrize("rows", [(0, 41), (3, 40), (7, 9), (5, 5)])
def test_the_largest_entry_of_some_rows_is_not_a_number_where_one_is_not(rows):
    x, (first, last) = np.random.default_rng(0).normal(size=41), rows
    assert largest(x, first, last) == np.abs(x[first:last]).max(initial=0.0)
    for i in range(41):
        broken = x.copy()
        broken[i] = np.nan
        assert np.isnan(largest(broken, first, last)) == (first <= i < last)

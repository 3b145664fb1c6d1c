"""Influence matrices against the windowed march, without slack, and against statics at a crawl."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse.linalg import splu

import dynamics.steady_state.span_map as span_map
from catenary.form_finding.equilibrium import open_line_equilibrium
from catenary.linearised.cell import vertical_cell
from catenary.linearised.open_line import linearise
from dynamics.contact_force.statistics import filter_force
from dynamics.influence.matrices import influence_matrices
from dynamics.pantograph.lumped import pantograph_matrices
from dynamics.spec.case import CaseSpec
from dynamics.spec.status import Status
from dynamics.steady_state.periodic import solve_periodic

UNSLACKENED = 1.0e3


@pytest.fixture(scope="module")
def marched(influence):
    """Steady state of the window, its droppers so tense that none slackens; the cell's stiffness is kept."""

    def tense_cell(eq):
        return replace(vertical_cell(eq), equilibrium=replace(eq, dropper_force=eq.dropper_force + UNSLACKENED))

    settings = {"method": "march", "spans_behind": 20, "spans_ahead": 26, "tolerance": 1e-5, "max_spans": 300}
    case = CaseSpec.model_validate({**influence.case.model_dump(), "periodic": settings})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(span_map, "vertical_cell", tense_cell)
        solution = solve_periodic(case, equilibrium=influence.equilibrium)
    assert solution.status is Status.OK, solution.message
    assert solution.contact_force.min() > 0.0
    return solution


@pytest.fixture(scope="module")
def force(influence):
    """Contact force of the linear line [N]: (1/kc + P + I_cc) f = a F - z0.

    P is the head's fall per force under the bilinear rule, harmonic by harmonic, a its rise per applied force.
    """
    case, steps = influence.case, len(influence.z0)
    mass, damping, stiffness = pantograph_matrices(case.pantograph)
    transfer = np.zeros(steps // 2 + 1, complex)
    for k in range((steps + 1) // 2):
        s = 2j / case.time_step * np.tan(np.pi * k / steps)
        transfer[k] = np.linalg.inv(s * s * np.diag(mass) + s * damping + stiffness)[0, 0]
    fall = np.fft.irfft(transfer[:, None] * np.fft.rfft(np.eye(steps), axis=0), steps, axis=0)
    rise = np.linalg.inv(stiffness)[0, -1]
    matrix = np.eye(steps) / case.contact.stiffness + fall + influence.I_cc
    return np.linalg.solve(matrix, rise * case.applied_force_N - influence.z0)


def after_step(values):
    """The march records the end of every step; sample n of the matrices is its beginning."""
    return np.roll(values, -1)


def test_contact_force_is_that_of_the_windowed_march(influence, force, marched):
    case = influence.case
    filtered = after_step(filter_force(force, case.time_step, case.signal, periodic=True).whole)
    assert filtered.std() == pytest.approx(marched.contact_force_filtered.std(), rel=3e-3)
    assert np.sqrt(np.mean((filtered - marched.contact_force_filtered) ** 2)) < 0.05


def test_contact_height_is_that_of_the_windowed_march(influence, force, marched):
    height = after_step(influence.z0 + influence.I_cc @ force)
    np.testing.assert_allclose(height, marched.contact_height, rtol=0, atol=2e-5)


def test_dropper_forces_are_those_of_the_windowed_march(influence, force, marched):
    first = 1 - influence.dropper_offset[0]
    elongation = influence.I_dc[:, first : first + len(force)] @ force
    expected = (influence.dropper_force[:, None] + influence.dropper_stiffness * elongation).T
    found = marched.dropper_force - UNSLACKENED
    np.testing.assert_allclose(found, expected, rtol=0, atol=0.5)


def test_row_sums_at_a_crawl_are_the_static_compliance(build_line, build_case):
    """A constant force that moves at 0.11 of the wave speed: 1/(1 - 0.11^2) of the static rise over a span.

    Point by point 5 %: waves that the force throws off at droppers come back to it.
    """
    droppers = {"positions": [7.0, 23.0], "contact_wire_heights": [0.0, 0.0]}
    line = build_line(elements_per_bay=3, span_length=30.0, droppers=droppers, damping={"alpha": 0.5})
    case = build_case(line, 50.0, applied_force_N=100.0, dt=4.0e-3)
    moving = influence_matrices(case, 1.0e-3).I_cc.sum(axis=1)
    spans, n = 21, case.steps_per_period
    at = np.arange(0, n, n // 12)
    model = linearise(open_line_equilibrium(line, spans))
    keep = np.setdiff1d(np.arange(model.mass.shape[0]), model.fixed)
    dof, weight = model.contact_operator((spans // 2 + at / n) * line.span_length)
    load = np.zeros((model.mass.shape[0], len(at)))
    np.put_along_axis(load, dof.T, weight.T, axis=0)
    static = (load[keep] * splu(model.stiffness[keep][:, keep].tocsc()).solve(load[keep])).sum(axis=0)
    assert moving[at].mean() / static.mean() == pytest.approx(1.012, abs=0.01)
    np.testing.assert_allclose(moving[at], static, rtol=5e-2)

"""A Newton step of form-finding by band and border against the whole matrix, and that matrix against differences."""

import numpy as np
import pytest

from catenary.form_finding.equations import FormFindingProblem, jacobian_places, residual_and_jacobian
from catenary.form_finding.equilibrium import mesh_of, periodic_equilibrium
from catenary.form_finding.newton import banded_solver
from catenary.form_finding.prescribed import prescribed_by_lengths
from catenary.layout.geometry import line_layout, periodic_layout


def whole_matrix(problem, values):
    """Matrix of the kept equations and unknowns, every entry added where it belongs."""
    rows, cols = (np.full(size + 1, -1) for size in (problem.n_rows, problem.n_total))
    rows[problem.rows] = cols[problem.unknown] = np.arange(len(problem.rows))
    matrix, at = np.zeros((len(problem.rows),) * 2), 0
    for i, j in jacobian_places(problem, rows, cols):
        shape = (len(i), i.shape[1], j.shape[1])
        entries = values[at : at + np.prod(shape)].reshape(shape)
        at += np.prod(shape)
        i, j = (np.broadcast_to(places, shape) for places in (i[:, :, None], j[:, None, :]))
        kept = (i >= 0) & (j >= 0)
        np.add.at(matrix, (i[kept], j[kept]), entries[kept])
    assert at == len(values)
    return matrix


@pytest.fixture(params=["planar", "spatial"])
def dimension(request):
    return request.param


@pytest.fixture(params=["cell", "cell by lengths", "open line"])
def problem(request, build_line, dimension):
    line = build_line("re330", elements_per_bay=2, dimension=dimension)
    if request.param == "open line":
        return FormFindingProblem(line, mesh_of(line, line_layout(line, 3)))
    if request.param == "cell":
        return FormFindingProblem(line, mesh_of(line, periodic_layout(line)))
    line = prescribed_by_lengths(periodic_equilibrium(line))
    return FormFindingProblem(line, mesh_of(line, periodic_layout(line)), np.array(line.droppers.lengths))


def test_a_step_solves_the_whole_matrix(problem):
    r, values = residual_and_jacobian(problem, problem.start())
    rhs = -r[problem.rows]
    step = banded_solver(problem).solve(values, rhs)
    assert step is not None
    expected = np.linalg.solve(whole_matrix(problem, values), rhs)
    np.testing.assert_allclose(step, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_the_matrix_is_the_derivative_of_the_residual(problem):
    u, rng = problem.start(), np.random.default_rng(3)
    matrix = whole_matrix(problem, residual_and_jacobian(problem, u)[1])
    direction, ends = rng.standard_normal(len(problem.unknown)), []
    for step in (-1.0e-7, 1.0e-7):
        moved = u.copy()
        moved[problem.unknown] += step * direction
        ends.append(residual_and_jacobian(problem, moved)[0][problem.rows])
    slope = (ends[1] - ends[0]) / 2.0e-7
    np.testing.assert_allclose(matrix @ direction, slope, rtol=0, atol=1e-4 * np.abs(slope).max())

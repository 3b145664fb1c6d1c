"""Equilibria of lines a small step away from one that hangs, by the Newton matrix of that one.

The matrix of the line that is known serves all of them: each round of steps solves for all lines at once, and what a
step of size h leaves out of balance falls by about h from round to round. Two or three residuals a line take the place
of a Newton run from a first guess.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equations import FormFindingProblem, residual_and_jacobian
from catenary.form_finding.equilibrium import mesh_of, periodic_equilibrium, result_of
from catenary.form_finding.newton import banded_solver
from catenary.form_finding.prescribed import lengths_of
from catenary.form_finding.rest_state import Equilibrium, EquilibriumStatus
from catenary.layout.geometry import periodic_layout
from catenary.layout.mesh import Mesh, X
from catenary.spec.line import CatenarySpec

__all__ = ["neighbouring_equilibria"]

# rounds of steps after which a line is found from a first guess instead
ROUNDS = 5
Floats = NDArray[np.float64]


def neighbouring_equilibria(base: Equilibrium, specs: Sequence[CatenarySpec]) -> tuple[Equilibrium, ...]:
    """Find the equilibria of lines near one of the infinite line, bay by bay on its mesh and to the same tolerance.

    Parameters
    ----------
    base : Equilibrium
        One cell of the infinite line, whose form-finding has converged.
    specs : sequence of CatenarySpec
        Lines with as many droppers; one too far away is found by itself, and so is each whose spans differ by defects
        or repeat, or whose wires have ice or another temperature, for it is hung in two steps.
    """
    lines = (base.spec, *specs)
    if any((line.repeat, line.section, line.temperature, line.ice) != (None,) * 4 for line in lines):
        return tuple(periodic_equilibrium(spec, like=base.mesh) for spec in specs)
    own = _problem(base.spec, base.mesh)
    start = _unknowns(own, base)
    problems = [_problem(spec, mesh_of(spec, periodic_layout(spec), like=base.mesh)) for spec in specs]
    near = [k for k, problem in enumerate(problems) if _comparable(own, problem)]
    found: dict[int, Equilibrium] = {}
    if near and base.status is EquilibriumStatus.OK:
        _, matrix = residual_and_jacobian(own, start)
        solver = banded_solver(own)
        places = {k: _moved(own, problems[k], start) for k in near}
        for iteration in range(1, ROUNDS + 1):
            left = {k: residual_and_jacobian(problems[k], u)[0] for k, u in places.items()}
            for k, r in left.items():
                if float(np.abs(r[own.rows]).max()) < problems[k].tolerance:
                    found[k] = result_of(problems[k], places.pop(k), r, iteration)
            if not places:
                break
            steps = solver.solve_all(matrix, -np.array([left[k][own.rows] for k in places]).T)
            if steps is None or not np.isfinite(steps).all():
                break
            for u, step in zip(places.values(), steps.T, strict=True):
                u[own.unknown] += step
    return tuple(found.get(k) or periodic_equilibrium(spec, like=base.mesh) for k, spec in enumerate(specs))


def _problem(spec: CatenarySpec, mesh: Mesh) -> FormFindingProblem:
    """Form-finding problem of a cell, by heights or by lengths as the line prescribes."""
    return FormFindingProblem(spec, mesh, lengths_of(spec)[list(mesh.layout.dropper_kind)])


def _comparable(one: FormFindingProblem, other: FormFindingProblem) -> bool:
    """Whether unknowns and equations of two problems mean the same."""
    same = (one.mesh.dof, other.mesh.dof), (one.mesh.elem_nodes, other.mesh.elem_nodes)
    same = *same, (one.unknown, other.unknown), (one.rows, other.rows), (one.sized, other.sized)
    return one.n_total == other.n_total and all(np.array_equal(a, b) for a, b in same)


def _unknowns(problem: FormFindingProblem, found: Equilibrium) -> Floats:
    """Unknowns of a problem whose equilibrium is known."""
    mesh, u = problem.mesh, np.zeros(problem.n_total)
    held = mesh.dof < 0
    u[mesh.dof[~held]] = found.q[~held]
    u[problem.length_at] = found.elem_l0 / mesh.elem_length
    u[problem.drop_at] = found.dropper_force
    u[problem.arm_at], u[problem.messenger_at] = found.steady_arm_force, found.messenger_support_force
    return u


def _moved(own: FormFindingProblem, problem: FormFindingProblem, start: Floats) -> Floats:
    """First guess of a line: as the one that is known hangs, its nodes moved along with their stations."""
    u = start.copy()
    u[own.mesh.dof[:, X]] += problem.mesh.node_x - own.mesh.node_x
    u[problem.fixed_dof] = problem.fixed_value
    return u

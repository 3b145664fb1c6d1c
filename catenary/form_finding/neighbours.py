"""Equilibria of lines a small step away from one that hangs, by the Newton matrix of that one.

The matrix of the line that is known serves all of them: each round of steps solves for all lines at once, and what a
step of size h leaves out of balance falls by about h from round to round. Two or three residuals a line take the place
of a Newton run from a first guess. To first order, lines whose droppers alone are moved or cut otherwise need none:
what a move leaves out of balance is a product of that matrix, too, in which a station drags wires' elements along.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from catenary.form_finding.equations import FormFindingProblem, jacobian_places, residual_and_jacobian
from catenary.form_finding.equilibrium import mesh_of, periodic_equilibrium, result_of
from catenary.form_finding.held import prescribed_coordinates
from catenary.form_finding.newton import banded_solver
from catenary.form_finding.prescribed import lengths_of
from catenary.form_finding.rest_state import Equilibrium, EquilibriumStatus
from catenary.layout.geometry import periodic_layout
from catenary.layout.mesh import Mesh, X
from catenary.spec.line import CatenarySpec

__all__ = ["neighbouring_equilibria", "same_but_droppers"]

# rounds of steps after which a line is found from a first guess instead
ROUNDS = 5
Floats = NDArray[np.float64]


def neighbouring_equilibria(
    base: Equilibrium, specs: Sequence[CatenarySpec], *, first_order: bool = False
) -> tuple[Equilibrium, ...]:
    """Find the equilibria of lines near one of the infinite line, bay by bay on its mesh and to the same tolerance.

    Parameters
    ----------
    base : Equilibrium
        One cell of the infinite line, whose form-finding has converged.
    specs : sequence of CatenarySpec
        Lines with as many droppers; one too far away is found by itself, and so is each whose spans differ by defects
        or repeat, or whose wires have ice or another temperature, for it is hung in two steps.
    first_order : bool
        Whether lines in the plane that differ by places, heights and lengths of droppers alone are found to first
        order, as derivatives want them; what that leaves out falls with the square of the step.
    """
    lines = (base.spec, *specs)
    if any((line.repeat, line.section, line.temperature, line.ice) != (None,) * 4 for line in lines):
        return tuple(periodic_equilibrium(spec, like=base.mesh) for spec in specs)
    found: dict[int, Equilibrium] = {}
    if base.status is EquilibriumStatus.OK:
        own = _problem(base.spec, base.mesh)
        start = _unknowns(own, base)
        meshes = [mesh_of(spec, periodic_layout(spec), like=base.mesh) for spec in specs]
        if first_order and not base.mesh.spatial:
            found = _tangents(own, start, specs, meshes)
        left = [k for k in range(len(specs)) if k not in found]
        if left:
            found |= _converged(own, start, {k: _problem(specs[k], meshes[k]) for k in left})
    return tuple(found.get(k) or periodic_equilibrium(spec, like=base.mesh) for k, spec in enumerate(specs))


def _converged(
    own: FormFindingProblem, start: Floats, problems: dict[int, FormFindingProblem]
) -> dict[int, Equilibrium]:
    """Equilibria that rounds of steps lead to."""
    found: dict[int, Equilibrium] = {}
    _, matrix = residual_and_jacobian(own, start)
    solver = banded_solver(own)
    places = {k: _moved(own, problem, start) for k, problem in problems.items() if _comparable(own, problem)}
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
    return found


def _tangents(
    own: FormFindingProblem, start: Floats, specs: Sequence[CatenarySpec], meshes: Sequence[Mesh]
) -> dict[int, Equilibrium]:
    """Equilibria to first order of those lines that differ by their droppers' places, heights and lengths alone."""
    near = {}
    for k, (spec, mesh) in enumerate(zip(specs, meshes, strict=True)):
        cut = lengths_of(spec)[list(mesh.layout.dropper_kind)]
        if same_but_droppers(own.spec, spec) and mesh.dof is own.mesh.dof and mesh.elem_nodes is own.mesh.elem_nodes:
            near[k] = copy(own)
            near[k].spec, near[k].mesh, near[k].cut = spec, mesh, cut
            fixed = prescribed_coordinates(mesh, cut)
            near[k].fixed_value = np.array([fixed[d] for d in own.fixed_dof])
    if not near:
        return {}
    rest, values = residual_and_jacobian(own, start)
    places = np.array([_moved(own, problem, start) for problem in near.values()])
    shift = np.zeros((own.n_total + 1, len(near)))
    shift[:-1] = (places - start).T
    # an element of another length, with the same factor, is one of the same length with another factor
    longer = np.array([problem.mesh.elem_length for problem in near.values()]) / own.mesh.elem_length - 1.0
    shift[own.length_at] += (start[own.length_at] * longer).T
    left = _matrix(own, values) @ shift
    taut = (own.stiffness * (start[own.drop_at] > 0.0))[own.sized]
    left[own.size_rows] -= taut[:, None] * np.array([(p.cut - own.cut)[own.sized] for p in near.values()]).T
    steps = banded_solver(own).solve_all(values, -left[own.rows])
    if steps is None or not np.isfinite(steps).all():
        return {}
    places[:, own.unknown] += steps.T
    return {k: result_of(problem, u, rest, 1) for (k, problem), u in zip(near.items(), places, strict=True)}


def same_but_droppers(one: CatenarySpec, other: CatenarySpec) -> bool:
    """Whether lines differ by their droppers' places, heights and lengths alone, prescribed alike."""
    droppers = one.droppers
    same = {key: getattr(droppers, key) for key in ("positions", "contact_wire_heights", "lengths")}
    alike = bool(other.droppers.lengths) == bool(droppers.lengths)
    rest = {"droppers": other.droppers.model_copy(update=same), "name": one.name, "provenance": one.provenance}
    return alike and rest["droppers"] == droppers and other.model_copy(update=rest) == one


def _matrix(problem: FormFindingProblem, values: Floats) -> coo_array:
    """Newton's matrix by all equations and unknowns, held ones too, and one of each behind for what is not kept."""
    blocks = jacobian_places(problem, np.arange(problem.n_rows + 1), np.arange(problem.n_total + 1))
    rows = np.concatenate([np.repeat(row, col.shape[1], axis=1).ravel() for row, col in blocks])
    cols = np.concatenate([np.tile(col, (1, row.shape[1])).ravel() for row, col in blocks])
    return coo_array((values, (rows, cols)), shape=(problem.n_rows + 1, problem.n_total + 1))


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

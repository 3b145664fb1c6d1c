"""Form-finding: the static configuration that meets the stringing constraints (PACDIN, section 2.4).

Unknowns are the nodal coordinates that are not prescribed, one unstretched-length factor per bay of each wire,
every dropper's force, and the vertical forces at steady arms and messenger supports (in the plane these reactions
are what the arm heights and support offsets of the paper stand for). Equations are equilibrium at every degree of
freedom and one tension per wire. Newton, banded factorisation.

Where a line prescribes cut lengths of its droppers, heights at the droppers are unknowns too, with one equation each
for a bar that pulls when it is stretched and hangs loose otherwise: any lengths hang somewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from catenary.elements.formulation import element_of
from catenary.form_finding.at_temperature import at_temperature
from catenary.form_finding.defects import as_built, as_designed, gaps_at_rest
from catenary.form_finding.equations import FormFindingProblem, node_coordinates, residual_and_jacobian
from catenary.form_finding.iced import iced
from catenary.form_finding.joined import joined
from catenary.form_finding.newton import banded_solver
from catenary.form_finding.prescribed import lengths_of
from catenary.form_finding.rest_state import Equilibrium, EquilibriumStatus
from catenary.layout.geometry import Layout, line_layout, periodic_layout
from catenary.layout.laid_out import laid_out
from catenary.layout.mesh import Mesh, Y, build_mesh
from catenary.layout.moved_mesh import moved_mesh
from catenary.layout.sections import parts_of
from catenary.spec.line import CatenarySpec

__all__ = [
    "LOOSE",
    "Equilibrium",
    "EquilibriumStatus",
    "equilibrium_at_rest",
    "find_equilibrium",
    "mesh_of",
    "newton",
    "open_line_equilibrium",
    "periodic_equilibrium",
    "result_of",
]

MAX_ITERATIONS = 30
# error of the difference of two heights, relative to the largest
ROUNDING = 4 * float(np.finfo(float).eps)
# longer than any dropper [m]: one cut to it carries nothing
LOOSE = 1.0e3


def periodic_equilibrium(spec: CatenarySpec, like: Mesh | None = None) -> Equilibrium:
    """Find the equilibrium of one cell of the infinite line, on its own mesh or bay by bay like another."""
    if spec.ice is not None:
        return iced(spec, lambda line: periodic_equilibrium(line, like))
    if spec.temperature is not None:
        return at_temperature(spec, lambda line: periodic_equilibrium(line, like))
    spec = laid_out(spec.repeating)
    if spec.section is None or not spec.section.changed_since_built:
        return find_equilibrium(spec, mesh_of(spec, periodic_layout(spec), like))
    return _with_defects(spec, periodic_equilibrium(as_designed(spec)), periodic_layout, like)


def open_line_equilibrium(spec: CatenarySpec, n_spans: int) -> Equilibrium:
    """Find the equilibrium of ``n_spans`` spans whose wires are fixed at both end supports.

    Droppers with defects, and those of a worn wire, are hung in two steps: the design says how long all droppers are
    cut; with the lengths as they are, and without those that are broken, the line is found again. Tension sections
    share no wire: each is found for itself, and has tensions of its own at another temperature.
    """
    if (spec.ice, spec.temperature) != (None, None):
        if spec.ends:
            hung = iced if spec.ice is not None else at_temperature
            return hung(spec, lambda line: open_line_equilibrium(line, len(line.spans)))
        period = periodic_equilibrium(spec)  # whose wires are fixed far away, on straight track in still air if need be
        if period.status is not EquilibriumStatus.OK:
            return period
        return open_line_equilibrium(period.spec.model_copy(update={"track": spec.track, "wind": spec.wind}), n_spans)
    parts = parts_of(spec)
    if len(parts) > 1:
        return joined(spec, [open_line_equilibrium(part.line, len(part.line.spans)) for part in parts])
    if spec.section is None or not spec.section.changed_since_built:
        return find_equilibrium(spec, mesh_of(spec, line_layout(spec, n_spans)))
    whole = len(spec.spans)
    design = open_line_equilibrium(as_designed(spec), whole)
    return _with_defects(spec, design, lambda built: line_layout(built, n_spans))


def _with_defects(
    spec: CatenarySpec, design: Equilibrium, layout_of: Callable[[CatenarySpec], Layout], like: Mesh | None = None
) -> Equilibrium:
    """Find the equilibrium of a line with defects, whose other droppers are cut as its design says."""
    if design.status is not EquilibriumStatus.OK or (design.dropper_force < 0.0).any():
        return design
    built, heights = as_built(spec, design.dropper_unstretched_length, design.q[design.mesh.dropper_bottom, 2])
    layout = layout_of(built)
    start = tuple(heights[list(layout.dropper_kind)].tolist())
    hung = find_equilibrium(built, mesh_of(built, replace(layout, dropper_height=start), like))
    return _with_gaps(hung, gaps_at_rest(spec))


def _with_gaps(hung: Equilibrium, wanted: NDArray[np.float64]) -> Equilibrium:
    """Cut droppers that are to hang loose, by a gap (dropper of the line,) [m], to the lengths that leave it."""
    kind = np.array(hung.mesh.layout.dropper_kind)
    gap = np.append(wanted, np.zeros(kind.max() + 1))[kind]
    if hung.status is not EquilibriumStatus.OK or not gap.any():
        return hung
    lengths = np.array(hung.spec.droppers.lengths)
    lengths[kind[gap > 0.0]] = (hung.dropper_length + gap)[gap > 0.0]
    droppers = hung.spec.droppers.model_copy(update={"lengths": tuple(lengths.tolist())})
    spec = hung.spec.model_copy(update={"droppers": droppers})
    return replace(hung, spec=spec, dropper_gap=np.where(gap > 0.0, gap, hung.dropper_gap))


def equilibrium_at_rest(spec: CatenarySpec) -> Equilibrium:
    """Find the equilibrium of one period of the infinite line, or of the whole of a line by stations."""
    return open_line_equilibrium(spec, len(spec.spans)) if spec.ends else periodic_equilibrium(spec)


def mesh_of(spec: CatenarySpec, layout: Layout, like: Mesh | None = None) -> Mesh:
    """Mesh a layout as a line asks for, or bay by bay like another mesh, with dofs of its dimension and formulation."""
    spatial, axial_slope = spec.dimension == "spatial", element_of(spec).axial_slope
    if like is not None and (like.spatial, like.axial_slope) == (spatial, axial_slope):
        moved = moved_mesh(like, layout)
        if moved is not None:
            return moved
    return build_mesh(layout, like or spec.mesh, spatial=spatial, axial_slope=axial_slope)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a step that leads nowhere ends as a status
def find_equilibrium(spec: CatenarySpec, mesh: Mesh) -> Equilibrium:
    """Solve the form-finding problem by Newton's method (PACDIN, eqs 9-11).

    Does not raise when Newton fails: the status says so.
    """
    if np.isfinite(lengths_of(spec)).any():
        return _find_by_lengths(spec, mesh)
    problem = FormFindingProblem(spec, mesh)
    return result_of(problem, *newton(problem, problem.start()))


def newton(
    problem: FormFindingProblem, start: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Newton from a start: unknowns, residual with them, iterations; it ends where no step is possible."""
    solver, u = banded_solver(problem), start.copy()
    r, values = residual_and_jacobian(problem, u)
    for iteration in range(1, MAX_ITERATIONS + 1):
        residual = float(np.abs(r[problem.rows]).max())
        if residual < problem.tolerance or not np.isfinite(residual):
            return u, r, iteration
        step = solver.solve(values, -r[problem.rows])
        if step is None:
            return u, r, iteration
        u[problem.unknown] += step
        r, values = residual_and_jacobian(problem, u)
    return u, r, MAX_ITERATIONS


def _find_by_lengths(spec: CatenarySpec, mesh: Mesh) -> Equilibrium:
    """Find the heights that cut lengths of the droppers lead to.

    The first shape of an open line has the heights of the periodic cell, and that of the cell a level contact wire. At
    the ends of an open stitched line, where droppers hang from the messenger wire for want of a stitch wire, a length
    cut for the stitch wire fits nothing: there the cell's heights are prescribed. A line by stations has lengths of its
    own there, and starts from the heights of its layout.
    """
    layout = mesh.layout
    kind = np.array(layout.dropper_kind)
    cut = lengths_of(spec)[kind]
    iterations = 0
    if not layout.periodic and spec.section is None:
        cell = periodic_equilibrium(spec)
        iterations = cell.iterations
        heights = cell.q[cell.mesh.dropper_bottom[kind], 2]
        mesh = replace(mesh, layout=replace(layout, dropper_height=tuple(heights.tolist())))
        on_stitch = np.array(cell.mesh.layout.dropper_on_stitch)[kind]
        cut[on_stitch & ~np.array(layout.dropper_on_stitch)] = np.nan
    problem = FormFindingProblem(spec, mesh, cut)
    u, r, used = newton(problem, problem.start())
    found = result_of(problem, u, r, iterations + used)
    pushing = np.isnan(cut) & (found.dropper_force < 0.0)
    return _released(found, cut, pushing) if pushing.any() else found


def _released(found: Equilibrium, cut: NDArray[np.float64], pushing: NDArray[np.bool_]) -> Equilibrium:
    """Let droppers whose prescribed height would need them to push carry nothing, at the ends of an open line."""
    problem = FormFindingProblem(found.spec, found.mesh, np.where(pushing, LOOSE, cut))
    u, r, used = newton(problem, problem.start())
    hung = result_of(problem, u, r, found.iterations + used)
    return replace(hung, dropper_gap=np.where(pushing, 0.0, hung.dropper_gap))


def result_of(
    problem: FormFindingProblem, u: NDArray[np.float64], r: NDArray[np.float64], iteration: int
) -> Equilibrium:
    """Form the equilibrium from the unknowns, the residual with them and the number of iterations of `newton`."""
    mesh, residual = problem.mesh, float(np.abs(r[problem.rows]).max())
    q = node_coordinates(mesh, u)
    span = q[mesh.dropper_top, 1:3] - q[mesh.dropper_bottom, 1:3]
    held = (mesh.support_contact, mesh.support_messenger, mesh.support_auxiliary)
    sideways = [np.where(mesh.spatial, r[mesh.dof[nodes, Y]], 0.0) for nodes in held]
    ok = residual < problem.tolerance
    length, force, gap = np.hypot(*span.T), u[problem.drop_at].copy(), np.zeros(len(span))
    spare = problem.cut[problem.sized] - length[problem.sized]
    gap[problem.sized] = np.maximum(0.0, spare)
    # cut to the distance between its clamps, a dropper would carry what rounding of their heights leaves
    force[problem.sized[spare > -ROUNDING * np.abs(q[:, 2]).max()]] = 0.0
    return Equilibrium(
        spec=problem.spec,
        mesh=mesh,
        q=q,
        elem_l0=u[problem.length_at] * mesh.elem_length,
        dropper_force=force,
        dropper_gap=gap,
        dropper_length=length,
        steady_arm_force=u[problem.arm_at].copy(),
        steady_arm_side_force=sideways[0],
        messenger_support_force=u[problem.messenger_at].copy(),
        messenger_side_force=sideways[1],
        auxiliary_side_force=sideways[2],
        horizontal_reaction=r[problem.reaction_rows] if mesh.layout.periodic else np.zeros(0),
        residual=residual,
        iterations=iteration,
        status=EquilibriumStatus.OK if ok else EquilibriumStatus.NOT_CONVERGED,
    )

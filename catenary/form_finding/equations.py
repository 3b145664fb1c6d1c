"""The form-finding equations: unknowns, prescribed coordinates, residual and Jacobian (PACDIN, section 2.4).

Two ways to prescribe a dropper: its contact-wire height, from which its length follows, or its cut length. Then the
height is an unknown, and the equation is that of a bar which cannot push,

    force = max(0, stiffness x (length - cut length)).

Its derivative jumps where the dropper goes slack; Newton's method takes the side on which it stands (a semi-smooth
Newton method). A dropper of prescribed height that would have to push is found with a negative force.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.elements.formulation import element_of
from catenary.form_finding.first_guess import GRAVITY, first_shape, first_sideways, load_of_messenger
from catenary.form_finding.held import lifted_nodes, prescribed_coordinates
from catenary.form_finding.side_loads import side_loads
from catenary.layout.along_contact_wire import along_contact_wire
from catenary.layout.key_points import AUXILIARY, CONTACT, MESSENGER, STITCH
from catenary.layout.mesh import DX, Mesh, X, Y, Z
from catenary.spec.components import StitchSpec, WireSpec
from catenary.spec.line import CatenarySpec
from catenary.spec.parts.auxiliary import AuxiliarySpec

__all__ = [
    "GRAVITY",
    "FormFindingProblem",
    "dropper_property",
    "element_coordinates",
    "jacobian_places",
    "node_coordinates",
    "residual_and_jacobian",
    "wire_property",
]


def wire_property(spec: CatenarySpec, mesh: Mesh, name: str) -> NDArray[np.float64]:
    """Look up a wire property by element, float array (elem,)."""
    blocks: dict[int, WireSpec | StitchSpec | AuxiliarySpec | None] = {
        CONTACT: spec.contact_wire.together,
        MESSENGER: spec.messenger_wire.together,
        STITCH: spec.stitch,
        AUXILIARY: spec.auxiliary_wire,
    }
    values = np.array([0.0 if blocks[w] is None else getattr(blocks[w], name) for w in sorted(blocks)])
    return along_contact_wire(spec, mesh, name, values[mesh.elem_wire])


def dropper_property(spec: CatenarySpec, mesh: Mesh, name: str) -> NDArray[np.float64]:
    """Look up stiffness [N/m], mass [kg/m] or a clamp mass [kg] of every dropper of a mesh, float array (dropper,)."""
    return np.array(spec.dropper_makes(name))[list(mesh.layout.dropper_kind)]


class FormFindingProblem:
    """Index tables of one form-finding problem: which unknown stands where.

    ``cut`` is the length each dropper is cut to [m], float array (dropper,), NaN where the height of the mesh's
    layout is prescribed; without it every height is.
    """

    def __init__(self, spec: CatenarySpec, mesh: Mesh, cut: NDArray[np.float64] | None = None) -> None:
        self.spec, self.mesh, self.element = spec, mesh, element_of(spec)
        if mesh.axial_slope != self.element.axial_slope:
            raise ValueError(f"the mesh must have the degrees of freedom of formulation '{spec.formulation}'")
        n_drop = len(mesh.dropper_bottom)
        self.cut = np.full(n_drop, np.nan) if cut is None else cut
        self.sized = np.flatnonzero(np.isfinite(self.cut))
        self.EA = wire_property(spec, mesh, "axial_stiffness")
        self.EI = wire_property(spec, mesh, "bending_stiffness")
        self.stiffness = dropper_property(spec, mesh, "stiffness")
        self.clamps = tuple(
            dropper_property(spec, mesh, f"clamp_mass_{wire}") for wire in ("contact_wire", "messenger_wire")
        )
        self.rho = wire_property(spec, mesh, "mass_per_length")
        self.dropper_rho = dropper_property(spec, mesh, "mass_per_length")
        tension = wire_property(spec, mesh, "tension")
        self.tension = tension[mesh.tension_elem]
        self.loads = side_loads(spec, mesh)
        self.lifted = lifted_nodes(mesh)
        self.elem_tension = tension
        n, n_elem = mesh.n_dof, len(mesh.elem_wire)
        n_sup = len(mesh.support_contact)
        self.n_total = n + n_elem + n_drop + 2 * n_sup
        self.length_at = n + np.arange(n_elem)
        self.drop_at = n + n_elem + np.arange(n_drop)
        self.arm_at = n + n_elem + n_drop + np.arange(n_sup)
        self.messenger_at = self.arm_at + n_sup
        # one factor a bay: neighbouring elements of a bay have equal factors (this keeps the matrix banded)
        self.equal = np.flatnonzero(np.diff(mesh.elem_group) == 0)
        self.tension_rows = n + np.arange(len(mesh.tension_elem))
        self.equal_rows = n + len(mesh.tension_elem) + np.arange(len(self.equal))
        self.size_rows = n + len(mesh.tension_elem) + len(self.equal) + np.arange(len(self.sized))
        self.n_rows = n + len(mesh.tension_elem) + len(self.equal) + len(self.sized)
        dof = element_dofs(mesh).ravel()
        self.force_rows = np.where(dof >= 0, dof, self.n_rows)
        fixed = prescribed_coordinates(mesh, self.cut)
        self.fixed_dof = np.array(sorted(fixed))
        self.fixed_value = np.array([fixed[d] for d in self.fixed_dof])
        ends = mesh.wire_ends[:, ::2] if mesh.layout.periodic else mesh.wire_ends
        self.reaction_rows = mesh.dof[ends.ravel(), X]
        held = (mesh.support_contact, mesh.support_messenger, mesh.support_auxiliary)
        sideways = np.concatenate(held) if mesh.spatial else np.zeros(0, int)
        upwards = np.zeros(0, int) if mesh.layout.periodic else mesh.dof[mesh.wire_ends[:, 4:].ravel(), Z]
        unknown = _without(self.n_total, self.fixed_dof)
        rows = _without(self.n_rows, np.concatenate([self.reaction_rows, mesh.dof[sideways, Y], upwards]))
        if len(unknown) != len(rows):
            raise AssertionError(f"form-finding must be square: {len(unknown)} unknowns, {len(rows)} equations")
        self.unknown, self.rows = unknown, rows
        # rounding of coordinates that run to the length of the line sets the floor of the residual
        stiffest = max((self.EA.max() / mesh.elem_length.min(), 12.0 * (self.EI / mesh.elem_length**3).max() / 8.0))
        self.tolerance = max(1.0e-6, 8 * np.finfo(float).eps * stiffest * mesh.layout.length)

    def start(self) -> NDArray[np.float64]:
        """First guess: wires as polygons of taut strings under point loads, slopes from finite differences."""
        spec, mesh = self.spec, self.mesh
        u = np.zeros(self.n_total)
        shape = first_shape(spec, mesh)
        strain = self.elem_tension / self.EA
        for node in range(len(mesh.node_x)):
            d = mesh.dof[node]
            u[d[X]], u[d[Z]] = mesh.node_x[node], shape[node]
        a, b = mesh.elem_nodes.T
        if mesh.spatial:
            u[mesh.dof[:, Y]], u[mesh.dof[:, 4]] = first_sideways(spec, mesh)
        slope = (shape[b] - shape[a]) / mesh.elem_length
        for node, total in ((a, slope), (b, slope)):
            np.add.at(u, mesh.dof[node, 5], 0.5 * total)
        if mesh.axial_slope:
            stretch = np.zeros(len(mesh.node_x))
            stretch[a] = stretch[b] = 1.0 + strain
            u[mesh.dof[:, DX]] = stretch
        u[self.length_at] = 1.0 - strain
        u[self.fixed_dof] = self.fixed_value
        bay = mesh.layout.length / (len(mesh.dropper_bottom) + mesh.layout.n_spans)
        share = spec.contact_wire.together.mass_per_length * GRAVITY * bay
        u[self.drop_at] = share
        u[self.arm_at] = share
        total = spec.mean_span * load_of_messenger(spec)
        u[self.messenger_at] = total
        return u


def node_coordinates(mesh: Mesh, u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Nodal coordinates (node, 6); held dofs are zero."""
    return np.where(mesh.dof >= 0, u[np.maximum(mesh.dof, 0)], 0.0)


def element_coordinates(mesh: Mesh, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Nodal coordinates by element (..., elem, 2, 6), the closing nodes of a cell moved by its length and mirrored."""
    gathered = np.take(q, mesh.elem_nodes, axis=-2)
    gathered[..., 0] += mesh.elem_shift
    gathered[..., [1, 4]] *= mesh.elem_mirror[..., None]
    return gathered


def residual_and_jacobian(
    problem: FormFindingProblem, u: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Residual of all equations and the values of all Jacobian entries, in the order of `jacobian_places`."""
    mesh, spec = problem.mesh, problem.spec
    q = node_coordinates(mesh, u)
    l0 = u[problem.length_at] * mesh.elem_length
    force, tangent, by_l0 = problem.element.forces(
        element_coordinates(mesh, q), l0, problem.EA, problem.EI, problem.rho * GRAVITY
    )
    if problem.loads is not None:
        problem.loads.add_to(force, tangent, by_l0)
    if mesh.spatial:
        sign = np.ones((len(l0), 2, 6))
        sign[:, :, [1, 4]] = mesh.elem_mirror[:, :, None]
        sign = sign.reshape(-1, 12)
        force, by_l0, tangent = force * sign, by_l0 * sign, tangent * sign[:, :, None] * sign[:, None, :]
    summed = np.bincount(problem.force_rows, weights=force.ravel(), minlength=problem.n_rows + 1)
    r = np.asarray(summed, dtype=np.float64)
    drop_values = _add_droppers(problem, u, q, r)
    axis, length = _dropper_axis(mesh, q)
    stiffness = problem.stiffness[problem.sized]
    pull = stiffness * (length - problem.cut)[problem.sized]
    k = np.where(pull > 0.0, stiffness, 0.0)
    r[problem.size_rows] = np.maximum(pull, 0.0) - u[problem.drop_at[problem.sized]]
    r[mesh.dof[mesh.support_contact, Z]] -= u[problem.arm_at]
    r[mesh.dof[mesh.support_messenger, Z]] -= u[problem.messenger_at]
    if spec.stitch is not None:
        r[mesh.dof[mesh.clamp_messenger, Z]] += spec.stitch.clamp_mass * GRAVITY
    r[mesh.dof[mesh.mass_nodes, Z]] += np.array([mass for _, mass in mesh.layout.masses]) * GRAVITY
    nodes, lift = problem.lifted
    r[mesh.dof[nodes, Z]] -= lift
    # the end force of the first element, without its weight, is the wire's tension (eq. 11)
    t = mesh.tension_elem
    end = force[t, :3].copy()
    end[:, 2] -= 0.5 * problem.rho[t] * GRAVITY * l0[t]
    norm = np.linalg.norm(end, axis=1)
    r[problem.tension_rows] = norm - problem.tension
    factor = u[problem.length_at]
    r[problem.equal_rows] = factor[problem.equal] - factor[problem.equal + 1]
    end_l0 = by_l0[t, :3].copy()
    end_l0[:, 2] -= 0.5 * problem.rho[t] * GRAVITY
    t_q = np.einsum("tc,tcj->tj", end, tangent[t, :3, :]) / norm[:, None]
    t_l = np.einsum("tc,tc->t", end, end_l0) / norm * mesh.elem_length[t]
    ones = np.ones(2 * len(mesh.support_contact))
    equal, by_end = np.ones(len(problem.equal)), (k[:, None] * axis[problem.sized]).T.ravel()
    by_group = by_l0 * mesh.elem_length[:, None]
    wires = [tangent.ravel(), by_group.ravel(), drop_values, -ones, t_q.ravel(), t_l, equal, -equal]
    return r[:-1], np.concatenate([*wires, by_end, -by_end, -np.ones(len(problem.sized))])


def _add_droppers(
    problem: FormFindingProblem, u: NDArray[np.float64], q: NDArray[np.float64], r: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Add dropper forces, weights and clamps to the residual; return their Jacobian entries."""
    mesh = problem.mesh
    low, high = mesh.dropper_bottom, mesh.dropper_top
    pull = u[problem.drop_at]
    axis, length = _dropper_axis(mesh, q)
    per_length = 0.5 * problem.dropper_rho * GRAVITY
    for c, component in enumerate((Y, Z)):
        np.add.at(r, mesh.dof[low, component], -pull * axis[:, c])
        np.add.at(r, mesh.dof[high, component], pull * axis[:, c])
    np.add.at(r, mesh.dof[low, Z], per_length * length + problem.clamps[0] * GRAVITY)
    np.add.at(r, mesh.dof[high, Z], per_length * length + problem.clamps[1] * GRAVITY)
    blown = 0.0 if problem.loads is None else 0.5 * problem.loads.on_droppers
    if blown:
        for ends in (low, high):
            np.add.at(r, mesh.dof[ends, Y], -blown * length)
    # by the vector from the lower to the upper end: turning of the pull, and weight by length
    turn = (pull / length)[:, None, None] * (np.eye(2) - axis[:, :, None] * axis[:, None, :])
    weight = np.zeros_like(turn)
    weight[:, 1] = per_length[:, None] * axis
    if blown:
        weight[:, 0] = -blown * axis
    at_low, at_high = weight - turn, weight + turn
    blocks = np.array([[-at_low, at_low], [-at_high, at_high]])  # row end, column end, dropper, component, component
    return np.concatenate([(-axis).T.ravel(), axis.T.ravel(), blocks.transpose(0, 3, 1, 4, 2).ravel()])


def _dropper_axis(mesh: Mesh, q: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Direction (dropper, 2) in y and z from the lower to the upper end of every dropper, and its length [m]."""
    span = q[mesh.dropper_top, 1:3] - q[mesh.dropper_bottom, 1:3]
    length = np.hypot(*span.T)
    return span / length[:, None], length


def element_dofs(mesh: Mesh) -> NDArray[np.int64]:
    """Dofs of each element (elem, 12); -1 where held."""
    return mesh.dof[mesh.elem_nodes].reshape(-1, 12)


def _without(size: int, left_out: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers below a size but for some."""
    kept = np.ones(size, dtype=bool)
    kept[left_out] = False
    return np.flatnonzero(kept)


def jacobian_places(
    problem: FormFindingProblem, row_of: NDArray[np.int64], col_of: NDArray[np.int64]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Places of rows (block, row) and of columns (block, column) of blocks that hold all Jacobian entries.

    In a block every row meets every column, and columns run first. ``row_of`` and ``col_of`` are the places of all
    equations and unknowns, followed by that of what is not kept.
    """
    mesh = problem.mesh
    dof = element_dofs(mesh)
    by_row = row_of[dof]
    ends = np.array([mesh.dof[nodes][:, [Y, Z]].T for nodes in (mesh.dropper_bottom, mesh.dropper_top)])
    pair = (2, 2, *ends.shape)
    t = mesh.tension_elem
    rows = [
        ends.ravel(),
        np.broadcast_to(ends[:, :, None, None], pair).ravel(),
        mesh.dof[mesh.support_contact, Z],
        mesh.dof[mesh.support_messenger, Z],
        np.repeat(problem.tension_rows, 12),
        problem.tension_rows,
        problem.equal_rows,
        problem.equal_rows,
        *[problem.size_rows] * 5,
    ]
    cols = [
        np.tile(problem.drop_at, 4),
        np.broadcast_to(ends, pair).ravel(),
        problem.arm_at,
        problem.messenger_at,
        dof[t].ravel(),
        problem.length_at[t],
        problem.length_at[problem.equal],
        problem.length_at[problem.equal + 1],
        ends[1][:, problem.sized].ravel(),
        ends[0][:, problem.sized].ravel(),
        problem.drop_at[problem.sized],
    ]
    wires = by_row, col_of[dof]
    lengths = by_row, col_of[problem.length_at][:, None]
    return [wires, lengths, (row_of[np.concatenate(rows)][:, None], col_of[np.concatenate(cols)][:, None])]

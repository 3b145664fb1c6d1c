"""Form-finding: the static configuration that meets the stringing constraints (paper 000, section 2.4).

Unknowns are the nodal coordinates that are not prescribed, one unstretched-length factor per bay of each wire,
every dropper's force, and the vertical forces at steady arms and messenger supports (in the plane these reactions
are what the arm heights and support offsets of the paper stand for). Equations are equilibrium at every degree of
freedom and one tension per wire. Newton, banded factorisation.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.linalg import get_lapack_funcs

from catenary.elements.ancf_cable import cable_forces
from catenary.geometry import CONTACT, MESSENGER, STITCH, line_layout, periodic_layout
from catenary.mesh import Mesh, X, Z, build_mesh
from catenary.spec import CatenarySpec, StitchSpec, WireSpec

__all__ = ["Equilibrium", "EquilibriumStatus", "find_equilibrium", "open_line_equilibrium", "periodic_equilibrium"]

GRAVITY = 9.81
MAX_ITERATIONS = 30


class EquilibriumStatus(Enum):
    """How form-finding ended."""

    OK = "ok"
    NOT_CONVERGED = "form-finding did not converge"


@dataclass(frozen=True)
class Equilibrium:
    """Static configuration of a line or cell.

    Attributes
    ----------
    q : float array (node, 6)
        Positions [m] and slopes [-].
    elem_l0 : float array (elem,)
        Unstretched lengths [m].
    dropper_force : float array (dropper,)
        Axial forces, tension positive [N].
    dropper_length : float array (dropper,)
        Stretched lengths [m].
    steady_arm_force, messenger_support_force : float array (support,)
        Vertical forces on the wires, upwards positive [N].
    horizontal_reaction : float array
        Reaction of the constraints that only remove the translation of a periodic cell [N]; must vanish.
    residual : float
        Largest out-of-balance force [N].
    iterations : int
        Newton iterations.
    status : EquilibriumStatus
    """

    spec: CatenarySpec
    mesh: Mesh
    q: NDArray[np.float64]
    elem_l0: NDArray[np.float64]
    dropper_force: NDArray[np.float64]
    dropper_length: NDArray[np.float64]
    steady_arm_force: NDArray[np.float64]
    messenger_support_force: NDArray[np.float64]
    horizontal_reaction: NDArray[np.float64]
    residual: float
    iterations: int
    status: EquilibriumStatus

    @property
    def dropper_unstretched_length(self) -> NDArray[np.float64]:
        """Lengths to cut the droppers to [m]."""
        return self.dropper_length - self.dropper_force / self.spec.droppers.stiffness


def periodic_equilibrium(spec: CatenarySpec) -> Equilibrium:
    """Find the equilibrium of one cell of the infinite periodic line."""
    return find_equilibrium(spec, build_mesh(periodic_layout(spec), spec.mesh.elements_per_bay))


def open_line_equilibrium(spec: CatenarySpec, n_spans: int) -> Equilibrium:
    """Find the equilibrium of ``n_spans`` spans whose wires are fixed at both end supports."""
    return find_equilibrium(spec, build_mesh(line_layout(spec, n_spans), spec.mesh.elements_per_bay))


def wire_property(spec: CatenarySpec, mesh: Mesh, name: str) -> NDArray[np.float64]:
    """Look up a wire property by element, float array (elem,)."""
    blocks: dict[int, WireSpec | StitchSpec | None] = {
        CONTACT: spec.contact_wire,
        MESSENGER: spec.messenger_wire,
        STITCH: spec.stitch,
    }
    values = np.array([0.0 if blocks[w] is None else getattr(blocks[w], name) for w in (CONTACT, MESSENGER, STITCH)])
    return values[mesh.elem_wire]


class _Problem:
    """Index tables of one form-finding problem: which unknown stands where."""

    def __init__(self, spec: CatenarySpec, mesh: Mesh) -> None:
        self.spec, self.mesh = spec, mesh
        self.EA = wire_property(spec, mesh, "axial_stiffness")
        self.EI = wire_property(spec, mesh, "bending_stiffness")
        self.rho = wire_property(spec, mesh, "mass_per_length")
        tension = wire_property(spec, mesh, "tension")
        self.tension = tension[mesh.tension_elem]
        self.elem_tension = tension
        n, n_elem, n_drop = mesh.n_dof, len(mesh.elem_wire), len(mesh.dropper_bottom)
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
        self.n_rows = n + len(mesh.tension_elem) + len(self.equal)
        fixed = self._prescribed()
        self.fixed_dof = np.array(sorted(fixed))
        self.fixed_value = np.array([fixed[d] for d in self.fixed_dof])
        ends = slice(None) if mesh.layout.periodic else [0, -1]
        held = np.concatenate([mesh.support_contact[ends], mesh.support_messenger[ends]])
        self.reaction_rows = mesh.dof[held, X]
        unknown = np.setdiff1d(np.arange(self.n_total), self.fixed_dof)
        rows = np.setdiff1d(np.arange(self.n_rows), self.reaction_rows)
        if len(unknown) != len(rows):
            raise AssertionError(f"form-finding must be square: {len(unknown)} unknowns, {len(rows)} equations")
        self.unknown, self.rows = unknown, rows

        # rounding of coordinates that run to the length of the line sets the floor of the residual
        self.tolerance = max(1.0e-6, 8 * np.finfo(float).eps * self.EA.max() * mesh.layout.length / mesh.elem_length.min())

    def _prescribed(self) -> dict[int, float]:
        """Prescribed coordinates: heights of the contact wire, encumbrance, and stations of all key points."""
        mesh, layout = self.mesh, self.mesh.layout
        fixed: dict[int, float] = {}
        for k, node in enumerate(mesh.dropper_bottom):
            fixed[mesh.dof[node, X]] = layout.dropper_x[k]
            fixed[mesh.dof[node, Z]] = layout.dropper_height[k]
            top = mesh.dropper_top[k]
            fixed[mesh.dof[top, X]] = mesh.node_x[top]
        for node in mesh.clamp_messenger:
            fixed[mesh.dof[node, X]] = mesh.node_x[node]
        for low, high in zip(mesh.support_contact, mesh.support_messenger, strict=True):
            fixed[mesh.dof[low, X]], fixed[mesh.dof[low, Z]] = mesh.node_x[low], 0.0
            fixed[mesh.dof[high, X]], fixed[mesh.dof[high, Z]] = mesh.node_x[high], self.spec.encumbrance
        return fixed

    def start(self) -> NDArray[np.float64]:
        """First guess: wires as polygons of taut strings under point loads, slopes from finite differences."""
        spec, mesh = self.spec, self.mesh
        u = np.zeros(self.n_total)
        shape = _first_shape(spec, mesh)
        strain = self.elem_tension / self.EA
        for node in range(len(mesh.node_x)):
            d = mesh.dof[node]
            u[d[X]], u[d[Z]] = mesh.node_x[node], shape[node]
            u[d[3]], u[d[5]] = 1.0, 0.0
        a, b = mesh.elem_nodes.T
        slope = (shape[b] - shape[a]) / mesh.elem_length
        for node, total in ((a, slope), (b, slope)):
            np.add.at(u, mesh.dof[node, 5], 0.5 * total)
        stretch = np.zeros(len(mesh.node_x))
        stretch[a] = stretch[b] = 1.0 + strain
        u[mesh.dof[:, 3]] = stretch
        u[self.length_at] = 1.0 - strain
        u[self.fixed_dof] = self.fixed_value
        share = spec.contact_wire.mass_per_length * GRAVITY * spec.span_length / (len(spec.droppers.positions) + 1)
        u[self.drop_at] = share
        u[self.arm_at] = share
        total = GRAVITY * spec.span_length * (spec.contact_wire.mass_per_length + spec.messenger_wire.mass_per_length)
        u[self.messenger_at] = total
        return u


def _first_shape(spec: CatenarySpec, mesh: Mesh) -> NDArray[np.float64]:
    """Heights [m] of all nodes for the first guess: contact wire by interpolation, messenger as a parabola."""
    layout = mesh.layout
    supports = np.arange(layout.n_spans + 1) * spec.span_length
    x_key = np.concatenate([supports, layout.dropper_x])
    z_key = np.concatenate([0.0 * supports, layout.dropper_height])
    order = np.argsort(x_key)
    contact = np.interp(mesh.node_x, x_key[order], z_key[order])
    load = GRAVITY * (spec.contact_wire.mass_per_length + spec.messenger_wire.mass_per_length)
    local = mesh.node_x % spec.span_length
    sag = load * local * (spec.span_length - local) / (2 * spec.messenger_wire.tension)
    messenger = spec.encumbrance - sag
    if spec.stitch is None:
        return np.where(mesh.node_wire == CONTACT, contact, messenger)
    half = 0.5 * spec.stitch.length
    at_clamp = spec.encumbrance - load * half * (spec.span_length - half) / (2 * spec.messenger_wire.tension)
    return np.where(mesh.node_wire == CONTACT, contact, np.where(mesh.node_wire == STITCH, at_clamp, messenger))


def find_equilibrium(spec: CatenarySpec, mesh: Mesh) -> Equilibrium:
    """Solve the form-finding problem by Newton's method (paper 000, eqs 9-11).

    Does not raise when Newton fails: the status says so.
    """
    problem = _Problem(spec, mesh)
    solver = _banded_pattern(problem)
    u = problem.start()
    residual = np.inf
    iteration = 0
    for iteration in range(1, MAX_ITERATIONS + 1):
        r, values = _system(problem, u)
        residual = float(np.abs(r[problem.rows]).max())
        if residual < problem.tolerance or not np.isfinite(residual):
            break
        step = solver.solve(values, -r[problem.rows])
        if step is None:
            residual = np.inf
            break
        u[problem.unknown] += step
    return _result(problem, u, residual, iteration)


def _result(problem: _Problem, u: NDArray[np.float64], residual: float, iteration: int) -> Equilibrium:
    mesh = problem.mesh
    r, _ = _system(problem, u)
    q = _coordinates(mesh, u)
    length = q[mesh.dropper_top, 2] - q[mesh.dropper_bottom, 2]
    ok = residual < problem.tolerance
    return Equilibrium(
        spec=problem.spec,
        mesh=mesh,
        q=q,
        elem_l0=u[problem.length_at] * mesh.elem_length,
        dropper_force=u[problem.drop_at].copy(),
        dropper_length=length,
        steady_arm_force=u[problem.arm_at].copy(),
        messenger_support_force=u[problem.messenger_at].copy(),
        horizontal_reaction=r[problem.reaction_rows] if mesh.layout.periodic else np.zeros(0),
        residual=residual,
        iterations=iteration,
        status=EquilibriumStatus.OK if ok else EquilibriumStatus.NOT_CONVERGED,
    )


def _coordinates(mesh: Mesh, u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Nodal coordinates (node, 6); held dofs are zero."""
    return np.where(mesh.dof >= 0, u[np.maximum(mesh.dof, 0)], 0.0)


def element_coordinates(mesh: Mesh, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Nodal coordinates by element (elem, 2, 6), with the closing nodes of a cell moved by its length."""
    gathered = q[mesh.elem_nodes]
    gathered[:, :, 0] += mesh.elem_shift
    return gathered


def _system(problem: _Problem, u: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Residual of all equations and the values of all Jacobian entries, in the order of `_entries`."""
    mesh, spec = problem.mesh, problem.spec
    q = _coordinates(mesh, u)
    l0 = u[problem.length_at] * mesh.elem_length
    force, tangent, by_l0 = cable_forces(
        element_coordinates(mesh, q), l0, problem.EA, problem.EI, problem.rho * GRAVITY
    )
    r = np.zeros(problem.n_rows + 1)
    dof = _element_dofs(mesh)
    np.add.at(r, dof.ravel(), force.ravel())
    drop_values = _add_droppers(problem, u, q, r)
    r[mesh.dof[mesh.support_contact, Z]] -= u[problem.arm_at]
    r[mesh.dof[mesh.support_messenger, Z]] -= u[problem.messenger_at]
    if spec.stitch is not None:
        r[mesh.dof[mesh.clamp_messenger, Z]] += spec.stitch.clamp_mass * GRAVITY
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
    equal = np.ones(len(problem.equal))
    by_group = by_l0 * mesh.elem_length[:, None]
    return r[:-1], np.concatenate(
        [tangent.ravel(), by_group.ravel(), drop_values, -ones, t_q.ravel(), t_l, equal, -equal]
    )


def _add_droppers(
    problem: _Problem, u: NDArray[np.float64], q: NDArray[np.float64], r: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Add dropper forces, weights and clamps to the residual; return their Jacobian entries."""
    mesh, drops = problem.mesh, problem.spec.droppers
    low, high = mesh.dropper_bottom, mesh.dropper_top
    pull = u[problem.drop_at]
    length = q[high, 2] - q[low, 2]
    half_weight = 0.5 * drops.mass_per_length * GRAVITY * length
    r[mesh.dof[low, Z]] += -pull + half_weight + drops.clamp_mass_contact_wire * GRAVITY
    np.add.at(r, mesh.dof[high, Z], pull + half_weight + drops.clamp_mass_messenger_wire * GRAVITY)
    ones = np.ones(len(low))
    by_height = 0.5 * drops.mass_per_length * GRAVITY * ones
    return np.concatenate([-ones, ones, -by_height, by_height, -by_height, by_height])


def _element_dofs(mesh: Mesh) -> NDArray[np.int64]:
    """Dofs of each element (elem, 12); the held ones point at the last, unused row."""
    dof = mesh.dof[mesh.elem_nodes].reshape(-1, 12)
    return np.where(dof >= 0, dof, -1)


def _entries(problem: _Problem) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and column of every Jacobian entry (-1 where it is not kept)."""
    mesh = problem.mesh
    dof = _element_dofs(mesh)
    n_elem = len(dof)
    low, high = mesh.dof[mesh.dropper_bottom, Z], mesh.dof[mesh.dropper_top, Z]
    t = mesh.tension_elem
    rows = [
        np.repeat(dof, 12, axis=1).ravel(),
        dof.ravel(),
        np.concatenate([low, high, low, low, high, high]),
        mesh.dof[mesh.support_contact, Z],
        mesh.dof[mesh.support_messenger, Z],
        np.repeat(problem.tension_rows, 12),
        problem.tension_rows,
        problem.equal_rows,
        problem.equal_rows,
    ]
    cols = [
        np.tile(dof, (1, 12)).ravel(),
        np.repeat(problem.length_at, 12),
        np.concatenate([problem.drop_at, problem.drop_at, low, high, low, high]),
        problem.arm_at,
        problem.messenger_at,
        dof[t].ravel(),
        problem.length_at[t],
        problem.length_at[problem.equal],
        problem.length_at[problem.equal + 1],
    ]
    assert n_elem * 144 == len(rows[0])
    return np.concatenate(rows), np.concatenate(cols)


@dataclass(frozen=True)
class _Banded:
    """Banded LU of the Newton matrix in a bandwidth-reducing order."""

    n: int
    kl: int
    ku: int
    target: NDArray[np.int64]
    row_order: NDArray[np.int64]
    col_order: NDArray[np.int64]

    def solve(self, values: NDArray[np.float64], rhs: NDArray[np.float64]) -> NDArray[np.float64] | None:
        band = np.zeros((self.n, 2 * self.kl + self.ku + 1))
        _scatter(band.ravel(), self.target, values)
        (gbsv,) = get_lapack_funcs(("gbsv",), (band, rhs))
        _, _, x, info = gbsv(self.kl, self.ku, band.T, rhs[self.row_order], overwrite_ab=True, overwrite_b=True)
        if info != 0:
            return None
        out = np.empty(self.n)
        out[self.col_order] = x
        return out


@njit(cache=True)
def _scatter(band, target, values):  # noqa: ANN001, ANN202
    """Add values into band storage; negative targets are dropped."""
    for k in range(target.size):
        if target[k] >= 0:
            band[target[k]] += values[k]


def _banded_pattern(problem: _Problem) -> _Banded:
    """Order rows and columns along the track and place every Jacobian entry in band storage.

    A periodic cell is folded at its support, so that the closing elements stay near the diagonal.
    """
    rows, cols = _entries(problem)
    row_x, col_x = _stations(problem)
    row_order = problem.rows[np.argsort(row_x[problem.rows], kind="stable")]
    col_order = problem.unknown[np.argsort(col_x[problem.unknown], kind="stable")]
    n = len(row_order)
    row_of = np.full(problem.n_rows + 1, -1)
    row_of[row_order] = np.arange(n)
    col_of = np.full(problem.n_total + 1, -1)
    col_of[col_order] = np.arange(n)
    i, j = row_of[rows], col_of[cols]
    keep = (i >= 0) & (j >= 0)
    kl, ku = int((i - j)[keep].max()), int((j - i)[keep].max())
    target = np.where(keep, j * (2 * kl + ku + 1) + (kl + ku + i - j), -1)
    return _Banded(
        n, kl, ku, target, row_order=np.searchsorted(problem.rows, row_order),
        col_order=np.searchsorted(problem.unknown, col_order),
    )


def _stations(problem: _Problem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Station [m] of every equation and of every unknown, folded at the support of a periodic cell."""
    mesh = problem.mesh
    row_x, col_x = np.empty(problem.n_rows), np.empty(problem.n_total)
    for c in (X, Z, 3, 5):
        col_x[mesh.dof[:, c]] = mesh.node_x
    row_x[: mesh.n_dof] = col_x[: mesh.n_dof]
    first = mesh.node_x[mesh.elem_nodes[:, 0]] + mesh.elem_shift[:, 0]
    middle = first + 0.5 * mesh.elem_length
    col_x[problem.length_at] = middle
    col_x[problem.drop_at] = mesh.node_x[mesh.dropper_bottom]
    col_x[problem.arm_at] = col_x[problem.messenger_at] = mesh.node_x[mesh.support_contact]
    row_x[problem.tension_rows] = middle[mesh.tension_elem]
    row_x[problem.equal_rows] = middle[problem.equal] + 0.5 * mesh.elem_length[problem.equal]
    if mesh.layout.periodic:
        length = mesh.layout.length
        row_x, col_x = (np.abs(x - length * np.round(x / length)) for x in (row_x, col_x))
    return row_x, col_x

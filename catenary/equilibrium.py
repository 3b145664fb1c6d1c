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
from numpy.typing import NDArray

from catenary.banded import banded_solver
from catenary.form_finding import FormFindingProblem, node_coordinates, residual_and_jacobian
from catenary.geometry import line_layout, periodic_layout
from catenary.mesh import Mesh, build_mesh
from catenary.spec import CatenarySpec

__all__ = [
    "Equilibrium",
    "EquilibriumStatus",
    "find_equilibrium",
    "open_line_equilibrium",
    "periodic_equilibrium",
]

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


def find_equilibrium(spec: CatenarySpec, mesh: Mesh) -> Equilibrium:
    """Solve the form-finding problem by Newton's method (paper 000, eqs 9-11).

    Does not raise when Newton fails: the status says so.
    """
    problem = FormFindingProblem(spec, mesh)
    solver = banded_solver(problem)
    u = problem.start()
    residual = np.inf
    iteration = 0
    for iteration in range(1, MAX_ITERATIONS + 1):  # noqa: B007  (reported below)
        r, values = residual_and_jacobian(problem, u)
        residual = float(np.abs(r[problem.rows]).max())
        if residual < problem.tolerance or not np.isfinite(residual):
            break
        step = solver.solve(values, -r[problem.rows])
        if step is None:
            residual = np.inf
            break
        u[problem.unknown] += step
    return _result(problem, u, residual, iteration)


def _result(problem: FormFindingProblem, u: NDArray[np.float64], residual: float, iteration: int) -> Equilibrium:
    mesh = problem.mesh
    r, _ = residual_and_jacobian(problem, u)
    q = node_coordinates(mesh, u)
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

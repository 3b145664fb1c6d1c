"""Banded Newton steps of form-finding: equations and unknowns ordered along the track."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.linalg import get_lapack_funcs

from catenary.form_finding.equations import FormFindingProblem, jacobian_entries

__all__ = ["BandedSolver", "banded_solver"]


@dataclass(frozen=True)
class BandedSolver:
    """Banded LU of the Newton matrix in a bandwidth-reducing order.

    ``target`` is the place in the band of the Jacobian entries that are ``kept``; ``band`` is filled in every step.
    """

    n: int
    kl: int
    ku: int
    kept: NDArray[np.int64]
    target: NDArray[np.int64]
    band: NDArray[np.float64]
    row_order: NDArray[np.int64]
    col_order: NDArray[np.int64]

    def solve(self, values: NDArray[np.float64], rhs: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Solve one Newton step from Jacobian entries and residual; None when the matrix is singular."""
        band = self.band
        _fill(band.ravel(), self.kept, self.target, values)
        found: Any = get_lapack_funcs(("gbsv",), (band, rhs))
        gbsv = found[0]
        _, _, x, info = gbsv(self.kl, self.ku, band.T, rhs[self.row_order], overwrite_ab=True, overwrite_b=True)
        if info != 0:
            return None
        out = np.empty(self.n)
        out[self.col_order] = x
        return out


@njit(cache=True)
def _fill(band, kept, target, values):
    """Add values into band storage that is emptied before."""
    band[:] = 0.0
    for k in range(target.size):
        band[target[k]] += values[kept[k]]


def banded_solver(problem: FormFindingProblem) -> BandedSolver:
    """Order rows and columns along the track and place every Jacobian entry in band storage.

    A periodic cell is folded at its support, so that the closing elements stay near the diagonal.
    """
    row_x, col_x = _stations(problem)
    row_order = problem.rows[np.argsort(row_x[problem.rows], kind="stable")]
    col_order = problem.unknown[np.argsort(col_x[problem.unknown], kind="stable")]
    n = len(row_order)
    row_of, col_of = (np.full(size + 1, -1) for size in (problem.n_rows, problem.n_total))
    row_of[row_order] = col_of[col_order] = np.arange(n)
    i, j = jacobian_entries(problem, row_of, col_of)
    kept = np.flatnonzero((i >= 0) & (j >= 0))
    i, j = i[kept], j[kept]
    below = i - j
    kl, ku = int(below.max()), int(-below.min())
    width = 2 * kl + ku + 1
    target = j * width + (kl + ku + below)
    return BandedSolver(
        n,
        kl,
        ku,
        kept,
        target,
        np.zeros((n, width)),
        row_order=np.searchsorted(problem.rows, row_order),
        col_order=np.searchsorted(problem.unknown, col_order),
    )


def _stations(problem: FormFindingProblem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Station [m] of every equation and of every unknown, folded at the support of a periodic cell."""
    mesh = problem.mesh
    row_x, col_x = np.empty(problem.n_rows), np.empty(problem.n_total)
    for c in range(6):
        if mesh.dof[0, c] >= 0:
            col_x[mesh.dof[:, c]] = mesh.node_x
    row_x[: mesh.n_dof] = col_x[: mesh.n_dof]
    first = mesh.node_x[mesh.elem_nodes[:, 0]] + mesh.elem_shift[:, 0]
    middle = first + 0.5 * mesh.elem_length
    col_x[problem.length_at] = middle
    col_x[problem.drop_at] = mesh.node_x[mesh.dropper_bottom]
    col_x[problem.arm_at] = col_x[problem.messenger_at] = mesh.node_x[mesh.support_contact]
    row_x[problem.tension_rows] = middle[mesh.tension_elem]
    row_x[problem.equal_rows] = middle[problem.equal] + 0.5 * mesh.elem_length[problem.equal]
    row_x[problem.size_rows] = col_x[problem.drop_at[problem.sized]]
    if mesh.layout.periodic:
        length = mesh.layout.length
        row_x, col_x = (np.abs(x - length * np.round(x / length)) for x in (row_x, col_x))
    return row_x, col_x

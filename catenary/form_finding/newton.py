"""Banded Newton steps of form-finding: equations and unknowns ordered along the track."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_lapack_funcs

from catenary.form_finding.equations import FormFindingProblem, jacobian_places
from catenary.kernels.compiled import kernel

__all__ = ["BandedSolver", "banded_solver"]

Blocks: TypeAlias = list[tuple[NDArray[np.int64], NDArray[np.int64]]]
# so far below every place that two of them added up, or one and a place, stay negative
NOWHERE = -(2**40)


@dataclass(frozen=True)
class BandedSolver:
    """Banded LU of the Newton matrix in the order of the stations, what closes a cell as a border of few rows.

    A periodic cell is cut at its first support: equations and unknowns of the nodes there make the border, without
    which neither end of the cell reaches the other. ``n`` equations are in the band, ``border`` beyond it; ``target``
    is the place of every Jacobian entry in the storage of band and border, one behind the other; ``storage`` is filled
    in every step. ``beyond`` are the columns of the border that reach into the band, the others are forces of supports.
    """

    n: int
    border: int
    kl: int
    ku: int
    target: NDArray[np.int64]
    storage: NDArray[np.float64]
    beyond: NDArray[np.int64]
    row_order: NDArray[np.int64]
    col_order: NDArray[np.int64]

    def solve(self, values: NDArray[np.float64], rhs: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Solve one Newton step from Jacobian entries and residual; None when the matrix is singular."""
        found = self._solved(values, rhs[:, None])
        if found is None:
            return None
        sides, last = found
        out = np.empty(self.n + self.border)
        within = sides[:, -1] - sides[:, :-1] @ last[self.beyond, 0]
        out[self.col_order] = np.concatenate([within, last[:, 0]])
        return out

    def solve_all(self, values: NDArray[np.float64], rhs: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Solve for several right-hand sides (equation, side) with one factor; None when the matrix is singular."""
        found = self._solved(values, rhs)
        if found is None:
            return None
        (sides, last), count = found, len(self.beyond)
        out = np.empty((self.n + self.border, rhs.shape[1]))
        out[self.col_order] = np.concatenate([sides[:, count:] - sides[:, :count] @ last[self.beyond], last])
        return out

    def _solved(
        self, values: NDArray[np.float64], rhs: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Band's answers to the border and to each side (equation, border and side), and the border's unknowns."""
        n, k, width = self.n, self.border, 2 * self.kl + self.ku + 1
        _fill(self.storage, self.target, values)
        band, right, low = np.split(self.storage, [n * width, n * (width + k)])
        low, given = low.reshape(k, n + k), rhs[self.row_order]
        sides, count = np.empty((n, len(self.beyond) + rhs.shape[1])), len(self.beyond)
        sides[:, :count], sides[:, count:] = right.reshape(k, n)[self.beyond].T, given[:n]
        found: Any = get_lapack_funcs(("gbtrf",), (band,))
        lu, pivots, info = found[0](band.reshape(n, width).T, self.kl, self.ku, overwrite_ab=True)
        if info != 0:
            return None
        _substitute(lu.T, pivots, self.kl, self.kl + self.ku, sides)
        reduced, found_low = low[:, n:], np.ascontiguousarray(low[:, :n]) @ sides
        reduced[:, self.beyond] -= found_low[:, :count]
        try:
            last = np.linalg.solve(reduced, given[n:] - found_low[:, count:])
        except np.linalg.LinAlgError:
            return None
        return sides, np.asarray(last, dtype=np.float64)


@kernel()
def _fill(storage, target, values):
    """Add values into storage that is emptied before; negative targets are dropped."""
    storage[:] = 0.0
    for k in range(target.size):
        if target[k] >= 0:
            storage[target[k]] += values[k]


@kernel()
def _substitute(lu, pivots, kl, diagonal, sides):
    """Solve for several right-hand sides at once by the factors of LAPACK's gbtrf: ``lu`` (column, place in the band).

    LAPACK takes one side after the other. All but one are the border's, with few entries that are not zero.
    """
    n, count = sides.shape
    for j in range(n):
        p = pivots[j]
        if p != j:
            for c in range(count):
                sides[j, c], sides[p, c] = sides[p, c], sides[j, c]
        for i in range(1, min(kl, n - 1 - j) + 1):
            factor = lu[j, diagonal + i]
            if factor != 0.0:
                for c in range(count):
                    sides[j + i, c] -= factor * sides[j, c]
    for j in range(n - 1, -1, -1):
        for c in range(count):
            sides[j, c] /= lu[j, diagonal]
        for i in range(max(0, j - diagonal), j):
            factor = lu[j, diagonal + i - j]
            if factor != 0.0:
                for c in range(count):
                    sides[i, c] -= factor * sides[j, c]


def banded_solver(problem: FormFindingProblem) -> BandedSolver:
    """Order rows and columns along the track and place every Jacobian entry in the storage of band and border."""
    row_x, col_x = _stations(problem)
    row_order, col_order = _ordered(problem.rows, row_x), _ordered(problem.unknown, col_x)
    border = int(np.isinf(row_x[row_order]).sum())
    n = len(row_order) - border
    row_of, col_of = (np.full(size + 1, -1) for size in (problem.n_rows, problem.n_total))
    row_of[row_order] = col_of[col_order] = np.arange(n + border)
    blocks = jacobian_places(problem, row_of, col_of)
    kl, ku = _bandwidths(n, blocks)
    beyond = np.zeros(n + border + 1, dtype=bool)
    for rows, cols in blocks:
        beyond[cols[((rows >= 0) & (rows < n)).any(axis=1)]] = True
    return BandedSolver(
        n,
        border,
        kl,
        ku,
        target=_targets(n, border, (kl, ku), blocks),
        storage=np.zeros(n * (2 * kl + ku + 1 + border) + border * (n + border)),
        beyond=np.flatnonzero(beyond[n:-1]),
        row_order=np.searchsorted(problem.rows, row_order),
        col_order=np.searchsorted(problem.unknown, col_order),
    )


def _bandwidths(n: int, blocks: Blocks) -> tuple[int, int]:
    """How far entries of the band stand below and above its diagonal."""
    kl = ku = 0
    for rows, cols in blocks:
        ends = []
        for places in (rows, cols):
            inside = (places >= 0) & (places < n)
            ends += [np.where(inside, places, NOWHERE).max(axis=1), np.where(inside, places, -NOWHERE).min(axis=1)]
        kl, ku = max(kl, int((ends[0] - ends[3]).max())), max(ku, int((ends[2] - ends[1]).max()))
    return kl, ku


def _targets(n: int, border: int, bandwidths: tuple[int, int], blocks: Blocks) -> NDArray[np.int64]:
    """Place of every entry in the storage, negative where it is not kept.

    The band has its columns one behind the other as LAPACK wants them; so have the border's columns, which stand next
    to it. Both are a share of the row plus one of the column. The border's rows follow, one behind the other.
    """
    kl, ku = bandwidths
    width, place = 2 * kl + ku + 1, np.arange(n + border)
    across = np.where(place < n, place * (width - 1) + kl + ku, n * width + (place - n) * n)
    below = n * (width + border) + (place - n) * (n + border)
    # what is not kept stands last, where -1 finds it
    across, along, below = (np.append(each, NOWHERE) for each in (across, place, below))
    found = []
    for rows, cols in blocks:
        target = np.where(rows < 0, NOWHERE, rows)[:, :, None] + across[cols][:, None, :]
        block, row = np.nonzero(rows >= n)
        target[block, row] = below[rows[block, row]][:, None] + along[cols[block]]
        found.append(target.ravel())
    return np.concatenate(found)


def _ordered(kept: NDArray[np.int64], stations: NDArray[np.float64]) -> NDArray[np.int64]:
    return kept[np.argsort(stations[kept], kind="stable")]


def _stations(problem: FormFindingProblem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Station [m] of every equation and of every unknown; infinite at the support where a periodic cell is cut."""
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
        row_x, col_x = (x % length for x in (row_x, col_x))
        row_x[row_x == 0.0] = col_x[col_x == 0.0] = np.inf
        # a stitch wire's node there has an equation along the track, too, with the length of its bay as the unknown
        cut = mesh.crossing[mesh.node_x[mesh.crossing] == 0.0]
        col_x[problem.length_at[np.isin(mesh.elem_nodes[:, 0], cut)]] = np.inf
    return row_x, col_x

"""A figure of the contact force to first order in whatever the line, the pantograph and the contact are made of.

With motion, forces and multipliers frozen, the sum of the figure and of all equations times their multipliers is a
plain function of the line's matrices, of its shape at rest and of the pantograph's numbers, and its change is that of
the figure (Lagrange; `dynamics.adjoint.kernel` has the equations). Any input, and any design variable, is one more
evaluation of that function, for another line at rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.sparse.linalg import splu

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.cell import VerticalCell
from catenary.linearised.cell_blocks import CellMatrix
from catenary.linearised.chain import chain_matrix
from catenary.linearised.contact_wire import static_height
from dynamics.adjoint.products import accelerations, half_steps, means, pair_products, settle_tensions
from dynamics.adjoint.steady import Figure, SteadyMultipliers
from dynamics.adjoint.window import AdjointWindow
from dynamics.linear_algebra.vector_rows import Rows
from dynamics.pantograph.lumped import pantograph_matrices
from dynamics.spec.case import CaseSpec
from dynamics.travelling_window.layout import Bays, Floats, Ints, Places
from dynamics.travelling_window.state import SpanRecord, WindowState
from dynamics.travelling_window.window import TravellingWindow

__all__ = ["Lagrangian"]


@dataclass(frozen=True)
class _Sums:
    """Products over a period of multipliers with accelerations, velocities and displacements, for pairs of dofs."""

    row: Ints
    column: Ints
    acceleration: Floats
    velocity: Floats
    displacement: Floats

    def of(self, mass: Floats, damping: Floats, stiffness: Floats) -> float:
        return float(mass @ self.acceleration + damping @ self.velocity + stiffness @ self.displacement)


class Lagrangian:
    """Value of the figure plus all equations times their multipliers, of a line and a case near those that were solved.

    Parameters
    ----------
    case : CaseSpec
    window, start, record : TravellingWindow, WindowState, SpanRecord
        The period that was marched, from which state, and its whole motion.
    adjoint : AdjointWindow
    figure : tuple of Figure and SteadyMultipliers
        What the value is of, and the multipliers that answer to it.

    Attributes
    ----------
    refusal : str or None
        Why there are no derivatives: multipliers that were not found. Values are then no numbers.
    """

    def __init__(
        self, case: CaseSpec, march: tuple[TravellingWindow, WindowState, SpanRecord], adjoint: AdjointWindow,
        figure: tuple[Figure, SteadyMultipliers],
    ) -> None:  # fmt: skip
        window, start, record = march
        self._of_case, found = figure[0].of_case, figure[1]
        self.refusal = found.refusal
        self.case, self.cell, self._window, self._found = case, window.cell, window, found
        self._force, self._steps = record.force, window.steps
        here, there = adjoint.common
        self._at = window.behind - there.start
        forces = found.period.droppers[:, :, here], record.motion.squeeze[:, :, there]
        here, there = slice(here.start, here.stop + 1), slice(there.start, there.stop + 1)
        w, mean = record.motion.rows[:, :, there], found.period.rows[:, :, here]
        self._contact_terms(start.u[:, there], w, mean)
        self._dropper_terms(start.u[:, there], w, mean, forces)
        self._pantograph_terms(start, record)
        self._line = self._line_terms(start, (w, there), (mean, here), adjoint)

    def _contact_terms(self, u0: Floats, w: Rows, mean: Rows) -> None:
        """Displacements and multipliers of the contact wire around the pantograph at every step's end."""
        dt, at = self._window.dt, self._at
        self._below = u0[:, None, at : at + 2] + dt * np.cumsum(w[:, :, at : at + 2], axis=1, dtype=np.float64)
        self._pushed = mean[:, :, at : at + 2].astype(np.float64)

    def _dropper_terms(self, u0: Floats, w: Rows, mean: Rows, forces: tuple[Floats, Floats]) -> None:
        """Sums over steps and spans of eta with places of droppers' ends, of mu there with squeezes, and of eta."""
        eta, squeeze = forces
        dof, dt = self.cell.dropper_dof, self._window.dt
        self._eta_ends, self._mu_ends = np.zeros(dof.shape), np.zeros(dof.shape)
        for d, k in np.ndindex(*dof.shape):
            i = dof[d, k]
            spans = eta.shape[2]
            place = u0[i, None, :spans] + dt * np.cumsum(w[i, :, :spans], axis=0, dtype=np.float64)
            self._eta_ends[d, k] = (eta[:, d] * place).sum()
            self._mu_ends[d, k] = (squeeze[:, d] * mean[i, :, :spans]).sum()
        self._eta = eta.sum(axis=(0, 2))

    def _pantograph_terms(self, start: WindowState, record: SpanRecord) -> None:
        """Matrices (mass, mass) of products of the pantograph's mu with its acceleration, velocity and place."""
        dt, w = self._window.dt, record.motion.pantograph
        z, v, m = start.z[0].copy(), start.z_dot[0].copy(), self._found.pantograph_start.copy()
        halves = np.empty_like(w)
        for k in range(len(w) - 1, -1, -1):
            m = halves[k] = 2.0 * self._found.period.pantograph[k] - m
        self._pantograph = np.zeros((3, len(z), len(z)))
        self._head = np.empty(len(w))
        for k in range(len(w)):
            for x, part in zip(self._pantograph, (2.0 / dt * (w[k] - v), w[k], z + 0.5 * dt * w[k]), strict=True):
                x += np.outer(halves[k], part)
            v = 2.0 * w[k] - v
            z = z + dt * w[k]
            self._head[k] = z[0]

    def _line_terms(
        self, start: WindowState, march: tuple[Rows, slice], multipliers: tuple[Rows, slice], adjoint: AdjointWindow
    ) -> tuple[_Sums, ...]:
        """Products for all pairs of dofs that an operator of the cell couples, by the cell's parts (`_parts`)."""
        cell, window = self.cell, self._window
        (w, there), (mean, here) = march, multipliers
        dt, kind = window.dt, window.constants.scalars.kind
        theirs, ours = _packed(adjoint.sponge[:, here]), _packed(window.constants.scalars.sponge[:, there])
        velocity = _velocities(cell, start.a, dt, window.spans)[:, there]
        beyond = _velocities(cell, self._found.start, dt, window.spans)[:, here]
        w = _packed(w)
        mu, acceleration, place = (cast("Rows", np.empty_like(w)) for _ in range(3))
        half_steps(_packed(mean), beyond, (theirs, kind), mu)
        accelerations(w, velocity, (ours, kind), dt, acceleration)
        means(w, np.ascontiguousarray(start.u[:, there]), dt, place)
        K, bays = cell.stiffness, Bays(cell.tensions, cell.stiffness.own[cell.tensions, cell.tensions])
        rows = [_rows_of(block, cell.tensions) for block in (K.own, K.next)]
        for x in (mu, w, place):
            settle_tensions(x, bays, *rows)
        found = []
        for mass, stiffness, onward in zip(_parts(cell.mass), _parts(K), ((0, 0), (0, 1), (1, 1)), strict=True):
            i, j = np.nonzero((mass != 0.0) | (stiffness != 0.0))
            sums = [pair_products(i, j, mu, x, onward) for x in (acceleration, w, place)]
            if onward == (0, 1):
                for total, x in zip(sums, (acceleration, w, place), strict=True):
                    total += pair_products(i, j, x, mu, onward)
            found.append(_Sums(i, j, *sums))
        return tuple(found)

    def value(self, case: CaseSpec, equilibrium: Equilibrium, cell: VerticalCell) -> float:
        """Value for a line found on the same mesh and a case with as many steps; only differences mean something."""
        if self.refusal is not None:
            return float("nan")
        to_base, from_base = self._numbering(cell)
        steps = self._steps
        dt = case.line.period / (case.speed * steps)
        rate = self._window.dt / dt
        line = self._line_value(case, cell, from_base, rate)
        return (
            line
            + self._pantograph_value(case, rate)
            + self._contact_value(case, equilibrium, cell, to_base)
            + self._dropper_value(equilibrium, cell, to_base)
            - self._found.mean * (case.mean_force_N or 0.0)
            + (0.0 if self._of_case is None else self._of_case(case))
        )

    def _numbering(self, cell: VerticalCell) -> tuple[Ints, Ints]:
        """Dofs of the base's cell by those of another, whose order may differ where nodes overtake each other; back."""
        to_base = np.full(cell.n_dof, -1)
        theirs, ours = (c.dof_of[c.equilibrium.mesh.dof] for c in (cell, self.cell))
        to_base[theirs[theirs >= 0]] = ours[theirs >= 0]
        to_base[cell.tensions] = self.cell.tensions
        from_base = np.empty_like(to_base)
        from_base[to_base] = np.arange(len(to_base))
        return to_base, from_base

    def _line_value(self, case: CaseSpec, cell: VerticalCell, from_base: Ints, rate: float) -> float:
        damping, support = case.catenary.damping, case.catenary.support
        total = 0.0
        for mass, stiffness, sums in zip(_parts(cell.mass), _parts(cell.stiffness), self._line, strict=True):
            at = from_base[sums.row], from_base[sums.column]
            M, K = mass[at], stiffness[at]
            total += sums.of(rate**2 * M, rate * (damping.alpha * M + damping.beta * K), K)
        own = self._line[0]
        held = np.isin(own.row, self.cell.support_dof) & (own.row == own.column)
        total += rate * support.messenger_damping * float(own.velocity[held].sum())
        return total + support.messenger_stiffness * float(own.displacement[held].sum())

    def _pantograph_value(self, case: CaseSpec, rate: float) -> float:
        mass, damping, stiffness = pantograph_matrices(case.pantograph)
        acceleration, velocity, place = self._pantograph
        total = rate**2 * np.diag(acceleration) @ mass + rate * (damping * velocity).sum() + (stiffness * place).sum()
        applied = case.applied_force_N
        if applied is not None:
            total -= applied * float(self._found.period.pantograph[:, -1].sum())
        return float(total)

    def _contact_value(self, case: CaseSpec, equilibrium: Equilibrium, cell: VerticalCell, to_base: Ints) -> float:
        """Contact law of the steps in contact, and what the wire is loaded with, at places of the base's steps."""
        period, steps = case.line.period, self._steps
        x = np.minimum(np.arange(1, steps + 1) * (period / steps), period * (1.0 - 1e-12))
        dof, weight = cell.contact_operator(x)
        over = dof >= cell.n_dof
        base = to_base[np.where(over, dof - cell.n_dof, dof)]
        k = np.arange(steps)[:, None]
        below = (weight * self._below[base, k, over.astype(int)]).sum(axis=1) + static_height(equilibrium, x)
        pushed = (weight * self._pushed[base, k, over.astype(int)]).sum(axis=1)
        gap = self._head - below
        eta = np.where(self._force > 0.0, self._found.period.contact, 0.0)
        return float(-eta @ gap * case.contact.stiffness - pushed @ self._force)

    def _dropper_value(self, equilibrium: Equilibrium, cell: VerticalCell, to_base: Ints) -> float:
        """Law of the slack droppers, and what their squeezes do."""
        given_up, stiffness = self._window.droppers.given_up, equilibrium.dropper_stiffness[:, None]
        taut = self._window.droppers.force > 0.0
        own, weight = self.cell.dropper_dof, np.zeros_like(self.cell.dropper_weight)
        for d in range(len(own)):
            order = {int(dof): k for k, dof in enumerate(to_base[cell.dropper_dof[d]])}
            weight[d] = [cell.dropper_weight[d, order[int(dof)]] for dof in own[d]]
        force = np.where(taut, equilibrium.dropper_spring_force, 0.0)
        laws = given_up * (self._eta @ force + (stiffness * weight * self._eta_ends).sum())
        return float(laws + (weight * self._mu_ends).sum())


def _packed(rows: Rows) -> Rows:
    """Part of an array in memory of its own, as compiled functions take it."""
    return cast("Rows", np.ascontiguousarray(rows))


def _parts(operator: CellMatrix) -> tuple[Floats, Floats, Floats]:
    """What a cell's own elements couple: its dofs, these with the next interface, and that interface with itself.

    Elements of the cell before stand in no part: a sum over some cells is then one over whole elements, whose large
    entries cancel.
    """
    own, ni = operator.own.copy(), len(operator.interface_right)
    own[:ni, :ni] = operator.interface_right
    return own, operator.next, operator.interface_left


def _velocities(cell: VerticalCell, momentum: Floats, dt: float, spans: int) -> Floats:
    """Velocities (dof, column) from (2/dt) times the momentum of a window's cells."""
    n, ni = cell.n_dof, cell.n_interface
    mass = cell.mass
    own = mass.own.copy()
    own[cell.tensions, cell.tensions] = 1.0
    blocks = CellMatrix(own, mass.next, mass.interface_left, mass.interface_right)
    load = np.concatenate([momentum[:, :spans].T.ravel(), momentum[:ni, spans]]) * (0.5 * dt)
    load.reshape(-1)[: spans * n].reshape(spans, n)[:, cell.tensions] = 0.0
    found = splu(chain_matrix(blocks, spans)).solve(load)
    v = np.zeros((n, spans + 1))
    v[:, :spans] = found[: spans * n].reshape(spans, n).T
    v[:ni, spans] = found[spans * n :]
    return v


def _rows_of(block: Floats, rows: Ints) -> Places:
    """Nonzeros of some rows of a block."""
    i, j = np.nonzero(block[rows])
    return Places(rows[i], j, block[rows][i, j])

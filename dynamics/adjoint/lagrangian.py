"""A figure of the contact force to first order in whatever the line, the pantograph and the contact are made of.

With motion, forces and multipliers frozen, the sum of the figure and of all equations times their multipliers is a
plain function of the line's matrices, of its shape at rest and of the pantograph's numbers, and its change is that of
the figure (Lagrange; `dynamics.adjoint.kernel` has the equations). Any input, and any design variable, is one more
evaluation of that function, for another line at rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from scipy.sparse.linalg import splu

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.cell import VerticalCell
from catenary.linearised.cell_parts.blocks import CellMatrix
from catenary.linearised.cell_parts.operators import add_operators, stretch_of_droppers
from catenary.linearised.chain import chain_matrix
from catenary.linearised.contact_wire import running_height
from dynamics.adjoint.cell_products import CellProducts
from dynamics.adjoint.products import accelerations, half_steps, means, pair_products, settle_tensions
from dynamics.adjoint.steady import Figure, SteadyMultipliers
from dynamics.adjoint.window import AdjointWindow
from dynamics.linear_algebra.vector_rows import Rows
from dynamics.pantograph.aerodynamic import lift_of
from dynamics.pantograph.linear import linear_pantograph
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
        self._kept: tuple[tuple[float, float, float], tuple[tuple[Floats, ...], tuple[Floats, ...]]] | None = None
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
        velocity, beyond = _velocities(cell, (start.a, self._found.start), dt, window.spans)
        velocity, beyond = velocity[:, there], beyond[:, here]
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

    def value(self, case: CaseSpec, equilibrium: Equilibrium) -> float:
        """Value for a line found on the same mesh and a case with as many steps; only differences mean something."""
        if self.refusal is not None:
            return float("nan")
        dt = case.line.period / (case.speed * self._steps)
        rate = self._window.dt / dt
        return (
            self._line_value(case, equilibrium, rate)
            + self._pantograph_value(case, rate)
            + self._contact_value(case, equilibrium)
            + self._dropper_value(equilibrium)
            - self._found.mean * (case.mean_force_N or 0.0)
            + (0.0 if self._of_case is None else self._of_case(case))
        )

    def _line_value(self, case: CaseSpec, equilibrium: Equilibrium, rate: float) -> float:
        damping, support = case.catenary.damping, case.catenary.support
        mass, stiffness = self._weights(rate, damping.alpha, damping.beta)
        sums = CellProducts(mass), CellProducts(stiffness)
        add_operators(equilibrium, (self.cell.dof_of, self.cell.tensions), sums)
        own = self._line[0]
        held = np.isin(own.row, self.cell.support_dof) & (own.row == own.column)
        total = sums[0].total + sums[1].total
        total += rate * support.messenger_damping * float(own.velocity[held].sum())
        return total + support.messenger_stiffness * float(own.displacement[held].sum())

    def _weights(self, rate: float, alpha: float, beta: float) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
        """What every entry of mass and stiffness does to the value, by the cell's parts; of the last case kept."""
        asked = rate, alpha, beta
        if self._kept is None or self._kept[0] != asked:
            sums = self._line
            mass = [_spread(x, rate**2 * x.acceleration + rate * alpha * x.velocity, self.cell.n_dof) for x in sums]
            stiffness = [_spread(x, rate * beta * x.velocity + x.displacement, self.cell.n_dof) for x in sums]
            self._kept = asked, (tuple(mass), tuple(stiffness))
        return self._kept[1]

    def _pantograph_value(self, case: CaseSpec, rate: float) -> float:
        own = linear_pantograph(case.pantograph, case.pressed_N)
        acceleration, velocity, place = self._pantograph
        total = rate**2 * np.diag(acceleration) @ own.mass
        total += rate * (own.damping * velocity).sum() + (own.stiffness * place).sum()
        applied = case.applied_force_N
        if applied is not None:
            total -= (applied + lift_of(case).applied) * float((self._found.period.pantograph @ own.applied).sum())
        return float(total)

    def _contact_value(self, case: CaseSpec, equilibrium: Equilibrium) -> float:
        """Contact law of the steps in contact, and what the wire is loaded with, at places of the base's steps."""
        period, steps, n = case.line.period, self._steps, self.cell.n_dof
        x = np.minimum(np.arange(1, steps + 1) * (period / steps), period * (1.0 - 1e-12))
        dof, weight = replace(self.cell, equilibrium=equilibrium).contact_operator(x)
        over = dof >= n
        at = np.where(over, dof - n, dof), np.arange(steps)[:, None], over.astype(int)
        below = (weight * self._below[at]).sum(axis=1) + running_height(equilibrium, x)
        pushed = (weight * self._pushed[at]).sum(axis=1)
        gap = self._head - below
        eta = np.where(self._force > 0.0, self._found.period.contact, 0.0)
        return float(-eta @ gap * case.contact.stiffness - pushed @ self._force)

    def _dropper_value(self, equilibrium: Equilibrium) -> float:
        """Law of the slack droppers, and what their squeezes do."""
        given_up, stiffness = float(self._window.droppers.given_up[0, 0]), equilibrium.dropper_stiffness[:, None]
        taut = self._window.droppers.force[:, 0] > 0.0
        weight = stretch_of_droppers(equilibrium)
        force = np.where(taut, equilibrium.dropper_spring_force, 0.0)
        laws = given_up * (self._eta @ force + (stiffness * weight * self._eta_ends).sum())
        return float(laws + (weight * self._mu_ends).sum())


def _spread(pairs: _Sums, values: Floats, n: int) -> Floats:
    """Values by pairs of dofs as an array (dof, dof), with a last row and column of zeros for what is held."""
    out = np.zeros((n + 1, n + 1))
    out[pairs.row, pairs.column] = values
    return out


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


def _velocities(cell: VerticalCell, momenta: tuple[Floats, ...], dt: float, spans: int) -> list[Floats]:
    """Velocities (dof, column) from each (2/dt) times the momentum of a window's cells."""
    n, ni = cell.n_dof, cell.n_interface
    mass = cell.mass
    own = mass.own.copy()
    own[cell.tensions, cell.tensions] = 1.0
    blocks = CellMatrix(own, mass.next, mass.interface_left, mass.interface_right)
    factor, found = splu(chain_matrix(blocks, spans)), []
    for momentum in momenta:
        load = np.concatenate([momentum[:, :spans].T.ravel(), momentum[:ni, spans]]) * (0.5 * dt)
        load[: spans * n].reshape(spans, n)[:, cell.tensions] = 0.0
        solved, v = factor.solve(load), np.zeros((n, spans + 1))
        v[:, :spans] = solved[: spans * n].reshape(spans, n).T
        v[:ni, spans] = solved[spans * n :]
        found.append(v)
    return found


def _rows_of(block: Floats, rows: Ints) -> Places:
    """Nonzeros of some rows of a block."""
    i, j = np.nonzero(block[rows])
    return Places(rows[i], j, block[rows][i, j])

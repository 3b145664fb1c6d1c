"""A window of identical cells that travels with one or more pantographs, one cell of train travel at a time.

A cell is one period of the line: a span, or several of unequal length. Below, a window's span is such a cell.

The window's ends absorb: dashpots of the wires' impedance, and a sponge of extra mass-proportional damping that
rises smoothly over the outermost spans. What a finite window still costs is long
waves along the track: on bruni_2015 at 275 km/h sigma of the linear line is 0.8 % low with 23 spans, 0.2 % with 63.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.linearised.cell import VerticalCell
from dynamics.linear_algebra.row_widths import LANES, row_lanes
from dynamics.pantograph.control.discrete import StaticControl, control_of, memory_size
from dynamics.pantograph.linear import linear_pantograph
from dynamics.spec.case import CaseSpec
from dynamics.spec.slack_damping import slack_share
from dynamics.travelling_window.arrays import aligned, in_precision, sponge
from dynamics.travelling_window.cell_rows import product_rows
from dynamics.travelling_window.kernel import march_span
from dynamics.travelling_window.layout import (
    Bays,
    Constants,
    Inputs,
    March,
    Motion,
    Operators,
    Panto,
    Product,
    Records,
    Scalars,
)
from dynamics.travelling_window.rest import rest_of_train
from dynamics.travelling_window.scratch import Listed, Scratch, pressed_by
from dynamics.travelling_window.setup import WindowOperators, build_window, droppers_of, with_levers
from dynamics.travelling_window.solve import settle_spans
from dynamics.travelling_window.state import SpanRecord, WindowState

__all__ = ["TravellingWindow", "window_spans"]

# forces this small [N] keep the spans ahead from holding denormal numbers, which cost a hundred times a normal one
FLOOR = {"float64": 1.0e-60, "float32": 1.0e-20}
SWEEP_TOLERANCE = 1.0e-8


def window_spans(behind: int, ahead: int, precision: str = "double") -> tuple[int, int]:
    """Round a window up so that its rows fill whole vectors: (spans behind, spans ahead)."""
    width = behind + ahead + 2
    return behind, ahead + (-width) % LANES["float32" if precision == "single" else "float64"]


class TravellingWindow:
    """Marches a pantograph over the infinite line made of one cell.

    Parameters
    ----------
    case : CaseSpec
    cell : VerticalCell
    behind, ahead : int
        Spans of the window behind the last and ahead of the leading pantograph's; rounded up to whole cells.
    precision : str
        Of the numbers that are marched.
    operators : WindowOperators, optional
        Those of another window of the same case and cell.

    Attributes
    ----------
    behind, ahead : int
        Cells before and after the leading pantograph's, those under the train included.
    droppers, scratch, marched_operators : Droppers, Scratch, Operators
        What the compiled march is handed, in the window's precision.
    """

    def __init__(
        self,
        case: CaseSpec,
        cell: VerticalCell,
        behind: int,
        ahead: int,
        precision: str = "double",
        operators: WindowOperators | None = None,
    ) -> None:
        self.case, self.cell, self.keeps_every_dropper = case, cell, False
        whole = case.catenary.periods
        self.pantograph = own = linear_pantograph(case.pantograph, case.pressed_N)
        distances, strips = case.distances, own.strips
        # of every contact behind the leading pantograph's place, strip after strip of one pantograph after another [m]
        self.distances = tuple(float(far - ahead) for far in distances for ahead in strips.ahead)
        train = math.ceil(max(distances) / case.line.period)
        self.behind, self.ahead = window_spans(whole(behind) + train, whole(ahead), precision)
        self.spans = self.behind + self.ahead + 1
        self.dt, self.steps = case.time_step, case.steps_per_period
        self.operators: WindowOperators = operators or self._built()
        effective = np.diag(2.0 / self.dt * own.mass) + own.damping + 0.5 * self.dt * own.stiffness
        self.control = control_of(case.pantograph.control, own, self.dt, case.pressed_N)
        self.panto = (np.asarray(np.linalg.inv(effective), dtype=np.float64), own.mass, own.stiffness, own.applied)
        n, ni, width = cell.n_dof, cell.n_interface, self.spans + 1
        self.strips = strips, np.ascontiguousarray(strips.load @ self.panto[0].T)
        self.pantographs, contacts = len(distances), len(self.distances)
        many = int(np.prod(drop := (len(cell.dropper_dof), self.spans)))
        self._number: np.dtype[Any] = np.dtype(np.float32 if precision == "single" else np.float64)
        self._fd, self._w = np.zeros(drop), aligned((n + 3 * ni, width), self._number)
        self._moved = [aligned((n, width), self._number) for _ in range(3)]
        self.scratch = Scratch(
            w=self._w,
            found=np.empty((many, 4), np.int64),
            wp=np.zeros((self.pantographs, len(own.mass))),
            fb=np.zeros(drop),
            fd_old=np.zeros(drop),
            stretch=np.zeros((drop[0], width), self._number),
            listed=Listed(*np.zeros((2, many)), reach=np.zeros((contacts, many))),
            before=np.empty((many, 2), np.int64),
            squeeze=aligned((4 * drop[0], width), self._number),
            pressed=pressed_by(contacts, self.pantographs),
        )
        spec = case.catenary
        self._work = aligned((n + 3 * ni, width), np.dtype(np.float64))
        self._stiffness = self._stiffness_rows()
        self.droppers = droppers_of(cell, slack_share(case), self._number, self.spans)
        damped = sponge(cell, (self.behind - train, train, self.ahead), self.dt, self._number)
        gamma, kappa = 2.0 / self.dt + spec.damping.alpha, 0.5 * self.dt + spec.damping.beta
        self.constants = Constants(
            contact_stiffness=case.contact.stiffness,
            support_stiffness=spec.support.messenger_stiffness,
            support_damping=spec.support.messenger_damping,
            support_dof=cell.support_dof,
            support_contact_dof=cell.support_contact_dof,
            ends=self.operators.ends,
            span=self.behind,
            tolerance=SWEEP_TOLERANCE,
            scalars=Scalars(self.dt, gamma, kappa, *damped),
        )
        self.marched_operators: Operators = in_precision(self.operators.operators, self._number)

    def _built(self) -> WindowOperators:
        built = build_window(self.cell, self.dt, self.steps, self.distances)
        return with_levers(built, self.case, self.distances)

    def _stiffness_rows(self) -> tuple[Product, Bays]:
        """Stiffness of the window, messenger supports included, and the bays' tensions with their diagonal."""
        cell, own = self.cell, self.cell.stiffness.own.copy()
        own[cell.support_dof, cell.support_dof] += self.case.catenary.support.messenger_stiffness
        rows = product_rows(cell, replace(cell.stiffness, own=own))
        return rows, Bays(cell.tensions, own[cell.tensions, cell.tensions])

    def march(self, state: WindowState, *, whole: bool = False) -> SpanRecord:
        """March the pantograph over one span, changing ``state`` in place; ``whole`` keeps all that moves."""
        self._fd[:] = self._correction(state)
        steps = self.steps
        force, height = np.empty((2, len(self.distances), steps))
        head, roll, pitch = np.empty((3, self.pantographs, steps))
        record = Records(
            *(force, height),
            *(head, roll, pitch),
            np.empty((steps, len(self.cell.support_contact_dof), self.spans + 1)),
            np.empty((steps, self._fd.shape[0])),
            np.zeros(self._fd.shape, np.int64),
            self._motion(steps if whole else 0),
            np.zeros((self.pantographs, steps if self.control.present else 0)),
            np.zeros((steps if self.keeps_every_dropper else 0, *self._fd.shape)),
        )
        held = state.u, state.a, state.s
        for x, y in zip(self._moved, held, strict=True):
            x[:] = y
        sweeps = march_span(
            row_lanes(self.spans + 1, self._number.name),
            March(self._moved[0], self._moved[1], self._moved[2], self._fd, state.z, state.z_dot, state.control),
            self.scratch,
            self.marched_operators,
            self._inputs(state),
            record,
        )
        for x, y in zip(held, self._moved, strict=True):
            x[:] = y
        each, over = (x.reshape(self.pantographs, -1, steps) for x in (force, height))
        mean, total = over.mean(axis=1), each.sum(axis=1)
        return SpanRecord(total, mean, head, roll, pitch, each, *record[5:], sweeps=int(sweeps))

    def _inputs(self, state: WindowState) -> Inputs:
        """All that a march of one span is given from outside the line's operators."""
        return Inputs(self.operators.contact, self._pressing(state), self.droppers, self.constants)

    def _pressing(self, state: WindowState) -> Panto:
        """The pantographs with their applied forces."""
        control = self.control if self.control.present else None
        return Panto(*self.panto, state.applied_forces, self.pantograph.rolls, control, *self.strips)

    def _motion(self, steps: int) -> Motion:
        n, width = self._moved[0].shape
        rows = aligned((n * steps, width), self._number).reshape(n, steps, width)
        return Motion(rows, np.empty((steps, len(self.panto[1]))), np.empty((steps, *self._fd.shape)))

    def _correction(self, state: WindowState) -> NDArray[np.float64]:
        """Correction forces of slack droppers (dropper, span) [N] that go with a state."""
        droppers = self.droppers
        stretch = np.einsum("dk,dkc->dc", droppers.weight, state.u[droppers.dof, :-1])
        pull = droppers.force + droppers.stiffness * stretch
        return np.maximum(0.0, -pull) * droppers.given_up - droppers.at_rest

    def shift(self, state: WindowState, *, settled: bool = True) -> None:
        """Move the window on by one span: the last one is dropped, a span at rest joins at the front.

        Tensions and elastic forces are those of the new displacements, unless these are still to change.
        """
        ni, S, M = self.cell.n_interface, self.spans, self.cell.mass
        # momentum of what is dropped must not stay with the support that now begins the window
        dropped = M.interface_left @ self._w[:ni, 1] + M.next[ni:].T @ self._w[ni : self.cell.n_dof, 0]
        velocity = self._w[:ni, S].copy()
        for x in (state.u, state.a):
            x[:, :-1] = x[:, 1:]
            x[ni:, S - 1] = 0.0
            x[:, S] = 0.0
        state.a[:ni, 0] -= 2.0 / self.dt * dropped
        if self.case.pantograph.head is not None and (self.cell.equilibrium.mesh.elem_mirror < 0.0).any():
            state.z[:, -1], state.z_dot[:, -1] = -state.z[:, -1], -state.z_dot[:, -1]  # as the next cell sees it
        self._join_span(state, velocity)
        if settled:
            self.settle(state)

    def _join_span(self, state: WindowState, velocity: NDArray[np.float64]) -> None:
        """Add a span to the support that closed the window: at rest in height, moving along with it on the track."""
        ni, S, M, n = self.cell.n_interface, self.spans, self.cell.mass, self.cell.n_dof
        v, last = np.zeros(n), np.zeros(ni)
        v[:ni] = velocity
        for dofs in self.cell.along:
            inside = dofs < ni
            v[dofs[~inside]] = velocity[dofs[0]]
            state.u[dofs[~inside], S - 1] = state.u[dofs[0], S - 1]
            state.u[dofs[inside], S] = state.u[dofs[0], S - 1]
            last[dofs[inside]] = velocity[dofs[0]]
        scale = 2.0 / self.dt
        moving = ni + np.flatnonzero(v[ni:])  # few: supports, and key points along the track
        state.a[:ni, S - 1] += scale * (M.interface_right @ v[:ni] + M.own[:ni, moving] @ v[moving])
        momentum = M.own[ni:, :ni] @ v[:ni] + M.own[ni:, moving] @ v[moving] + M.next[ni:] @ last
        state.a[ni:, S - 1] = scale * momentum + FLOOR[self._number.name]
        state.a[:ni, S] = scale * (M.interface_left @ last + M.next[ni:].T @ v[ni:])
        state.a[self.cell.tensions, S - 1] = 0.0

    def rest(self) -> WindowState:
        """Line at rest, pantographs at the contact wire's height at the support, no applied force."""
        n, width, shape = self.cell.n_dof, self.spans + 1, (self.pantographs, len(self.panto[1]))
        u, a, s = np.zeros((3, n, width))
        memory = np.zeros((self.pantographs, memory_size(self.control)))
        return WindowState(u, a, s, np.zeros(shape), np.zeros(shape), np.zeros(self.pantographs), memory)

    def static_start(self, applied_forces: NDArray[np.float64] | None = None) -> tuple[WindowState, float]:
        """Static equilibrium, the leading pantograph at a support; returns it with d(contact force)/d(applied force).

        The applied forces [N] are those named here or in the case, or else such as give the mean force to be held.
        """
        given = self.given_forces if applied_forces is None else applied_forces
        found = rest_of_train(self.case, self.pantograph, self.operators, (self.behind, self.spans), given)
        state, count = self.rest(), len(self.panto[1]) - self.pantograph.rolls
        for force, displacement in zip(found.contact, found.unit, strict=True):
            state.u += force * displacement
        self.settle(state)
        state.z[:, :count] = found.heights
        if self.pantograph.rolls:
            state.z[:, -1] = found.roll
        rest = StaticControl(self.case.pantograph.control, self.pantograph, self.case.pressed_N)
        state.control[:] = rest.memories(self.control, found.force, found.heights[:, 0])
        state.applied_forces[:] = found.applied
        return state, float(found.gain[0])

    @property
    def given_forces(self) -> NDArray[np.float64] | None:
        """Applied forces of the case [N]; None where mean forces are held."""
        applied = self.case.applied_force_N
        return None if applied is None else np.array(self.case.trailing.pressed(applied))

    def settle(self, state: WindowState) -> None:
        """Make the bays' tensions and the elastic force those that go with the displacement."""
        settle_spans(row_lanes(self.spans + 1, "float64"), state.u, state.s, self._work, *self._stiffness)

"""A window of identical spans that travels with the pantograph, one span of train travel at a time.

The window's ends absorb: dashpots of the wires' impedance, and a sponge of extra mass-proportional damping that
rises smoothly over the outermost spans. What a finite window still costs is long
waves along the track: on bruni_2015 at 275 km/h sigma of the linear line is 0.8 % low with 23 spans, 0.2 % with 63.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from catenary.cell import VerticalCell
from catenary.chain import chain_stiffness, held_along
from dynamics.pantograph.lumped import pantograph_matrices
from dynamics.simd import LANES
from dynamics.spec import CaseSpec
from dynamics.window import WindowOperators, build_window
from dynamics.window_kernel import march_span

__all__ = ["SpanRecord", "TravellingWindow", "WindowState", "window_spans"]

SPONGE_DAMPING = 2.0
# forces this small [N] keep the spans ahead from holding denormal numbers, which cost a hundred times a normal one
FLOOR = 1.0e-60
SWEEP_TOLERANCE = 1.0e-8
# a march beyond these [N, m] has run away, finite as its numbers may still be
LARGEST_FORCE, LARGEST_HEIGHT = 1.0e6, 20.0


@dataclass
class WindowState:
    """State of line and pantograph when the pantograph stands at a support.

    Attributes
    ----------
    u, a, s : float array (dof, span + 1)
        Displacement [m], (2/dt) times momentum, and elastic force [N]; the last column holds the closing support.
    z, z_dot : float array (mass,)
        Pantograph heights [m] and velocities [m/s].
    applied_force : float
        [N].
    """

    u: NDArray[np.float64]
    a: NDArray[np.float64]
    s: NDArray[np.float64]
    z: NDArray[np.float64]
    z_dot: NDArray[np.float64]
    applied_force: float

    def copy(self) -> WindowState:
        """Copy every array."""
        return replace(
            self,
            u=self.u.copy(),
            a=self.a.copy(),
            s=self.s.copy(),
            z=self.z.copy(),
            z_dot=self.z_dot.copy(),
        )


@dataclass(frozen=True)
class SpanRecord:
    """What one passage of a span recorded, at the end of every step.

    Attributes
    ----------
    force, height, head : float array (step,)
        Contact force [N], contact-wire height at the contact point [m], head height [m].
    uplift : float array (step, support)
        Displacement of the contact wire at every support of the window [m].
    dropper_force : float array (step, dropper, span) or (1, dropper, span)
        Dropper forces [N], kept on request.
    sweeps : int
        Largest number of Gauss-Seidel sweeps of a step.
    """

    force: NDArray[np.float64]
    height: NDArray[np.float64]
    head: NDArray[np.float64]
    uplift: NDArray[np.float64]
    dropper_force: NDArray[np.float64]
    sweeps: int

    @property
    def ran_away(self) -> bool:
        """Whether force or wire left every physical bound, or are no numbers: what follows means nothing."""
        held = np.abs(self.force).max() < LARGEST_FORCE and np.abs(self.height).max() < LARGEST_HEIGHT
        return not (held and np.abs(self.uplift).max() < LARGEST_HEIGHT)


def window_spans(behind: int, ahead: int) -> tuple[int, int]:
    """Round a window up so that its rows fill whole vectors: (spans behind, spans ahead)."""
    width = behind + ahead + 2
    return behind, ahead + (-width) % LANES


class TravellingWindow:
    """Marches a pantograph over the infinite line made of one cell.

    Parameters
    ----------
    case : CaseSpec
    cell : VerticalCell
    behind, ahead : int
        Spans of the window behind and ahead of the pantograph's.
    """

    def __init__(self, case: CaseSpec, cell: VerticalCell, behind: int, ahead: int) -> None:
        self.case, self.cell = case, cell
        self.behind, self.ahead = window_spans(behind, ahead)
        self.spans = self.behind + self.ahead + 1
        self.dt, self.steps = case.time_step, case.steps_per_span
        self.operators: WindowOperators = build_window(cell, self.dt, self.steps)
        mass, damping, stiffness = pantograph_matrices(case.pantograph)
        effective = np.diag(2.0 / self.dt * mass) + damping + 0.5 * self.dt * stiffness
        self._panto = (np.linalg.inv(effective), mass, stiffness)
        n, ni, width = cell.n_dof, cell.n_interface, self.spans + 1
        drop = (len(cell.dropper_dof), self.spans)
        self._fd = np.zeros(drop)
        self._w = np.zeros((n + 2 * ni, width))
        self._scratch = (
            self._w,
            np.zeros((n, width)),
            np.empty((drop[0] * drop[1], 2), np.int64),
            np.zeros(len(mass)),
            np.zeros(drop),
            np.zeros(drop),
            _sponge(cell, self.behind, self.ahead, self.dt),
        )
        self._sparse = csr_array(cell.stiffness.own), csr_array(cell.stiffness.next)
        spec = case.catenary
        self._droppers = (
            cell.dropper_dof,
            cell.dropper_weight,
            cell.equilibrium.dropper_force,
            spec.droppers.stiffness,
            spec.damping.beta if case.slack_damping == "released" else 0.0,
        )

    def march(self, state: WindowState, *, keep_droppers: bool = False) -> SpanRecord:
        """March the pantograph over one span, changing ``state`` in place."""
        spec, cell, dt = self.case.catenary, self.cell, self.dt
        self._fd[:] = self._correction(state)
        steps, drop = self.steps, self._fd.shape
        record = (
            np.empty(steps),
            np.empty(steps),
            np.empty(steps),
            np.empty((steps, self.spans + 1)),
            np.empty((steps if keep_droppers else 1, *drop)),
        )
        constants = (
            dt,
            2.0 / dt + spec.damping.alpha,
            0.5 * dt + spec.damping.beta,
            self.case.contact.stiffness,
            spec.support.messenger_stiffness,
            spec.support.messenger_damping,
            cell.support_dof,
            cell.support_contact_dof,
            self.operators.ends,
            self.behind,
            SWEEP_TOLERANCE,
        )
        sweeps = march_span(
            (0,) * ((self.spans + 1) // LANES),
            (state.u, state.a, state.s, self._fd, state.z, state.z_dot),
            self._scratch,
            self.operators.operators,
            (self.operators.contact, (*self._panto, state.applied_force), self._droppers, constants),
            record,
        )
        return SpanRecord(*record, sweeps=int(sweeps))

    def _correction(self, state: WindowState) -> NDArray[np.float64]:
        """Correction forces of slack droppers (dropper, span) [N] that go with a state."""
        dof, weight, static, stiffness, _ = self._droppers
        stretch = np.einsum("dk,dkc->dc", weight, state.u[dof, :-1])
        return np.maximum(0.0, -(static[:, None] + stiffness * stretch))

    def shift(self, state: WindowState) -> None:
        """Move the window on by one span: the last one is dropped, a span at rest joins at the front."""
        ni, S, M = self.cell.n_interface, self.spans, self.cell.mass
        # momentum of what is dropped must not stay with the support that now begins the window
        dropped = M.interface_left @ self._w[:ni, 1] + M.next[ni:].T @ self._w[ni : self.cell.n_dof, 0]
        velocity = self._w[:ni, S].copy()
        for x in (state.u, state.a):
            x[:, :-1] = x[:, 1:]
            x[ni:, S - 1] = 0.0
            x[:, S] = 0.0
        state.a[:ni, 0] -= 2.0 / self.dt * dropped
        self._join_span(state, velocity)
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
        state.a[:ni, S - 1] += scale * (M.interface_right @ v[:ni] + M.own[:ni, ni:] @ v[ni:])
        state.a[ni:, S - 1] = scale * (M.own[ni:] @ v + M.next[ni:] @ last) + FLOOR
        state.a[:ni, S] = scale * (M.interface_left @ last + M.next[ni:].T @ v[ni:])
        state.a[self.cell.tensions, S - 1] = 0.0

    def rest(self) -> WindowState:
        """Line at rest, pantograph at the contact wire's height at the support, no applied force."""
        n, width, m = self.cell.n_dof, self.spans + 1, len(self._panto[1])
        u, a, s = np.zeros((3, n, width))
        return WindowState(u, a, s, np.zeros(m), np.zeros(m), 0.0)

    def static_start(self, applied_force: float | None = None) -> tuple[WindowState, float]:
        """Static equilibrium with the pantograph at a support; returns it with d(contact force)/d(applied force).

        The applied force [N] is the one named here or in the case, or else the one that gives the mean force to
        be held.
        """
        case, kc = self.case, self.case.contact.stiffness
        displacement, compliance = self._static_unit_load()
        flexibility = np.linalg.inv(self._panto[2])
        by_applied, by_contact = flexibility[0, -1], flexibility[0, 0]
        z0 = float(self.operators.contact[2][0])
        gain = kc * by_applied / (1.0 + kc * (by_contact + compliance))
        applied = case.applied_force_N if applied_force is None else applied_force
        if applied is not None:
            contact = gain * applied - kc * z0 / (1.0 + kc * (by_contact + compliance))
        else:
            contact = float(case.mean_force_N or 0.0)
            applied = (z0 + contact * (1.0 / kc + compliance + by_contact)) / by_applied
        state = self.rest()
        state.u[:] = contact * displacement
        self.settle(state)
        state.z[:] = flexibility[:, -1] * applied - flexibility[:, 0] * contact
        state.applied_force = applied
        return state, gain

    def _static_unit_load(self) -> tuple[NDArray[np.float64], float]:
        """Displacements of the window under 1 N at the pantograph's support, and the compliance there [m/N]."""
        n, width = self.cell.n_dof, self.spans + 1
        stiffness = chain_stiffness(self.cell, self.spans)
        dof, weight = self.operators.contact[0][0], self.operators.contact[1][0]
        load = np.zeros(stiffness.shape[0])
        load[self.behind * n + dof] = weight
        solved = splu(held_along(self.cell, stiffness, self.spans)).solve(load)
        u = np.zeros((n, width))
        u[:, :-1] = solved[: n * self.spans].reshape(self.spans, n).T
        u[: self.cell.n_interface, -1] = solved[n * self.spans :]
        return u, float(load @ solved)

    def settle(self, state: WindowState) -> None:
        """Make the bays' tensions and the elastic force those that go with the displacement."""
        bays, K = self.cell.tensions, self.cell.stiffness
        state.u[bays] = 0.0
        stretch = self._product(state.u)[bays]
        state.u[bays] = -stretch / K.own[bays, bays][:, None]
        state.s[:] = self._product(state.u)
        state.s[bays] = 0.0

    def _product(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Multiply the window's stiffness, messenger supports included, with a displacement."""
        K, ni, S = self.cell.stiffness, self.cell.n_interface, self.spans
        own, onward = self._sparse
        force: NDArray[np.float64] = np.asarray(own @ u)
        force[ni:, S] = 0.0
        force[:, :S] += onward @ u[:ni, 1:]
        force[:ni, 1:] += onward.T @ u[:, :S]
        force[:ni, 0] -= K.interface_left @ u[:ni, 0]
        force[:ni, S] += (K.interface_left - K.own[:ni, :ni]) @ u[:ni, S]
        support = self.cell.support_dof
        force[support] += self.case.catenary.support.messenger_stiffness * u[support]
        return force


def _sponge(cell: VerticalCell, behind: int, ahead: int, dt: float) -> NDArray[np.float64]:
    """Momentum factor per step (dof, span + 1): 1 around the pantograph, less in the outer half of the window.

    Motion along the track keeps its momentum everywhere: its waves are longer than the window, and the impedance at
    the ends absorbs them exactly.
    """
    width = behind + ahead + 2
    back, front = max(1, behind // 2), max(1, (7 * ahead) // 12)
    alpha = np.zeros(width)
    alpha[:back] = SPONGE_DAMPING * ((back - np.arange(back)) / back) ** 2
    alpha[width - front :] = SPONGE_DAMPING * ((np.arange(front) + 2.0) / (front + 1.0)) ** 2
    factor = np.tile(np.exp(-alpha * dt), (cell.n_dof, 1))
    factor[np.concatenate(cell.along)] = 1.0
    return factor

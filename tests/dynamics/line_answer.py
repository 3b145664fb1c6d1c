"""The line's state from one period of the forces on it: what a march of spans tends to, without a march.

In the steady state every span does what the one before did, a period later. At a complex angle theta = omega dt one
cell, whole, with the phase exp(-i theta N) of the next one, answers all passes of the pantograph. The sum over a ring
of angles below the real axis and the poles above it (docs/theory/influence-matrices.md) is the line's motion, here at
the moments in which the window's spans stand when the pantograph passes a support: span c ahead of it at -c N steps.
Forces are those of contact and of slack droppers, which a march of one span gives.
"""

import numpy as np
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import splu

from catenary.linearised.chain import chain_matrix
from dynamics.influence.condensed import CondensedCell
from dynamics.influence.poles import lower_poles

RING, DECAY = 3, 1.5  # periods, and decay a period of what the ring sums
SPANS_BEHIND = 3  # filled; farther back a ring of so few periods repeats itself
LOCAL = (-1, 3)  # periods of a dropper's own time in which it may be slack
CIRCLE = np.exp(2j * np.pi * (np.arange(4) + 0.5) / 4)


class LineAnswer:
    """Answers of a span map's line to one period of forces."""

    def __init__(self, span_map):
        self.map, self.cell = span_map, span_map.window.cell
        self.N, self.dt = span_map.window.steps, span_map.window.dt
        count = RING * self.N
        ring = 2.0 * np.pi * (np.arange(count) + 0.25) / count - 1j * DECAY / self.N
        self.poles = lower_poles(CondensedCell(span_map.case, self.cell)).theta
        others = np.concatenate([self.poles, -self.poles.conj(), [0.0]])
        gap = np.abs(self.poles[:, None] - others)
        gap[gap == 0.0] = 1.0
        radius = 0.02 * np.minimum(1.0 / self.N, gap.min(axis=1))
        # the ring's angles first, then four about each pole, whose sum is its residue
        self.theta = np.concatenate([ring, (self.poles[:, None] + radius[:, None] * CIRCLE).ravel()])
        ratio = -1j * np.exp(RING * (1j * self.N * self.poles - DECAY))
        share = np.where(self.poles.real == 0.0, 1.0, 2.0) * -1j / (1.0 - ratio**2)
        self.weight = np.concatenate(
            [np.full(count, 1.0 / count + 0.0j), ((share * radius)[:, None] * CIRCLE / 4).ravel()]
        )
        self.moment = np.concatenate([ring, np.repeat(self.poles, 4)])  # a pole's wave has the pole's own angle
        self.factors = [splu(matrix) for matrix in self._stiffness()]

    def _stiffness(self):
        """Dynamic stiffness of the cell at every angle, the next cell's interface turned by its phase."""
        cell, spec = self.cell, self.map.case.catenary
        padding = np.zeros((cell.n_dof, cell.n_dof - cell.n_interface))
        K, M = (csc_array(m.own) for m in (cell.stiffness, cell.mass))
        Kn, Mn = (csc_array(np.hstack([m.next, padding])) for m in (cell.stiffness, cell.mass))
        at_support = np.isin(np.arange(cell.n_dof), cell.support_dof)
        support = csc_array(diags_array(at_support.astype(np.float64)))
        for theta in self.theta:
            W, phase = 2.0 / self.dt * np.tan(0.5 * theta), np.exp(-1j * theta * self.N)
            tau, mu = 1.0 + 1j * W * spec.damping.beta, -W * W + 1j * W * spec.damping.alpha
            onward = tau * Kn + mu * Mn
            held = spec.support.messenger_stiffness + 1j * W * spec.support.messenger_damping
            yield csc_array(tau * K + mu * M + held * support + phase * onward + onward.T / phase)

    def forces(self, record):
        """Contact force of a recorded span (step,), and what slack droppers squeeze (step of their own time, dropper).

        What is slack farther away than `LOCAL` is left out.
        """
        squeeze, behind = record.motion.squeeze, self.map.window.behind
        times = np.arange(LOCAL[0] * self.N + 1, (LOCAL[1] + 1) * self.N + 1)
        local = np.zeros((len(times), squeeze.shape[1]))
        for span in range(squeeze.shape[2]):
            first = (behind - span) * self.N + 1 - times[0]
            if 0 <= first <= len(times) - self.N:
                local[first : first + self.N] = squeeze[:, :, span]
        return np.roll(record.force, 1), local, times

    def motion(self, contact, squeeze, times):
        """Displacement and velocity of the window's spans (dof, span + 1) as the pantograph passes a support."""
        points, cell = self.map.window.operators.contact, self.cell
        n, steps = cell.n_dof, np.arange(self.N)
        dof, phi = points.dof[0, :-1], points.weight[0, :-1]
        over = dof >= n
        ahead = -self.N * (np.arange(self.map.window.spans + 1) - self.map.window.behind)
        u, v = np.zeros((2, n, len(ahead)))
        for theta, moment, weight, factor in zip(self.theta, self.moment, self.weight, self.factors, strict=True):
            load = np.zeros(n, np.complex128)
            pressed = (contact * np.exp(-1j * theta * steps))[:, None] * phi
            turned = np.where(over, np.exp(1j * theta * self.N), 1.0)
            np.add.at(load, dof - n * over, pressed * turned)
            squeezed = np.exp(-1j * theta * times) @ squeeze
            np.add.at(load, cell.dropper_dof, -cell.dropper_weight * squeezed[:, None])
            wave = (weight * factor.solve(load))[:, None] * np.exp(1j * moment * ahead)
            u += wave.real
            v += (2j / self.dt * np.tan(0.5 * moment) * wave).real
        return u, v

    def put_into(self, mapped, record):
        """Mapped state of a span map with the line's motion near the pantograph and ahead as it answers a record."""
        u, v = self.motion(*self.forces(record))
        cell, window, size = self.cell, self.map.window, self.map._size
        n, ni, S = cell.n_dof, cell.n_interface, window.spans
        v[cell.tensions] = 0.0
        moving = np.concatenate([v[:, :-1].T.ravel(), v[:ni, -1]])
        a = 2.0 / self.dt * (chain_matrix(cell.mass, S) @ moving)
        momentum = np.zeros_like(u)
        momentum[:, :-1], momentum[:ni, -1] = a[: n * S].reshape(S, n).T, a[n * S :]
        u[ni:, -1] = 0.0
        out = mapped.copy()
        first = window.behind - SPANS_BEHIND
        # the momentum of a support belongs in part to the span before it
        for begin, found, column in ((0, u, first), (size, momentum, first + 1)):
            part = out[begin : begin + size].reshape(-1, S + 1)
            part[:, column:] = found[self.map._canonical, column:]
        return out

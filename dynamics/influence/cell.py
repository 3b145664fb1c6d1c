"""One span cell of an infinite line as the Bloch kernel takes it: matrices, loads, and where the contact stands."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from catenary.linearised.cell import VerticalCell
from catenary.linearised.contact_wire import static_height
from dynamics.influence.kernel import CellMatrices, bloch_answers
from dynamics.spec.case import CaseSpec

__all__ = ["BlochCell"]


class BlochCell:
    """Matrices of one cell, and the contact's way over it.

    Parameters
    ----------
    case : CaseSpec
        Line, speed and step.
    cell : VerticalCell
        Its cell.

    Attributes
    ----------
    dt, steps
        Step [s] and steps a span.
    at, phi, wrap : array (step, 4)
        Contact-wire dofs under the contact at x_n, by their numbers among the loads, with their shares; wrap is 1 where
        the dof is the next cell's.
    contact, dropper : float array (dof, load)
        Unit loads on the contact-wire dofs, and of pairs that squeeze the droppers.
    z0 : float array (step,)
        Static height at x_n [m].
    """

    def __init__(self, case: CaseSpec, cell: VerticalCell) -> None:
        spec, ni = case.catenary, cell.n_interface
        M, K = cell.mass, cell.stiffness
        alpha, beta = spec.damping.alpha, spec.damping.beta
        damping, stiffness = alpha * M.own + beta * K.own, K.own.copy()
        damping[cell.support_dof, cell.support_dof] += spec.support.messenger_damping
        stiffness[cell.support_dof, cell.support_dof] += spec.support.messenger_stiffness
        pattern = (M.own != 0.0) | (K.own != 0.0)
        pattern[:, :ni] = False
        first = np.where(pattern.any(axis=1), np.argmax(pattern, axis=1), 0)
        self.matrices = CellMatrices(
            M.own,
            damping,
            stiffness,
            np.ascontiguousarray(M.next),
            alpha * M.next + beta * K.next,
            np.ascontiguousarray(K.next),
            first.astype(np.int64),
            ni,
        )
        self.dt, self.steps, n = case.time_step, case.steps_per_period, cell.n_dof
        x = np.arange(self.steps, dtype=np.float64) * (spec.period / self.steps)
        dof, self.phi = cell.contact_operator(x)
        self.wrap = (dof >= n).astype(np.int64)
        dofs, numbers = np.unique(dof - n * self.wrap, return_inverse=True)
        self.at = np.ascontiguousarray(numbers.reshape(dof.shape))
        self.contact = np.zeros((n, len(dofs)))
        self.contact[dofs, np.arange(len(dofs))] = 1.0
        self.dropper = cell.dropper_operator()
        self.z0 = static_height(cell.equilibrium, x)

    def answers(
        self, theta: NDArray[np.float64], load: NDArray[np.float64], threads: int = 1
    ) -> NDArray[np.complex128]:
        """Answers of the loads' own places, (theta, load, load); the same with any number of threads."""
        if threads == 1:
            return bloch_answers(theta, self.dt, self.steps, self.matrices, load)
        with ThreadPoolExecutor(threads) as pool:
            return np.concatenate(list(pool.map(lambda part: self.answers(part, load), np.array_split(theta, threads))))

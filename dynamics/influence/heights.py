"""What contact heights take of a condensed cell's answers, and contact forces give to it, each at its own step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.kernels.compiled import kernel
from dynamics.influence.condensed import CondensedCell, ContactBay

__all__ = ["bay_answer", "caused", "own_modes", "turned"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

_OPTIONS = {"error_model": "numpy", "nogil": True, "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


def turned(cell: CondensedCell, bay: ContactBay, theta: Complexes) -> tuple[Complexes, Complexes]:
    """What heights take of the ends of their bay (angle, step, end), and forces give to them (angle, end, step)."""
    flex, _ = _flexibility(cell, bay, theta)
    links = np.ascontiguousarray((bay.g[:, :, None] * flex[:, None]).transpose(0, 2, 1))
    modes = (bay.modes @ links.reshape(len(links), -1).view(np.float64)).view(np.complex128)
    taken = (bay.shares[:, None] - modes.reshape(len(bay.steps), len(theta), -1)).transpose(1, 0, 2)
    turn = np.exp(1j * np.multiply.outer(theta, bay.steps))[:, :, None]
    over = np.exp(-1j * cell.steps * np.multiply.outer(theta, bay.over))[:, None, :]
    return taken * (turn * over), (taken / (turn * over)).transpose(0, 2, 1)


def _flexibility(cell: CondensedCell, bay: ContactBay, theta: Complexes) -> tuple[Complexes, Complexes]:
    """1 / (omega2 + r) of a bay's modes (mode, angle), and tau (angle,)."""
    W = 2.0 / cell.dt * np.tan(0.5 * theta)
    tau = 1.0 + 1j * W * cell.matrices.beta
    return 1.0 / (bay.omega2[:, None] + (-W * W + 1j * W * cell.matrices.alpha) / tau), tau


def bay_answer(cell: CondensedCell, bay: ContactBay, few: slice, theta: Complexes, weight: Complexes) -> Floats:
    """What the modes of a bay between held ends answer to forces on the bay, (step, step)."""
    steps, modes, most = bay.steps[few], bay.modes[few], int(np.ptp(bay.steps))
    wave = np.exp(1j * np.multiply.outer(theta, np.arange(-most, most + 1)))
    flex, tau = _flexibility(cell, bay, theta)
    by_lag = ((flex * (weight / tau)) @ wave).real
    return np.einsum("nj,mj,jnm->nm", modes, modes, by_lag[:, steps[:, None] - steps + most], optimize=True)


def own_modes(cell: CondensedCell, bay: ContactBay, theta: Complexes) -> Complexes:
    """What the modes of a bay between held ends answer at its first step to a force there, (angle,)."""
    flex, tau = _flexibility(cell, bay, theta)
    return (bay.modes[0] ** 2 @ flex) / tau


@kernel(**_OPTIONS)
def caused(X: Complexes, ends: Ints, right: Complexes, steps: Ints, out: Floats) -> None:
    """What forces at ``steps`` of a bay cause by its ``ends``, of the answers X (angle, load, load), in out.

    ``right`` (angle, end, step) is what the forces give to the ends; out (load, part, angle, step) has a column for any
    step.
    """
    count = steps.size
    real, imaginary = right.real.copy(), right.imag.copy()
    re, im = np.empty(count), np.empty(count)
    for load in range(out.shape[0]):
        for t in range(right.shape[0]):
            re[:], im[:] = 0.0, 0.0
            for e in range(ends.size):
                x, y = X[t, load, ends[e]].real, X[t, load, ends[e]].imag
                for n in range(count):
                    re[n] += x * real[t, e, n] - y * imaginary[t, e, n]
                    im[n] += x * imaginary[t, e, n] + y * real[t, e, n]
            for n in range(count):
                out[load, 0, t, steps[n]], out[load, 1, t, steps[n]] = re[n], im[n]

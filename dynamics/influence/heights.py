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
    W, (alpha, beta) = 2.0 / cell.dt * np.tan(0.5 * theta), cell.of_contact_wire
    tau = 1.0 + 1j * W * beta
    return 1.0 / (bay.omega2[:, None] + (-W * W + 1j * W * alpha) / tau), tau


def bay_answer(cell: CondensedCell, bay: ContactBay, few: slice, theta: Complexes, weight: Complexes) -> Floats:
    """What the modes of a bay between held ends answer at a few of its steps to forces on the bay, (step, step)."""
    steps, most = bay.steps, int(np.ptp(bay.steps))
    wave = np.exp(1j * np.multiply.outer(theta, np.arange(-most, most + 1)))
    flex, tau = _flexibility(cell, bay, theta)
    by_lag = ((flex * (weight / tau)) @ wave).real
    lags = by_lag[:, steps[few][:, None] - steps + most]
    return np.einsum("nj,mj,jnm->nm", bay.modes[few], bay.modes, lags, optimize=True)


def own_modes(cell: CondensedCell, bay: ContactBay, theta: Complexes) -> Complexes:
    """What the modes of a bay between held ends answer at its first step to a force there, (angle,)."""
    flex, tau = _flexibility(cell, bay, theta)
    return (bay.modes[0] ** 2 @ flex) / tau


@kernel(**_OPTIONS)
def caused(X: Complexes, load: int, ends: Ints, bounds: Ints, right: Floats, out: Floats) -> None:
    """What forces on bays cause at a load, of the answers X (angle, load, load), in out (part, angle, step).

    ``right`` (part, angle, end, step) is what they give to the ``ends`` (bay, end) of their own bay, an even number,
    whose steps lie between two ``bounds``. Two ends at a time: sums are read and written half as often.
    """
    for t in range(out.shape[1]):
        for b in range(ends.shape[0]):
            low, high = bounds[b], bounds[b + 1]
            re, im = out[0, t, low:high], out[1, t, low:high]
            re[:], im[:] = 0.0, 0.0
            for e in range(0, ends.shape[1], 2):
                one, other = X[t, load, ends[b, e]], X[t, load, ends[b, e + 1]]
                x, y, u, v = one.real, one.imag, other.real, other.imag
                P, Q = right[0, t, e, low:high], right[1, t, e, low:high]
                R, S = right[0, t, e + 1, low:high], right[1, t, e + 1, low:high]
                for n in range(high - low):
                    re[n] += x * P[n] - y * Q[n] + u * R[n] - v * S[n]
                    im[n] += x * Q[n] + y * P[n] + u * S[n] + v * R[n]

"""Influence matrices as sums over frequencies, formed dof by dof and put together for the steps of the contact."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.influence.cell import BlochCell
from dynamics.influence.kernel import ContactTable, accumulate_contact

__all__ = ["THREADS", "DropperRecords", "Integrals", "integrals"]

THREADS = 2  # always two, so that sums are formed in one order on every machine
BLOCK = 128  # frequencies at a time


class DropperRecords:
    """Droppers' local time, and which lags between a wire's node and a dropper it takes.

    The pantograph meets a contact-wire dof during few steps p (counted from the support at 0, before it negative). So
    the answers are integrated dof by dof over the lags from its first step on, and put together for the steps after.
    """

    def __init__(self, cell: BlochCell) -> None:
        N = cell.steps
        self.droppers, self.length, self.offset = cell.dropper.shape[1], 2 * N, -(N // 2)
        self.at, self.phi = cell.at, cell.phi
        self.passing = np.arange(N)[:, None] - N * cell.wrap
        self.first = np.full(cell.contact.shape[1], N)
        np.minimum.at(self.first, self.at, self.passing)
        late = int((self.passing - self.first[self.at]).max())
        # lag from a dropper's sample to a step of the contact, less the dof's first step
        self.lag = np.arange(-self.offset - self.length + 1, late - self.offset + 1)

    def at_contact(self, by_dof: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values (step, dropper, dropper step) from those by dof and lag, (dof dropper, lag)."""
        values = by_dof.reshape(len(self.first), self.droppers, -1)[:, :, ::-1]
        found = np.zeros((len(self.at), self.droppers, self.length))
        top = values.shape[2] - self.length
        for n, (dofs, shares, steps) in enumerate(zip(self.at, self.phi, self.passing, strict=True)):
            for j, share, late in zip(dofs, shares, steps - self.first[dofs], strict=True):
                found[n] += share * values[j, :, top - late : top - late + self.length]
        return found


@dataclass
class Integrals:
    """Sums over frequencies: contact (step, step), height and elongation (dof dropper, lag), dropper (pair, lag)."""

    contact: NDArray[np.float64]
    height: NDArray[np.float64]
    elongation: NDArray[np.float64]
    dropper: NDArray[np.float64]


def integrals(
    cell: BlochCell, records: DropperRecords, theta: NDArray[np.float64], weight: NDArray[np.float64]
) -> Integrals:
    """Integrate all answers, on two threads that each take every second block of frequencies."""
    blocks = np.array_split(np.arange(len(theta)), max(1, len(theta) // BLOCK))

    def share(first: int) -> Integrals:
        pairs, nd = len(records.first) * records.droppers, records.droppers
        lags = len(records.lag)
        out = Integrals(
            np.zeros((cell.steps, cell.steps)),
            np.zeros((pairs, lags)),
            np.zeros((pairs, lags)),
            np.zeros((nd * nd, 2 * records.length - 1)),
        )
        for block in blocks[first::THREADS]:
            _accumulate(cell, records, theta[block], weight[block], out)
        return out

    with ThreadPoolExecutor(THREADS) as pool:
        found, *others = pool.map(share, range(THREADS))
    for other in others:
        for name in ("contact", "height", "elongation", "dropper"):
            getattr(found, name)[:] += getattr(other, name)
    return found


def _accumulate(
    cell: BlochCell,
    records: DropperRecords,
    theta: NDArray[np.float64],
    weight: NDArray[np.float64],
    out: Integrals,
) -> None:
    """Add the contribution of some frequencies to all integrals."""
    nc, N = cell.contact.shape[1], cell.steps
    X = cell.answers(theta, np.hstack([cell.contact, cell.dropper]))
    accumulate_contact(
        theta,
        weight,
        np.ascontiguousarray(X[:, :nc, :nc].transpose(0, 2, 1)),
        ContactTable(cell.at, cell.phi, cell.wrap, N),
        out.contact,
    )
    X *= weight[:, None, None]
    begin = np.exp(1j * theta[:, None] * records.first)[:, :, None]
    wave = np.exp(1j * theta[:, None] * records.lag)
    _add_real(out.height, X[:, :nc, nc:] * begin, wave)
    # an elongation that a force causes lies the lag before it
    _add_real(out.elongation, X[:, nc:, :nc].transpose(0, 2, 1).conj() * begin, wave)
    lag = np.arange(-(records.length - 1), records.length)
    _add_real(out.dropper, X[:, nc:, nc:], np.exp(1j * theta[:, None] * lag))


def _add_real(total: NDArray[np.float64], values: NDArray[np.complex128], wave: NDArray[np.complex128]) -> None:
    """Add the real part of the sum over frequencies of values (theta, ...) times wave (theta, lag)."""
    flat = values.reshape(len(wave), -1)
    total += np.concatenate([flat.real, -flat.imag]).T @ np.concatenate([wave.real, wave.imag])

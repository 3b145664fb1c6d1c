r"""Influence matrices as sums over angles: those of a ring by FFT, single ones (poles, a quadrature's) by products.

Legend: n, m steps of the contact; d, e droppers; k dropper steps; L, R what a height takes of the loads' answers X, and
a contact force of the loads, each turned to its own step: contact = L X R, height = L X, elongation = X R.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import fft, ifft

from dynamics.influence.condensed import THREADS, CondensedCell, ContactBay
from dynamics.influence.heights import bay_answer, turned

__all__ = ["Angles", "Integrals", "Records", "Ring", "Sums"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

EVERY, THINNED = slice(None), slice(None, None, 8)


class Records:
    """Droppers' local time: ``steps`` (dropper step,) of a record, and ``lags`` between samples of two droppers."""

    def __init__(self, cell: CondensedCell) -> None:
        self.length, self.offset = 2 * cell.steps, -(cell.steps // 2)
        self.steps = self.offset + np.arange(self.length)
        self.lags = np.arange(1 - self.length, self.length)


@dataclass(frozen=True)
class Angles:
    """Angles of a sum (angle,), their weights, and the loads' answers to them (angle, load, load).

    ``turned`` are their weights in the images, where those are wanted; ``local`` says whether the bays under the
    contact answer by their own modes, too (not at a pole of the rest).
    """

    theta: Complexes
    weight: Complexes
    answers: Complexes
    turned: Complexes | None = None
    local: bool = True


@dataclass(frozen=True)
class Ring:
    """Regularly spaced angles theta_k = 2 pi (k + 1/4) / A - i decay / N, A = ``spans`` N of them.

    Their mean is that of a ring of twice as many spans; its imaginary part is what the spans' images add to one of
    ``spans``.
    """

    steps: int
    spans: int
    decay: float

    @property
    def theta(self) -> Complexes:
        """Angles (angle,)."""
        count = self.spans * self.steps
        return 2.0 * np.pi * (np.arange(count) + 0.25) / count - 1j * self.decay / self.steps

    def series(self, values: Complexes, steps: NDArray[np.int64], sign: int) -> Complexes:
        """Mean over the ring of values (angle, ...) times exp(sign i theta step), (step, ...)."""
        count = len(values)
        whole = ifft(values, axis=0) if sign > 0 else fft(values, axis=0, norm="forward")
        turn = np.exp(sign * steps * (0.5j * np.pi / count + self.decay / self.steps))
        return whole[steps % count] * turn.reshape(-1, *[1] * (values.ndim - 1))


@dataclass
class Integrals:
    """Sums over angles: contact (n, m), height (n, d, k), elongation (d, k, m), dropper (d, e, lag)."""

    contact: Floats
    height: Floats
    elongation: Floats
    dropper: Floats

    def largest(self) -> Floats:
        """Largest entry of each."""
        return np.array([np.abs(part).max() for part in (self.contact, self.height, self.elongation, self.dropper)])


class Sums:
    """Sums over angles for all steps of the contact, and a ring's images for some of a bay's.

    Attributes
    ----------
    total : Integrals
        Real parts of the sums.
    images : Integrals
        Their imaginary parts, at every eighth step of a bay.
    """

    def __init__(self, cell: CondensedCell, records: Records) -> None:
        self.cell, self.records = cell, records
        self.rows = [bay.steps for bay in cell.contact]
        some = np.sort(np.concatenate([bay.steps[THINNED] for bay in cell.contact]))
        self.seldom = some
        self.some = [np.searchsorted(some, bay.steps[THINNED]) for bay in cell.contact]
        self.total, self.images = (_zero(N, cell.droppers, records) for N in (cell.steps, len(some)))

    def add(self, angles: Angles) -> None:
        """Add single angles to all sums; to the images by weights of their own."""
        theta, records, split = angles.theta, self.records, slice(-self.cell.droppers, None)
        contact = slice(0, -self.cell.droppers)
        self.add_contact(angles)
        behind, ahead = (np.exp(sign * 1j * theta[:, None] * records.steps) for sign in (-1, 1))
        lags = np.exp(1j * theta[:, None] * records.lags)

        def one(bay: ContactBay, rows: Ints, some: Ints) -> None:
            left, right = turned(self.cell, bay, theta)
            height = left @ angles.answers[:, contact, split][:, bay.loads]
            stretch = angles.answers[:, split, contact][:, :, bay.loads] @ right
            for out, where, weight, few in self._outputs(angles, rows, some):
                taken = height[:, few] * weight[:, None, None]
                out.height[where] += _real_product(taken, behind)
                taken = stretch[:, :, few] * weight[:, None, None]
                out.elongation[:, :, where] += _real_product(taken, ahead).transpose(0, 2, 1)

        self._each(one)
        for out, _, weight, _ in self._outputs(angles, self.rows[0], self.some[0]):
            out.dropper += _real_product(angles.answers[:, split, split] * weight[:, None, None], lags)

    def add_ring(self, ring: Ring, height: Complexes, stretch: Complexes, dropper: Complexes) -> None:
        """Add a ring's answers between contact and droppers (angle, load, dropper), back, and between droppers."""
        theta, steps = ring.theta, self.records.steps

        def one(bay: ContactBay, rows: Ints, some: Ints) -> None:
            left, right = turned(self.cell, bay, theta)
            found = ring.series(left @ height[:, bay.loads], steps, -1)
            self.total.height[rows] += found.real.transpose(1, 2, 0)
            self.images.height[some] += found[:, THINNED].imag.transpose(1, 2, 0)
            found = ring.series(stretch[:, :, bay.loads] @ right, steps, 1)
            self.total.elongation[:, :, rows] += found.real.transpose(1, 0, 2)
            self.images.elongation[:, :, some] += found[:, :, THINNED].imag.transpose(1, 0, 2)

        self._each(one)
        found = ring.series(dropper, self.records.lags, 1).transpose(1, 2, 0)
        self.total.dropper += found.real
        self.images.dropper += found.imag

    def add_contact(self, angles: Angles) -> None:
        """Add angles to the sums of contact heights by contact forces."""
        theta, X = angles.theta, angles.answers
        loads = X.shape[1] - self.cell.droppers
        real, imaginary = np.empty((2, len(theta), loads, self.cell.steps))
        lefts: dict[int, Complexes] = {}

        def cause(bay: ContactBay, rows: Ints, _: Ints) -> None:
            lefts[int(rows[0])], right = turned(self.cell, bay, theta)
            caused = X[:, :loads, bay.loads] @ right
            real[:, :, rows], imaginary[:, :, rows] = caused.real, caused.imag

        def answer(bay: ContactBay, rows: Ints, some: Ints) -> None:
            left = lefts[int(rows[0])].transpose(1, 0, 2)
            caused = [part[:, bay.loads].reshape(left[0].size, -1) for part in (real, imaginary)]
            for out, where, weight, few in self._outputs(angles, rows, some):
                taken = (left[few] * weight[:, None]).reshape(len(where), -1)
                columns = EVERY if few is EVERY else self.seldom
                out.contact[where] += taken.real @ caused[0][:, columns] - taken.imag @ caused[1][:, columns]
                if angles.local:
                    out.contact[np.ix_(where, where)] += bay_answer(self.cell, bay, few, theta, weight)

        self._each(cause)
        self._each(answer)

    def _outputs(self, angles: Angles, rows: Ints, some: Ints) -> list[tuple[Integrals, Ints, Complexes, slice]]:
        """The sums that angles are added to: which rows of them, with what weights, and which of a bay's steps."""
        found = [(self.total, rows, angles.weight, EVERY)]
        return found if angles.turned is None else [*found, (self.images, some, angles.turned, THINNED)]

    def _each(self, task: Callable[[ContactBay, Ints, Ints], None]) -> None:
        """Do a task for every bay, on two threads; the rows that it writes are the bay's own."""
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(task, self.cell.contact, self.rows, self.some))


def _zero(steps: int, droppers: int, records: Records) -> Integrals:
    """Sums before any angle is added."""
    record = len(records.steps)
    return Integrals(
        np.zeros((steps, steps)),
        np.zeros((steps, droppers, record)),
        np.zeros((droppers, record, steps)),
        np.zeros((droppers, droppers, len(records.lags))),
    )


def _real_product(values: Complexes, wave: Complexes) -> Floats:
    """Real part of the sum over angles of values (angle, ...) times wave (angle, step), (..., step)."""
    flat = values.reshape(len(wave), -1)
    found = np.concatenate([flat.real, -flat.imag]).T @ np.concatenate([wave.real, wave.imag])
    return found.reshape(*values.shape[1:], -1)

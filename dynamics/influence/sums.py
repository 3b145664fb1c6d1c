r"""Influence matrices as sums over angles: those of a ring by FFT, single ones (poles, a quadrature's) by products.

Legend: n, m steps of the contact; d, e droppers; k dropper steps; L, R what a height takes of the loads' answers X, and
a contact force of the loads, each turned to its own step: contact = L X R, height = L X, elongation = X R.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import fft, ifft

from dynamics.influence.condensed import THREADS, CondensedCell, ContactBay
from dynamics.influence.contact_sums import THINNED, Angles, ContactSums
from dynamics.influence.heights import turned
from dynamics.influence.residues import Poles

__all__ = ["Integrals", "Records", "Ring", "Sums"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

NO_STEP = 1.0e-9  # shares of a step that are rounding


class Records:
    """Droppers' own time: a record of two spans each, from half a span before its dropper's own to half a span after.

    Attributes
    ----------
    first : int array (dropper,)
        First step of each, of the pass over the period at whose end the pass behind begins.
    length : int
        Steps of a record; of spans that differ the longest decides.
    steps, lags : int array
        Steps within a record, and lags between samples of two records, both without first steps.
    """

    def __init__(self, spans: Sequence[float], stations: Sequence[float], steps: int) -> None:
        ends = np.concatenate([[0.0], np.cumsum(spans)])
        span = np.clip(np.searchsorted(ends, stations, side="right") - 1, 0, len(spans) - 1)
        a_step = steps / ends[-1]
        self.length = 2 * int(np.ceil(np.max(spans) * a_step - NO_STEP))
        middle = 0.5 * (ends[span] + ends[span + 1]) * a_step
        self.first = np.ceil(middle - 0.5 * self.length - NO_STEP).astype(np.int64)
        self.steps, self.lags = np.arange(self.length), np.arange(1 - self.length, self.length)

    def turn(self, theta: Complexes) -> Complexes:
        """What first steps turn droppers' answers by, (angle, dropper); their causes by its inverse."""
        return _wave(theta, self.first)


@dataclass(frozen=True)
class Ring:
    """Regularly spaced angles theta_k = 2 pi (k + 1/4) / A - i decay / N: A (``count``) of them, N ``steps`` a period.

    Their mean is that of a ring of 2 A steps; its imaginary part is what the periods' images add to one of A.
    """

    steps: int
    count: int
    decay: float

    @property
    def periods(self) -> float:
        """Periods of the line once round the ring."""
        return self.count / self.steps

    @property
    def forgotten(self) -> float:
        """What is left of a wave after once round the ring."""
        return float(np.exp(-self.decay * self.periods))

    @property
    def theta(self) -> Complexes:
        """Angles (angle,)."""
        return 2.0 * np.pi * (np.arange(self.count) + 0.25) / self.count - 1j * self.decay / self.steps

    def series(self, values: Complexes, steps: NDArray[np.int64], sign: int) -> Complexes:
        """Mean over the ring of values (angle, ...) times exp(sign i theta step), (step, ...); values are lost."""
        count = len(values)
        norm = "backward" if sign > 0 else "forward"
        whole = (ifft if sign > 0 else fft)(values, axis=0, norm=norm, overwrite_x=True)
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
        every = self.contact, self.height, self.elongation, self.dropper
        return np.array([max(-part.min(), part.max()) for part in every])  # without a copy: they may be of gigabytes


class Sums:
    """Sums over angles for all steps of the contact, and a ring's images for some of a bay's.

    Attributes
    ----------
    total : Integrals
        Real parts of the sums.
    images : Integrals
        Their imaginary parts, at every eighth step of a bay; heights by contact forces at all steps of these.
    """

    def __init__(self, cell: CondensedCell, records: Records) -> None:
        self.cell, self.records = cell, records
        self.rows = [bay.steps for bay in cell.contact]
        self.seldom = np.sort(np.concatenate([bay.steps[THINNED] for bay in cell.contact]))
        self.some = [np.searchsorted(self.seldom, bay.steps[THINNED]) for bay in cell.contact]
        self.total, self.images = (_zero(cell, rows, records) for rows in (cell.steps, len(self.seldom)))
        self.contact = ContactSums(cell, self.total.contact, (self.images.contact, self.some))

    def add(self, angles: Angles) -> None:
        """Add single angles to all sums."""
        theta, records, split = angles.theta, self.records, slice(-self.cell.droppers, None)
        contact = slice(0, -self.cell.droppers)
        self.contact.add(angles)
        behind, ahead, lags = _wave(theta, -records.steps), _wave(theta, records.steps), _wave(theta, records.lags)
        X = angles.answers * angles.weight[:, None, None]
        first = records.turn(theta)
        X[:, split] *= first[:, :, None]
        X[:, :, split] /= first[:, None]

        def one(bay: ContactBay, rows: Ints, _: Ints) -> None:
            left, right = turned(self.cell, bay, theta)
            height = left @ X[:, contact, split][:, bay.loads]
            self.total.height[rows] += _real_product(height, behind)
            stretch = X[:, split, contact][:, :, bay.loads] @ right
            self.total.elongation[:, :, rows] += _real_product(stretch, ahead).transpose(0, 2, 1)

        self._each(one)
        self.total.dropper += _real_product(X[:, split, split], lags)

    def add_ring(self, ring: Ring, height: Complexes, stretch: Complexes, dropper: Complexes) -> None:
        """Add a ring's answers of contact to droppers (angle, load, dropper), back, between droppers; they turn."""
        theta, steps, first = ring.theta, self.records.steps, self.records.turn(ring.theta)
        height /= first[:, None]
        stretch *= first[:, :, None]
        dropper *= first[:, :, None] / first[:, None]

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

    def add_poles(self, poles: Poles, weight: Complexes, in_images: Complexes) -> None:
        """Add poles to all sums by weights (pole,), and to the images by weights of their own."""
        theta, records, contact = poles.theta, self.records, slice(0, -self.cell.droppers)
        first = records.turn(theta)
        rise, cause = poles.rise[:, -self.cell.droppers :] * first, poles.cause[:, -self.cell.droppers :] / first
        up, down = np.empty((2, len(theta), self.cell.steps), np.complex128)

        def seen(bay: ContactBay, rows: Ints, _: Ints) -> None:
            left, right = turned(self.cell, bay, theta)
            up[:, rows] = np.einsum("pne,pe->pn", left, poles.rise[:, contact][:, bay.loads])
            down[:, rows] = np.einsum("pen,pe->pn", right, poles.cause[:, contact][:, bay.loads])

        self._each(seen)
        behind, ahead, lags = (_wave(theta, steps) for steps in (-records.steps, records.steps, records.lags))
        lags = _second(lags)
        whole_down = _second(down)
        for out, share, some in ((self.total, weight, slice(None)), (self.images, in_images, self.seldom)):
            seen_up, seen_down = _first(up[:, some] * share[:, None]), _second(down[:, some])
            out.contact += seen_up.T @ whole_down
            part = partial(_add_dropper, out, (seen_up, seen_down), (behind, ahead, lags))
            with ThreadPoolExecutor(THREADS) as pool:
                list(pool.map(part, range(self.cell.droppers), (rise * share[:, None]).T, cause.T, repeat(cause)))

    def _each(self, task: Callable[[ContactBay, Ints, Ints], None]) -> None:
        """Do a task for every bay, on two threads; the rows that it writes are the bay's own."""
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(task, self.cell.contact, self.rows, self.some))


def _zero(cell: CondensedCell, steps: int, records: Records) -> Integrals:
    """Sums before any angle is added, at so many steps of the contact; of its forces all count on its own heights."""
    droppers, record = cell.droppers, len(records.steps)
    return Integrals(
        np.zeros((steps, cell.steps)),
        np.zeros((steps, droppers, record)),
        np.zeros((droppers, record, steps)),
        np.zeros((droppers, droppers, len(records.lags))),
    )


def _add_dropper(
    out: Integrals, seen: tuple[Floats, Floats], waves: tuple[Complexes, Complexes, Floats], d: int, *own: Complexes
) -> None:
    """Add poles to the sums of one dropper: its rise and cause (pole,), and all droppers' causes (pole, dropper)."""
    (up, down), (behind, ahead, lags), (rise, cause, causes) = seen, waves, own
    out.height[:, d] += up.T @ _second(behind * cause[:, None])
    out.elongation[d] += _first(ahead * rise[:, None]).T @ down
    out.dropper[d] += _first(causes * rise[:, None]).T @ lags


def _wave(theta: Complexes, steps: Ints) -> Complexes:
    """exp(i theta step), (angle, step)."""
    return np.exp(1j * np.multiply.outer(theta, steps))


def _first(x: Complexes) -> Floats:
    """First factor of the real part of a sum of products over the first index."""
    return np.concatenate([x.real, -x.imag]).astype(np.float64, copy=False)


def _second(x: Complexes) -> Floats:
    """Second factor of the same."""
    return np.concatenate([x.real, x.imag]).astype(np.float64, copy=False)


def _real_product(values: Complexes, wave: Complexes) -> Floats:
    """Real part of the sum over angles of values (angle, ...) times wave (angle, step), (..., step)."""
    found = _first(values.reshape(len(wave), -1)).T @ _second(wave)
    return found.reshape(*values.shape[1:], -1)

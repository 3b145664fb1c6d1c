r"""Multipliers of the equations that contact force and slack droppers solve, on one grid of samples.

    M f + z0 + G s = 0 but for the mean,      F + k (C f + K s) + s = 0 where a dropper was found slack.

Multipliers l (harmonic) of the first and m / k (sample, dropper) of the second answer to what a figure's value changes
by with f and s:

    M^T l = -(df + C^T m),      G^T l + K^T m + m / k = -ds at slack samples.

What was slack on coarser samples, and is kept far from the pantograph, has equations of its own: they answer to
what the finer ones' sum changes by with it.

Legend: t sample, d dropper; C, G, K, M as in `dynamics.line_operator.slack`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.adjoint.by_operator.dropper_tables import DropperTables, parted
from dynamics.line_operator.answers import Contour
from dynamics.line_operator.contact import both_halves
from dynamics.line_operator.local_time import LocalTime, waves_at
from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.state import OperatorState, SlackForces
from dynamics.linear_algebra.refined_lu import RefinedFactors

__all__ = ["Cause", "Stage", "StageMultipliers", "stages_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]


@dataclass(frozen=True)
class Cause:
    """What a figure changes by: with harmonics of the forces (contact,), with squeezes (sample, dropper)."""

    force: Complexes
    squeeze: Floats


@dataclass(frozen=True)
class StageMultipliers:
    """Multipliers l (contact,) and m (sample, dropper)."""

    contact: Complexes
    dropper: Floats


class Stage:
    """Equations on one grid of samples, linear in what was found.

    Parameters
    ----------
    state : OperatorState
    slack : SlackForces
        What was found on these samples.
    tables : DropperTables
        Shared by all stages.

    Attributes
    ----------
    time : LocalTime
    basis : complex array (omega,)
        Fourier transform of the squeeze of one sample [s].
    rows : int array (row,)
        Samples at which a dropper is squeezed.
    t, d : int array (slack,)
        Samples and droppers whose equations were solved.
    """

    def __init__(self, state: OperatorState, slack: SlackForces, tables: DropperTables) -> None:
        self.state, self.slack, self._tables, self.phases = state, slack, tables, tables.phases
        self.time = LocalTime(state.contour, slack.samples, state.answers)
        self.basis = self.time.cubic if slack.smooth else self.time.hat
        self.rows = np.flatnonzero(slack.squeeze.any(axis=1))
        self.t, self.d = np.nonzero((slack.squeeze > 0.0) & slack.sought)
        self.stiffness = state.network.points.dropper
        self._droppers = np.flatnonzero(slack.squeeze.any(axis=0))

    @cached_property
    def waves(self) -> Complexes:
        """exp(i omega t) at samples with squeezes (row, omega)."""
        return waves_at(self.state.contour, self.time.time[self.rows], self.time.poles)

    @cached_property
    def _opposed(self) -> Complexes:
        """exp(-i omega t) there (row, omega)."""
        return 1.0 / self.waves

    @cached_property
    def _tails(self) -> Floats:
        """What droppers answer to themselves beyond the contour's end, as `isolated_slopes` (4, lag, dropper)."""
        values = self._tables.far[:, :, self._droppers]
        found = self.time.beyond(np.moveaxis(values, 0, 1).reshape(values.shape[1], -1))
        return np.moveaxis(found.reshape(len(found), 4, -1), 1, 0)

    def by_force(self, weights: Complexes) -> Complexes:
        """Sums over stations, weighted (omega, station), of the field of every harmonic (contact,)."""
        a = self.state.answers
        half = ((weights * (a.weight / self.state.contour.speed)[:, None]) @ self.phases * a.wave).sum(axis=0)
        return both_halves(half, self.state.contour.pantographs)

    def onto_rows(self, values: Complexes) -> Floats:
        """Sums over frequencies of values (omega, dropper) times a sample's spectrum, at samples with squeezes."""
        a = self.state.answers
        return 2.0 * (self._opposed @ (values * (self.basis * a.weight)[:, None])).real

    def spectra(self, m: Floats) -> Complexes:
        """Sums over samples with squeezes of m (sample, dropper) times exp(i omega t) (omega, dropper)."""
        return self.waves.T @ m[self.rows]

    def by_squeezes(self, contact: Complexes | Floats) -> Floats:
        """Sums over harmonics, weighted (contact,), of the wire's rise by squeezes (row, dropper) [m/N]."""
        a = self.state.answers
        tested = (a.seen * contact) @ (self.phases.conj().T / self.state.network.period)
        return self.onto_rows(np.einsum("ns,nsd->nd", tested, a.by_squeeze))

    def multipliers(self, cause: Cause) -> StageMultipliers:
        """Multipliers that answer to what a figure changes by."""
        contact = self.state.contact
        varying, inverse = contact.varying, contact.inverse
        m, by_force = np.zeros_like(cause.squeeze), cause.force
        if len(self.t):
            C, lifted, factors = self._equations
            right = cause.squeeze[self.t, self.d] - (cause.force[varying] @ lifted).real
            m[self.t, self.d] = -self.stiffness[self.d] * factors.solve(right)
            by_force = by_force + m[self.t, self.d] @ C
        contact_ = np.zeros_like(cause.force)
        contact_[varying] = -by_force[varying] @ inverse
        return StageMultipliers(contact_, m)

    @cached_property
    def _equations(self) -> tuple[Complexes, Complexes, RefinedFactors]:
        """C of the slack samples, M^-1 G^T, and factors of the equations of m, formed once for all figures."""
        contact, k = self.state.contact, self.stiffness[self.d]
        C, G = self._harmonics()
        lifted = contact.inverse.astype(np.complex64) @ G[:, contact.varying].T
        A = k[:, None] * (self._kernels() - _real_product(C[:, contact.varying], lifted))
        A[np.arange(len(k)), np.arange(len(k))] += 1.0
        return C, lifted, RefinedFactors(A.T)

    def _harmonics(self) -> tuple[Complexes, Complexes]:
        """C and G of the slack samples (slack, contact)."""
        P, K = self.state.contour.pantographs, self.state.contour.harmonics
        C, G = np.empty((2, len(self.t), P * (K + 1)), np.complex64)
        waves, opposed = parted(self.waves), parted(self._opposed * self.basis)
        row = np.searchsorted(self.rows, self.t)
        for one in np.unique(self.d):
            at = np.flatnonzero(self.d == one)
            C[at] = (waves[row[at]] @ self._tables.by_force[one]).view(np.complex64)
            G[at] = (opposed[row[at]] @ self._tables.by_squeeze[one]).view(np.complex64)
        above = np.arange(P * (K + 1)).reshape(P, -1)
        below = above[:, :0:-1]

        def whole(half: Complexes) -> Complexes:
            return np.concatenate([half[:, below].conj(), half[:, above]], axis=2).reshape(len(half), -1)

        return whole(C), whole(G)

    def _kernels(self) -> Floats:
        """K among slack samples (slack, slack) [m/N]."""
        a, time, among = self.state.answers, self.time, np.unique(self.d)
        values = a.by_droppers[:, among[:, None], among] * (a.weight * self.basis)[:, None, None]
        most, at = int(np.ptp(self.t)), np.arange(len(among))
        flat = values.reshape(len(values), -1).astype(np.complex64)
        kernels = 2.0 * time.running(flat, np.arange(-most, most + 1)).real.astype(np.float64)
        kernels, middle = kernels.reshape(-1, len(among), len(among)), len(time.lags) // 2
        tails = self._tails[0, middle - most : middle + most + 1]
        kernels[:, at, at] += tails[:, np.searchsorted(self._droppers, among)]
        place = np.searchsorted(among, self.d)
        return kernels[most + self.t[:, None] - self.t, place[:, None], place]

    def _by_taken(self, cause: Cause, found: StageMultipliers) -> tuple[Ints, Ints, Floats]:
        """Samples and droppers whose squeeze is that of coarser ones; what the figure changes by with it (taken,)."""
        t, d = np.nonzero((self.slack.squeeze > 0.0) & ~self.slack.sought)
        stretched = np.einsum("nd,nde->ne", self.spectra(found.dropper), self.state.answers.by_droppers)
        by_rows = self.by_squeezes(found.contact) + self.onto_rows(stretched)
        out = cause.squeeze[t, d] + by_rows[np.searchsorted(self.rows, t), d]
        for k, one in enumerate(self._droppers):
            at, source = np.flatnonzero(d == one), np.flatnonzero(found.dropper[:, one])
            lag = source[:, None] - t[at] + self._tails.shape[1] // 2
            out[at] += found.dropper[source, one] @ self._tails[0, lag, k]
        return t, d, out

    def cause_of_coarse(self, coarse: Stage, cause: Cause, found: StageMultipliers) -> Cause:
        """What the figure changes by with squeezes on coarser samples, from which those far away are interpolated."""
        t, d, by = self._by_taken(cause, found)
        squeeze = np.zeros(coarse.slack.squeeze.shape)
        place = self.time.sample[t] * self.time.step / self.time.contour.T + self.time.contour.before
        place = np.clip(place * coarse.slack.samples, 0.0, len(squeeze) - 1.0)
        low = np.minimum(place.astype(np.int64), len(squeeze) - 2)
        share = place - low
        np.add.at(squeeze, (low, d), (1.0 - share) * by)
        np.add.at(squeeze, (low + 1, d), share * by)
        return Cause(np.zeros_like(cause.force), squeeze)

    def _lagged(self, found: StageMultipliers) -> Floats:
        """Products of multipliers with squeezes of the same dropper, by the samples between them (lag, dropper)."""
        from scipy.signal import fftconvolve  # slow to load, and few processes differentiate

        some = self._droppers
        return np.asarray(fftconvolve(found.dropper[:, some], self.slack.squeeze[::-1, some], axes=0))

    def beyond(self, line: tuple[LineNetwork, Contour], found: StageMultipliers) -> float:
        """What droppers of a line answer to their own squeezes beyond the contour's end, times multipliers."""
        network, contour = line
        time = LocalTime(contour, self.slack.samples, self.state.answers)
        return float((self._lagged(found) * time.tails(network, self._droppers)).sum()) if len(self._droppers) else 0.0

    def beyond_slopes(self, found: StageMultipliers) -> Floats:
        """Derivatives of that by a dropper's stiffness and by the masses at its lower and upper end (3, dropper)."""
        out = np.zeros((3, len(self.stiffness)))
        if len(self._droppers):
            out[:, self._droppers] = np.einsum("ld,kld->kd", self._lagged(found), self._tails[1:])
        return out


def _real_product(first: Complexes, second: Complexes) -> Floats:
    """Real part of a product of matrices."""
    return np.hstack([first.real, -first.imag]) @ np.vstack([second.real, second.imag])


def stages_of(state: OperatorState) -> tuple[Stage, ...]:
    """Equations that were solved: on fine samples, then on the coarser ones before."""
    slack, tables = state.slack, DropperTables(state)
    return tuple(Stage(state, each, tables) for each in (slack, slack.coarse) if each is not None)

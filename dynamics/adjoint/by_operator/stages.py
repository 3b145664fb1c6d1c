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

from dynamics.line_operator.contact import station_phases
from dynamics.line_operator.local_time import BEFORE, LocalTime
from dynamics.line_operator.slack import SlackForces
from dynamics.line_operator.state import OperatorState
from dynamics.linear_algebra.refined_lu import RefinedFactors

__all__ = ["Cause", "Stage", "StageMultipliers", "stages_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]


@dataclass(frozen=True)
class Cause:
    """What a figure changes by: with harmonics of the force (harmonic,), with squeezes (sample, dropper)."""

    force: Complexes
    squeeze: Floats


@dataclass(frozen=True)
class StageMultipliers:
    """Multipliers l (harmonic,) and m (sample, dropper)."""

    contact: Complexes
    dropper: Floats


class Stage:
    """Equations on one grid of samples, linear in what was found.

    Parameters
    ----------
    state : OperatorState
    slack : SlackForces
        What was found on these samples.

    Attributes
    ----------
    time : LocalTime
    basis : complex array (omega,)
        Fourier transform of the squeeze of one sample [s].
    t, d : int array (slack,)
        Samples and droppers whose equations were solved.
    """

    def __init__(self, state: OperatorState, slack: SlackForces) -> None:
        self.state, self.slack = state, slack
        self.time = LocalTime(state.contour, slack.samples, state.answers)
        self.basis = self.time.cubic if slack.smooth else self.time.hat
        self.t, self.d = np.nonzero((slack.squeeze > 0.0) & slack.sought)
        self.phases = station_phases(state.network, state.contour)
        self.stiffness = state.network.points.dropper
        self._droppers = np.flatnonzero(slack.squeeze.any(axis=0))
        self._tails = self.time.tails(state.network, self._droppers)

    def by_force(self, weights: Complexes) -> Complexes:
        """Sums over stations, weighted (omega, station), of the field of every harmonic (harmonic,)."""
        a = self.state.answers
        half = ((weights * (a.weight / self.state.contour.speed)[:, None]) @ self.phases * a.wave).sum(axis=0)
        return half + half[::-1].conj()

    def _onto_samples(self, values: Complexes, t: Ints, d: Ints) -> Floats:
        """Sums over frequencies of values (omega, dropper) times exp(-i omega t) at samples (sample,)."""
        a, out = self.state.answers, np.empty(len(t))
        weighted = values * (self.basis * a.weight)[:, None]
        for one in np.unique(d):
            at = np.flatnonzero(d == one)
            out[at] = 2.0 * (self.time.opposed[t[at]] @ weighted[:, one]).real
        return out

    def spectra(self, m: Floats) -> Complexes:
        """Sums over samples of m (sample, dropper) times exp(i omega t) (omega, dropper)."""
        at = np.flatnonzero(m.any(axis=1))
        return self.time.waves[at].T @ m[at]

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
        """C and G of the slack samples (slack, harmonic)."""
        a, v = self.state.answers, self.state.contour.speed
        field = a.wave * (a.weight / v)[:, None]
        rise = a.wave * (a.weight * self.basis / self.state.network.period)[:, None]
        C, G = np.empty((2, len(self.t), a.wave.shape[1]), np.complex64)
        waves, opposed = (w[np.unique(self.t)].astype(np.complex64) for w in (self.time.waves, self.time.opposed))
        row = np.searchsorted(np.unique(self.t), self.t)
        for one in np.unique(self.d):
            at = np.flatnonzero(self.d == one)
            C[at] = waves[row[at]] @ ((a.stretch[:, one] @ self.phases) * field).astype(np.complex64)
            G[at] = opposed[row[at]] @ ((a.by_squeeze[:, :, one] @ self.phases.conj()) * rise).astype(np.complex64)
        return C + C[:, ::-1].conj(), G + G[:, ::-1].conj()

    def _kernels(self) -> Floats:
        """K among slack samples (slack, slack) [m/N]."""
        a, time, among = self.state.answers, self.time, np.unique(self.d)
        values = a.by_droppers[:, among[:, None], among] * (a.weight * self.basis)[:, None, None]
        kernels, at = time.series(values, time.lags), np.arange(len(among))
        kernels[:, at, at] += self._tails[:, np.searchsorted(self._droppers, among)]
        place, middle = np.searchsorted(among, self.d), len(time.lags) // 2
        return kernels[middle + self.t[:, None] - self.t, place[:, None], place]

    def _by_taken(self, cause: Cause, found: StageMultipliers) -> tuple[Ints, Ints, Floats]:
        """Samples and droppers whose squeeze is that of coarser ones; what the figure changes by with it (taken,)."""
        t, d = np.nonzero((self.slack.squeeze > 0.0) & ~self.slack.sought)
        a = self.state.answers
        tested = (a.wave * found.contact) @ (self.phases.conj().T / self.state.network.period)
        values = np.einsum("ns,nsd->nd", tested, a.by_squeeze)
        values = values + np.einsum("nd,nde->ne", self.spectra(found.dropper), a.by_droppers)
        out = cause.squeeze[t, d] + self._onto_samples(values, t, d)
        for k, one in enumerate(self._droppers):
            at, source = np.flatnonzero(d == one), np.flatnonzero(found.dropper[:, one])
            lag = source[:, None] - t[at] + len(self._tails) // 2
            out[at] += found.dropper[source, one] @ self._tails[lag, k]
        return t, d, out

    def cause_of_coarse(self, coarse: Stage, cause: Cause, found: StageMultipliers) -> Cause:
        """What the figure changes by with squeezes on coarser samples, from which those far away are interpolated."""
        t, d, by = self._by_taken(cause, found)
        squeeze = np.zeros(coarse.slack.squeeze.shape)
        place = self.time.sample[t] * self.time.step / self.state.contour.T + BEFORE
        place = np.clip(place * coarse.slack.samples, 0.0, len(squeeze) - 1.0)
        low = np.minimum(place.astype(np.int64), len(squeeze) - 2)
        share = place - low
        np.add.at(squeeze, (low, d), (1.0 - share) * by)
        np.add.at(squeeze, (low + 1, d), share * by)
        return Cause(np.zeros_like(cause.force), squeeze)


def _real_product(first: Complexes, second: Complexes) -> Floats:
    """Real part of a product of matrices."""
    return np.hstack([first.real, -first.imag]) @ np.vstack([second.real, second.imag])


def stages_of(state: OperatorState) -> tuple[Stage, ...]:
    """Equations that were solved: on fine samples, then on the coarser ones before."""
    slack = state.slack
    return tuple(Stage(state, each) for each in (slack, slack.coarse) if each is not None)

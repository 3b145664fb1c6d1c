r"""Multipliers of the equations that contact force and slack droppers solve, on one grid of samples.

    M f + z0 + G s = 0 but for the mean,      F + k (C f + K s) + s = 0 where a dropper was found slack.

Multipliers l (harmonic) of the first and m / k (sample, dropper) of the second answer to what a figure's value changes
by with f and s:

    M^T l = -(df + C^T m),      G^T l + K^T m + m / k = -ds at slack samples.

What was slack on coarser samples, and is taken over far from the pantograph, has equations of its own: they answer to
what the finer ones' sum changes by with it.

Legend: a figure, h harmonic, t sample, d dropper; C, G, K, M as in `dynamics.line_operator.slack`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.contact import station_phases
from dynamics.line_operator.local_time import BEFORE, LocalTime
from dynamics.line_operator.slack import SlackForces
from dynamics.line_operator.state import OperatorState

__all__ = ["Cause", "Stage", "StageMultipliers", "stages_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]


@dataclass(frozen=True)
class Cause:
    """What figures change by: with harmonics of the force (figure, harmonic), with squeezes (figure, sample, dropper)."""

    force: Complexes
    squeeze: Floats


@dataclass(frozen=True)
class StageMultipliers:
    """Multipliers l (figure, harmonic) and m (figure, sample, dropper)."""

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
        """Sums over stations, weighted (figure, omega, station), of the field of every harmonic (figure, harmonic)."""
        a = self.state.answers
        field = a.wave * (a.weight / self.state.contour.speed)[:, None]
        half = np.einsum("ans,sh,nh->ah", weights, self.phases, field, optimize=True)
        return half + half[:, ::-1].conj()

    def _onto_samples(self, values: Complexes, t: Ints, d: Ints) -> Floats:
        """Sums over frequencies of values (figure, omega, dropper) times exp(-i omega t) at samples (figure, sample)."""
        a, out = self.state.answers, np.empty((len(values), len(t)))
        weighted = values * (self.basis * a.weight)[:, None]
        for one in np.unique(d):
            at = np.flatnonzero(d == one)
            out[:, at] = 2.0 * (self.time.opposed[t[at]] @ weighted[:, :, one].T).real.T
        return out

    def spectra(self, m: Floats) -> Complexes:
        """Sums over samples of m (figure, sample, dropper) times exp(i omega t) (figure, omega, dropper)."""
        at = np.flatnonzero(m.any(axis=(0, 2)))
        return np.einsum("tn,atd->and", self.time.waves[at], m[:, at], optimize=True)

    def tested(self, contact: Complexes) -> Complexes:
        """Multipliers of the stations' forces (figure, omega, station)."""
        wave = self.state.answers.wave
        return np.einsum("ah,nh,sh->ans", contact, wave, self.phases.conj(), optimize=True) / self.state.network.period

    def multipliers(self, cause: Cause) -> StageMultipliers:
        """Multipliers that answer to what figures change by."""
        contact = self.state.contact
        varying, inverse, shape = contact.varying, contact.inverse, cause.squeeze.shape
        m = np.zeros(shape)
        if len(self.t):
            C, G = self._harmonics()
            k = self.stiffness[self.d]
            through = C[:, varying] @ inverse
            A = k[:, None] * (self._kernels() - (through @ G[:, varying].T).real)
            A[np.arange(len(k)), np.arange(len(k))] += 1.0
            lifted = ((cause.force[:, varying] @ inverse) @ G[:, varying].T).real
            right = cause.squeeze[:, self.t, self.d] - lifted
            m[:, self.t, self.d] = -k * np.linalg.solve(A.T, right.T).T
            cause_force = cause.force + m[:, self.t, self.d] @ C
        else:
            cause_force = cause.force
        l = np.zeros_like(cause.force)
        l[:, varying] = -cause_force[:, varying] @ inverse
        return StageMultipliers(l, m)

    def _harmonics(self) -> tuple[Complexes, Complexes]:
        """C and G of the slack samples (slack, harmonic)."""
        a, v = self.state.answers, self.state.contour.speed
        field = a.wave * (a.weight / v)[:, None]
        rise = a.wave * (a.weight * self.basis / self.state.network.period)[:, None]
        C, G = np.empty((2, len(self.t), a.wave.shape[1]), np.complex128)
        for one in np.unique(self.d):
            at = self.d == one
            C[at] = self.time.waves[self.t[at]] @ ((a.stretch[:, one] @ self.phases) * field)
            G[at] = self.time.opposed[self.t[at]] @ ((a.by_squeeze[:, :, one] @ self.phases.conj()) * rise)
        return C + C[:, ::-1].conj(), G + G[:, ::-1].conj()

    def _kernels(self) -> Floats:
        """K among slack samples (slack, slack) [m/N]."""
        a, time, among = self.state.answers, self.time, np.unique(self.d)
        values = a.by_droppers[:, among[:, None], among] * (a.weight * self.basis)[:, None, None]
        kernels, at = time.series(values, time.lags), np.arange(len(among))
        kernels[:, at, at] += self._tails[:, np.searchsorted(self._droppers, among)]
        place, middle = np.searchsorted(among, self.d), len(time.lags) // 2
        return kernels[middle + self.t[:, None] - self.t, place[:, None], place]

    def by_taken(self, cause: Cause, found: StageMultipliers) -> tuple[Ints, Ints, Floats]:
        """Samples and droppers whose squeeze was taken over, and what figures change by with it (figure, taken)."""
        t, d = np.nonzero((self.slack.squeeze > 0.0) & ~self.slack.sought)
        a = self.state.answers
        values = np.einsum("ans,nsd->and", self.tested(found.contact), a.by_squeeze, optimize=True)
        values = values + np.einsum("and,nde->ane", self.spectra(found.dropper), a.by_droppers, optimize=True)
        out = cause.squeeze[:, t, d] + self._onto_samples(values, t, d)
        for k, one in enumerate(self._droppers):
            at = np.flatnonzero(d == one)
            source = np.flatnonzero(found.dropper[:, :, one].any(axis=0))
            lag = source[:, None] - t[at] + len(self._tails) // 2
            out[:, at] += found.dropper[:, source, one] @ self._tails[lag, k]
        return t, d, out

    def cause_of_coarse(self, coarse: Stage, cause: Cause, found: StageMultipliers) -> Cause:
        """What figures change by with squeezes on the coarser samples, from which those far away are interpolated."""
        t, d, by = self.by_taken(cause, found)
        squeeze = np.zeros((len(by), *coarse.slack.squeeze.shape))
        place = self.time.sample[t] * self.time.step / self.state.contour.T + BEFORE
        place = np.clip(place * coarse.slack.samples, 0.0, squeeze.shape[1] - 1.0)
        low = np.minimum(place.astype(np.int64), squeeze.shape[1] - 2)
        share = place - low
        for at, weight in ((low, 1.0 - share), (low + 1, share)):
            for one, values in zip(squeeze, by, strict=True):
                np.add.at(one, (at, d), weight * values)
        return Cause(np.zeros_like(cause.force), squeeze)


def stages_of(state: OperatorState) -> tuple[Stage, ...]:
    """Equations that were solved: on fine samples, then on the coarser ones before."""
    slack = state.slack
    return tuple(Stage(state, each) for each in (slack, slack.coarse) if each is not None)

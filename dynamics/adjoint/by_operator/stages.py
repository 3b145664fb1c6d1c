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

from catenary.kernels.compiled import kernel
from dynamics.adjoint.by_operator.dropper_tables import DropperTables, parted
from dynamics.line_operator.answers import Contour
from dynamics.line_operator.contact import both_halves
from dynamics.line_operator.coupling import answering
from dynamics.line_operator.local_time import LocalTime, waves_at
from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.state import OperatorState, SlackForces
from dynamics.linear_algebra.refined_lu import RefinedFactors

__all__ = ["Cause", "Stage", "StageMultipliers", "stages_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Singles = NDArray[np.float32]
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
        Samples and droppers whose equations were solved, one dropper's behind another's.
    """

    def __init__(self, state: OperatorState, slack: SlackForces, tables: DropperTables) -> None:
        self.state, self.slack, self._tables, self.phases = state, slack, tables, tables.phases
        self.time = LocalTime(state.contour, slack.samples, state.answers)
        self.basis = self.time.cubic if slack.smooth else self.time.hat
        self.rows = np.flatnonzero(slack.squeeze.any(axis=1))
        self.d, self.t = np.nonzero(((slack.squeeze > 0.0) & slack.sought).T)
        self.stiffness = state.network.points.dropper
        self._droppers = np.flatnonzero(slack.squeeze.any(axis=0))

    @cached_property
    def waves(self) -> Complexes:
        """exp(i omega t) at samples with squeezes (row, omega)."""
        return self._waves(False)

    @cached_property
    def _opposed(self) -> Complexes:
        """exp(-i omega t) there (row, omega)."""
        return self._waves(True)

    def _waves(self, opposed: bool) -> Complexes:
        return waves_at(self.state.contour, self.time.step, self.time.sample[self.rows], self.time.poles, opposed)

    @cached_property
    def _tails(self) -> Floats:
        """What droppers answer to themselves beyond the contour's end, as `isolated_slopes` (6, lag, dropper)."""
        values = self._tables.far[:, :, self._droppers]
        found = self.time.beyond(np.moveaxis(values, 0, 1).reshape(values.shape[1], -1))
        return np.moveaxis(found.reshape(len(found), len(values), -1), 1, 0)

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
        contact, P = self.state.contact, self.state.contour.pantographs
        varying, inverse = contact.varying, contact.inverse
        m, by_force = np.zeros_like(cause.squeeze), cause.force
        if len(self.t):
            by_harmonics, taken, factors = self._equations
            ahead = np.ascontiguousarray(cause.force[varying][contact.above]).view(np.float64)
            right = cause.squeeze[self.t, self.d] - taken @ ahead
            found = -self.stiffness[self.d] * factors.solve(right)
            m[self.t, self.d] = found
            by_force = by_force + _with_images((found @ by_harmonics).view(np.complex128), P)
        contact_ = np.zeros_like(cause.force)
        contact_[varying] = -by_force[varying] @ inverse
        return StageMultipliers(contact_, m)

    @cached_property
    def _equations(self) -> tuple[Floats, Singles, RefinedFactors]:
        """C of the slack samples, M^-1 G^T, and factors of the equations of m, formed once for all figures.

        C by harmonics 0 to K of every pantograph, M^-1 G^T by those above 0, real and imaginary parts side by side
        (slack, harmonic and part); of M^-1 G^T as `ContactCoupling.taken`.
        """
        C, G = self._harmonics()
        above = np.tile(np.arange(2 * self.state.contour.harmonics + 2) > 1, self.state.contour.pantographs)
        taken = G[:, above] @ answering(self.state.contact)
        kernels, place = self._kernels()
        A = _equations_of(kernels, taken @ C[:, above].T, (self.t, place), self.stiffness[self.d])
        return C.astype(np.float64), taken, RefinedFactors(A)

    def _harmonics(self) -> tuple[Singles, Singles]:
        """C and G of the slack samples, real and imaginary part of harmonics 0 to K (slack, contact and part)."""
        P, K = self.state.contour.pantographs, self.state.contour.harmonics
        C, G = np.empty((2, len(self.t), P * (2 * K + 2)), np.float32)
        waves, opposed = parted(self.waves), parted(self._opposed * self.basis)
        row = np.searchsorted(self.rows, self.t)
        for one in np.unique(self.d):
            at = np.flatnonzero(self.d == one)  # one behind another
            own = slice(at[0], at[-1] + 1)
            np.matmul(waves[row[own]], self._tables.by_force[one], out=C[own])
            np.matmul(opposed[row[own]], self._tables.by_squeeze[one], out=G[own])
        return C, G

    def _kernels(self) -> tuple[Floats, Ints]:
        """K by the samples between (squeezed dropper, dropper, lag) [m/N], and place there of every slack sample."""
        a, time, among = self.state.answers, self.time, np.unique(self.d)
        values = a.by_droppers[:, among[:, None], among] * (a.weight * self.basis)[:, None, None]
        most, at = int(np.ptp(self.t)), np.arange(len(among))
        flat = values.reshape(len(values), -1).astype(np.complex64)
        kernels = 2.0 * time.running(flat, np.arange(-most, most + 1)).real.astype(np.float64)
        kernels, middle = kernels.reshape(-1, len(among), len(among)), len(time.lags) // 2
        tails = self._tails[0, middle - most : middle + most + 1]
        kernels[:, at, at] += tails[:, np.searchsorted(self._droppers, among)]
        return np.ascontiguousarray(kernels.transpose(2, 1, 0)), np.searchsorted(among, self.d)

    def _by_taken(self, cause: Cause, found: StageMultipliers) -> tuple[Ints, Ints, Floats]:
        """Samples and droppers whose squeeze is that of coarser ones; what the figure changes by with it (taken,)."""
        t, d = np.nonzero(self.slack.kept)
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
        """Derivatives of that by a dropper's stiffness, and by mass and drag at its ends (5, dropper)."""
        out = np.zeros((5, len(self.stiffness)))
        if len(self._droppers):
            out[:, self._droppers] = np.einsum("ld,kld->kd", self._lagged(found), self._tails[1:])
        return out


@kernel(error_model="numpy", nogil=True, fastmath={"contract", "nsz"})
def _equations_of(kernels: Floats, through: Singles, slack: tuple[Ints, Ints], stiffness: Floats) -> Floats:
    """Equations of m (squeezed, slack): 1 + k (K less what comes ``through`` the contact).

    ``kernels`` (squeezed dropper, dropper, lag) by ``slack``, samples and places of droppers, one dropper's behind
    another's.
    """
    (t, place), n, middle = slack, stiffness.size, kernels.shape[2] // 2
    out = np.empty((n, n))
    for j in range(n):
        row, taken = out[j], through[j]
        for i in range(n):
            row[i] = stiffness[i] * (kernels[place[j], place[i], middle + t[i] - t[j]] - taken[i])
        row[j] += 1.0
    return out


def _with_images(half: Complexes, pantographs: int) -> Complexes:
    """Harmonics -K to K of every pantograph by those of 0 to K (contact,), to whose images they are conjugate."""
    each = half.reshape(pantographs, -1)
    return np.concatenate([each[:, :0:-1].conj(), each], axis=1).ravel()


def stages_of(state: OperatorState) -> tuple[Stage, ...]:
    """Equations that were solved: on fine samples, then on the coarser ones before, where slack of these was kept."""
    slack, tables = state.slack, DropperTables(state)
    kept = [slack] if slack.coarse is None or not slack.kept.any() else [slack, slack.coarse]
    return tuple(Stage(state, each, tables) for each in kept)

r"""Droppers that slacken: a complementarity in their own time.

Time is that of a dropper's own span, 0 as the pantograph passes the span's first support. With s_d(t) >= 0 the force
that squeezes a slack dropper, so that it carries nothing, its tension is

    S_d(t) = F_d + k_d [e_d(t) by the contact force + sum_d' int K_dd'(t - t') s_d'(t') dt'] + s_d(t) >= 0,   S s = 0.

s is piecewise linear between samples (hat functions); its harmonics move the contact, which is eliminated. Hats leave
an error of second order in the samples, so that on fine ones the tension is looked at with cubics in place of hats, and
what it differs by is put into the linear equations: each time the difference falls to a fifth. (Solved for directly,
the cubics' equations chatter at the ends of slack.) What happens on the contour's ring comes by FFT, poles one by one;
a dropper's answer to itself beyond the contour's end is that of a dropper between two endless wires. Candidates are
samples that may be slack; tension is looked at everywhere, and where it is negative they become more.

Legend: t, u samples of dropper d's, e's own time; k harmonic; C stretches by harmonics of the force, G rises of the
contact by squeezes; linear + x A the tension.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve

from dynamics.line_operator.answers import Answers, Contour
from dynamics.line_operator.complementarity import assembled, sweep
from dynamics.line_operator.contact import ContactSystem, station_phases
from dynamics.line_operator.local_time import AFTER, BEFORE, LocalTime
from dynamics.line_operator.network import LineNetwork

__all__ = ["SlackForces", "slack_on", "solve_slack"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

PASSING, NEAR = (0.15, 0.35), (0.8, 1.0)  # periods before and behind the pantograph
COARSE = 105  # samples a period of the search before
PUSHED = 0.5  # N: less than that a dropper may push before its samples become candidates
PADDING = 0.015  # periods before and behind those that push
ROUNDS, FORGETFUL = 14, 6
CORRECTIONS, SETTLED = 5, 0.3  # of hats by cubics, at most; N
MOST = 6.0  # times the samples of a period that may be slack: beyond, a march is quicker
UNSETTLED = "the slack of its droppers was not found"


@dataclass(frozen=True)
class SlackForces:
    """What was found of slack droppers.

    Attributes
    ----------
    force : complex array (harmonic,)
        Contact force [N].
    lifted : complex array (harmonic,)
        Rise of the wire under the pantograph by slack droppers [m].
    squeeze, tension : float array (sample, dropper)
        s and S [N].
    samples : int
        Of a dropper's own time, a period.
    sought : bool array (sample, dropper)
        Where slack was sought; elsewhere it is that of ``coarse``.
    coarse : SlackForces or None
        What was found on coarser samples before.
    problem : str
        Why it cannot be relied on; empty where it can.
    """

    force: Complexes
    lifted: Complexes
    squeeze: Floats
    tension: Floats
    samples: int
    sought: NDArray[np.bool_]
    coarse: SlackForces | None = None
    problem: str = ""

    @property
    def smooth(self) -> bool:
        """Whether squeezes are cubics between samples, and not hats."""
        return self.samples > COARSE


def solve_slack(
    line: tuple[LineNetwork, Contour],
    answers: Answers,
    contact: ContactSystem,
    rest: Floats,
    samples: int,
    start: NDArray[np.bool_] | None = None,
) -> SlackForces:
    """Find contact force and slack of all droppers.

    A search on coarser samples says where to look, and how slack is what the pantograph has long left; without a start
    it begins with what would push as the pantograph passes.

    Parameters
    ----------
    line : tuple of LineNetwork and Contour
    answers : Answers
    contact : ContactSystem
    rest : float array (dropper,)
        Forces of the droppers at rest [N].
    samples : int
        Of a dropper's own time, a period.
    start : bool array (sample, dropper), optional
        Samples that may be slack, where they are known of a near line.
    """
    if samples <= COARSE:
        return _Complementarity(line, answers, contact, rest, samples).solve(start)
    known = None if start is None else slack_on(start, samples, COARSE)
    coarse = _Complementarity(line, answers, contact, rest, COARSE).solve(known)
    if coarse.problem == UNSETTLED:
        return coarse
    fine = _Complementarity(line, answers, contact, rest, samples)
    fine.take(coarse.squeeze)
    return replace(fine.solve(slack_on(coarse.squeeze > 0.0, COARSE, samples)), coarse=coarse)


def slack_on(slack: NDArray[np.bool_], samples: int, wanted: int) -> NDArray[np.bool_]:
    """Where droppers are slack (sample, dropper), on so many samples a period in place of others."""
    time = np.arange(-round(BEFORE * wanted), round(AFTER * wanted) + 1) / wanted
    nearest = np.clip(np.round(time * samples).astype(np.int64) + round(BEFORE * samples), 0, len(slack) - 1)
    return slack[nearest]


class _Complementarity:
    """All that a search for slack keeps."""

    def __init__(
        self,
        line: tuple[LineNetwork, Contour],
        answers: Answers,
        contact: ContactSystem,
        rest: Floats,
        samples: int,
    ) -> None:
        self.network, self.contour = line
        self.answers, self.contact, self.rest = answers, contact, rest
        self.time = LocalTime(self.contour, samples, answers)
        self.samples, self.stiffness = samples, self.network.points.dropper
        self.phases = station_phases(*line)
        self.droppers = np.zeros(0, np.int64)
        self.kernels = np.zeros((0, 0, 0), np.float32)
        self.tails = np.zeros((0, 0))
        self.rows = np.full((len(self.time.sample), len(rest)), -1)
        self.C, self.G = np.zeros((2, 0, answers.wave.shape[1]), np.complex64)
        self.near = np.ones((len(self.time.sample), len(rest)), np.bool_)
        self.taken, self.held = np.zeros((2, *self.near.shape))
        self.lifted = np.zeros(answers.wave.shape[1], np.complex128)
        self.smooth = samples > COARSE

    def take(self, squeeze: Floats) -> None:
        """Take squeezes (coarse sample, dropper) far from the pantograph as they are, and look for the near ones."""
        self.near = self._since(*NEAR)
        coarse = np.arange(len(squeeze)) / COARSE - BEFORE
        fine = self.time.sample * self.time.step / self.contour.T
        found = [np.interp(fine, coarse, one) for one in squeeze.T]
        self.taken = np.where(self.near, 0.0, np.column_stack(found))

    def solve(self, start: NDArray[np.bool_] | None) -> SlackForces:
        """Whole search."""
        self._prepare(np.flatnonzero(self.taken.any(axis=0)))
        self.lifted, self.held = self._by_squeeze(self.taken)
        lifted, squeeze = self.lifted, self.taken.copy()
        force = self.contact.force(lifted)
        tension = self.rest + self.stiffness * (self._stretch_by(force) + self.held) + squeeze
        wanted = (tension < 0.0) & self._since(*PASSING) if start is None else self._padded(start)
        wanted &= self.near
        for round_ in range(ROUNDS):
            pushes = self._padded(tension < -PUSHED) & self.near
            if round_ > 0 and not (pushes & ~wanted).any():
                return self._found((force, lifted, squeeze, tension), self._too_early(squeeze))
            if round_ > 0 or not wanted.any():
                # what stays taut among others that may be slack was wanted for their sake: at first it may go again
                wanted = pushes | (wanted if round_ > FORGETFUL else self._padded(squeeze > 0.0)) & self.near
            if not wanted.any():
                return self._found((force, lifted, squeeze, tension))
            if self.samples > COARSE and np.count_nonzero(wanted) > MOST * self.samples:
                return self._found((force, lifted, squeeze, tension), "droppers that are slack for long")
            found = self._solved(wanted, squeeze)
            if found is None:
                return self._found((force, lifted, squeeze, tension), UNSETTLED)
            force, lifted, squeeze, tension = found
        return self._found((force, lifted, squeeze, tension), "droppers kept slackening elsewhere")

    def _found(self, state: tuple[Complexes, Complexes, Floats, Floats], problem: str = "") -> SlackForces:
        """Say what was found, and what is wrong with it."""
        return SlackForces(*state, self.samples, self.near, None, problem)

    def _since(self, before: float, behind: float) -> NDArray[np.bool_]:
        """Samples from periods before the pantograph passes a dropper to periods behind it (sample, dropper)."""
        passes = self.network.stations[self.network.ports.at] / self.contour.speed
        since = (self.time.sample[:, None] * self.time.step - passes) / self.contour.T
        return (since > -before) & (since < behind)

    def _padded(self, pushed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Samples (sample, dropper) that push, and those next to them."""
        out = pushed.copy()
        for shift in range(1, 1 + max(1, round(PADDING * self.samples))):
            out[shift:] |= pushed[:-shift]
            out[:-shift] |= pushed[shift:]
        return out

    def _too_early(self, squeeze: Floats) -> str:
        """Say where a dropper is slack a whole period ahead of the pantograph.

        Long behind it a dropper may stay slack for longer than is looked at: sigma moves by some tenths of a per cent.
        """
        return "a dropper that is slack long before it is passed" if (squeeze[0] > 0.0).any() else ""

    def _stretch_by(self, force: Complexes) -> Floats:
        """Stretch of every dropper by the contact force (sample, dropper) [m]."""
        a = self.answers
        field = (a.wave * (a.weight / self.contour.speed)[:, None] * force) @ self.phases.T
        return self.time.series(np.einsum("nds,ns->nd", a.stretch, field), self.time.sample)

    def _prepare(self, droppers: Ints) -> None:
        """Tabulate stretches of droppers by hats of each other, by the samples between them (e, d, lag) [m/N]."""
        if np.isin(droppers, self.droppers).all():
            return
        a, time = self.answers, self.time
        among = a.by_droppers[:, droppers[:, None], droppers] * (a.weight * time.hat)[:, None, None]
        kernels = time.series(among, time.lags)
        at = np.arange(len(droppers))
        self.tails = time.tails(self.network, droppers)
        kernels[:, at, at] += self.tails
        self.droppers, self.kernels = droppers, np.ascontiguousarray(kernels.transpose(2, 1, 0), dtype=np.float32)

    def _by_harmonics(self, t: Ints, d: Ints) -> tuple[Complexes, Complexes]:
        """Stretches by harmonics of the force, and rises of the contact by squeezes, at samples (sample, harmonic)."""
        new = self.rows[t, d] < 0
        if new.any():
            known = len(self.C)
            self.rows[t[new], d[new]] = known + np.arange(np.count_nonzero(new))
            C, G = self._harmonics_of(t[new], d[new])
            self.C, self.G = np.concatenate([self.C, C]), np.concatenate([self.G, G])
        at = self.rows[t, d]
        return self.C[at], self.G[at]

    def _harmonics_of(self, t: Ints, d: Ints) -> tuple[Complexes, Complexes]:
        """The same, computed."""
        a, time, v = self.answers, self.time, self.contour.speed
        by_force = a.wave * (a.weight / v)[:, None]
        by_squeeze = a.wave * (a.weight * time.hat / self.network.period)[:, None]
        C, G = np.empty((2, len(t), a.wave.shape[1]), np.complex64)
        for one in np.unique(d):
            at = d == one
            stretch = (a.stretch[:, one] @ self.phases) * by_force
            rise = (a.by_squeeze[:, :, one] @ self.phases.conj()) * by_squeeze
            # seven digits are more than samples and harmonics leave
            C[at] = time.waves[t[at]].astype(np.complex64) @ stretch.astype(np.complex64)
            G[at] = time.opposed[t[at]].astype(np.complex64) @ rise.astype(np.complex64)
        return C + C[:, ::-1].conj(), G + G[:, ::-1].conj()

    def _solved(self, wanted: NDArray[np.bool_], start: Floats) -> tuple[Complexes, Complexes, Floats, Floats] | None:
        """Contact force, rise of the wire, squeeze and tension, slack being allowed at wanted samples alone."""
        self._prepare(np.flatnonzero(wanted.any(axis=0)))
        t, d = np.nonzero(wanted)  # in the order of time
        contact, varying, K = self.contact, self.contact.varying, self.contour.harmonics
        C, G = self._by_harmonics(t, d)
        k, corrections = self.stiffness[d], CORRECTIONS  # hats differ by their seven digits alone
        linear = self.rest[d] + k * ((C @ contact.force(self.lifted)).real + self.held[t, d])
        # negative harmonics are conjugate to positive ones; seven digits are more than hats leave
        lifted, C = contact.inverse[K:].astype(np.complex64) @ G[:, varying].T, C[:, K + 1 :].T
        by_contact = np.vstack([lifted.real, -lifted.imag]).T @ np.vstack([C.real, C.imag])
        A = assembled(
            self.kernels, 2.0 * by_contact.astype(np.float32, copy=False), (t, np.searchsorted(self.droppers, d)), k
        )
        s, out = start[t, d].copy(), self.taken.copy()
        left_over = linear + s.astype(np.float32) @ A
        while True:
            if not sweep(A, left_over, s):
                return None
            out[t, d] = s
            rise, stretch = self._by_squeeze(out)
            force = contact.force(rise)
            tension = self.rest + self.stiffness * (self._stretch_by(force) + stretch) + out
            wrong = tension[t, d] - left_over
            corrections -= 1
            if corrections < 0 or np.abs(wrong).max() < SETTLED:
                return force, rise, out, tension
            left_over += wrong

    def _by_squeeze(self, squeeze: Floats) -> tuple[Complexes, Floats]:
        """Rise of the wire under the pantograph (harmonic,) and stretch of droppers (sample, dropper) [m]."""
        a, time = self.answers, self.time
        spectrum = time.spectrum(squeeze, self.smooth)
        forces = np.einsum("nsd,nd->ns", a.by_squeeze, spectrum) @ self.phases.conj()
        rise = (forces * a.wave * (a.weight / self.network.period)[:, None]).sum(axis=0)
        out = time.series(np.einsum("nde,ne->nd", a.by_droppers, spectrum * a.weight[:, None]), time.sample)
        own = squeeze[:, self.droppers]
        tails = fftconvolve(self.tails, own, axes=0)
        out[:, self.droppers] += tails[len(own) - 1 : 2 * len(own) - 1]
        return rise + rise[::-1].conj(), out

r"""Droppers that slacken: a complementarity in their own time.

Time is a dropper's own, 0 as the pantograph passes it. With s_d(t) >= 0 the force that squeezes a slack dropper, so
that it carries nothing, its tension is

    S_d(t) = F_d + k_d [e_d(t) by the contact force + sum_d' int K_dd'(t - t') s_d'(t') dt'] + s_d(t) >= 0,   S s = 0.

s is piecewise linear between samples (hat functions); its harmonics move the contact, which is eliminated. Hats leave
an error of second order in the samples, so that on fine ones the tension is looked at with cubics in place of hats, and
what it differs by is put into the linear equations: each time the difference falls to a fifth. (Solved for directly,
the cubics' equations chatter at the ends of slack.) What happens on the contour's ring comes by FFT, poles one by one;
a dropper's answer to itself beyond the contour's end is that of a dropper between two endless wires. Candidates are
samples that may be slack; tension is looked at wherever slack is sought, and where it is negative they become more.

A dropper that hangs loose at rest by a gap has no spring in the network but its dashpot, and s is the force with which
it draws its ends together while it is taut. With F = k gap and the sign of its stretches e turned, S = F + k e + s is
then k times what is left of the gap: the same complementarity.

Legend: t, u samples of dropper d's, e's own time; k harmonic; C stretches by harmonics of the force, G rises of the
contact by squeezes; linear + x A the tension.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.line_operator.answers import Answers, Contour, applied
from dynamics.line_operator.complementarity import ENOUGH, SqueezeTables, squeeze_tables, sweep
from dynamics.line_operator.contact import ContactSystem, both_halves, station_phases
from dynamics.line_operator.coupling import contact_coupling
from dynamics.line_operator.dropper_kernels import DropperKernels, dropper_kernels
from dynamics.line_operator.local_time import LocalTime
from dynamics.line_operator.lost_contact import UnilateralContact
from dynamics.line_operator.network import LineNetwork
from dynamics.line_operator.state import SlackForces

__all__ = ["EARLIER", "EARLIEST", "LASTING", "LATEST", "solve_slack"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complexfloating[Any, Any]]

# periods at either end in which fine samples are not slack by themselves; at the first end where none should be
COARSER, EDGE = 0.2, 0.1
# samples a span of the search before: the next where sweeps ran away, as they do where droppers swing faster than that
COARSE = (135, 200, 270)
# N: a dropper that would push by more where slack is not sought moves sigma by per cents; far from the pantograph.
# (Of one that hangs loose, what its ends overlap by, times its stiffness.)
PUSHES, PUSHES_FAR = 400.0, 1000.0
PUSHED = 0.5  # N: less than that a dropper may push before its samples become candidates
PADDING = 0.015  # periods before and behind those that push
CORRECTIONS, SETTLED = 20, 0.1  # of hats by cubics and of the samples, at most; N
# N: sweeps end where squeezes change less: first ones; later ones, a share of what the table missed; those to keep
FIRST, SHARE, LAST = 3.0, 0.1, 0.1
MOST = 20.0  # times the samples of a period that may be slack: beyond, a march is quicker
UNSETTLED = "the slack of its droppers was not found"
EARLIER = "a dropper that is slack long before it is passed"
EARLIEST = 2.0  # periods: one that hangs by a few N may slacken so long before
LASTING = "a dropper that waves slacken, or draw taut, for several periods"
LATEST = (3.0, 2.2)  # periods before and behind: where waves leave one slack, or draw it taut, for long


def solve_slack(
    line: tuple[LineNetwork, Contour],
    answers: Answers,
    contact: ContactSystem,
    rest: Floats,
    samples: int,
) -> SlackForces:
    """Find contact force and slack of all droppers.

    A search on coarser samples, of which all may be slack, says where to look on fine ones, and how slack is what the
    pantograph has long left.

    Parameters
    ----------
    line : tuple of LineNetwork and Contour
    answers : Answers
    contact : ContactSystem
    rest : float array (dropper,)
        Forces of the droppers' springs at rest [N], of one that hangs loose negative.
    samples : int
        Of a dropper's own time, a period.
    """
    spans = len(line[0].support_dof)

    def searched(count: int) -> tuple[_Complementarity, SlackForces]:
        search = _Complementarity(line, answers, contact, line[0].way * rest, count * spans)
        return search, search.solve(search.near)

    search, coarse = searched(COARSE[0])
    for count in COARSE[1:]:
        if coarse.problem == UNSETTLED:
            search, coarse = searched(count)
    if coarse.problem:
        return coarse
    if line[1].before < EARLIEST and search.is_slack_before(coarse):
        return replace(coarse, problem=EARLIER)
    fine = _Complementarity(line, answers, contact, search.rest, samples, search)
    fine.take(coarse.squeeze)
    return replace(fine.solve(fine.likely(coarse.squeeze > 0.0)), coarse=coarse)


@dataclass(frozen=True)
class _Found:
    """Contact force, rise of the wire, squeeze and tension, as in `SlackForces`."""

    force: Complexes
    lifted: Complexes
    squeeze: Floats
    tension: Floats


class _Complementarity:
    """All that a search for slack keeps."""

    def __init__(
        self,
        line: tuple[LineNetwork, Contour],
        answers: Answers,
        contact: ContactSystem,
        rest: Floats,
        samples: int,
        coarse: _Complementarity | None = None,
    ) -> None:
        self.network, self.contour = line
        self.answers, self.rest = answers, rest
        self.contact = UnilateralContact(contact) if coarse is None else coarse.contact
        self.time = LocalTime(self.contour, samples, answers)
        self.samples, self.stiffness = samples, self.network.points.dropper
        self.phases = station_phases(*line)
        self.acting, self.seen = (
            one * (answers.weight / self.contour.speed)[:, None] for one in (answers.wave, answers.seen)
        )
        self.kernels = DropperKernels(np.zeros(0, np.int64), np.zeros((0, 0, 0), np.float32))
        self.far = self.time.isolated(self.network) if coarse is None else coarse.far
        self.ends = self.time.beyond_end(self.far)
        self.near = self._since(self.contour.before, self.contour.behind)
        self.taken = np.zeros(self.near.shape)
        self.smooth = coarse is not None
        system = (self.network, answers, contact)
        self.coupling = contact_coupling(system, self.time) if coarse is None else coarse.coupling

    def take(self, squeeze: Floats) -> None:
        """Begin with squeezes (coarse sample, dropper); those far from the pantograph stay as they are."""
        self.near = self._since(self.contour.before - COARSER, self.contour.behind - COARSER)
        coarse = np.arange(len(squeeze)) / self.coupling.samples - self.contour.before
        fine = self.time.sample * self.time.step / self.contour.T
        found = [np.interp(fine, coarse, one) for one in squeeze.T]
        self.taken = np.column_stack(found)

    def likely(self, slack: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Samples next to those that are slack (coarse sample, dropper)."""
        place = np.round((self.time.sample / self.samples + self.contour.before) * self.coupling.samples).astype(
            np.int64
        )
        return self._padded(slack[np.clip(place, 0, len(slack) - 1)])

    def solve(self, wanted: NDArray[np.bool_]) -> SlackForces:
        """Whole search: slack is allowed at wanted samples, and wherever droppers would push.

        After every search by sweeps tension is looked at everywhere. What the sweeps' own differs by goes into the next
        search, and so do samples that push.
        """
        self.contact.held = not self.smooth
        found = self._state(self.taken)
        wanted = (wanted | (found.tension < -PUSHED)) & self.near
        if not wanted.any():
            return self._said(self._state(self.taken) if self.contact.release(found.force) else found)
        unknown, enough, ended, more = None, FIRST, False, wanted
        for _ in range(1 + CORRECTIONS):
            if self.smooth and np.count_nonzero(wanted) > MOST * self.contour.pantographs * self.samples:
                return self._said(found, "droppers that are slack, or drawn taut, for long")
            unknown = self._unknown(wanted) if unknown is None else unknown
            swept = self._swept(unknown, found, enough)
            if swept is None:
                return self._said(found, UNSETTLED)
            found, ended, missed = swept
            more = self._padded(found.tension < -PUSHED) & self.near & ~wanted
            if more.any():
                wanted, unknown = wanted | more, None
            elif ended and missed < SETTLED and enough <= LAST:
                if not self.contact.release(found.force):
                    break
                found, enough = self._state(found.squeeze), FIRST
                continue
            enough = min(enough, max(ENOUGH if self.smooth else LAST, SHARE * missed))
        if more.any():
            return self._said(found, "droppers kept slackening elsewhere")
        if not ended and self.smooth:  # coarse samples may leave it to fine ones
            return self._said(found, UNSETTLED)
        lost = "" if self.contact.found else "the moments at which contact is lost were not found"
        return self._said(found, lost or self._too_long(found.tension))

    def _said(self, found: _Found, problem: str = "") -> SlackForces:
        """What was found, and what is wrong with it."""
        state = found.force, found.lifted, found.squeeze, found.tension
        lost = self.contact.system, self.contact.gap(found.lifted)
        return SlackForces(*state, *lost, self.samples, self.near, None, problem)

    def _since(self, before: float, behind: float) -> NDArray[np.bool_]:
        """Samples from periods before the first pantograph to periods behind the last (sample, dropper)."""
        since = self.time.time / self.contour.T
        looked = (since > -before) & (since < behind + self.contour.train)
        return np.repeat(looked[:, None], len(self.stiffness), axis=1)

    def is_slack_before(self, found: SlackForces) -> bool:
        """Whether a dropper slackens, or draws taut, before that is sought, or where the search for it begins."""
        slack = (found.squeeze > 0.0) | (found.tension < -PUSHED)
        return bool(slack[~self._since(self.contour.before - EDGE, np.inf)].any())

    def _padded(self, pushed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Samples (sample, dropper) that push, and those next to them."""
        out = pushed.copy()
        for shift in range(1, 1 + max(1, round(PADDING * self.samples))):
            out[shift:] |= pushed[:-shift]
            out[:-shift] |= pushed[shift:]
        return out

    def _too_long(self, tension: Floats) -> str:
        """Say where a dropper is slack, or taut, beyond the periods in which that is sought."""
        far = self.contour.before >= LATEST[0]
        beyond = not self.smooth and (tension < -(PUSHES_FAR if far else PUSHES))[~self.near].any()
        return LASTING if beyond else ""

    def _unknown(self, wanted: NDArray[np.bool_]) -> SqueezeTables:
        """Lay out the samples at which slack is allowed; contact is kept."""
        droppers = np.flatnonzero(wanted.any(axis=0))
        if not np.isin(droppers, self.kernels.droppers).all():
            self.kernels = dropper_kernels(self.answers, self.time, droppers, self.ends)
        later = np.round(self.network.passed / (self.contour.speed * self.time.step)).astype(np.int64)
        return squeeze_tables(wanted, self.kernels, self.coupling, self.time, (self.stiffness, later))

    def _swept(self, unknown: SqueezeTables, found: _Found, enough: float) -> tuple[_Found, bool, float] | None:
        """Forces by sweeps from what was found; whether these ended, and the most that their tension missed [N].

        None where squeezes ran away, or forces are not numbers.
        """
        droppers, opening = self.kernels.droppers, self.contact.opening
        t, d = unknown.t, droppers[unknown.d]
        tables = unknown if opening is None else unknown._replace(taken=opening.taken(unknown.taken))
        tension = np.ascontiguousarray(found.tension[:, droppers].T, dtype=np.float32)
        out, squeeze = found.squeeze.copy(), found.squeeze[t, d]
        ended, away = sweep(tables, tension, squeeze, enough)
        if away:
            return None
        out[t, d] = squeeze
        found = self._state(out)
        missed = float(np.abs(found.tension[t, d] - tension[unknown.d, t]).max())
        return (found, ended, missed) if np.isfinite(missed) else None

    def _state(self, squeeze: Floats) -> _Found:
        """Forces of so much squeeze: rise of the wire under the pantograph, contact force, stretches of droppers."""
        a, time = self.answers, self.time
        sums = time.sums(squeeze)
        spectrum = time.spectrum(sums, self.smooth)
        lifts = applied(a.by_squeeze, spectrum).T @ self.seen
        rise = (lifts * self.phases.conj()).sum(axis=0) * (self.contour.speed / self.network.period)
        rise = both_halves(rise, self.contour.pantographs)
        force = self.contact.force(rise)
        field = self.acting @ (self.phases * force).T
        stretch = applied(a.stretch, field) + applied(a.by_droppers, spectrum * a.weight[:, None])
        stretch = time.series(stretch, time.sample, self.ends * sums[0])
        return _Found(force, rise, squeeze, self.stiffness * stretch + squeeze + self.rest)

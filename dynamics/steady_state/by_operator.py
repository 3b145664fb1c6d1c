"""The steady state by the line's operator: solved, not marched to.

Where a check fails, or the case has what the operator does not (`outside_the_operator`), nothing is returned but the
reason, and the travelling window decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.contact_wire import place_on_head
from dynamics.contact_force.statistics import contact_statistics, filter_force
from dynamics.line_operator.answers import Contour, line_answers
from dynamics.line_operator.contact import ContactSystem, contact_system
from dynamics.line_operator.network import LineNetwork, line_network
from dynamics.line_operator.poles.follow import follow_poles
from dynamics.line_operator.poles.known import KnownPoles, highest_felt
from dynamics.line_operator.poles.search import find_poles
from dynamics.line_operator.slack import EARLIER, EARLIEST, LASTING, LATEST, solve_slack
from dynamics.line_operator.state import OperatorState, SlackForces
from dynamics.pantograph.linear import linear_pantograph
from dynamics.results.dropper_figures import DropperPeaks
from dynamics.results.solution import PantographResult, Solution
from dynamics.spec.case import CaseSpec
from dynamics.spec.checks.operator_scope import outside_the_operator
from dynamics.spec.status import Status

__all__ = ["contour_of", "solve_by_operator"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

HIGHEST_HZ = 80.0  # of the contact force, and
ABOVE_BOUNCE = 2.0  # times the frequency at which the head's mass bounces on a stiff contact
SAMPLES = 330  # of a dropper's own time a span, at least
ENOUGH = 0.9  # of the frequency up to which poles have to be known: other designs need it a little higher
# N: a dropper that hangs by less slackens long before it is passed: in each of 22 such designs among 120 at random
LIGHT = 3.0
FARTHER = 1.0  # periods that a companion looks farther behind; ahead, too, where the run itself had to look far
MISSED = 0.3  # N: more of the mean force is missed where harmonics are too few for the moments of loss
UNRESOLVED = "contact that is lost for moments too short for its harmonics"
MET, MOST_SECANTS = 1.0e-5, 8  # N: an applied force that is given
LOST = "contact that is lost under a given applied force"
UNPRESSED = "the mean force that goes with the applied one was not found"
UNCOUNTED = "poles of the line that could not be counted"


def solve_by_operator(
    case: CaseSpec,
    eq: Equilibrium,
    start: KnownPoles | None,
    resolution: float = 1.0,
    companion_of: OperatorState | None = None,
) -> Solution | str:
    """Steady state of a case, or why it has to be marched.

    Parameters
    ----------
    case : CaseSpec
    eq : Equilibrium
    start : KnownPoles or None
        Those of a near line; without them poles are searched for.
    resolution : float
        Harmonics, samples, and how deep poles are known, over what the case asks for.
    companion_of : OperatorState or None
        State of the same case: slack is sought farther than it was there.
    """
    reason = outside_the_operator(case)
    if reason:
        return reason
    began, fineness = time.perf_counter(), resolution * case.periodic.resolution
    network, speed = line_network(eq), case.speed
    contour = contour_of(case, network.period / speed, fineness)
    if companion_of is not None:
        contour = _looking_farther(contour, companion_of.contour)
    elif eq.dropper_spring_force.min() < LIGHT:
        contour = _looking_ahead(contour)
    samples = round(fineness * SAMPLES * case.catenary.spans_of_a_period)
    if start is not None and start.highest < ENOUGH * highest_felt(network, contour.T, fineness):
        start = None
    poles = None if start is None else follow_poles(start, network, contour.T)
    found = UNCOUNTED if poles is None else _state(case, eq, (network, contour, poles), samples)
    if isinstance(found, str) and (start is None or poles is None or start.moved_to(poles)):
        # a pole may be missing that rose from deeper than is known
        poles = find_poles(network, contour.T, fineness)
        found = found if poles is None else _state(case, eq, (network, contour, poles), samples)
    if isinstance(found, str):
        return found
    solved = _Found(case, eq, found)
    if (np.abs(solved.forces.mean(axis=1) - found.contact.mean) > MISSED).any():
        return UNRESOLVED
    return solved.solution(time.perf_counter() - began)


def contour_of(case: CaseSpec, T: float, fineness: float) -> Contour:
    """Frequencies of a line whose period takes T [s]; images stand as far behind a train as behind one pantograph."""
    delays = tuple(distance / case.speed for distance in case.distances)
    contour = Contour(T, case.speed, int(np.ceil(fineness * _highest(case) * T)), delays=delays)
    return replace(contour, images=contour.images + int(np.ceil(contour.train)))


def _highest(case: CaseSpec) -> float:
    """Highest frequency of the contact force [Hz]."""
    head = linear_pantograph(case.pantograph, case.pressed_N).mass[0]
    return max(HIGHEST_HZ, ABOVE_BOUNCE * np.sqrt(case.contact.stiffness / head) / (2.0 * np.pi))


def _state(
    case: CaseSpec, eq: Equilibrium, line: tuple[LineNetwork, Contour, KnownPoles], samples: int
) -> OperatorState | str:
    """State of a line whose poles are known, or why it has to be marched."""
    network, contour, poles = line
    answers = line_answers(network, contour, poles.felt.omega)
    contact = contact_system(case, eq, (network, contour), answers)

    def sought(mean: Floats) -> SlackForces:
        own = replace(contact, mean=mean)
        return solve_slack((network, contour), answers, own, eq.dropper_spring_force, samples)

    slack = sought(contact.mean) if case.mean_force_N is not None else _under_applied_force(case, contact, sought)
    if slack.problem == EARLIER:
        return _state(case, eq, (network, _looking_ahead(contour), poles), samples)
    if slack.problem == LASTING and contour.before < LATEST[0]:
        return _state(case, eq, (network, _looking_far(contour), poles), samples)
    return slack.problem or OperatorState(network, contour, poles, answers, slack.contact, slack)


def _under_applied_force(
    case: CaseSpec, contact: ContactSystem, sought: Callable[[Floats], SlackForces]
) -> SlackForces:
    """Slack at the mean forces that go with the applied ones: by secants, from what the line at rest yields to them.

    With several pantographs the secants are Broyden's.
    """
    by_head, by_force = linear_pantograph(case.pantograph, case.pressed_N).pressing
    middle, yields, pressed = contact.middle, 1.0 / case.contact.stiffness, contact.mean
    one = np.eye(len(pressed))
    by_mean = by_force * one + by_head * (contact.line[np.ix_(middle, middle)].real + yields * one)
    mean = np.asarray(np.linalg.solve(by_mean, pressed - by_head * contact.static[middle].real), dtype=np.float64)
    slack, known = sought(mean), list[tuple[Floats, Floats]]()
    for _ in range(MOST_SECANTS):
        off = np.zeros(len(pressed)) if slack.problem else _applied_forces(case, slack) - pressed
        if np.abs(off).max() <= MET:
            return replace(slack, problem=LOST) if not slack.problem and slack.contact.lost.any() else slack
        known.append((mean, off))
        if len(known) > 1:
            (before, was), (last, now) = known[-2:]
            moved = last - before
            by_mean = by_mean + np.outer(now - was - by_mean @ moved, moved) / (moved @ moved)
        mean = mean - np.asarray(np.linalg.solve(by_mean, off), dtype=np.float64)
        slack = sought(mean)
    return replace(slack, problem=UNPRESSED)


def _applied_forces(case: CaseSpec, slack: SlackForces) -> Floats:
    """Applied forces (pantograph,) [N] under which the heads stand where their mean heights want it."""
    contact = slack.contact
    wire = contact.static + contact.line @ slack.force + slack.lifted
    gap = slack.gap.reshape(len(contact.mean), -1).mean(axis=1)
    head = wire[contact.middle].real + contact.mean / case.contact.stiffness - gap
    by_head, by_force = linear_pantograph(case.pantograph, case.pressed_N).pressing
    return by_head * head + by_force * contact.mean


def _looking_ahead(contour: Contour) -> Contour:
    """The same contour for droppers that slacken, or draw taut, long before they are passed."""
    return _looking(contour, EARLIEST, contour.behind)


def _looking_far(contour: Contour) -> Contour:
    """The same contour for droppers that waves slacken, or draw taut, for periods."""
    return _looking(contour, *LATEST)


def _looking_farther(contour: Contour, run: Contour) -> Contour:
    """The same contour for slack that lasts for longer than a run has looked."""
    far = run.before >= LATEST[0]
    return _looking(contour, run.before + far * FARTHER, run.behind + FARTHER)


def _looking(contour: Contour, before: float, behind: float) -> Contour:
    """The same contour for slack that is sought for other times, an image more for every period more."""
    more = round(before - contour.before + behind - contour.behind)
    return replace(contour, before=before, behind=behind, images=contour.images + more)


@dataclass(frozen=True)
class _Found:
    """Harmonics that were found, from which histories and figures are formed."""

    case: CaseSpec
    eq: Equilibrium
    state: OperatorState

    @cached_property
    def first(self) -> Floats:
        """When each pantograph's first step of a period ends, in its own time, as a share of a step (pantograph,)."""
        past = np.array(self.case.distances) / (self.case.speed * self.case.time_step)
        first = np.ceil(past - 1.0e-9) - past
        return np.where(first < 1.0e-9, 1.0, first)

    def _steps(self, harmonics: Complexes) -> Floats:
        """Values of every pantograph at the ends of time steps, by its place in a period (pantograph, step)."""
        own = harmonics.reshape(len(self.first), -1)
        N, K = self.case.steps_per_period, own.shape[1] // 2
        k, whole = np.arange(-K, K + 1), np.zeros((len(own), N), np.complex128)
        for of_one, one, first in zip(whole, own, self.first, strict=True):
            np.add.at(of_one, k % N, one if first == 1.0 else one * np.exp(2j * np.pi * k * (first - 1.0) / N))
        return np.roll(np.fft.ifft(whole, norm="forward").real, -1, axis=1)

    @cached_property
    def forces(self) -> Floats:
        """Contact force at every step (pantograph, step) [N]; none where contact is lost."""
        force, lost = self._steps(self.state.slack.force), self.state.contact.lost.reshape(len(self.first), -1)
        (_, N), count = force.shape, lost.shape[1]
        instant = np.round((np.arange(N) + self.first[:, None]) * (count / N)).astype(np.int64)
        return np.where(np.take_along_axis(lost, instant % count, 1), 0.0, np.maximum(force, 0.0))

    @property
    def wire(self) -> Complexes:
        """Harmonics of the contact wire's height under the pantographs (contact,) [m]."""
        contact, slack = self.state.contact, self.state.slack
        return contact.static + contact.line @ slack.force + slack.lifted

    def _results(self, highest: float) -> Iterator[PantographResult]:
        """Histories and figures of every pantograph; ``highest`` is the largest uplift [m]."""
        dt, applied, heights = self.case.time_step, _applied_forces(self.case, self.state.slack), self._steps(self.wire)
        for p, (force, height) in enumerate(zip(self.forces, heights, strict=True)):
            bands = filter_force(force, dt, self.case.signal, periodic=True)
            position = (np.arange(len(force)) + self.first[p]) * dt * self.case.speed
            yield PantographResult(
                applied_force_N=float(applied[p]),
                position=position,
                contact_force=force,
                contact_force_filtered=bands.whole,
                contact_height=height,
                evaluated=slice(0, len(force)),
                statistics=contact_statistics(force, bands, height, highest),
                place=place_on_head(self.eq, position),
            )

    def solution(self, elapsed: float) -> Solution:
        """Histories and figures of one period."""
        case, eq, found, local = self.case, self.eq, self.state.slack, self.state.local
        dt, step = case.time_step, np.arange(1, case.steps_per_period + 1, dtype=np.float64)
        since, rise = self.state.rise()
        highest = int(rise.max(axis=0).argmax())
        loose = self.state.network.points.loose > 0.0
        carried = np.where(loose, found.squeeze, found.tension)
        passed = self.state.network.passed / case.speed
        tension = [np.interp(step * dt - when, local.time, one) for when, one in zip(passed, carried.T, strict=True)]
        slack = (found.squeeze > 0.0) | (~found.sought & (found.tension < 0.0))
        return Solution(
            case=case,
            equilibrium=eq,
            status=Status.OK,
            message="",
            wall_time_s={"equilibrium": 0.0, "dynamics": elapsed},
            time=step * dt,
            pantographs=tuple(self._results(float(rise.max()))),
            repeats=True,
            spans_marched=0,
            spans_evaluated=case.catenary.spans_of_a_period,
            residual=0.0,
            dropper_force=np.maximum(np.column_stack(tension), 0.0),
            dropper_slack_time=np.where(loose, np.nan, local.step * slack.sum(axis=0)),
            dropper_peaks=DropperPeaks(np.maximum(carried.max(axis=0), 0.0), below_hz=self.state.contour.highest_hz),
            support_rise=rise.max(axis=0),
            support_uplift=rise[:, highest],
            support_uplift_time=since - case.line.supports[highest] / case.speed,
            method="operator",
            operator_start=self.state.poles,
            operator_state=self.state,
        )

"""The steady state by the line's operator: solved, not marched to.

Where a check fails, or the case has what the operator does not (`why_marched`), nothing is returned but the reason, and
the travelling window decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.static_checks import SLACK_FORCE
from dynamics.contact_force.statistics import contact_statistics, filter_force
from dynamics.line_operator.answers import Contour, bare_wire, line_answers
from dynamics.line_operator.contact import ContactSystem, contact_system
from dynamics.line_operator.network import LineNetwork, line_network
from dynamics.line_operator.poles.follow import follow_poles
from dynamics.line_operator.poles.known import KnownPoles, highest_felt
from dynamics.line_operator.poles.search import find_poles
from dynamics.line_operator.slack import EARLIER, EARLIEST, SlackForces, solve_slack
from dynamics.line_operator.state import OperatorState
from dynamics.pantograph.linear import linear_pantograph
from dynamics.results.solution import PantographResult, Solution
from dynamics.spec.case import CaseSpec
from dynamics.spec.status import Status
from dynamics.steady_state.operator_scope import outside_the_operator

__all__ = ["solve_by_operator", "why_marched"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complexfloating[Any, Any]]

HIGHEST_HZ = 80.0  # of the contact force, and
ABOVE_BOUNCE = 2.0  # times the frequency at which the head's mass bounces on a stiff contact
SAMPLES = 330  # of a dropper's own time a span, at least
ENOUGH = 0.9  # of the frequency up to which poles have to be known: other designs need it a little higher
# N: a dropper that hangs by less slackens long before it is passed: in each of 22 such designs among 120 at random
LIGHT = 3.0
MISSED = 0.3  # N: more of the mean force is missed where harmonics are too few for the moments of loss
UNRESOLVED = "contact that is lost for moments too short for its harmonics"
MET, MOST_SECANTS = 1.0e-5, 8  # N: an applied force that is given
LOST = "contact that is lost under a given applied force"
UNPRESSED = "the mean force that goes with the applied one was not found"
UNCOUNTED = "poles of the line that could not be counted"


def why_marched(case: CaseSpec, eq: Equilibrium) -> str:
    """Say what a case has that the operator does not; empty where it has all."""
    loose = bool((eq.dropper_spring_force <= SLACK_FORCE).any())
    return outside_the_operator(case) or ("a dropper that hangs loose at rest" if loose else "")


def solve_by_operator(
    case: CaseSpec, eq: Equilibrium, start: KnownPoles | None, resolution: float = 1.0
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
    """
    reason = why_marched(case, eq)
    if reason:
        return reason
    began, fineness = time.perf_counter(), resolution * case.periodic.resolution
    network, speed = line_network(eq), case.speed
    contour = Contour(network.period / speed, speed, int(np.ceil(fineness * _highest(case) * network.period / speed)))
    if eq.dropper_spring_force.min() < LIGHT:
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
    if abs(solved.force.mean() - found.contact.mean) > MISSED:
        return UNRESOLVED
    return solved.solution(time.perf_counter() - began)


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
    contact = contact_system(case, eq, (network, contour, bare_wire(network, contour)), answers)

    def sought(mean: float) -> SlackForces:
        own = replace(contact, mean=mean)
        return solve_slack((network, contour), answers, own, eq.dropper_spring_force, samples)

    slack = sought(contact.mean) if case.mean_force_N is not None else _under_applied_force(case, contact, sought)
    if slack.problem == EARLIER:
        return _state(case, eq, (network, _looking_ahead(contour), poles), samples)
    return slack.problem or OperatorState(network, contour, poles, answers, slack.contact, slack)


def _under_applied_force(case: CaseSpec, contact: ContactSystem, sought: Callable[[float], SlackForces]) -> SlackForces:
    """Slack at the mean force that goes with the applied one: by secants, from what the line at rest yields to it."""
    by_head, by_force = linear_pantograph(case.pantograph, case.pressed_N).pressing
    middle, yields = len(contact.static) // 2, 1.0 / case.contact.stiffness
    by_mean = by_force + by_head * (contact.line[middle, middle].real + yields)
    mean = (case.pressed_N - by_head * contact.static[middle].real) / by_mean
    slack, known = sought(mean), list[tuple[float, float]]()
    for _ in range(MOST_SECANTS):
        off = 0.0 if slack.problem else _applied_force(case, slack) - case.pressed_N
        if abs(off) <= MET:
            return replace(slack, problem=LOST) if not slack.problem and slack.contact.lost.any() else slack
        known.append((mean, off))
        if len(known) > 1:
            (before, was), (last, now) = known[-2:]
            by_mean = (now - was) / (last - before)
        mean -= off / by_mean
        slack = sought(mean)
    return replace(slack, problem=UNPRESSED)


def _applied_force(case: CaseSpec, slack: SlackForces) -> float:
    """Applied force [N] under which the head stands where the mean height wants it."""
    contact = slack.contact
    wire = contact.static + contact.line @ slack.force + slack.lifted
    head = wire[len(wire) // 2].real + contact.mean / case.contact.stiffness - slack.gap.mean()
    by_head, by_force = linear_pantograph(case.pantograph, case.pressed_N).pressing
    return float(by_head * head + by_force * contact.mean)


def _looking_ahead(contour: Contour) -> Contour:
    """The same contour for droppers that slacken long before they are passed, with one image more."""
    return replace(contour, before=EARLIEST, images=contour.images + 1)


@dataclass(frozen=True)
class _Found:
    """Harmonics that were found, from which histories and figures are formed."""

    case: CaseSpec
    eq: Equilibrium
    state: OperatorState

    def _steps(self, harmonics: Complexes) -> Floats:
        """Values at the end of every time step of a period (step,)."""
        N, K = self.case.steps_per_period, len(harmonics) // 2
        whole = np.zeros(N, np.complex128)
        np.add.at(whole, np.arange(-K, K + 1) % N, harmonics)
        return np.roll(np.fft.ifft(whole, norm="forward").real, -1)

    @property
    def force(self) -> Floats:
        """Contact force at every step (step,) [N]; none where contact is lost."""
        force, lost = self._steps(self.state.slack.force), self.state.contact.lost
        instant = np.round(np.arange(1, len(force) + 1) * (len(lost) / len(force))).astype(np.int64)
        return np.where(lost[instant % len(lost)], 0.0, np.maximum(force, 0.0))

    @property
    def wire(self) -> Complexes:
        """Harmonics of the contact wire's height under the pantograph [m]."""
        contact, slack = self.state.contact, self.state.slack
        return contact.static + contact.line @ slack.force + slack.lifted

    def solution(self, elapsed: float) -> Solution:
        """Histories and figures of one period."""
        case, eq, found, local = self.case, self.eq, self.state.slack, self.state.local
        dt, step = case.time_step, np.arange(1, case.steps_per_period + 1, dtype=np.float64)
        force, height = self.force, self._steps(self.wire)
        bands = filter_force(force, dt, case.signal, periodic=True)
        since, rise = self.state.rise()
        highest = int(rise.max(axis=0).argmax())
        leading = PantographResult(
            applied_force_N=_applied_force(case, found),
            position=step * dt * case.speed,
            contact_force=force,
            contact_force_filtered=bands.whole,
            contact_height=height,
            evaluated=slice(0, len(force)),
            statistics=contact_statistics(force, bands, height, float(rise.max())),
        )
        tension = [np.interp(step * dt, local.time, one) for one in found.tension.T]
        slack = found.squeeze > 0.0
        return Solution(
            case=case,
            equilibrium=eq,
            status=Status.OK,
            message="",
            wall_time_s={"equilibrium": 0.0, "dynamics": elapsed},
            time=step * dt,
            pantographs=(leading,),
            repeats=True,
            spans_marched=0,
            spans_evaluated=case.catenary.spans_of_a_period,
            residual=0.0,
            dropper_force=np.maximum(np.column_stack(tension), 0.0),
            dropper_slack_time=local.step * slack.sum(axis=0),
            support_rise=rise.max(axis=0),
            support_uplift=rise[:, highest],
            support_uplift_time=since - case.line.supports[highest] / case.speed,
            method="operator",
            operator_start=self.state.poles,
            operator_state=self.state,
        )

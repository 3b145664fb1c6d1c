"""Solution of every solver: results of each pantograph, statistics, histories, and status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from dynamics.contact_force.statistics import ContactStatistics
from dynamics.line_operator.poles.known import KnownPoles
from dynamics.line_operator.state import OperatorState
from dynamics.pantograph.arms_of_run import ArmFigures, TrainMotion, arms_of_run, figures_of_arms
from dynamics.pantograph.bodies import ArmsInMotion
from dynamics.pantograph.head import strip_forces
from dynamics.pantograph.on_head import HeadFigures, OnHead, figures_on_head
from dynamics.results.dropper_figures import DropperPeaks
from dynamics.results.histories import Histories
from dynamics.results.warm_start import WarmStart
from dynamics.spec.case import CaseSpec
from dynamics.spec.mechanics.head import HeadSpec
from dynamics.spec.status import Status

__all__ = ["PantographResult", "Solution", "without_figures", "worst_figures", "worst_of"]

WORSE_WHEN_LOW = ("contact_force_min_N", "contact_force_statistical_min_N")


def _none() -> NDArray[np.float64]:
    return np.zeros(0)


@dataclass(frozen=True)
class PantographResult:
    """Results of one pantograph.

    Attributes
    ----------
    applied_force_N : float
        Applied force [N].
    position : float array (time,)
        Station [m]: from the first support, or in (0, period] where the state repeats.
    contact_force, contact_force_filtered : float array (time,)
        As computed and low-pass filtered [N].
    contact_height : float array (time,)
        Contact-wire height at the contact point [m].
    evaluated : slice
        Samples that the statistics cover.
    statistics : ContactStatistics or None
        Of those samples; None where there are no figures.
    place : float array (time,)
        Contact wire's place to the left of the middle of the head, at rest or where the contact is sought in space [m].
    roll : float array (time,)
        Roll of a head that has it, positive where its left side rises [rad]; empty where it has none.
    control_force : float array (time,)
        Force that its controller adds, positive upwards [N]; empty where it has none.
    strip_forces : float array (strip, time)
        Filtered force of suspended strips, the front one first [N]; without strips where the head has none.
    pitch : float array (time,)
        Of a head with suspended strips, positive where its front rises [rad]; empty where it has none.
    side_motion : float array (time,)
        Contact wire's motion to the left of its place at rest where the pantograph presses it [m]: in space on an open
        line, and in wind in a steady state; empty elsewhere.
    halves : tuple of (ContactStatistics or None)
        Of the first and of the second half of a march's evaluated spans; empty for a steady state.
    """

    applied_force_N: float = 0.0
    position: NDArray[np.float64] = field(default_factory=_none)
    contact_force: NDArray[np.float64] = field(default_factory=_none)
    contact_force_filtered: NDArray[np.float64] = field(default_factory=_none)
    contact_height: NDArray[np.float64] = field(default_factory=_none)
    evaluated: slice = field(default_factory=lambda: slice(0, 0))
    statistics: ContactStatistics | None = None
    place: NDArray[np.float64] = field(default_factory=_none)
    roll: NDArray[np.float64] = field(default_factory=_none)
    control_force: NDArray[np.float64] = field(default_factory=_none)
    strip_forces: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    pitch: NDArray[np.float64] = field(default_factory=_none)
    side_motion: NDArray[np.float64] = field(default_factory=_none)
    halves: tuple[ContactStatistics | None, ...] = ()

    def of_strips(self, head: HeadSpec) -> NDArray[np.float64]:
        """Filtered force of every strip (strip, time) [N]: its own, or its share of one contact's."""
        return self.strip_forces if len(self.strip_forces) else strip_forces(head, self.contact_force_filtered)

    def on_head(self, head: HeadSpec | None) -> OnHead:
        """What the head does over the samples that count."""
        cut = self.evaluated
        strips = np.zeros((0, 0)) if head is None else self.of_strips(head)[:, cut]
        force, turned = self.contact_force_filtered[cut], (self.roll[cut], self.pitch[cut])
        return OnHead(self.place[cut], force, *turned, strips, self.side_motion[cut])


@dataclass(frozen=True)
class Solution:
    """A steady state, a long transient or a run on an open line.

    Attributes
    ----------
    case : CaseSpec
    equilibrium : Equilibrium
        Of one period of the line.
    whole_line : Equilibrium or None
        Of the line from end to end; None where the state repeats.
    status, message
        Outcome and its sentence.
    time : float array (time,)
        End of every time step [s].
    pantographs : tuple of PantographResult
        Every pantograph's, the leading one's first.
    repeats : bool
        True where the histories are one period of a steady state.
    spans_marched, spans_evaluated : int
        Span pantographs marched (zero where nobody counts them), and how many the statistics cover.
    residual : float
        Last relative change of a steady state from span to span, near the pantograph [-]; not a number for a march.
    dropper_force : float array (time, dropper)
        Force of the droppers of the period that the pantograph is passing [N]; empty where the state does not repeat.
    dropper_slack_time : float array (dropper,)
        How long each dropper is slack while a train passes [s], mean of the evaluated spans; none without figures.
    dropper_peaks : DropperPeaks
        Largest force of each dropper; of the operator's companion where an error was estimated, as `dropper_force`.
    support_uplift : float array
        Where the state repeats (time,): uplift of one support, the one that rises most, over its whole history, from
        far ahead of the pantograph to far behind it [m]. Otherwise (span,): the largest at any support while that span,
        or all spans before the line repeats, was passed [m].
    support_rise : float array (support,)
        Largest uplift at every support of a period [m]; empty where the state does not repeat.
    support_uplift_time : float array (time,)
        Since the pantograph passed that support [s], negative before; empty where the state does not repeat.
    histories : Histories or None
        Everything an open line kept.
    warm_start : WarmStart or None
        What the next march may start from; None unless a steady state was marched to.
    method : str
        'march', or 'operator' for a steady state that was solved for.
    operator_start : KnownPoles or None
        What the next solution by the operator may start from.
    operator_state : OperatorState or None
        What derivatives of a steady state that the operator found are formed from.
    wall_time_s : dict
        'equilibrium' and 'dynamics' [s].
    """

    case: CaseSpec
    equilibrium: Equilibrium
    status: Status
    message: str
    wall_time_s: dict[str, float]
    time: NDArray[np.float64] = field(default_factory=_none)
    pantographs: tuple[PantographResult, ...] = (PantographResult(),)
    repeats: bool = False
    spans_marched: int = 0
    spans_evaluated: int = 1
    residual: float = float("nan")
    dropper_force: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    dropper_slack_time: NDArray[np.float64] = field(default_factory=_none)
    dropper_peaks: DropperPeaks = field(default_factory=DropperPeaks)
    support_rise: NDArray[np.float64] = field(default_factory=_none)
    support_uplift: NDArray[np.float64] = field(default_factory=_none)
    support_uplift_time: NDArray[np.float64] = field(default_factory=_none)
    histories: Histories | None = None
    warm_start: WarmStart | None = None
    method: str = "march"
    operator_start: KnownPoles | None = None
    operator_state: OperatorState | None = None
    whole_line: Equilibrium | None = None

    def __repr__(self) -> str:
        """Name the case and how it ended: no dump of all histories."""
        return f"<solution of {self.case.in_words}, {self.case.solver}: {self.status.value}>"

    @property
    def found_steady_state(self) -> bool:
        """Whether a steady state was found, marched to or solved for, from which derivatives may be formed."""
        return self.warm_start is not None or self.operator_state is not None

    @property
    def near_start(self) -> WarmStart | KnownPoles | None:
        """What a search for the steady state of a near case starts from; None unless one was found."""
        return self.operator_start if self.operator_start is not None else self.warm_start

    @property
    def leading(self) -> PantographResult:
        """PantographResult of the leading pantograph."""
        return self.pantographs[0]

    @property
    def statistics(self) -> ContactStatistics | None:
        """Statistics of the leading pantograph; None where there are no figures."""
        return self.leading.statistics

    @property
    def worst_pantograph(self) -> int:
        """Pantograph whose contact force has the largest standard deviation, by which a train is judged."""
        return worst_of([one.statistics for one in self.pantographs])

    @property
    def train_statistics(self) -> ContactStatistics | None:
        """Of every statistic the worst of the train's pantographs, those of one pantograph alone; None without figures.

        So the largest and the smallest force may be those of different pantographs: their difference is the range of
        the whole train.
        """
        each = [one.statistics for one in self.pantographs if one.statistics is not None]
        if len(each) < 2:
            return self.statistics
        return ContactStatistics(**worst_figures([asdict(one) for one in each]))

    @property
    def on_head(self) -> tuple[HeadFigures, ...]:
        """Where the wire touches every head over the spans that count; none in the plane or without figures."""
        if self.statistics is None or self.case.catenary.dimension == "planar":
            return ()
        return tuple(
            figures_on_head(k, self.case.pantograph.head, one.on_head(self.case.pantograph.head))
            for k, one in enumerate(self.pantographs, start=1)
            if one.place[one.evaluated].size
        )

    @property
    def arms(self) -> tuple[ArmsInMotion, ...]:
        """Bodies and joints of every articulated pantograph on an open line over time; none of others, or elsewhere."""
        kept = self.histories
        if kept is None:
            return ()
        masses = kept.mass_height, kept.mass_velocity, kept.mass_acceleration
        return arms_of_run(self.case, TrainMotion(kept.time, kept.position, *masses, kept.control_force))

    @property
    def arm_figures(self) -> tuple[ArmFigures, ...]:
        """What joints carry over the spans that count, of every articulated pantograph on an open line."""
        if self.statistics is None:
            return ()
        pairs = zip(self.arms, self.pantographs, strict=False)
        return tuple(figures_of_arms(k, arms, one.evaluated) for k, (arms, one) in enumerate(pairs, start=1))

    @property
    def applied_force_N(self) -> float:
        """Applied force of the leading pantograph [N]."""
        return self.leading.applied_force_N

    @property
    def position(self) -> NDArray[np.float64]:
        """Station of the leading pantograph (time,) [m]."""
        return self.leading.position

    @property
    def contact_force(self) -> NDArray[np.float64]:
        """Contact force of the leading pantograph as computed (time,) [N]."""
        return self.leading.contact_force

    @property
    def contact_force_filtered(self) -> NDArray[np.float64]:
        """Low-pass filtered contact force of the leading pantograph (time,) [N]."""
        return self.leading.contact_force_filtered

    @property
    def contact_height(self) -> NDArray[np.float64]:
        """Contact-wire height at the leading pantograph (time,) [m]."""
        return self.leading.contact_height

    @property
    def halves(self) -> tuple[ContactStatistics | None, ...]:
        """Of the halves of a march's evaluated spans, of the pantograph that a train is judged by; else empty."""
        return self.pantographs[self.worst_pantograph].halves

    @property
    def spread_percent(self) -> float | None:
        """Standard deviation of a march's first half of evaluated spans against its second [%], of the worst."""
        first, second = self.halves or (None, None)
        if first is None or second is None:
            return None
        return 100.0 * (first.contact_force_std_N / second.contact_force_std_N - 1.0)


def worst_of(statistics: Sequence[ContactStatistics | None]) -> int:
    """Place of the largest standard deviation of the contact force; that of the first where there are no figures."""
    sigmas = [-1.0 if one is None else one.contact_force_std_N for one in statistics]
    return sigmas.index(max(sigmas))


def worst_figures(each: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Of every number of some pantographs' figures the worst, by the names that they have in the first one's."""
    names = [name for name, value in each[0].items() if isinstance(value, int | float)] if each else []
    return {name: (min if name in WORSE_WHEN_LOW else max)(float(own[name]) for own in each) for name in names}


def without_figures(
    case: CaseSpec, equilibrium: Equilibrium, status: Status, message: str, form_finding: float
) -> Solution:
    """Solution of a line on which nothing was run; ``form_finding`` is the time it took to find that out [s]."""
    return Solution(case, equilibrium, status, message, {"equilibrium": form_finding, "dynamics": 0.0})

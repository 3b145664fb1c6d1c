"""Outcome of a job: status, figures, violations; a number that was not computed is None, never made up."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from typing import Any

from dynamics.spec.status import Status
from optimise.evaluation.constraints import feasible
from optimise.evaluation.record_types import OutcomeContent, refuse_other_types

__all__ = ["CHECK", "OBJECTIVE", "BatchOutcome", "Outcome", "OutcomeStatus", "failed", "sound"]

# the objective's name among the derivatives, next to those of the violations
OBJECTIVE = "objective"
# among those of a point: change of sigma down a step along them, as they have it and as computed [N]
CHECK = "check"
# what most outcomes have not, left out of their record
SELDOM = ("objectives", "scenarios", "sigma_error_N", "droppers", "slopes", "harmonics")
BY_LIST = ("scenarios", "droppers", "slopes", "harmonics")
# what runs that follow at once start from, of no use on record
PASSING = ("short_window_share",)
# names of fields that earlier versions wrote by another key, which their records keep
RECORD_KEYS = {"sampler_value_N": "told_N"}


class OutcomeStatus(Enum):
    """How an evaluation ended; each member has a sentence.

    A design is OK, STATIC_SLACK or FAILED, with the reason as its message; a point also says how its solver ended.
    """

    OK = "ok"
    NOT_PERIODIC = "not_periodic"
    STATIC_SLACK = "static_slack"
    IMPOSSIBLE = "impossible"
    FAILED = "failed"
    EQUILIBRIUM_FAILED = "equilibrium_failed"
    NO_ROOM = "no_room"
    STEEP_ARM = "steep_arm"
    PUSHED_ARM = "pushed_arm"
    BLOWN_OFF = "blown_off"
    SLOW_WAVES = "slow_waves"
    NOT_SOLVED = "not_solved"
    MEAN_FORCE_NOT_HELD = "mean_force_not_held"
    STEP_NOT_CONVERGED = "step_not_converged"
    DIVERGED = "diverged"
    DEVICE_FAILED = "device_failed"

    @property
    def sentence(self) -> str:
        """What the status means."""
        return SENTENCES.get(self) or Status[self.name].value

    @property
    def on_point(self) -> str:
        """Text by which records and data sets of points name it: a failure of the solver by its sentence."""
        return self.value if self in SENTENCES else self.sentence

    @classmethod
    def of(cls, status: Status) -> OutcomeStatus:
        """Status of an evaluation whose solver ended so."""
        return cls[status.name]

    @classmethod
    def _missing_(cls, value: object) -> OutcomeStatus | None:
        return next((member for member in cls if member.on_point == value), None)


SENTENCES = {
    OutcomeStatus.OK: "the evaluation gave all figures",
    OutcomeStatus.NOT_PERIODIC: "no state repeats from span to span: the figures are those of a long march",
    OutcomeStatus.IMPOSSIBLE: "the values of the inputs do not go together",
    OutcomeStatus.FAILED: "the evaluation gave no figures",
}


@dataclass(frozen=True)
class Outcome:
    """Outcome of a job, for a design or a point; a number that was not computed is None, never made up.

    Attributes
    ----------
    number : int
        Number of the job.
    status : OutcomeStatus
    message : str
        Reason, when there are no figures; what to know about them, when there are.
    sigma_N : float, optional
        Standard deviation of the contact force as computed, feasible or not [N].
    sigma_error_N : float, optional
        Its estimated numerical error [N], where one was asked for and could be estimated.
    short_window_share : float, optional
        What a short window may move the standard deviation by, relative to it [-], where the error was estimated; not
        kept on record.
    constraints : dict
        Violations of a design by name, feasible when all are <= 0 [-].
    sampler_value_N : float, optional
        Standard deviation as given to a sampler that ignores constraints [N]; `told_N` on record.
    statistics : dict
        Statistics of the contact force by name, the unit at the end of each name; empty without figures.
    static_dropper_force_min_N, applied_force_N : float, optional
        Smallest static dropper force and applied force [N].
    wall_time_s : dict
        Wall times [s].
    objectives : dict
        Over scenarios: standard deviation and objectives by name, combined. In a single case they follow from the
        statistics.
    scenarios : dict
        Over scenarios: each kept statistic in every scenario (scenario,), in the order of `ScenarioSet.labels`; None
        only in records of versions that could not run a line with a loose dropper. The statistics are then weighted
        means, but for extreme forces, uplift and loss: those are the extremes of all.
    droppers : dict
        Of a design whose droppers are cut to whole steps: lengths as cut and heights at which it hangs (dropper,) [m].
    slopes : dict
        Derivatives of sigma [N] and of the violations by each variable that they were asked for, per range (variable,);
        of a point those of the statistics that have them, by each input and in its unit (input,), and their check.
    harmonics : dict
        Of the contact force (harmonic,) [N], by scenario and pantograph, where a search asks for them; see
        `dynamics.contact_force.harmonics`.
    """

    number: int
    status: OutcomeStatus
    message: str = ""
    sigma_N: float | None = None
    constraints: dict[str, float] = field(default_factory=dict)
    sampler_value_N: float | None = None
    statistics: dict[str, float] = field(default_factory=dict)
    static_dropper_force_min_N: float | None = None
    applied_force_N: float | None = None
    wall_time_s: dict[str, float] = field(default_factory=dict)
    objectives: dict[str, float] = field(default_factory=dict)
    scenarios: dict[str, tuple[float | None, ...]] = field(default_factory=dict)
    sigma_error_N: float | None = None
    droppers: dict[str, tuple[float, ...]] = field(default_factory=dict)
    short_window_share: float | None = None
    slopes: dict[str, tuple[float, ...]] = field(default_factory=dict)
    harmonics: dict[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def feasible(self) -> bool:
        """Whether the design was computed and holds every limit."""
        return self.status is OutcomeStatus.OK and feasible(self.constraints)

    @property
    def scenario_sigma_N(self) -> tuple[float, ...]:
        """Standard deviation of the contact force in each scenario [N]; none in one case, or where not all ran."""
        found = self.scenarios.get("contact_force_std_N", ())
        known = tuple(sigma for sigma in found if sigma is not None)
        return known if len(known) == len(found) else ()

    @property
    def slack_at_rest(self) -> bool:
        """Whether a dropper hangs loose at rest, or would have to push there."""
        from catenary.linearised.static_checks import SLACK_FORCE

        least = self.static_dropper_force_min_N
        return self.status is OutcomeStatus.STATIC_SLACK or (least is not None and least <= SLACK_FORCE)

    @property
    def reason(self) -> str:
        """Why there are no figures, in words."""
        return self.message or self.status.sentence

    @property
    def seconds(self) -> float:
        """Wall time of the whole evaluation [s]; 0 where it is not known."""
        return self.wall_time_s.get("total", 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Content as JSON types; what belongs to scenarios or to an estimated error alone is left out without them."""
        lists = {key: {k: list(v) for k, v in getattr(self, key).items()} for key in BY_LIST}
        content = {**asdict(self), "status": self.status.value, **lists}
        left_out = {name for name in SELDOM if content[name] in (None, {})} | set(PASSING)
        kept = {name: value for name, value in content.items() if name not in left_out}
        return {RECORD_KEYS.get(name, name): value for name, value in kept.items()}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Outcome:
        """Outcome from what `to_dict` gave.

        Raises
        ------
        ValueError
            If the content is not that of an outcome.
        """
        refuse_other_types(OutcomeContent, content)
        lists = {key: {k: tuple(v) for k, v in content.get(key, {}).items()} for key in BY_LIST}
        named = {name: content[key] for name, key in RECORD_KEYS.items() if key in content}
        same = {key: value for key, value in content.items() if key not in RECORD_KEYS.values()}
        return cls(**{**same, **named, "status": OutcomeStatus(content["status"]), **lists})


@dataclass(frozen=True)
class BatchOutcome:
    """What came out of a batch: the outcome of each of its jobs, in order."""

    number: int
    outcomes: tuple[Outcome, ...]


def failed(number: int, reason: str, wall_time: float = 0.0) -> Outcome:
    """Outcome without numbers, with the reason."""
    return Outcome(number, OutcomeStatus.FAILED, reason, wall_time_s={"total": wall_time})


def sound(outcome: Outcome) -> Outcome:
    """Outcome as it may go on record: numbers that are not finite make it a failure that names the first of them."""
    numbers = {
        "sigma_N": outcome.sigma_N,
        "told_N": outcome.sampler_value_N,
        "static_dropper_force_min_N": outcome.static_dropper_force_min_N,
        "applied_force_N": outcome.applied_force_N,
        **outcome.constraints,
        **outcome.statistics,
    }
    wrong = [(name, value) for name, value in numbers.items() if value is not None and not math.isfinite(value)]
    if not wrong:
        return outcome
    name, value = wrong[0]
    return replace(
        failed(outcome.number, f"the evaluation must give finite numbers: {name} is {value}"),
        wall_time_s={name: t for name, t in outcome.wall_time_s.items() if math.isfinite(t)},
    )

"""State of a campaign: counts, best, rate, time left, on one line and in `status.json`."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from optimise.evaluation.objectives import OBJECTIVES, raw_values
from optimise.evaluation.outcome import Outcome, OutcomeStatus
from optimise.record.campaign_folder import CampaignFolder, TrialRecord, read_records
from optimise.record.driver_lock import driver_lives
from optimise.record.status_file import StudyProgress, StudyState, read_sound_status
from optimise.search.front import Front
from optimise.spec.campaign import DEFAULT_OBJECTIVES, CampaignSpec

__all__ = ["Count", "Progress", "clock", "counted", "progress_line", "rate_in_words", "read_status"]


@dataclass(frozen=True, kw_only=True)
class Progress(StudyProgress):
    """State of a campaign.

    Attributes
    ----------
    trials, running, infeasible : int
        Trials wanted, in flight, infeasible; infeasible ones count as done, as failed ones do.
    best_trial, best_sigma_N, nominal_sigma_N
        Best feasible design so far and the nominal line, standard deviation [N]; None before there is one.
    objectives : tuple of str
        Names of the objectives; of several, the best design is the one best in the first.
    best, nominal : dict
        Objectives of the best design and of the nominal line by name; empty before there is one.
    front : int
        Feasible designs so far that none dominates.
    polished : int
        Evaluations of the polish that follows the search; they do not count as trials.
    """

    trials: int
    running: int = 0
    infeasible: int = 0
    best_trial: int | None = None
    best_sigma_N: float | None = None
    nominal_sigma_N: float | None = None
    objectives: tuple[str, ...] = DEFAULT_OBJECTIVES
    best: dict[str, float] = field(default_factory=dict)
    nominal: dict[str, float] = field(default_factory=dict)
    front: int = 0
    polished: int = 0

    @property
    def to_do(self) -> int | None:
        """Trials that are left; how many designs a polish takes is not known before."""
        return None if self.polished and self.done >= self.trials else self.trials - self.done


class Count:
    """Counts, front and best design, kept as trials end."""

    def __init__(self, campaign: CampaignSpec, records: list[TrialRecord], command: str = "") -> None:
        self._front = Front(campaign.objectives)
        self._done = self._failed = self._infeasible = self._polished = 0
        self._nominal: TrialRecord | None = None
        for record in records:
            self.ended(record)
        self._empty = Progress(
            name=campaign.name, trials=campaign.trials, objectives=campaign.objectives, command=command,
            running=len(records) - self._done - self._polished,
        )  # fmt: skip

    def ended(self, record: TrialRecord) -> None:
        """Count a trial; one in flight changes nothing."""
        e = record.outcome
        if e is None:
            return
        broken = e.status is OutcomeStatus.FAILED
        if record.polished:
            self._polished += 1
        else:
            self._done += 1
            self._failed += broken
            self._infeasible += not e.feasible and not broken
        if record.number == 0:
            self._nominal = record
        if e.feasible:
            self._front.add(record)

    @property
    def progress(self) -> Progress:
        """State after the trials so far."""
        objectives, front = self._empty.objectives, self._front.records
        p = replace(
            self._empty, done=self._done, failed=self._failed, infeasible=self._infeasible, polished=self._polished,
            front=len(front),
        )  # fmt: skip
        if self._nominal is not None and (e := self._nominal.outcome) is not None:
            p = replace(p, nominal_sigma_N=e.sigma_N, nominal=_by_name(objectives, e))
        if front and (best := front[0].outcome) is not None:
            p = replace(p, best_trial=front[0].number, best_sigma_N=best.sigma_N, best=_by_name(objectives, best))
        return p


def _by_name(objectives: tuple[str, ...], outcome: Outcome) -> dict[str, float]:
    return dict(zip(objectives, raw_values(objectives, outcome) or (), strict=False))


def progress_line(p: Progress) -> str:
    """State on one line: done, rate, best, failed, time left."""
    parts = [f"{p.done}/{p.trials} designs"]
    if p.polished:
        parts.append(f"{p.polished} polishing")
    parts.append(rate_in_words(p.rate_per_s))
    if len(p.objectives) > 1:
        parts.append(f"{p.front} on the front of {', '.join(p.objectives)}")
    parts.append(_best(p))
    parts.append(f"{p.failed} failed")
    parts.append("time left -" if p.time_left_s is None else f"time left {clock(p.time_left_s)}")
    return " | ".join(parts)


def _best(p: Progress) -> str:
    """Value of the best design in the first objective, and what it gained on the nominal line."""
    first = OBJECTIVES[p.objectives[0]]
    value, nominal = p.best.get(first.name), p.nominal.get(first.name)
    name = "best" if p.objectives == DEFAULT_OBJECTIVES else f"best {first.name}"
    if value is None:
        return f"{name} -"
    gain = f" ({100.0 * (value / nominal - 1.0):+.1f} %)" if nominal else ""
    return f"{name} {value:.2f} {first.unit}{gain}"


def counted(what: str, units: str, show: Callable[[str], None]) -> Callable[[int, int], None]:
    """Make what shows how much of a piece of work is done, such as 'table: 3 of 12 runs | 0:09 | time left 0:27'."""
    began = time.perf_counter()

    def progress(done: int, of: int) -> None:
        spent = time.perf_counter() - began
        left = clock(spent * (of - done) / done) if done else "-"
        show(f"{what}: {done} of {of} {units} | {clock(spent)} | time left {left}")

    return progress


def clock(seconds: float) -> str:
    """Time as it is read on a clock: 1:05, 2:01:05."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def rate_in_words(per_s: float | None) -> str:
    """Rate [1/s] per second, minute or hour, whichever gives a number of at least one; 'rate -' where not known."""
    if per_s is None:
        return "rate -"
    size, unit = next(((s, u) for s, u in ((1.0, "s"), (60.0, "min")) if per_s * s >= 1.0), (3600.0, "h"))
    return f"{per_s * size:.1f} per {unit}"


def read_status(path: Path) -> Progress:
    """State of the campaign in a folder, from its record, which is only read.

    Raises
    ------
    InputError
        If the folder holds no campaign, or its record is lost.
    """
    folder = CampaignFolder(Path(path))
    campaign, _, _ = folder.read_input()
    folder.refuse_lost_record()
    written = read_sound_status(folder.status_json)
    state = StudyState(written.get("state", StudyState.RUNNING))  # one that is damaged says nothing, the lock does
    if state is StudyState.RUNNING and not driver_lives(folder.lock, campaign.cluster.driver_silence_s):
        state = StudyState.STOPPED
    command = str(written.get("command", ""))
    found = replace(Count(campaign, read_records(folder, campaign.name), command).progress, state=state)
    if state is not StudyState.RUNNING:
        return found
    return replace(found, rate_per_s=written.get("rate_per_s"), time_left_s=written.get("time_left_s"))

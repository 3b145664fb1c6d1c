"""What an evaluation is asked for: a job, a batch of jobs for one worker, and what all jobs of a study share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from catenary.spec.line import CatenarySpec
from dynamics.spec.case import CaseSpec
from optimise.evaluation.constraints import Reference
from optimise.evaluation.outcome import BatchOutcome, Outcome, failed
from optimise.spec.campaign import LimitsSpec

if TYPE_CHECKING:  # what reads a record compiles nothing
    from dynamics.results.warm_start import StartPolicy
    from optimise.evaluation.scenarios import ScenarioSet

__all__ = ["Batch", "Job", "Setting", "Work"]


@dataclass(frozen=True)
class Job:
    """One evaluation to make: a design by its line, or a point by the values of the inputs that it sets.

    Attributes
    ----------
    number : int
        Number of the trial, or of the point in its study.
    catenary : CatenarySpec, optional
        Line that takes the place of the case's own.
    values : tuple of float
        Values of the inputs that the setting names.
    place : tuple of float
        Coordinates over which steady states are continued from one point to the next [-].
    tolerance : float, optional
        End of the search for a steady state, where it is not the case's [-].
    neighbours : tuple of (line, step)
        Lines a small step away along each variable of the line that derivatives are wanted by, and the step; none where
        they are not.
    near_trains : tuple of (values, step)
        Gains and distances a small step away along each variable of the train, behind those of the line, likewise.
    marched_slopes : bool
        Whether derivatives are wanted, too, of a steady state that was marched to: they cost ten designs.
    steps : tuple of float
        A small step of each input of a point that derivatives are wanted by, in its unit; none where they are not.
    train : tuple of (str, float)
        Gains and distances of the pantographs by their paths inside the case, where they differ from the case's.
    harmonics : bool
        Whether those of the contact force are wanted.
    window : float, optional
        Share of the case's window in which the steady state is sought, where that is not all of it [-].
    step_share : float
        Share of the case's time step that is taken, where a tolerance is given [-].
    """

    number: int
    catenary: CatenarySpec | None = None
    values: tuple[float, ...] = field(default=(), kw_only=True)
    place: tuple[float, ...] = field(default=(), kw_only=True)
    tolerance: float | None = field(default=None, kw_only=True)
    neighbours: tuple[tuple[CatenarySpec, float], ...] = field(default=(), kw_only=True)
    near_trains: tuple[tuple[tuple[tuple[str, float], ...], float], ...] = field(default=(), kw_only=True)
    marched_slopes: bool = field(default=True, kw_only=True)
    steps: tuple[float, ...] = field(default=(), kw_only=True)
    window: float | None = field(default=None, kw_only=True)
    step_share: float = field(default=1.0, kw_only=True)
    train: tuple[tuple[str, float], ...] = field(default=(), kw_only=True)
    harmonics: bool = field(default=False, kw_only=True)

    @property
    def size(self) -> int:
        """Number of evaluations."""
        return 1

    @property
    def wants_slopes(self) -> bool:
        """Whether derivatives by design variables are wanted."""
        return bool(self.neighbours or self.near_trains)

    @property
    def in_words(self) -> str:
        """What is evaluated, for a sentence about it."""
        return "this point" if self.catenary is None else "this design"

    def failed(self, reason: str) -> Outcome:
        """Outcome without numbers, with the reason."""
        return failed(self.number, reason)


@dataclass(frozen=True)
class Batch:
    """Points that one worker evaluates in order, each near one before it.

    Attributes
    ----------
    number : int
        Number of the batch in its study.
    jobs : tuple of Job
    """

    number: int
    jobs: tuple[Job, ...]

    @property
    def size(self) -> int:
        """Number of evaluations."""
        return len(self.jobs)

    @property
    def split(self) -> tuple[Batch, ...]:
        """Batches of one job each, numbered as their jobs are."""
        return tuple(Batch(job.number, (job,)) for job in self.jobs)

    @property
    def in_words(self) -> str:
        """What is evaluated, for a sentence about it."""
        return f"these {self.size} points" if self.size > 1 else "this point"

    def failed(self, reason: str) -> BatchOutcome:
        """Outcome of a batch none of whose points has numbers, with the reason."""
        return BatchOutcome(self.number, tuple(job.failed(reason) for job in self.jobs))


# what an executor takes
Work = Job | Batch


@dataclass(frozen=True)
class Setting:
    """What all jobs of a study share, sent to each worker once.

    Attributes
    ----------
    case : CaseSpec
        The nominal case; a job's line takes the place of its own.
    limits : LimitsSpec
        What designs must hold.
    reference : Reference, optional
        Figures of the nominal line; without them a design is its own reference, as the nominal line is.
    start : object, optional
        Steady state of the nominal line, from which near designs start.
    time_limit_s : float
        Longest wall time of one evaluation [s].
    scenarios : ScenarioSet, optional
        Where a design has to be good; without them in the case alone.
    assured : bool
        Whether the numerical error of the standard deviation is estimated, and what has a large share of it refined.
    short_window_share : float, optional
        What a short window moves the standard deviation by, relative to it [-], where a line alike has shown it: small,
        it lets figures with their errors come from that window.
    names : tuple of str
        Dotted paths of the inputs that jobs set.
    policy : callable, optional
        Makes what chooses where each search of a batch starts.
    """

    case: CaseSpec
    limits: LimitsSpec = field(default_factory=LimitsSpec)
    reference: Reference | None = None
    start: Any = None
    time_limit_s: float = math.inf
    scenarios: ScenarioSet | None = None
    assured: bool = False
    short_window_share: float | None = None
    names: tuple[str, ...] = ()
    policy: Callable[[], StartPolicy] | None = None

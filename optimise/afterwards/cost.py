"""Estimate the cost of a campaign or a sweep from a few evaluations, measured before anything is submitted."""

from __future__ import annotations

import contextlib
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from catenary.storage.end_request import end_request_interrupts
from dynamics.spec.case import CaseSpec
from optimise.evaluation.job import Batch, Setting
from optimise.evaluation.outcome import OutcomeStatus
from optimise.executors.processors import processor_type
from optimise.record.driver_lock import Interrupted
from optimise.spec.campaign import CampaignSpec, OffDesignSpec, PolishSpec, SamplerSpec
from optimise.spec.cluster import ClusterSpec

__all__ = ["Cost", "campaign_cost", "cost_lines", "not_counted", "points_cost"]

MEASURED_DESIGNS = 6
MEASURED_BATCHES, POINTS_OF_A_BATCH = 3, 4


@dataclass(frozen=True)
class Cost:
    """Processor time of a set of jobs, estimated from some of them.

    Attributes
    ----------
    what : str
        What is counted, in the plural.
    count : int
        How many there are.
    seconds : tuple of float
        Times of those that were measured, each on one core [s].
    at_once : int, optional
        How many are in flight at most, however many workers there are.
    """

    what: str
    count: int
    seconds: tuple[float, ...]
    at_once: int | None = None

    @property
    def mean_s(self) -> float:
        """Mean time of one [s]."""
        return statistics.fmean(self.seconds)

    @property
    def scatter_s(self) -> float:
        """Standard deviation of the times [s]; not a number of a single one."""
        return statistics.stdev(self.seconds) if len(self.seconds) > 1 else math.nan

    @property
    def core_hours(self) -> float:
        """Estimated processor time of all [h]."""
        return self.count * self.mean_s / 3600.0

    @property
    def error_core_hours(self) -> float:
        """Standard error of the estimate [h]."""
        return self.count * self.scatter_s / math.sqrt(len(self.seconds)) / 3600.0


@contextlib.contextmanager
def _in_one_sentence() -> Iterator[None]:
    """Report that an interrupted estimate leaves nothing behind."""
    try:
        with end_request_interrupts():
            yield
    except (KeyboardInterrupt, Interrupted) as stop:
        raise Interrupted(
            "the estimate was interrupted, nothing was submitted and nothing was written; the same command restarts it"
        ) from stop


@_in_one_sentence()
def campaign_cost(campaign: CampaignSpec, case: CaseSpec) -> Cost:
    """Cost of a campaign's search: random designs of its space, evaluated in this process, nothing kept.

    A design that is slack at rest costs next to nothing and is not counted: a search soon leaves them alone, so the
    estimate is rather too high than too low. What follows the search is not measured, see `not_counted`.

    Raises
    ------
    NominalFailedError
        If the nominal line cannot be evaluated.
    Interrupted
        After Ctrl-C or a request to end.
    """
    from optimise.design.train_space import space_of_case
    from optimise.search.campaign import run_campaign
    from optimise.search.samplers import designs_in_flight
    from optimise.search.warm_start import warm_start

    warm_start(campaign, space_of_case(case, campaign.design))  # refused here, since the few begin without one
    few = {
        "trials": 1 + MEASURED_DESIGNS,
        # a Gaussian process begins with a Sobol sequence, each design with all that it asks for
        "sampler": campaign.sampler if campaign.sampler.in_order else SamplerSpec(kind="random"),
        "synchronous": False,
        "polish": PolishSpec(),
        "warm_start": None,
        "cluster": ClusterSpec(kind="serial", time_limit_s=campaign.cluster.time_limit_s),
    }
    with tempfile.TemporaryDirectory() as folder:
        result = run_campaign(campaign.model_copy(update=few), case, Path(folder) / "cost")
    # the nominal line comes first, and with it whatever is still to be loaded
    found = [r.outcome for r in result.records[1:] if r.outcome is not None]
    counted = [e for e in found if e.status is OutcomeStatus.OK] or found
    at_once = designs_in_flight(campaign.sampler) if campaign.sampler.in_order else None
    return Cost("designs", campaign.trials, tuple(e.seconds for e in counted), at_once)


def not_counted(campaign: CampaignSpec, case: CaseSpec, off_design: OffDesignSpec) -> str:
    """List what follows a search and is not estimated, with its largest number of evaluations."""
    from optimise.afterwards.off_design import conditions
    from optimise.design.train_space import space_of_case

    parts, polish = [], campaign.polish
    if polish.best:
        free = sum(not v.integer for v in space_of_case(case, campaign.design).variables)
        # central differences at the start and behind every step
        most = polish.best * (1 + polish.iterations) * 2 * free
        parts.append(
            f"the polish, up to {most} evaluations for its gradients ({polish.best} designs, {polish.iterations} "
            f"steps, {free} variables) and a few for each step"
        )
    runs = 2 * len(conditions(case, off_design, len(case.catenary.droppers.positions)))
    if case.on_open_line:
        parts.append(f"the confirmation, 4 marches, two of them finer; the off-design table, {runs} marches")
    else:
        errors = "steady states with their errors"
        parts.append(f"the confirmation, 4 long transients; the off-design table, {runs} {errors}")
    tolerance = off_design.length_tolerance
    if tolerance.rise_percent is not None and not case.on_open_line:
        lines = 2 * tolerance.samples
        parts.append(
            f"the tolerance of {len(case.catenary.droppers.positions)} dropper lengths, about ten steady states each, "
            f"and {lines} lines that are wrong"
        )
    return f"Not counted: {'; '.join(parts)}."


@_in_one_sentence()
def points_cost(batches: list[Batch], setting: Setting, evaluate: Callable[[Batch, Setting], object]) -> Cost:
    """Cost of the points of a sweep or a sensitivity study: the first of some batches, evaluated in this process.

    Raises
    ------
    Interrupted
        After Ctrl-C or a request to end.
    """
    evaluate(replace(batches[0], jobs=batches[0].jobs[:1]), setting)  # compiles
    seconds = []
    for batch in batches[:: max(1, -(-len(batches) // MEASURED_BATCHES))]:
        few = replace(batch, jobs=batch.jobs[:POINTS_OF_A_BATCH])
        begin = time.perf_counter()
        evaluate(few, setting)
        seconds.append((time.perf_counter() - begin) / few.size)
    return Cost("points", sum(batch.size for batch in batches), tuple(seconds))


def cost_lines(cost: Cost, cluster: ClusterSpec, beside: Sequence[str] = ()) -> list[str]:
    """The estimate in words, with its scatter, the time that it takes on a cluster, and what it leaves out."""
    measured, several = ", ".join(f"{s:.3g}" for s in cost.seconds), len(cost.seconds) > 1
    lines = [
        f"One core of {processor_type()} takes {measured} s for one of the {cost.what} "
        + (f"(mean {cost.mean_s:.3g} s, standard deviation {cost.scatter_s:.2g} s)." if several else "(a single one)."),
        f"{cost.count} {cost.what} are estimated at {cost.core_hours:.3g} core-hours"
        + (f", standard error {cost.error_core_hours:.2g}" if several else "")
        + ", if the workers' cores are as fast as this one.",
    ]
    workers = cluster.wanted_workers if cluster.kind != "serial" else 1
    if workers is not None:
        hours = cost.core_hours / min(workers, cost.count, cost.at_once or workers)
        lines.append(f"On {workers} worker{'s' if workers > 1 else ''} that is {_duration(hours)}, once all are there.")
    return [*lines, *beside, "Nothing was submitted and nothing was written."]


def _duration(hours: float) -> str:
    if hours < 1.0 / 60.0:
        return f"{max(1.0, 3600.0 * hours):.0f} s"
    return f"{60.0 * hours:.0f} minutes" if hours < 2.0 else f"{hours:.1f} hours"

"""The fewest droppers to cut again so that a line meets its limits.

Single effects say in which order droppers are corrected (`superposition`); lists that begin in that order are run until
one meets the limits and the list that is one shorter does not. Where a run differs from what superposition says, the
difference is carried over to the lists between those that were run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.spec.section import DefectSpec
from catenary.survey.loose_lengths import with_loose_as_lengths
from dynamics.spec.case import CaseSpec
from optimise.correction_list.evaluation import (
    EffectsJob,
    LineFigures,
    LineJob,
    SpanEffects,
    evaluate_correction,
    wrong_lengths,
)
from optimise.correction_list.superposition import superposed
from optimise.evaluation.job import Setting
from optimise.executors import ONE_AT_A_TIME, Executor, open_executor, run_all
from optimise.spec.cluster import ClusterSpec
from optimise.spec.correction import CorrectionLimitsSpec

__all__ = ["Corrections", "NoLineFiguresError", "figures_of", "find_corrections", "refuse_uncorrectable"]

SHARE = 1.02  # of the design's sigma, where no limit is given
Floats = NDArray[np.float64]
Show = Callable[[str], None]


class NoLineFiguresError(Exception):
    """A run without which there is no list has no figures."""


@dataclass(frozen=True, eq=False)
class Corrections:
    """A correction list and what it rests on.

    Attributes
    ----------
    case : CaseSpec
        With the line as built, whose loose droppers are lengths that are wrong.
    wrong : tuple of DefectSpec
        All wrong lengths.
    order : tuple of int
        Numbers of the wrong lengths, the one to be corrected first in front.
    limits : float array (3,)
        Of sigma, of sigma within a span [N] and of the uplift [mm]; infinite where not held.
    predicted : float array (wrong + 1, 3)
        The same figures by superposition with none, one, ... of that order corrected.
    runs : dict of int to LineFigures
        Lines that were run, by how many of that order are right.
    count : int or None
        How many are to be corrected; None where no list that was run meets the limits, and no
        other is expected to come closer.
    unknown : tuple of int
        Wrong lengths whose single effect has no figures; they come last.
    wall_time_s : float
    """

    case: CaseSpec
    wrong: tuple[DefectSpec, ...]
    order: tuple[int, ...]
    limits: Floats
    predicted: Floats
    runs: dict[int, LineFigures]
    count: int | None
    unknown: tuple[int, ...]
    wall_time_s: float

    def __repr__(self) -> str:
        """Say how many of the wrong lengths are to be corrected."""
        found = "not even all of them meet the limits" if self.count is None else f"correct {self.count}"
        return f"<corrections of {self.case.in_words}: {len(self.wrong)} wrong lengths, {found}>"

    @property
    def chosen(self) -> tuple[DefectSpec, ...]:
        """Wrong lengths to be corrected, in their order; none where not even all of them meet the limits."""
        return tuple(self.wrong[k] for k in self.order[: self.count or 0])


@dataclass
class _Search:
    """A running search: its case, its workers, and the lines that were run."""

    case: CaseSpec
    executor: Executor
    show: Show
    wrong: int
    runs: dict[int, LineFigures] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)
    numbers: int = 0

    def run_lines(self, counts: list[int]) -> None:
        """Run the lines with so many of the order corrected."""
        jobs = []
        guess = self.runs[0].applied_force_N if self.runs else None
        for count in counts:
            right = tuple(range(self.wrong)) if count == self.wrong else tuple(self.order[:count])
            jobs.append(LineJob(self.numbers, right=right, guess_N=guess))
            self.numbers += 1
        for job, count, found in zip(jobs, counts, self._all(jobs, "lines"), strict=True):
            if not isinstance(found, LineFigures):
                raise NoLineFiguresError(f"the line with {len(job.right)} droppers corrected: {found.message}")
            self.runs[count] = found

    def single_effects(self) -> list[Any]:
        """Effects of all wrong lengths, span by span."""
        by_span: dict[int, list[int]] = {}
        for k, defect in enumerate(wrong_lengths(self.case.catenary)):
            by_span.setdefault(defect.span, []).append(k)
        jobs = []
        force = self.runs[0].applied_force_N
        # the spans with most of them first, so that all workers end at about the same time
        for span, own in sorted(by_span.items(), key=lambda item: -len(item[1])):
            jobs.append(EffectsJob(self.numbers, span=span, droppers=tuple(own), applied_force_N=force))
            self.numbers += 1
        found = self._all(jobs, "spans with single effects")
        return [effect for each in found if isinstance(each, SpanEffects) for effect in each.effects]

    def _all(self, jobs: list[Any], what: str) -> list[Any]:
        ended = run_all(self.executor, jobs, lambda done: self.show(f"{done}/{len(jobs)} {what}"))
        return [ended[job.number] for job in jobs]


def refuse_uncorrectable(case: CaseSpec) -> None:
    """Refuse a case of which no correction list is made.

    Raises
    ------
    InputError
        With one sentence per fault.
    """
    line, problems = case.catenary, []
    if not line.ends:
        problems.append(f"catenary must be a line by stations, of kind line: '{line.name}' repeats")
    if case.trailing.distances_m:
        problems.append("trailing.distances_m must be left out of a correction list, which is that of one pantograph")
    if case.base_motion is not None:
        problems.append("base_motion must be left out of a correction list, whose single effects are on stretches")
    if problems:
        raise InputError(problems)


def find_corrections(
    case: CaseSpec, limits: CorrectionLimitsSpec, cluster: ClusterSpec, show: Show = lambda _: None
) -> Corrections:
    """Find the fewest wrong lengths to correct, in the order of what they do, and verify the list by runs.

    Parameters
    ----------
    case : CaseSpec
        With a line by stations as built: its defects of kind length and loose are those that can be corrected.
    limits : CorrectionLimitsSpec
    cluster : ClusterSpec
        Where lines run.
    show : callable
        Takes a line about the progress.

    Raises
    ------
    InputError
        If the case is not one of which a list is made.
    NoLineFiguresError
        If a line has no figures.
    """
    refuse_uncorrectable(case)
    began = time.perf_counter()
    case = case.model_copy(update={"catenary": with_loose_as_lengths(case.catenary)})
    wrong = wrong_lengths(case.catenary)
    setting = Setting(case, time_limit_s=cluster.time_limit_s)
    with open_executor(cluster, evaluate_correction, setting, per_worker=ONE_AT_A_TIME) as executor:
        search = _Search(case, executor, show, len(wrong))
        search.run_lines(sorted({0, len(wrong)}))
        held = _limits(limits, search.runs[len(wrong)])
        effects = search.single_effects() if wrong else []
        model = superposed(case.catenary, search.runs[0], effects, len(wrong))
        known = {effect.dropper for effect in effects}
        search.order = model.order(held)
        search.order.sort(key=lambda k: k not in known)
        predicted = np.array([model.figures(search.order[:k]) for k in range(len(wrong) + 1)])
        count = _fewest(search, predicted, held)
    return Corrections(
        case,
        wrong,
        tuple(search.order),
        held,
        predicted,
        dict(sorted(search.runs.items())),
        count,
        tuple(k for k in range(len(wrong)) if k not in known),
        time.perf_counter() - began,
    )


def figures_of(run: LineFigures) -> Floats:
    """Figures that limits hold: sigma, the largest within a span [N], uplift [mm]."""
    return np.array([run.sigma_N, run.worst_span_sigma_N, run.uplift_mm])


def _limits(wanted: CorrectionLimitsSpec, design: LineFigures) -> Floats:
    given = [wanted.sigma_N, wanted.worst_span_sigma_N, wanted.uplift_mm]
    if given == [None, None, None]:
        given[0] = SHARE * design.sigma_N
    return np.array([np.inf if limit is None else limit for limit in given])


def _fewest(search: _Search, predicted: Floats, limits: Floats) -> int | None:
    """Run lists until one meets the limits and the one that is shorter by a dropper does not; None where none does."""
    if (figures_of(search.runs[0]) <= limits).all():
        return 0
    found = _any_that_meets(search, predicted, limits)
    if found is None:
        return None
    misses, meets = max(k for k in search.runs if k < found), found
    while meets - misses > 1:
        expected = _expected(search, predicted)
        good = (expected[misses + 1 : meets] <= limits).all(axis=1)
        count = misses + 1 + int(good.argmax()) if good.any() else meets - 1
        search.run_lines(sorted({count, max(count - 1, misses + 1)} if search.executor.capacity > 1 else {count}))
        for k in sorted(search.runs):
            if misses < k < meets:
                met = (figures_of(search.runs[k]) <= limits).all()
                misses, meets = (misses, k) if met else (k, meets)
    return meets


def _any_that_meets(search: _Search, predicted: Floats, limits: Floats) -> int | None:
    """Length of a list that meets the limits: that of all, or the shortest that is expected to come closest."""
    count = search.wrong
    while (figures_of(search.runs[count]) > limits).any():
        excess = np.maximum(_expected(search, predicted) / limits - 1.0, 0.0).sum(axis=1)
        count = int(excess.argmin())
        if count in search.runs:
            return None
        search.run_lines([count])
    return count


def _expected(search: _Search, predicted: Floats) -> Floats:
    """Figures by superposition, shifted to those of the lines that were run."""
    done = sorted(search.runs)
    off = np.array([figures_of(search.runs[k]) - predicted[k] for k in done])
    counts = np.arange(len(predicted))
    return predicted + np.stack([np.interp(counts, done, column) for column in off.T], axis=1)

"""Runs that a correction list rests on: whole lines with some droppers cut again, and single effects on stretches.

A single effect is what the force loses when one dropper alone is right: the difference of two runs on a stretch of the
line, from some spans before that of the dropper to some beyond it. What a pantograph and a held end do at the beginning
of the stretch is in both runs, and leaves the difference; so does most of the error of a coarse mesh. A wave that the
dropper sends ahead comes back from the end of the stretch, which has to be so far that the pantograph has passed by
then what counts.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catenary.errors import lacks_memory
from catenary.layout.stretch import stretch_of, with_whole_overlaps
from catenary.spec.line import CatenarySpec
from catenary.spec.mesh import COARSE
from catenary.spec.section import DefectSpec
from dynamics.results.by_span import figures_by_span
from dynamics.results.solution import Solution
from dynamics.solution import solve
from dynamics.spec.case import RIG_STEP, CaseSpec
from dynamics.spec.histories import HistorySpec
from optimise.evaluation.job import Job, Setting
from optimise.evaluation.outcome import Outcome

__all__ = [
    "EffectsJob",
    "LineFigures",
    "LineJob",
    "SingleEffect",
    "SpanEffects",
    "corrected",
    "evaluate_correction",
    "wrong_lengths",
]

BEFORE, BEYOND = 4, 5  # spans of a stretch on either side of the dropper's own


@dataclass(frozen=True)
class LineJob(Job):
    """The whole line with some of its wrong lengths corrected, by their numbers from 0, and a first guess of the force.

    The guess is that of the applied force which holds the mean [N].
    """

    right: tuple[int, ...] = ()
    guess_N: float | None = None


@dataclass(frozen=True)
class EffectsJob(Job):
    """Single effects of the wrong lengths of one span, by their numbers from 0, with an applied force [N]."""

    span: int = 1
    droppers: tuple[int, ...] = ()
    applied_force_N: float = 0.0


@dataclass(frozen=True, eq=False)
class LineFigures:
    """Figures of a whole line, and its force where they come from.

    Attributes
    ----------
    number : int
        Of the job.
    right : tuple of int
        Wrong lengths that are corrected.
    sigma_N, worst_span_sigma_N, uplift_mm : float
        Standard deviation of the filtered force over the evaluated spans, largest one within a span [N], and largest
        uplift at their supports [mm].
    worst_span : int
    applied_force_N, mean_N : float
    position, force : float array (sample,)
        Of the evaluated spans: station [m] and filtered force [N].
    rise : float array (support,)
        Largest uplift at every support of the line [mm].
    wall_time_s : float
    """

    number: int
    right: tuple[int, ...]
    sigma_N: float
    worst_span_sigma_N: float
    uplift_mm: float
    worst_span: int
    applied_force_N: float
    mean_N: float
    position: NDArray[np.float64]
    force: NDArray[np.float64]
    rise: NDArray[np.float64]
    wall_time_s: float


@dataclass(frozen=True, eq=False)
class SingleEffect:
    """What a line loses when one wrong length is corrected.

    Attributes
    ----------
    dropper : int
        Number of the wrong length.
    position, force : float array (sample,)
        Station on the line [m], and what the filtered force is lower by [N].
    first_support : int
        Support at which ``rise`` begins, the line's first one being 0.
    rise : float array (support,)
        What the largest uplift is lower by [mm].
    """

    dropper: int
    position: NDArray[np.float64]
    force: NDArray[np.float64]
    first_support: int
    rise: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SpanEffects:
    """Single effects of the wrong lengths of one span; one whose line has no figures is left out."""

    number: int
    effects: tuple[SingleEffect, ...]
    wall_time_s: float


def wrong_lengths(line: CatenarySpec) -> tuple[DefectSpec, ...]:
    """Defects of kind length of a line, as they are listed."""
    own = () if line.section is None else line.section.defects
    return tuple(defect for defect in own if defect.kind == "length")


def corrected(line: CatenarySpec, right: Collection[int]) -> CatenarySpec:
    """Line without some of its wrong lengths, which are numbered as `wrong_lengths` lists them."""
    if line.section is None:
        raise ValueError("only a line by stations has droppers that are wrong")
    wrong = wrong_lengths(line)
    gone = [wrong[k] for k in right]
    kept = tuple(defect for defect in line.section.defects if not any(defect is each for each in gone))
    return line.model_copy(update={"section": line.section.model_copy(update={"defects": kept})})


def evaluate_correction(job: LineJob | EffectsJob, setting: Setting) -> Any:
    """Figures of a line, or single effects of a span; pure, raises `MemoryError` alone."""
    try:
        if isinstance(job, LineJob):
            return _line(job, setting.case)
        return _effects(job, setting.case)
    except Exception as error:  # an error on a worker belongs in the result, not in a lost traceback
        if lacks_memory(error):  # the machine's lack
            raise MemoryError(str(error)) from error
        return job.failed(f"{type(error).__name__}: {error}")


def _line(job: LineJob, case: CaseSpec) -> LineFigures | Outcome:
    found = solve(case.model_copy(update={"catenary": corrected(case.catenary, job.right)}), applied_force=job.guess_N)
    if found.statistics is None or found.histories is None:
        return job.failed(found.message or found.status.value)
    spans, one = figures_by_span(found), found.pantographs[0]
    worst = max(spans, key=lambda each: each.contact_force_std_N)
    return LineFigures(
        number=job.number,
        right=job.right,
        sigma_N=found.statistics.contact_force_std_N,
        worst_span_sigma_N=worst.contact_force_std_N,
        uplift_mm=found.statistics.max_uplift_at_supports_mm,
        worst_span=worst.span,
        applied_force_N=one.applied_force_N,
        mean_N=found.statistics.contact_force_mean_N,
        position=one.position[one.evaluated],
        force=one.contact_force_filtered[one.evaluated],
        rise=_rise(found),
        wall_time_s=sum(found.wall_time_s.values()),
    )


def _rise(found: Solution) -> NDArray[np.float64]:
    """Largest uplift at every support [mm], nothing at those where the wires end."""
    assert found.histories is not None
    return 1e3 * np.concatenate([[0.0], found.histories.support_uplift.max(axis=0), [0.0]])


def _effects(job: EffectsJob, case: CaseSpec) -> SpanEffects | Outcome:
    """Run a stretch as it is, and once more for every dropper that is right."""
    line, count = case.catenary, len(case.catenary.spans)
    first, last = with_whole_overlaps(line, max(1, job.span - BEFORE), min(count, job.span + BEYOND))
    as_it_is, spent = _on_stretch(case, line, first, last, job.applied_force_N)
    if as_it_is.statistics is None:
        return job.failed(as_it_is.message or as_it_is.status.value)
    before, begin, effects = as_it_is.pantographs[0], line.supports[first - 1], []
    for k in job.droppers:
        right, more = _on_stretch(case, corrected(line, (k,)), first, last, job.applied_force_N)
        spent += more
        if right.statistics is None:
            continue
        less = before.contact_force_filtered - right.pantographs[0].contact_force_filtered
        effects.append(SingleEffect(k, before.position + begin, less, first - 1, _rise(as_it_is) - _rise(right)))
    return SpanEffects(job.number, tuple(effects), spent)


def _on_stretch(case: CaseSpec, line: CatenarySpec, first: int, last: int, force: float) -> tuple[Solution, float]:
    """Run over a stretch of a line, pressed by a force, and its wall time [s]."""
    own = stretch_of(line, first, last).model_copy(update={"mesh": COARSE})
    spans = len(own.spans)
    way = {"spans": spans, "start": 0.5, "first_evaluated": 2, "last_evaluated": spans - 1, "spans_after": 1}
    update = {
        "catenary": own,
        "mean_force_N": None,
        "applied_force_N": force,
        "dt": max(case.dt, RIG_STEP),
        "strict_dt": False,
        "open_line": case.open_line.model_copy(update=way),
        "histories": HistorySpec(),
    }
    found = solve(case.model_copy(update=update))
    return found, sum(found.wall_time_s.values())

"""By how much each dropper's length may be wrong, alone, before sigma rises by a share; checked on many wrong lines.

Lengths are prescribed and heights follow. A line is periodic, so its error repeats from span to span. Each dropper is
searched for its first crossing of the rise (`first_crossing`) on the step and window of a search, and the crossing is
run again on finer numerics: how far the rise moves from the one to the other, and what is left of it to the limit, over
the slope, is the error of the tolerance. Then lines are drawn with every dropper wrong at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from catenary.errors import lacks_memory
from catenary.form_finding.equilibrium import EquilibriumStatus, periodic_equilibrium
from catenary.form_finding.prescribed import prescribed_by_lengths
from dynamics.accuracy.assured import on_long_window, refined
from dynamics.results.solution import Solution
from dynamics.results.warm_start import WarmStart
from dynamics.solution import solve
from dynamics.spec.case import RIG_STEP, CaseSpec
from optimise.afterwards.dropper_tolerance import DropperTolerance, LengthTolerances, WrongLines
from optimise.afterwards.finished_runs import FinishedRuns, RunKind
from optimise.afterwards.first_crossing import Crossing, NoFigureError, first_crossing
from optimise.design.cut_lengths import with_lengths
from optimise.evaluation.job import Job, Setting
from optimise.executors import ONE_AT_A_TIME, open_executor
from optimise.spec.cluster import ClusterSpec
from optimise.spec.off_design import LengthToleranceSpec

__all__ = ["evaluate_tolerance", "length_tolerances"]

FIRST_ERROR = 2.0e-3  # m
RESOLUTION = 1.5  # of the operator, over the usual one
SHARES = (1.0, 0.5)  # of the tolerances, within which all droppers of a line are wrong at once
# spans of the window of a search, whose ends the finer numerics check
WINDOW = {"spans_behind": 10, "spans_ahead": 20}
# end of a search whose differences count, as where errors are estimated [-]
TOLERANCE = 1.0e-4
STEP, ELEMENT, TIGHTER = 0.5, 2.0 / 3.0, 0.5  # of the finer numerics, over the usual ones
# of a tolerance: with a larger error there is no figure
LARGEST_ERROR = 0.5


@dataclass(frozen=True)
class Numerics:
    """A case whose line prescribes lengths, its sigma [N], and its steady state, from which near ones start."""

    case: CaseSpec
    sigma_N: float
    start: WarmStart | None

    def rise(self, errors: tuple[float, ...]) -> float:
        """Rise of sigma with errors of the lengths (dropper,) [m], of its own [-].

        Raises
        ------
        NoFigureError
            If that line cannot be or has no figures.
        """
        line = self.case.catenary
        try:
            wrong = with_lengths(line, tuple(a + b for a, b in zip(line.droppers.lengths, errors, strict=True)))
        except ValueError as error:
            raise NoFigureError(str(error)) from error
        return _sigma(solve(self.case.model_copy(update={"catenary": wrong}), self.start)) / self.sigma_N - 1.0


@dataclass(frozen=True)
class Common:
    """What all jobs share: numerics to search on, finer ones if an error is wanted, and the wish."""

    usual: Numerics
    finer: Numerics | None
    wanted: LengthToleranceSpec

    @property
    def limit(self) -> float:
        """Rise of sigma that is allowed [-]."""
        return 0.01 * (self.wanted.rise_percent or 0.0)


@dataclass(frozen=True)
class SearchJob(Job):
    """The tolerance of a dropper, by its number from 0."""

    dropper: int = 0


@dataclass(frozen=True)
class WrongLineJob(Job):
    """A line with errors of its lengths (dropper,) [m]."""

    errors: tuple[float, ...] = ()


@dataclass(frozen=True)
class WrongLine:
    """Rise of sigma of a line with wrong lengths [-]; None without figures."""

    number: int
    rise: float | None
    message: str = ""


def length_tolerances(
    case: CaseSpec,
    wanted: LengthToleranceSpec,
    cluster: ClusterSpec,
    runs: FinishedRuns,
    *,
    assured: bool = True,
) -> LengthTolerances | str:
    """Tolerances of all droppers of a case's line, or the sentence why there are none.

    Parameters
    ----------
    case : CaseSpec
    wanted : LengthToleranceSpec
    cluster : ClusterSpec
        Where the searches and lines run, one dropper or line a job.
    runs : FinishedRuns
        Record of what has ended, which is not run again, and progress.
    assured : bool
        Whether every crossing is run on finer numerics too, without which a tolerance has no error.
    """
    if case.catenary.repeat is not None:
        return "tolerances of lengths are those of a dropper in every span: catenary.repeat must be left out"
    try:
        usual, finer = _numerics(case, assured, runs)
    except NoFigureError as error:
        return str(error)
    count = len(usual.case.catenary.droppers.positions)
    total = count + len(SHARES) * wanted.samples
    cluster = cluster.for_assured
    setting = Setting(usual.case, start=Common(usual, finer, wanted), time_limit_s=cluster.time_limit_s)
    with open_executor(cluster, evaluate_tolerance, setting, per_worker=ONE_AT_A_TIME) as executor:
        searches = [SearchJob(k, dropper=k) for k in range(count)]
        found = runs.run_all(executor, searches, _searched(usual, finer, wanted), of=total)
        droppers = tuple(_of_dropper(found[k]) for k in range(count))
        jobs = _wrong_lines(droppers, wanted)
        kind = RunKind("line with wrong lengths", WrongLine, usual.case)
        rises = runs.run_all(executor, jobs, kind, count, total)
    lines = tuple(
        WrongLines(share, tuple(getattr(rises[job.number], "rise", None) for job in jobs[k :: len(SHARES)]))
        for k, share in enumerate(SHARES)
    )
    return LengthTolerances(usual.sigma_N, droppers, lines if wanted.samples else ())


def evaluate_tolerance(job: SearchJob | WrongLineJob, setting: Setting) -> Any:
    """Tolerance of a dropper, or rise of a line; pure, raises `MemoryError` alone."""
    common: Common = setting.start
    try:
        if isinstance(job, WrongLineJob):
            return WrongLine(job.number, common.usual.rise(job.errors))
        return _search(job.dropper, common)
    except NoFigureError as error:
        return WrongLine(job.number, None, str(error))
    except Exception as error:  # an error on a worker belongs in the record, not in a lost traceback
        if lacks_memory(error):  # the machine's lack
            raise MemoryError(str(error)) from error
        return job.failed(f"{type(error).__name__}: {error}")


def _searched(usual: Numerics, finer: Numerics | None, wanted: LengthToleranceSpec) -> RunKind:
    """Kind of the searches, which the number of lines and their draws do not decide."""
    decides = usual.case, None if finer is None else finer.case, wanted.rise_percent, wanted.largest_mm
    return RunKind("tolerance of a dropper", DropperTolerance | WrongLine, decides)


def _numerics(case: CaseSpec, assured: bool, runs: FinishedRuns) -> tuple[Numerics, Numerics | None]:
    """The numerics of a search with an exact end, and finer ones on a long window."""
    found = periodic_equilibrium(case.catenary)
    if found.status is not EquilibriumStatus.OK:
        raise NoFigureError(found.status.value)
    line, step = prescribed_by_lengths(found), max(case.dt, RIG_STEP)
    cut = case.model_copy(update={"catenary": line, "dt": step, "strict_dt": False})
    if case.seeks_steady_state:
        short = {name: min(spans, getattr(case.periodic, name)) for name, spans in WINDOW.items()}
        exact = {**short, "tolerance": min(case.periodic.tolerance, TOLERANCE), "precision": "double"}
        cut = cut.model_copy(update={"periodic": case.periodic.model_copy(update=exact)})
    finer = refined(on_long_window(cut), step=STEP, element=ELEMENT, resolution=RESOLUTION)
    if case.seeks_steady_state:
        tighter = {"tolerance": TIGHTER * finer.periodic.tolerance}
        finer = finer.model_copy(update={"periodic": finer.periodic.model_copy(update=tighter)})
    return _solved(cut, runs), _solved(finer, runs) if assured else None


def _solved(case: CaseSpec, runs: FinishedRuns) -> Numerics:
    return runs.once(RunKind("line as cut", Numerics, case), lambda: _solve(case))


def _solve(case: CaseSpec) -> Numerics:
    solution, start = (found := solve(case)), found.warm_start
    # secant pairs are tens of megabytes, and searches that start here do not use them
    return Numerics(case, _sigma(solution), None if start is None else replace(start, pairs=()))


def _sigma(solution: Solution) -> float:
    if not solution.status.has_figures or solution.train_statistics is None:
        raise NoFigureError(solution.message or solution.status.value)
    return float(solution.train_statistics.contact_force_std_N)


def _search(dropper: int, common: Common) -> DropperTolerance:
    count, limit = len(common.usual.case.catenary.droppers.positions), common.limit

    def alone(error: float) -> tuple[float, ...]:
        return tuple(error if k == dropper else 0.0 for k in range(count))

    most = 1e-3 * common.wanted.largest_mm
    found = first_crossing(lambda e: common.usual.rise(alone(e)), limit, most, FIRST_ERROR)
    answer = DropperTolerance(
        dropper,
        found.at,
        None,
        0.0 if found.at else found.below,
        found.sense,
        tuple(sorted(found.tested.items())),
        message=found.message,
    )
    finer = common.finer
    return answer if finer is None else _checked(answer, found, limit, lambda e: finer.rise(alone(e)))


def _checked(
    answer: DropperTolerance, found: Crossing, limit: float, finer: Callable[[float], float]
) -> DropperTolerance:
    """The same with its error by finer numerics; without a figure where that is too large for one."""
    worst = max(found.tested, key=lambda e: found.tested[e]) if found.at is None else found.sense * found.at
    rise = finer(worst)
    moved = abs(rise - found.tested[worst])
    answer = replace(answer, finer_rise=rise)
    if found.at is not None:
        error = (moved + abs(found.tested[worst] - limit)) / found.slope if found.slope > 0.0 else np.inf
        if error <= LARGEST_ERROR * found.at:
            return replace(answer, error=float(error))
        reason = "the rise is known to no more than its change with finer numerics"
        answer = replace(answer, tolerance=None, sense=0, message=reason)
    return replace(answer, more_than=found.stays_below(limit - moved))


def _of_dropper(found: Any) -> DropperTolerance:
    """Tolerance that a search gave; without a figure where it ended before it had one."""
    if isinstance(found, DropperTolerance):
        return found
    return DropperTolerance(found.number, None, None, 0.0, 0, (), message=found.message)


def _wrong_lines(droppers: tuple[DropperTolerance, ...], wanted: LengthToleranceSpec) -> list[WrongLineJob]:
    """Lines whose lengths are wrong by uniform errors, the same draws for every share of the tolerances."""
    within = np.array([d.within for d in droppers])
    jobs = []
    for sample in range(wanted.samples):
        drawn = np.random.default_rng([wanted.seed, sample]).uniform(-1.0, 1.0, len(within)) * within
        for share in SHARES:
            jobs.append(WrongLineJob(len(droppers) + len(jobs), errors=tuple((share * drawn).tolist())))
    return jobs

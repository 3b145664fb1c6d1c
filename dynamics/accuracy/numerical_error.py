"""Estimate the numerical error of a run's figures by companion runs, each different in one setting.

Parts are sizes, not corrections: errors of step and mesh have no reliable sign at the steps and meshes in use.
They are taken as independent of each other, so that their squares add up. A companion that cannot be run says why, and
then there is no total.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from dynamics.accuracy.companions import FIGURES, NoCompanionError, figures_in, figures_of_train
from dynamics.accuracy.difference_run import DifferenceRun
from dynamics.accuracy.estimated_run import EstimatedRun, SolvedCompanions
from dynamics.results.dropper_figures import DropperPeaks
from dynamics.results.solution import PantographResult, Solution
from dynamics.spec.case import CaseSpec
from dynamics.spec.status import Status
from dynamics.steady_state.by_operator import solve_by_operator

__all__ = ["ErrorPart", "NumericalError", "estimate_error", "with_finer_droppers"]

# what a window may move sigma of a line alike by, relative to what it moves that of the line itself
LINES_ALIKE = 2.0
# harmonics and samples of the operator's companion over those of the run; the second where the first is marched
FINER = 2.0, 1.4
# what is left may exceed what second order says, or sigma agree with its companion's by chance: a factor on the one,
# and a share of sigma that it is taken for at least
SAFETY, LEAST_SHARE = 1.25, 5.0e-4
# of the operator's figures in its resolution: what is counted where a force is zero comes and goes with samples
ORDERS = np.array([2.0, 2.0, 2.0, 1.0, 2.0])
# by chance figures differ less, or more, than forces do: in the root mean square over 42 designs sigma and extremes by
# so many times what forces differ by, uplift by so many times the same share of itself as they do of their mean
OF_FORCES, OF_RISE = np.array([0.2, 1.1, 1.1, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 0.0, 1.2])
# peaks of dropper forces move by this share of what they have above the force at rest, at least
OF_PEAKS = 0.08
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ErrorPart:
    """One share of the numerical error of the contact force's standard deviation, and of the other figures.

    Attributes
    ----------
    name : str
        'time_step', 'mesh', 'window', 'iteration', of a march 'spread', of the operator 'resolution', of a period with
        defects that is marched as a difference 'differences'.
    error_N : float or None
        Its size [N]; None where it could not be estimated.
    message : str
        What it was estimated from, or why it was not.
    others : mapping of str to float
        Sizes of the other `companions.FIGURES`, each in its own unit; empty where the companions say nothing of them.
    """

    name: str
    error_N: float | None
    message: str
    others: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class NumericalError:
    """Estimated numerical error of the contact force's standard deviation, and of other figures (`others`).

    Attributes
    ----------
    sigma_N : float
        The standard deviation that it belongs to [N].
    parts : tuple of ErrorPart
        Those that the solver of the run has.
    wall_time_s : float
        What the companions cost [s].
    short_sigma_N : float, optional
        The standard deviation on the short window, on which step and mesh are compared [N].
    pantograph : int
        Whose contact force it is: of a train the one with the largest standard deviation, by which it is judged.
    of_others : tuple of NumericalError
        Those of the other pantographs of a train, by the same companions.
    finer_droppers : tuple of float array (time, dropper) and DropperPeaks, or None
        Forces of the droppers [N] by the operator's companion, which has their peaks; None without one.
    """

    sigma_N: float
    parts: tuple[ErrorPart, ...]
    wall_time_s: float
    short_sigma_N: float | None = None
    pantograph: int = 0
    finer_droppers: tuple[Floats, DropperPeaks] | None = field(default=None, repr=False, compare=False)
    of_others: tuple[NumericalError, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        """Say the error and its parts."""
        parts = [
            f"{part.name.replace('_', ' ')} {'unknown' if part.error_N is None else f'{part.error_N:.3f} N'}"
            for part in self.parts
        ]
        total = "unknown" if self.total is None else f"± {self.total:.3f} N"
        return f"<numerical error {total} of {self.sigma_N:.2f} N: {', '.join(parts)}>"

    @property
    def of_train(self) -> tuple[NumericalError, ...]:
        """Those of all pantographs, the leading one's first."""
        return tuple(sorted((self, *self.of_others), key=lambda each: each.pantograph))

    @property
    def total(self) -> float | None:
        """Root of the sum of squares of all parts [N]; None where one of them is missing."""
        sizes = [part.error_N for part in self.parts]
        known = [size for size in sizes if size is not None]
        return math.hypot(*known) if len(known) == len(sizes) else None

    @property
    def others(self) -> dict[str, float]:
        """Roots of the sums of squares of all parts, of the figures that every part has, by name."""
        known = [name for name in FIGURES[1:] if all(name in part.others for part in self.parts)]
        return {name: math.hypot(*(part.others[name] for part in self.parts)) for name in known}

    @property
    def percent(self) -> float | None:
        """The total relative to the standard deviation [%]."""
        total = self.total
        return None if total is None or not self.sigma_N > 0.0 else 100.0 * total / self.sigma_N

    @property
    def short_window_share(self) -> float | None:
        """What a short window may move sigma of a line alike by, relative to it [-].

        Twice what it moves this line by, and what the own window may: waves leave a window as wires and tensions make
        them, and lines that differ by millimetres at their droppers were moved by up to 1.3 times as much. None where
        the short window was not run or the own window's part is not known.
        """
        own = next((part.error_N for part in self.parts if part.name == "window"), None)
        if self.short_sigma_N is None or own is None or not self.sigma_N > 0.0:
            return None
        return LINES_ALIKE * (abs(self.short_sigma_N - self.sigma_N) + own) / self.sigma_N


def estimate_error(
    case: CaseSpec,
    solution: Solution,
    *,
    largest_window_share: float = math.inf,
    known_window_share: float | None = None,
) -> NumericalError | None:
    """Estimate the numerical error of a solved case by companion runs; None where it has no figures.

    Of several pantographs it is that of the one with the largest standard deviation, with those of the others next to
    it (`NumericalError.of_others`).

    Where no state repeats (NOT_PERIODIC), the figures are those of a march, and so are the companions'.

    Parameters
    ----------
    case : CaseSpec
    solution : Solution
        Its solution.
    largest_window_share : float
        Share of sigma [-] beyond which the window's part need not be known any better, since the window grows anyway:
        the difference of two windows is given then, and the longest companion is saved.
    known_window_share : float, optional
        Window's part relative to sigma [-], known from a line whose waves travel alike: no other window is run.
    """
    figures = figures_of_train(solution)
    if figures is None or not solution.status.has_figures:
        return None
    began, worst = time.perf_counter(), solution.worst_pantograph
    others = [k for k in range(len(figures)) if k != worst]
    if solution.operator_start is not None:
        parts, droppers = _of_operator(case, solution)
        first, *rest = (NumericalError(float(figures[k, 0]), (parts[k],), 0.0, None, k) for k in (worst, *others))
        spent = time.perf_counter() - began
        return replace(first, wall_time_s=spent, finer_droppers=droppers, of_others=tuple(rest))
    if solution.status is Status.NOT_PERIODIC:
        window = {"spans_behind": case.periodic.spans_behind, "spans_ahead": case.periodic.spans_ahead}
        settings = case.transient.model_copy(update=window)
        case = case.model_copy(update={"solver": "transient", "transient": settings})
    companions, applied, start = SolvedCompanions(), solution.applied_force_N, solution.warm_start
    kind = DifferenceRun if solution.method == "difference" else EstimatedRun

    def of(k: int) -> NumericalError:
        shares = largest_window_share * float(figures[k, 0]), known_window_share
        return _of_march(kind(case, solution.equilibrium, figures[k], applied, *shares, k, companions, start), solution)

    found, rest = of(worst), tuple(of(k) for k in others)
    return replace(found, wall_time_s=time.perf_counter() - began, of_others=rest)


def _of_march(run: EstimatedRun, solution: Solution) -> NumericalError:
    """Error of one pantograph of a march, or of an iteration to a steady state."""
    case = run.case
    parts = [_part("time_step", run.time_step_error), _part("mesh", run.mesh_error)]
    if not case.on_open_line:
        parts.append(_part("window", run.window_error))
    if isinstance(run, DifferenceRun):
        parts.append(_part("differences", run.differences_error))
    if case.seeks_steady_state:
        parts.append(_part("iteration", run.iteration_error))
    elif not case.on_open_line:
        parts.append(_part("spread", lambda: _spread(solution.pantographs[run.pantograph])))
    short = None
    with suppress(NoCompanionError, InputError):
        short = None if run.short == case else float(run.base[0])
    return NumericalError(run.sigma_N, tuple(parts), 0.0, short, run.pantograph)


def with_finer_droppers(solution: Solution, error: NumericalError | None) -> Solution:
    """The solution with the dropper forces of its companion by the operator, where there is one."""
    if error is None or error.finer_droppers is None:
        return solution
    force, peaks = error.finer_droppers
    return replace(solution, dropper_force=force, dropper_peaks=peaks)


def _part(name: str, estimate: Callable[[], tuple[Floats, str]]) -> ErrorPart:
    """Part by name, or the reason why there is none."""
    try:
        return _sized(name, *estimate())
    except NoCompanionError as reason:
        return ErrorPart(name, None, str(reason))
    except InputError as error:  # what a window refuses, such as too long a step
        return ErrorPart(name, None, "; ".join(error.problems))


def _sized(name: str, sizes: Floats, message: str) -> ErrorPart:
    """Part with the sizes of all FIGURES."""
    others = dict(zip(FIGURES[1:], map(float, sizes[1:]), strict=False))
    return ErrorPart(name, float(sizes[0]), message, others)


def _of_operator(case: CaseSpec, solution: Solution) -> tuple[list[ErrorPart], tuple[Floats, DropperPeaks] | None]:
    """What a steady state by the operator misses of each pantograph, and its droppers' forces by the companion."""
    each = range(len(solution.pantographs))
    try:
        there, finer = _with_more_harmonics(case, solution)
    except NoCompanionError as reason:
        return [ErrorPart("resolution", None, str(reason)) for _ in each], None
    found = there.dropper_peaks.force
    left = SAFETY * np.abs(found - solution.dropper_peaks.force) / (finer**2 - 1.0)
    least = OF_PEAKS * np.maximum(found - solution.equilibrium.dropper_force, 0.0)
    peaks = there.dropper_peaks._replace(error=np.maximum(left, least))
    parts = [_sized("resolution", *_resolution(solution, there, finer, k)) for k in each]
    return parts, (there.dropper_force, peaks)


def _with_more_harmonics(case: CaseSpec, solution: Solution) -> tuple[Solution, float]:
    """The same case with more harmonics and samples by the operator, and how many times as many."""
    marched = ""
    for finer in FINER:
        there = solve_by_operator(case, solution.equilibrium, solution.operator_start, finer, solution.operator_state)
        if not isinstance(there, str) and there.statistics is not None:
            return there, finer
        marched = there if isinstance(there, str) else there.message or there.status.value
    raise NoCompanionError(f"with more harmonics the line had to be marched: {marched}")


def _resolution(solution: Solution, there: Solution, finer: float, pantograph: int) -> tuple[Floats, str]:
    """What is left of a pantograph's figures with more harmonics and samples, at their `ORDERS` with a margin.

    Fewer of them do not bound it: sigma may be close to theirs by chance. What slack is left out that lasts for longer
    than it was sought is in the difference, too. Where figures agree and forces do not, it is what such forces make of
    figures.
    """
    run, finest = solution.pantographs[pantograph], there.pantographs[pantograph]
    assert run.statistics is not None
    assert finest.statistics is not None
    own, found = figures_in(run.statistics), figures_in(finest.statistics)
    # forces vary by sigma, whatever their mean
    least = LEAST_SHARE * np.where([name.startswith("contact_force") for name in FIGURES], own[0], own)
    by_forces = OF_FORCES + OF_RISE * own / run.statistics.contact_force_mean_N
    least = np.maximum(least, by_forces * np.std(finest.contact_force_filtered - run.contact_force_filtered))
    said = f"{found[0]:.3f} N with {100.0 * finer:.0f} % of the harmonics and of the samples"
    return np.maximum(SAFETY * np.abs(found - own) / (1.0 - finer**-ORDERS), least), said


def _spread(pantograph: PantographResult) -> tuple[Floats, str]:
    """Half of the difference between the halves of a march's evaluated spans."""
    halves = [figures_in(half) for half in pantograph.halves if half is not None]
    if len(halves) < 2:
        raise NoCompanionError("the march has no halves to compare")
    a, b = halves
    return 0.5 * np.abs(a - b), f"{a[0]:.3f} N in the first half of the evaluated spans, {b[0]:.3f} N in the second"

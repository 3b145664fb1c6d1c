"""How far a run's standard deviation is from that of finer numerics: companion runs, each different in one thing.

Parts are sizes, not corrections: errors of step and mesh have no reliable sign at the steps and meshes in use.
They are taken as independent of each other, so that their squares add up. A companion that cannot be run says why, and
then there is no total.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from catenary.equilibrium import Equilibrium, periodic_equilibrium
from catenary.errors import InputError
from dynamics.open_line import solve_open_line
from dynamics.periodic import PLAIN_SPANS, PeriodicSolution, iterate
from dynamics.simd import LANES
from dynamics.span_map import SpanMap
from dynamics.spec import CaseSpec
from dynamics.statistics import filter_force
from dynamics.status import Status
from dynamics.transient import Trajectory, solve_transient, static_message, static_status
from dynamics.travel import window_spans

__all__ = ["MESH_ORDER", "STEP_ORDER", "ErrorPart", "NumericalError", "estimate_error"]

STEP_ORDER = 2.0
# measured in sigma between 4 and 12 elements a bay: the smallest of three cases (table in the README)
MESH_ORDER = 1.5
# elements a bay, and spans of a window, of a companion relative to the run's
COARSER = 2.0 / 3.0
TIGHTER = 0.1
# only differences count for step and mesh, and they hardly depend on the window
SHORT_WINDOW = (10, 12)
# a step that is longer is halved: twice 2 ms is too long for its difference to mean anything (README)
LONGEST_DOUBLED = 1.5e-3


@dataclass(frozen=True)
class ErrorPart:
    """One share of the numerical error of the contact force's standard deviation.

    Attributes
    ----------
    name : str
        'time_step', 'mesh', 'window', 'iteration' or, of a march, 'spread'.
    error_N : float or None
        Its size [N]; None where it could not be estimated.
    message : str
        What it was estimated from, or why it was not.
    """

    name: str
    error_N: float | None
    message: str


@dataclass(frozen=True)
class NumericalError:
    """Estimated numerical error of the contact force's standard deviation.

    Attributes
    ----------
    sigma_N : float
        The standard deviation that it belongs to [N].
    parts : tuple of ErrorPart
        Those that the solver of the run has.
    wall_time_s : float
        What the companions cost [s].
    """

    sigma_N: float
    parts: tuple[ErrorPart, ...]
    wall_time_s: float

    @property
    def total(self) -> float | None:
        """Root of the sum of squares of all parts [N]; None where one of them is missing."""
        sizes = [part.error_N for part in self.parts]
        known = [size for size in sizes if size is not None]
        return math.hypot(*known) if len(known) == len(sizes) else None

    @property
    def percent(self) -> float | None:
        """The total relative to the standard deviation [%]."""
        total = self.total
        return None if total is None or not self.sigma_N > 0.0 else 100.0 * total / self.sigma_N


class NoCompanionError(Exception):
    """A companion that cannot be run or does not end well; the message is a sentence for the record."""


def estimate_error(case: CaseSpec, solution: PeriodicSolution | Trajectory) -> NumericalError | None:
    """Estimate the numerical error of a solved case by companion runs; None where it has no figures.

    Where no state repeats (NOT_PERIODIC), the figures are those of a march, and so are the companions'.
    """
    if solution.statistics is None or not solution.status.has_figures:
        return None
    began = time.perf_counter()
    if solution.status is Status.NOT_PERIODIC:
        window = {"spans_behind": case.periodic.spans_behind, "spans_ahead": case.periodic.spans_ahead}
        settings = case.transient.model_copy(update=window)
        case = case.model_copy(update={"solver": "transient", "transient": settings})
    run = _Run(case, solution.equilibrium, solution.statistics.contact_force_std_N, solution.applied_force_N)
    parts = [_part("time_step", run.time_step_error), _part("mesh", run.mesh_error)]
    if case.solver != "open_line":
        parts.append(_part("window", run.window_error))
    if case.solver == "periodic":
        parts.append(_part("iteration", run.iteration_error))
    if case.solver == "transient":
        parts.append(_part("spread", lambda: _spread(solution)))
    return NumericalError(run.sigma_N, tuple(parts), time.perf_counter() - began)


def _part(name: str, estimate: Callable[[], tuple[float, str]]) -> ErrorPart:
    """Part by name, or the reason why there is none."""
    try:
        return ErrorPart(name, *estimate())
    except NoCompanionError as reason:
        return ErrorPart(name, None, str(reason))
    except InputError as error:  # what a window refuses, such as too long a step
        return ErrorPart(name, None, "; ".join(error.problems))


@dataclass(frozen=True)
class _Run:
    """A case, what its solution gave, and the companions that several parts share."""

    case: CaseSpec
    equilibrium: Equilibrium
    sigma_N: float
    applied_force_N: float

    @cached_property
    def short(self) -> CaseSpec:
        """The case on a short window, where its own is longer."""
        if self.case.solver == "open_line":
            return self.case
        window = _window_of(self.case)
        longest = dict(zip(window, SHORT_WINDOW, strict=True))
        return _with_window(self.case, {name: min(spans, longest[name]) for name, spans in window.items()})

    @cached_property
    def base(self) -> float:
        """Standard deviation [N] on the short window, from which the differences of step and mesh are formed."""
        if self.short == self.case:
            return self.sigma_N
        return _sigma(self.short, self.equilibrium, self.applied_force_N)

    @cached_property
    def coarser_mesh(self) -> tuple[int, float, float | None]:
        """Fewer elements a bay; the standard deviation [N] with them, and the same where an iteration ends later."""
        elements = self.case.catenary.mesh.elements_per_bay
        fewer = max(2, round(COARSER * elements))
        if fewer == elements:
            raise NoCompanionError(f"no mesh is coarser than {elements} elements a bay")
        mesh = self.case.catenary.mesh.model_copy(update={"elements_per_bay": fewer})
        line = self.case.catenary.model_copy(update={"mesh": mesh})
        case, eq = self.short.model_copy(update={"catenary": line}), periodic_equilibrium(line)
        if case.solver == "periodic":
            return fewer, *_iterated(case, eq, tighter=True)
        return fewer, _sigma(case, eq, self.applied_force_N), None

    def time_step_error(self) -> tuple[float, str]:
        """Difference to a companion at twice the step, or at half of a long one, extrapolated."""
        factor = 2.0 if self.case.time_step <= LONGEST_DOUBLED else 0.5
        other = self.short.model_copy(update={"dt": factor * self.case.time_step, "strict_dt": False})
        sigma = _sigma(other, self.equilibrium, self.applied_force_N)
        ratio = other.time_step / self.case.time_step
        error = abs((sigma - self.base) / (ratio**STEP_ORDER - 1.0))
        return error, (
            f"{self.base:.3f} N at {1e3 * self.case.time_step:.4g} ms, {sigma:.3f} N at "
            f"{1e3 * other.time_step:.4g} ms, order {STEP_ORDER:g}{self._where}"
        )

    def mesh_error(self) -> tuple[float, str]:
        """Difference to a companion with two thirds of the elements a bay, extrapolated."""
        elements = self.case.catenary.mesh.elements_per_bay
        fewer, sigma, _ = self.coarser_mesh
        error = abs(sigma - self.base) / ((elements / fewer) ** MESH_ORDER - 1.0)
        return error, (
            f"{self.base:.3f} N with {elements} elements a bay, {sigma:.3f} N with {fewer}, "
            f"order {MESH_ORDER:g}{self._where}"
        )

    @property
    def _where(self) -> str:
        """What both figures of a difference were formed on, if not on the run's own window."""
        if self.short == self.case:
            return ""
        behind, ahead = _window_of(self.short).values()
        return f"; both on a window of {behind} + {ahead} spans"

    def window_error(self) -> tuple[float, str]:
        """Difference to a companion with two thirds of the spans, as it is."""
        window = _window_of(self.case)
        behind, ahead = window_spans(window["spans_behind"], window["spans_ahead"])
        lanes = LANES["float64"]  # of the companion, whatever the run was marched in
        width = lanes * int(COARSER * (behind + ahead + 2) / lanes)  # rows of a window fill whole vectors
        fewer = round((width - 2) * behind / (behind + ahead))
        spans = dict(zip(window, (fewer, width - 2 - fewer), strict=True))
        if min(spans.values()) < 2:
            raise NoCompanionError(f"no window is shorter than {behind} + {ahead} spans")
        sigma = _sigma(_with_window(self.case, spans), self.equilibrium, self.applied_force_N)
        behind_fewer, ahead_fewer = spans.values()
        return abs(sigma - self.sigma_N), (
            f"{self.sigma_N:.3f} N with {behind} + {ahead} spans, {sigma:.3f} N with {behind_fewer} + {ahead_fewer}"
        )

    def iteration_error(self) -> tuple[float, str]:
        """What a tenth of the tolerance still moves, on the companion of the coarser mesh."""
        _, sigma, tighter = self.coarser_mesh
        tolerance = self.case.periodic.tolerance
        if tighter is None:
            raise NoCompanionError(f"a tolerance of {TIGHTER * tolerance:g} is not reached")
        return abs(tighter - sigma), (
            f"{sigma:.3f} N at a tolerance of {tolerance:g}, {tighter:.3f} N at {TIGHTER * tolerance:g}, "
            "both on the coarser mesh"
        )


def _spread(solution: PeriodicSolution | Trajectory) -> tuple[float, str]:
    """Half of the difference between the halves of a march's evaluated spans."""
    assert solution.statistics is not None
    if isinstance(solution, PeriodicSolution):
        percent = solution.spread_percent
        if percent is None:
            raise NoCompanionError("the march has no halves to compare")
        return 0.005 * abs(percent) * solution.statistics.contact_force_std_N, f"its halves differ by {percent:+.2f} %"
    first, second = solution.statistics_first_half, solution.statistics_second_half
    if first is None or second is None:
        raise NoCompanionError("the march has no halves to compare")
    a, b = first.contact_force_std_N, second.contact_force_std_N
    return 0.5 * abs(a - b), f"{a:.3f} N in the first half of the evaluated spans, {b:.3f} N in the second"


def _window_of(case: CaseSpec) -> dict[str, int]:
    """Spans of the travelling window of the case's solver, by name."""
    settings = case.periodic if case.solver == "periodic" else case.transient
    return {"spans_behind": settings.spans_behind, "spans_ahead": settings.spans_ahead}


def _with_window(case: CaseSpec, spans: dict[str, int]) -> CaseSpec:
    """Case with another window of its solver, marched in double precision."""
    if case.solver == "periodic":
        exact = case.periodic.model_copy(update={**spans, "precision": "double"})
        return case.model_copy(update={"periodic": exact})
    return case.model_copy(update={"transient": case.transient.model_copy(update=spans)})


def _sigma(case: CaseSpec, eq: Equilibrium, applied: float) -> float:
    """Standard deviation [N] of a companion; a march begins with an applied force [N] that is nearly right."""
    if case.solver == "periodic":
        return _iterated(case, eq)[0]
    march = solve_open_line(case) if case.solver == "open_line" else solve_transient(case, eq, applied)
    if march.statistics is None:
        raise NoCompanionError(f"the companion failed: {march.message or march.status.value}")
    return march.statistics.contact_force_std_N


def _iterated(case: CaseSpec, eq: Equilibrium, *, tighter: bool = False) -> tuple[float, float | None]:
    """Standard deviations [N] of a steady state where the iteration ends, and where it goes on to a tighter end.

    Unlike a run, a companion that finds no steady state is not marched on: its figures would be of another kind.
    """
    status = static_status(eq)
    if status is not Status.OK:
        raise NoCompanionError(f"the companion failed: {static_message(eq, status)}")
    span_map = SpanMap(case, eq)
    x, _, spans, status = iterate(span_map, span_map.static_start(), PLAIN_SPANS, None)
    if status is not Status.OK:
        raise NoCompanionError(f"the companion found no state that repeats from span to span within {spans} spans")
    sigma = _sigma_of_record(span_map)
    if not tighter:
        return sigma, None
    settings = case.periodic.model_copy(update={"tolerance": TIGHTER * case.periodic.tolerance})
    span_map.case = case.model_copy(update={"periodic": settings})
    *_, status = iterate(span_map, x, 0, None)
    return sigma, _sigma_of_record(span_map) if status is Status.OK else None


def _sigma_of_record(span_map: SpanMap) -> float:
    """Standard deviation [N] of the filtered force over the span marched last."""
    assert span_map.record is not None
    force = filter_force(span_map.record.force, span_map.window.dt, span_map.case.signal, periodic=True).whole
    return float(force.std())

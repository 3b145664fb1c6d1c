"""Companions of one run, each different in one setting, and the parts of its numerical error that follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from catenary.errors import InputError
from catenary.form_finding.equilibrium import Equilibrium, equilibrium_at_rest, mesh_of
from catenary.layout.geometry import periodic_layout
from dynamics.accuracy.companions import (
    COARSER,
    TIGHTER,
    NoCompanionError,
    iterated,
    long_window,
    other_mesh,
    shorter_window,
    sigma_of,
    window_of,
    with_window,
)
from dynamics.spec.case import CaseSpec
from dynamics.travelling_window.window import window_spans

__all__ = ["MESH_ORDER", "SHORT_WINDOW", "STEP_ORDER", "EstimatedRun"]

# integrators have second order, droppers that slacken between two steps have not: half the step leaves as much again as
# it moves. By chance it may move nothing; twice the step then says, at second order, what it can be at least
# (docs/notebook/numerical-error.md)
STEP_ORDER, ORDER_OF_CHANCE = 1.0, 2.0
# measured in sigma between 4 and 12 elements a bay: the smallest of three cases (docs/notebook/numerical-error.md)
MESH_ORDER = 1.5
# only differences count for step and mesh, and they hardly depend on the window
SHORT_WINDOW = (10, 12)
# a step that is longer is halved: twice 2 ms is too long for its difference to mean anything (docs/notebook)
LONGEST_DOUBLED = 1.5e-3
# windows whose standard deviations differ by a larger share do not agree (docs/theory/numerical-error.md)
AGREE = 0.005
# what all windows still longer may move, relative to one half as long again (docs/notebook)
STILL_LONGER = 2.0


@dataclass(frozen=True)
class EstimatedRun:
    """A case, what its solution gave for one of its pantographs, and the companions that several parts share."""

    case: CaseSpec
    equilibrium: Equilibrium
    sigma_N: float
    applied_force_N: float
    large_N: float = math.inf
    known_window_share: float | None = None
    pantograph: int = 0

    @cached_property
    def short(self) -> CaseSpec:
        """The case on a short window, where its own is longer."""
        if self.case.on_open_line:
            return self.case
        window = window_of(self.case)
        longest = dict(zip(window, SHORT_WINDOW, strict=True))
        return with_window(self.case, {name: min(spans, longest[name]) for name, spans in window.items()})

    @cached_property
    def base(self) -> float:
        """Standard deviation [N] on the short window, from which the differences of step and mesh are formed."""
        if self.short == self.case:
            return self.sigma_N
        return self._sigma(self.short, self.equilibrium)

    @cached_property
    def other_mesh(self) -> tuple[int, float, float | None]:
        """Elements of another mesh; the standard deviation [N] on it, and the same where an iteration ends later."""
        line = self.case.catenary
        line = line.model_copy(update={"mesh": other_mesh(line.mesh, float(self.equilibrium.mesh.elem_length.max()))})
        case, eq = self.short.model_copy(update={"catenary": line}), equilibrium_at_rest(line)
        elements = len(eq.mesh.elem_length)
        if elements == self._elements:
            raise NoCompanionError(f"no mesh is coarser than {line.mesh.elements_per_bay} elements a bay")
        if case.seeks_steady_state:
            return elements, *self._iterated(case, eq)
        return elements, self._sigma(case, eq), None

    def _sigma(self, case: CaseSpec, eq: Equilibrium) -> float:
        """Standard deviation [N] of a companion."""
        return sigma_of(case, eq, self.applied_force_N, self.pantograph)

    def _iterated(self, case: CaseSpec, eq: Equilibrium) -> tuple[float, float | None]:
        """Standard deviations [N] of a companion where its iteration ends, and at a tighter tolerance."""
        return iterated(case, eq, self.pantograph, tighter=True)

    @cached_property
    def _elements(self) -> int:
        """Elements of a period of the line, or of a whole line by stations."""
        if self.case.line.ends:
            return len(self.equilibrium.mesh.elem_length)
        return len(mesh_of(self.case.line, periodic_layout(self.case.line)).elem_length)

    def time_step_error(self) -> tuple[float, str]:
        """Difference to a companion at half the step, extrapolated; at least what one at twice the step says.

        Where a whole line would be marched for it, twice the step has to do, unless that is too long. A step that is
        refused leaves the estimate to the other one.
        """
        own, sizes, refused = self.case.time_step, list[tuple[float, float]](), ""
        figures = f"{self.base:.3f} N at {1e3 * own:.4g} ms"
        factors = (0.5, 2.0) if self.halves_step else (2.0, 0.5)
        for factor in factors if own <= LONGEST_DOUBLED else (0.5,):
            if sizes and not self.halves_step:
                break
            try:
                step, sigma = self._at_step(factor)
            except (NoCompanionError, InputError) as reason:
                refused = "; ".join(reason.problems) if isinstance(reason, InputError) else str(reason)
                continue
            order = ORDER_OF_CHANCE if sizes else STEP_ORDER
            figures += f", {sigma:.3f} N at {1e3 * step:.4g} ms"
            sizes.append((abs((sigma - self.base) / ((step / own) ** order - 1.0)), order))
        if not sizes:
            raise NoCompanionError(refused)
        error, order = max(sizes)
        return error, f"{figures}, order {order:g}{self._where}"

    @property
    def halves_step(self) -> bool:
        """Whether half the step is worth its time: not where a whole line has to be marched twice as long."""
        return not self.case.on_open_line

    def _at_step(self, factor: float) -> tuple[float, float]:
        """Step [s] of so many times the run's, and the standard deviation [N] with it."""
        other = self.short.model_copy(update={"dt": factor * self.case.time_step, "strict_dt": False})
        return other.time_step, self._sigma(other, self.equilibrium)

    def mesh_error(self) -> tuple[float, str]:
        """Difference to a companion with two thirds of the elements, or with short ones for long ones, extrapolated."""
        elements, (other, sigma, _) = self._elements, self.other_mesh
        error = abs((sigma - self.base) / ((elements / other) ** MESH_ORDER - 1.0))
        return error, (
            f"{self.base:.3f} N with {elements} elements {self._period}, {sigma:.3f} N with {other}, "
            f"order {MESH_ORDER:g}{self._where}"
        )

    @property
    def _period(self) -> str:
        return "a span" if self.case.catenary.spans_of_a_period == 1 else "until the line repeats"

    @property
    def _where(self) -> str:
        """Window of both figures of a difference, if not the run's own."""
        if self.short == self.case:
            return ""
        behind, ahead = window_of(self.short).values()
        return f"; on a window of {behind} + {ahead} spans"

    def window_error(self) -> tuple[float, str]:
        """Difference to a companion on a long window, or to one with two thirds of the spans of a long one, as it is.

        Two windows may agree with each other and be wrong: waves that leave neither of them are in both. Where they
        do not agree, the longer of the two is compared with one half as long again, and twice what that moves is
        added: near a resonance what still longer windows move falls slowly.
        """
        if self.known_window_share is not None:
            share = self.known_window_share
            return share * self.sigma_N, f"{100.0 * share:.2f} %, as of the line without errors of installation"
        window, long = window_of(self.case), long_window()
        behind, ahead = window_spans(window["spans_behind"], window["spans_ahead"])
        own = {"spans_behind": behind, "spans_ahead": ahead}
        is_short = min(behind - long["spans_behind"], ahead - long["spans_ahead"]) < 0
        spans = {name: max(long[name], window[name]) for name in window} if is_short else shorter_window(window)
        sigma = self._on_window(spans)
        error = abs(sigma - self.sigma_N)
        message = f"{self.sigma_N:.3f} N with {_spans(own)} spans, {sigma:.3f} N with {_spans(spans)}"
        if error <= AGREE * self.sigma_N or error > self.large_N:
            return error, message
        last, sigma = (spans, sigma) if is_short else (own, self.sigma_N)
        longer = {name: round(count / COARSER) for name, count in last.items()}
        further = self._on_window(longer)
        rest = STILL_LONGER * abs(further - sigma)
        return max(error, abs(further - self.sigma_N) + rest), (
            f"{message}, {further:.3f} N with {_spans(longer)}, and {rest:.3f} N for longer ones"
        )

    def _on_window(self, spans: dict[str, int]) -> float:
        """Standard deviation [N] on another window."""
        return self._sigma(with_window(self.case, spans), self.equilibrium)

    def iteration_error(self) -> tuple[float, str]:
        """Change by a tenth of the tolerance, on the companion of the other mesh."""
        _, sigma, tighter = self.other_mesh
        tolerance = self.case.periodic.tolerance
        if tighter is None:
            raise NoCompanionError(f"a tolerance of {TIGHTER * tolerance:g} is not reached")
        return abs(tighter - sigma), (
            f"{sigma:.3f} N at a tolerance of {tolerance:g}, {tighter:.3f} N at {TIGHTER * tolerance:g}, "
            "both on the other mesh"
        )


def _spans(window: dict[str, int]) -> str:
    return " + ".join(map(str, window.values()))

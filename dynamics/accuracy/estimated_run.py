"""Companions of one run, each different in one setting, and the parts of its numerical error that follow from them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from catenary.form_finding.equilibrium import Equilibrium, equilibrium_at_rest, mesh_of
from catenary.layout.geometry import periodic_layout
from dynamics.accuracy.companions import (
    COARSER,
    TIGHTER,
    NoCompanionError,
    continued,
    figures_of,
    iterated,
    long_window,
    other_mesh,
    shorter_window,
    window_of,
    with_window,
)
from dynamics.results.warm_start import WarmStart
from dynamics.spec.case import CaseSpec
from dynamics.travelling_window.window import window_spans

__all__ = ["MESH_ORDER", "SHORT_WINDOW", "STEP_ORDER", "EstimatedRun", "Pair", "SolvedCompanions"]

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
Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats | None]


class SolvedCompanions:
    """Companions that were solved, or failed, so that each pantograph of a train finds them as they are."""

    def __init__(self) -> None:
        self._known: list[tuple[CaseSpec, bool, Pair | NoCompanionError | InputError]] = []

    def get(self, case: CaseSpec, tighter: bool, solve: Callable[[], Pair]) -> Pair:
        """FIGURES of every pantograph (pantograph, figure) and, if asked for, the same where an iteration ends later.

        Raises
        ------
        NoCompanionError, InputError
            What solving it raised, again for every pantograph.
        """
        found = next((known for one, also, known in self._known if also is tighter and one == case), None)
        if found is None:
            try:
                found = solve()
            except (NoCompanionError, InputError) as reason:
                found = reason
            self._known.append((case, tighter, found))
        if isinstance(found, Exception):
            raise found
        return found


@dataclass(frozen=True)
class EstimatedRun:
    """A case, FIGURES that its solution gave for one of its pantographs, and the companions that several parts share.

    Errors are sizes, of each figure in its own unit (figure,), with a sentence about the standard deviation's.
    """

    case: CaseSpec
    equilibrium: Equilibrium
    figures: Floats
    applied_force_N: float
    large_N: float = math.inf
    known_window_share: float | None = None
    pantograph: int = 0
    companions: SolvedCompanions = field(default_factory=SolvedCompanions, repr=False, compare=False)
    start: WarmStart | None = field(default=None, repr=False, compare=False)

    @property
    def sigma_N(self) -> float:
        """Standard deviation [N]."""
        return float(self.figures[0])

    @cached_property
    def short(self) -> CaseSpec:
        """The case on a short window, where its own is longer."""
        if self.case.on_open_line:
            return self.case
        window = window_of(self.case)
        longest = dict(zip(window, SHORT_WINDOW, strict=True))
        return with_window(self.case, {name: min(spans, longest[name]) for name, spans in window.items()})

    @cached_property
    def base(self) -> Floats:
        """Figures on the short window, from which the differences of step and mesh are formed."""
        if self.short == self.case:
            return self.figures
        return self._figures(self.short, self.equilibrium)

    @cached_property
    def other_mesh(self) -> tuple[int, Floats, Floats | None]:
        """Elements of another mesh; the figures on it, and the same where an iteration ends later."""
        line = self.case.catenary
        line = line.model_copy(update={"mesh": other_mesh(line.mesh, float(self.equilibrium.mesh.elem_length.max()))})
        case, eq = self.short.model_copy(update={"catenary": line}), equilibrium_at_rest(line)
        elements = len(eq.mesh.elem_length)
        if elements == self._elements:
            raise NoCompanionError(f"no mesh is coarser than {line.mesh.elements_per_bay} elements a bay")
        if case.seeks_steady_state:
            return elements, *self._iterated(case, eq)
        return elements, self._figures(case, eq), None

    def _figures(self, case: CaseSpec, eq: Equilibrium) -> Floats:
        """Figures of the pantograph in a companion."""
        figures, _ = self.companions.get(case, False, lambda: (self._figures_of_train(case, eq), None))
        return figures[self.pantograph]

    def _iterated(self, case: CaseSpec, eq: Equilibrium) -> Pair:
        """Figures of the pantograph in a companion where its iteration ends, and at a tighter tolerance."""
        figures, tighter = self.companions.get(case, True, lambda: self._iterated_train(case, eq))
        return figures[self.pantograph], None if tighter is None else tighter[self.pantograph]

    def _figures_of_train(self, case: CaseSpec, eq: Equilibrium) -> Floats:
        """Solve a companion; figures of every pantograph (pantograph, figure)."""
        return figures_of(case, eq, self.applied_force_N)

    def _iterated_train(self, case: CaseSpec, eq: Equilibrium) -> Pair:
        """Solve a companion to two tolerances; figures of every pantograph (pantograph, figure) at each."""
        return iterated(case, eq, tighter=True)

    @cached_property
    def _elements(self) -> int:
        """Elements of a period of the line, or of a whole line by stations."""
        if self.case.line.ends:
            return len(self.equilibrium.mesh.elem_length)
        return len(mesh_of(self.case.line, periodic_layout(self.case.line)).elem_length)

    def time_step_error(self) -> tuple[Floats, str]:
        """Difference to a companion at half the step, extrapolated; at least what one at twice the step says.

        Where a whole line would be marched for it, twice the step has to do, unless that is too long. A step that is
        refused leaves the estimate to the other one.
        """
        own, sizes, refused = self.case.time_step, list[Floats](), ""
        orders, said = list[float](), f"{self.base[0]:.3f} N at {1e3 * own:.4g} ms"
        factors = (0.5, 2.0) if self.halves_step else (2.0, 0.5)
        for factor in factors if own <= LONGEST_DOUBLED else (0.5,):
            if sizes and not self.halves_step:
                break
            try:
                step, figures = self._at_step(factor)
            except (NoCompanionError, InputError) as reason:
                refused = "; ".join(reason.problems) if isinstance(reason, InputError) else str(reason)
                continue
            orders.append(ORDER_OF_CHANCE if sizes else STEP_ORDER)
            said += f", {figures[0]:.3f} N at {1e3 * step:.4g} ms"
            sizes.append(np.abs((figures - self.base) / ((step / own) ** orders[-1] - 1.0)))
        if not sizes:
            raise NoCompanionError(refused)
        order = orders[int(np.argmax([each[0] for each in sizes]))]
        return np.max(sizes, axis=0), f"{said}, order {order:g}{self._where}"

    @property
    def halves_step(self) -> bool:
        """Whether half the step is worth its time: not where a whole line has to be marched twice as long."""
        return not self.case.on_open_line

    def _at_step(self, factor: float) -> tuple[float, Floats]:
        """Step [s] of so many times the run's, and the figures with it."""
        other = self.short.model_copy(update={"dt": factor * self.case.time_step, "strict_dt": False})
        return other.time_step, self._figures(other, self.equilibrium)

    def mesh_error(self) -> tuple[Floats, str]:
        """Difference to a companion with two thirds of the elements, or with short ones for long ones, extrapolated."""
        elements, (other, figures, _) = self._elements, self.other_mesh
        error = np.abs((figures - self.base) / ((elements / other) ** MESH_ORDER - 1.0))
        return error, (
            f"{self.base[0]:.3f} N with {elements} elements {self._period}, {figures[0]:.3f} N with {other}, "
            f"order {MESH_ORDER:g}{self._where}"
        )

    @property
    def _period(self) -> str:
        line = self.case.catenary
        if line.ends:
            return "on the whole line"
        return "a span" if line.spans_of_a_period == 1 else "until the line repeats"

    @property
    def _where(self) -> str:
        """Window of both figures of a difference, if not the run's own."""
        if self.short == self.case:
            return ""
        behind, ahead = window_of(self.short).values()
        return f"; on a window of {behind} + {ahead} spans"

    def window_error(self) -> tuple[Floats, str]:
        """Difference to a companion on a long window, or to one with two thirds of the spans of a long one, as it is.

        Two windows may agree with each other and be wrong: waves that leave neither of them are in both. Where they
        do not agree, the longer of the two is compared with one half as long again, and twice what that moves is
        added: near a resonance what still longer windows move falls slowly. A share that is known is that of the
        standard deviation alone.
        """
        if self.known_window_share is not None:
            share = self.known_window_share
            return np.array([share * self.sigma_N]), (
                f"{100.0 * share:.2f} %, as of the line without errors of installation"
            )
        window, long = window_of(self.case), long_window()
        behind, ahead = window_spans(window["spans_behind"], window["spans_ahead"])
        own = {"spans_behind": behind, "spans_ahead": ahead}
        is_short = min(behind - long["spans_behind"], ahead - long["spans_ahead"]) < 0
        spans = {name: max(long[name], window[name]) for name in window} if is_short else shorter_window(window)
        figures = self._on_window(spans)
        error = np.abs(figures - self.figures)
        message = f"{self.sigma_N:.3f} N with {_spans(own)} spans, {figures[0]:.3f} N with {_spans(spans)}"
        if error[0] <= AGREE * self.sigma_N or error[0] > self.large_N:
            return error, message
        last, figures = (spans, figures) if is_short else (own, self.figures)
        longer = {name: round(count / COARSER) for name, count in last.items()}
        further = self._on_window(longer)
        rest = STILL_LONGER * np.abs(further - figures)
        return np.maximum(error, np.abs(further - self.figures) + rest), (
            f"{message}, {further[0]:.3f} N with {_spans(longer)}, and {rest[0]:.3f} N for longer ones"
        )

    def _on_window(self, spans: dict[str, int]) -> Floats:
        """Figures on another window."""
        return self._figures(with_window(self.case, spans), self.equilibrium)

    def iteration_error(self) -> tuple[Floats, str]:
        """Change by a tenth of the tolerance on the companion of the other mesh, and in the run's own longer window.

        What fades slowest is not in a short window: waves that a long one holds for tens of spans.
        """
        _, figures, tighter = self.other_mesh
        tolerance = self.case.periodic.tolerance
        if tighter is None:
            raise NoCompanionError(f"a tolerance of {TIGHTER * tolerance:g} is not reached")
        error, message = (
            np.abs(tighter - figures),
            (
                f"{figures[0]:.3f} N at a tolerance of {tolerance:g}, {tighter[0]:.3f} N at {TIGHTER * tolerance:g}, "
                "both on the other mesh"
            ),
        )
        own = self._continued()
        if own is None:
            return error, message
        return np.maximum(error, np.abs(own - self.figures)), (
            f"{message}; in the run's own window {self.sigma_N:.3f} and {own[0]:.3f} N"
        )

    def _continued(self) -> Floats | None:
        """Figures at a tighter tolerance in the run's own window; None where that is the companions', or has no end."""
        start, case = self.start, self.case
        if start is None or self.short == case:
            return None
        tight = case.periodic.model_copy(update={"tolerance": TIGHTER * case.periodic.tolerance})

        def found() -> Pair:
            figures = continued(case, self.equilibrium, start)
            if figures is None:
                raise NoCompanionError("the iteration does not continue in the run's own window")
            return figures, None

        try:
            figures, _ = self.companions.get(case.model_copy(update={"periodic": tight}), False, found)
        except NoCompanionError:
            return None
        return figures[self.pantograph]


def _spans(window: dict[str, int]) -> str:
    return " + ".join(map(str, window.values()))

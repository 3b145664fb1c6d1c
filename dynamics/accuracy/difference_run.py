"""Companions of a period with defects that is marched as a difference: each one is a difference itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from dynamics.accuracy.companions import COARSER, TIGHTER, NoCompanionError, figures_of_train
from dynamics.accuracy.estimated_run import STILL_LONGER, EstimatedRun, Pair
from dynamics.spec.case import CaseSpec
from dynamics.steady_state.by_difference import DIFFERENCES, line_as_designed, solve_by_difference

__all__ = ["DifferenceRun"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DifferenceRun(EstimatedRun):
    """A period with defects, what its solution gave, and the companions that several parts share."""

    @cached_property
    def short(self) -> CaseSpec:
        """The case as it is: differences are marched in a short window in any case."""
        return self.case

    @property
    def halves_step(self) -> bool:
        """Not where the line as designed has to be solved in its long window for it."""
        return False

    def differences_error(self) -> tuple[Floats, str]:
        """What longer windows of differences move, by one half as long again, and twice that for still longer ones."""
        behind, ahead = longer = tuple(round(spans / COARSER) for spans in DIFFERENCES)
        figures = self._difference(self.case, self.equilibrium, (behind, ahead))[self.pantograph]
        return STILL_LONGER * np.abs(figures - self.figures), (
            f"{self.sigma_N:.3f} N with {DIFFERENCES[0]} + {DIFFERENCES[1]} spans for what the defects change, "
            f"{figures[0]:.3f} N with {longer[0]} + {longer[1]}, twice that for longer ones"
        )

    def _figures_of_train(self, case: CaseSpec, eq: Equilibrium) -> Floats:
        return self._difference(case, eq, DIFFERENCES)

    def _iterated_train(self, case: CaseSpec, eq: Equilibrium) -> Pair:
        settings = case.periodic.model_copy(update={"tolerance": TIGHTER * case.periodic.tolerance})
        figures = self._figures_of_train(case, eq)
        try:
            return figures, self._figures_of_train(case.model_copy(update={"periodic": settings}), eq)
        except NoCompanionError:
            return figures, None

    def _difference(self, case: CaseSpec, eq: Equilibrium, window: tuple[int, int]) -> Floats:
        """Figures of every pantograph of a companion with a window of differences (pantograph, figure)."""
        designed = line_as_designed(case, window)
        found = "a line that has no steady state as designed"
        solution = found if designed is None else solve_by_difference(case, eq, designed)
        figures = None if isinstance(solution, str) else figures_of_train(solution)
        if figures is None:
            raise NoCompanionError(f"the companion failed: {solution}")
        return figures

"""Figures of a line with any of its wrong lengths corrected, from single effects added up.

The force is F minus the sum of the effects of those that are right. Its variance is then a quadratic form in the
choice, known for all choices once the covariances of the effects are. Droppers that go slack make it an estimate, which
is why the lines that decide are run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.spec.line import CatenarySpec
from optimise.correction_list.evaluation import LineFigures, SingleEffect

__all__ = ["Superposition", "superposed"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Superposition:
    """Single effects on the evaluated spans.

    Attributes
    ----------
    covariance : float array (span + 1, 1 + effect, 1 + effect)
        Of the force as built, first, and of all effects: over all evaluated spans, and within each one [N^2].
    rise : float array (support,)
        Largest uplift as built at the supports that count [mm].
    falls : float array (effect, support)
        What each effect takes from it [mm].
    """

    covariance: Floats
    rise: Floats
    falls: Floats

    @property
    def count(self) -> int:
        """Number of wrong lengths."""
        return len(self.falls)

    def figures(self, right: Sequence[int]) -> Floats:
        """Standard deviation, the largest within a span [N], and the largest uplift [mm] with some corrected."""
        choice = np.zeros(1 + self.count)
        choice[0] = 1.0
        choice[[1 + k for k in right]] = -1.0
        sigma = np.sqrt(np.maximum(np.einsum("i,sij,j->s", choice, self.covariance, choice), 0.0))
        return np.array([sigma[0], sigma[1:].max(), (self.rise - self.falls[list(right)].sum(axis=0)).max()])

    def order(self, limits: Floats) -> list[int]:
        """All wrong lengths, each the one that brings the line nearest to its limits once those before it are right.

        Where limits are met, or two bring it as near, the one that lowers sigma most comes first.

        Parameters
        ----------
        limits : float array (3,)
            Of the figures; infinite where one is not held.
        """
        chosen: list[int] = []
        left = set(range(self.count))
        while left:
            near = {k: self.figures([*chosen, k]) for k in left}
            chosen.append(min(left, key=lambda k: (_excess(near[k], limits), near[k][0], k)))
            left.remove(chosen[-1])
        return chosen


def _excess(figures: Floats, limits: Floats) -> float:
    """Sum of what exceeds the limits, relative to them [-]."""
    return float(np.maximum(figures / limits - 1.0, 0.0).sum())


def superposed(line: CatenarySpec, built: LineFigures, effects: Sequence[SingleEffect], count: int) -> Superposition:
    """Put single effects together on the evaluated spans of a line.

    Parameters
    ----------
    line : CatenarySpec
    built : LineFigures
        Of the line as built.
    effects : sequence of SingleEffect
        At most one for each wrong length; one without has no effect here.
    count : int
        Number of wrong lengths.
    """
    x, supports = built.position, np.array(line.supports)
    rows = np.zeros((1 + count, len(x)))
    rows[0] = built.force
    near = 1.5 * (x[1] - x[0])  # the first sample stands up to a step behind its support
    counted = (supports >= x[0] - near) & (supports <= x[-1] + near)
    falls = np.zeros((count, len(supports)))
    for effect in effects:
        rows[1 + effect.dropper] = np.interp(x, effect.position, effect.force, left=0.0, right=0.0)
        falls[effect.dropper, effect.first_support : effect.first_support + len(effect.rise)] = effect.rise
    spans = np.clip(np.searchsorted(supports, x, side="left"), 1, len(supports) - 1)
    parts = [rows, *(rows[:, spans == span] for span in np.unique(spans))]
    covariance = np.array([np.atleast_2d(np.cov(part, bias=True)) for part in parts if part.shape[1] > 1])
    return Superposition(covariance, built.rise[counted], falls[:, counted])

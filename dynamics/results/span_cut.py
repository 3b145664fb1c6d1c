"""Samples of whole spans of an open line, as a pantograph passes them, and figures of the force there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynamics.spec.case import CaseSpec

__all__ = ["force_figures", "span_cut"]


def span_cut(case: CaseSpec, position: NDArray[np.float64], first: int, last: int) -> slice:
    """Samples of whole spans ``first`` to ``last`` of an open line, the line's first one being 1, as one passes them.

    The sample at the first support is left out, that at the last one is in.
    """
    support = case.catenary.station(first - 1)
    begin = int(np.searchsorted(position, support * (1.0 + 1e-12) + 1e-9))
    return slice(begin, begin + case.steps_between(first - 1, last))


def force_figures(force: NDArray[np.float64]) -> dict[str, float]:
    """Mean, standard deviation, maximum and minimum of the force at some samples (sample,) [N], by their names."""
    figures = {"mean": force.mean(), "std": force.std(), "max": force.max(), "min": force.min()}
    return {f"contact_force_{name}_N": float(value) for name, value in figures.items()}

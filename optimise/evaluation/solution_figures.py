"""What an evaluation reads off a solution: its statistics by name, and whether they are all numbers."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynamics.results.solution import Solution

__all__ = ["statistics_of"]


def statistics_of(solution: Solution) -> tuple[dict[str, float], str]:
    """Statistics of a solution by name, none without figures; and a sentence where one is not finite."""
    if not solution.status.has_figures or solution.statistics is None:
        return {}, ""
    figures = {name: float(value) for name, value in asdict(solution.statistics).items()}
    broken = [name for name, value in figures.items() if not math.isfinite(value)]
    return figures, f"every statistic must be finite: {', '.join(broken)} is not" if broken else ""

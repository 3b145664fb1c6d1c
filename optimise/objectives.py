"""What a design is judged by: one number to minimise."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynamics.statistics import ContactStatistics

__all__ = ["OBJECTIVE_LONG_NAME", "objective"]

OBJECTIVE_LONG_NAME = "standard deviation of the contact force, low-pass filtered"


def objective(statistics: ContactStatistics) -> float:
    """Standard deviation of the filtered contact force, the measure of current collection [N]."""
    return float(statistics.contact_force_std_N)

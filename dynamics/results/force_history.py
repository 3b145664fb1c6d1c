"""Contact forces of a run in one shape, whichever solver they come from: pantographs side by side, evaluated spans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dynamics.results.solution import Solution

__all__ = ["ForceHistory", "force_history"]


@dataclass(frozen=True)
class ForceHistory:
    """Contact forces over time.

    Attributes
    ----------
    time : float array (time,)
        End of every time step [s].
    position, raw, filtered : float array (time, pantograph)
        Station [m]; contact force as computed and filtered [N].
    cut : tuple of slice
        Samples of each pantograph that count.
    time_step, speed : float
        [s], [m/s].
    steps_per_period : int
        Samples a span, or all spans before the line repeats.
    periodic : bool
        True where the record is one period of a steady state.
    """

    time: NDArray[np.float64]
    position: NDArray[np.float64]
    raw: NDArray[np.float64]
    filtered: NDArray[np.float64]
    cut: tuple[slice, ...]
    time_step: float
    speed: float
    steps_per_period: int
    periodic: bool

    def evaluated(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Cut values (time, pantograph) to the samples that count, one array per pantograph."""
        return tuple(values[cut, p] for p, cut in enumerate(self.cut))


def force_history(solution: Solution) -> ForceHistory | None:
    """Contact forces of a solution; None where it has no figures.

    Where no state repeats (NOT_PERIODIC) the record is the last span of the long march, and not periodic.
    """
    if solution.statistics is None:
        return None
    case, each = solution.case, solution.pantographs
    return ForceHistory(
        time=np.asarray(solution.time, dtype=np.float64),
        position=np.stack([p.position for p in each], axis=1),
        raw=np.stack([p.contact_force for p in each], axis=1),
        filtered=np.stack([p.contact_force_filtered for p in each], axis=1),
        cut=tuple(p.evaluated for p in each),
        time_step=case.time_step,
        speed=case.speed,
        steps_per_period=case.steps_per_period,
        periodic=solution.repeats,
    )

"""Contact forces of a run in one shape, whichever solver they come from: pantographs side by side, evaluated spans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dynamics.spec import CaseSpec
from dynamics.status import Status

if TYPE_CHECKING:
    from dynamics.periodic import PeriodicSolution
    from dynamics.transient import Trajectory

__all__ = ["ForceHistory", "force_history", "span_cut"]


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


def force_history(solution: PeriodicSolution | Trajectory) -> ForceHistory | None:
    """Contact forces of a solution; None where it has no figures.

    Where no state repeats (NOT_PERIODIC) the record is the last span of the long march, and not periodic.
    """
    if solution.statistics is None:
        return None
    case, kept = solution.case, getattr(solution, "histories", None)
    source = solution if kept is None else kept
    position, raw, filtered = (
        np.reshape(getattr(source, name), (len(source.time), -1))
        for name in ("position", "contact_force", "contact_force_filtered")
    )
    cuts = [_evaluated(solution, position[:, p]) for p in range(position.shape[1])]
    return ForceHistory(
        time=np.asarray(source.time, dtype=np.float64),
        position=position,
        raw=raw,
        filtered=filtered,
        cut=tuple(cuts),
        time_step=case.time_step,
        speed=case.speed,
        steps_per_period=case.steps_per_period,
        periodic=case.solver == "periodic" and solution.status is Status.OK,
    )


def _evaluated(solution: PeriodicSolution | Trajectory, position: NDArray[np.float64]) -> slice:
    """Samples of one pantograph between the supports at the ends of the evaluated spans, the first support left out."""
    case = solution.case
    if case.solver == "periodic":
        return slice(0, len(position))
    n = case.steps_per_period
    if case.solver == "transient":
        return slice(len(position) - case.transient_periods[1] * n, len(position))
    return span_cut(case, position, case.open_line.first_evaluated, case.open_line.last_evaluated)


def span_cut(case: CaseSpec, position: NDArray[np.float64], first: int, last: int) -> slice:
    """Samples of whole spans ``first`` to ``last`` of an open line, the line's first one being 1, as one passes them.

    The sample at the first support is left out, that at the last one is in.
    """
    support = case.catenary.station(first - 1)
    begin = int(np.searchsorted(position, support * (1.0 + 1e-12) + 1e-9))
    return slice(begin, begin + case.steps_between(first - 1, last))

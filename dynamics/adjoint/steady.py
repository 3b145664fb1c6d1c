"""Steady multipliers: the fixed point of the adjoint march from span to span.

The map is linear, so that there is one steady state and the figure's derivative by the applied force, which the mean
force to be held turns into a multiplier of its own, is brought to zero along with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.adjoint.layout import Lifted, Multipliers
from dynamics.adjoint.window import NOTHING_LIFTED, AdjointWindow
from dynamics.spec.case import CaseSpec
from dynamics.steady_state.anderson import Acceleration

__all__ = ["Figure", "SteadyMultipliers", "steady_multipliers"]

REACH = 3
# marched before the sizes of what is sought are taken
PLAIN_SPANS = 3


@dataclass(frozen=True)
class SteadyMultipliers:
    """One period of steady multipliers.

    Attributes
    ----------
    period : Multipliers
        All of them, by step.
    start : float array (dof, column)
        (2/dt) times the momentum of mu beyond the period's end.
    pantograph_start : float array (mass,)
        mu of the pantograph there.
    mean : float
        Multiplier of the mean force that is held; 0 where an applied force is given.
    spans : int
        Spans marched.
    residual : float
        Last change, relative.
    tolerance : float
        What that must not exceed.
    """

    period: Multipliers
    start: NDArray[np.float64]
    pantograph_start: NDArray[np.float64]
    mean: float
    spans: int
    residual: float
    tolerance: float

    @property
    def refusal(self) -> str | None:
        """Why nothing follows from these multipliers; None where the search for them has ended."""
        if self.residual <= self.tolerance:
            return None
        return (
            f"derivatives need multipliers that repeat from span to span to {self.tolerance:.1e}: after {self.spans} "
            f"spans they changed by {self.residual:.1e}; raise periodic.max_spans"
        )


@dataclass(frozen=True)
class Figure:
    """A figure of one period, as multipliers answer to it.

    Attributes
    ----------
    cause : float array (step,)
        What it changes by with the contact force of every step [figure / N].
    lifted : Lifted
        A place that is itself the figure [m].
    of_case : callable, optional
        What a case makes of the same contact force, where more than the force counts.
    """

    cause: NDArray[np.float64]
    lifted: Lifted = NOTHING_LIFTED
    of_case: Callable[[CaseSpec], float] | None = None


def steady_multipliers(
    window: AdjointWindow, figure: Figure, gain: float | None, tolerance: float, most: int
) -> SteadyMultipliers:
    """Find the steady multipliers of a figure.

    Parameters
    ----------
    window : AdjointWindow
        At rest.
    figure : Figure
    gain : float or None
        d(mean contact force) / d(applied force) at rest; None where the applied force is given and the mean follows.
    tolerance : float
        Change from span to span, relative.
    most : int
        Spans after which the search gives up; what it found then says that it has not converged.
    """
    memory, layout, cause = Acceleration(None, 0), _Layout(window), figure.cause
    acted = window.window.pantograph.applied
    x, residual, spans, scale = layout.pack(0.0), np.inf, 0, (1.0, 1.0, 1.0)
    while spans < most and residual > tolerance:
        mean = layout.unpack(x)
        out = window.march(cause + mean / len(cause), figure.lifted)
        window.shift()
        mapped = layout.pack(0.0 if gain is None else mean + float((out.pantograph @ acted).sum()) / gain)
        spans += 1
        if spans <= PLAIN_SPANS:  # a lifted support has not reached the pantograph at first: sizes say nothing yet
            x, scale = mapped, layout.sizes(mapped)
            continue
        feature = layout.features(mapped - x, scale)
        residual = float(np.linalg.norm(feature))
        x = memory.propose(mapped, feature) if residual > tolerance else mapped
    mean = layout.unpack(x)
    start, pantograph = window.a.astype(np.float64), window.mp.copy()
    period = window.march(cause + mean / len(cause), figure.lifted, whole=True)
    return SteadyMultipliers(period, start, pantograph, mean, spans + 1, residual, tolerance)


class _Layout:
    """Lays the state of a window of multipliers out as one vector, the mean force's last."""

    def __init__(self, window: AdjointWindow) -> None:
        self.window, cell = window, window.window.cell
        self._rows = cell.canonical
        near = np.zeros(window.a.shape, bool)
        near[cell.heights, max(0, window.behind - REACH) : window.behind + REACH] = True
        self._near = np.flatnonzero(near[self._rows].ravel())
        self._size = len(self._rows) * window.a.shape[1]

    def pack(self, mean: float) -> NDArray[np.float64]:
        w = self.window
        line = [w.a[self._rows].ravel(), w.s[self._rows].ravel()]
        return np.concatenate([*line, w.mp, w.sp, [mean]]).astype(np.float64)

    def unpack(self, x: NDArray[np.float64]) -> float:
        w, at = self.window, 0
        for array, rows in ((w.a, self._rows), (w.s, self._rows), (w.mp, slice(None)), (w.sp, slice(None))):
            part = array[rows]
            array[rows] = x[at : at + part.size].reshape(part.shape)
            at += part.size
        return float(x[-1])

    def sizes(self, x: NDArray[np.float64]) -> tuple[float, float, float]:
        size = self._size
        return float(np.abs(x[:size]).max()), float(np.abs(x[size : 2 * size]).max()), max(abs(float(x[-1])), 1e-12)

    def features(self, change: NDArray[np.float64], scale: tuple[float, float, float]) -> NDArray[np.float64]:
        line = [change[self._near] / scale[0], change[self._size + self._near] / scale[1], change[-1:] / scale[2]]
        return np.concatenate(line) / np.sqrt(len(self._near))

"""The span-to-span map of one design, and its state laid out as one vector."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.cell import VerticalCell, vertical_cell
from dynamics.results.warm_start import WarmStart
from dynamics.spec.case import CaseSpec
from dynamics.travelling_window.state import SpanRecord
from dynamics.travelling_window.window import TravellingWindow

__all__ = ["SpanMap"]

FEATURE_REACH = 3


class SpanMap:
    """The span-to-span map of one design: march a span, move the window on, correct the applied force."""

    def __init__(self, case: CaseSpec, eq: Equilibrium, cell: VerticalCell | None = None) -> None:
        self.case = case
        settings = case.periodic
        spans = settings.spans_behind, settings.spans_ahead
        self.window = TravellingWindow(case, vertical_cell(eq) if cell is None else cell, *spans, settings.precision)
        self.state, self.gain = self.window.rest(), 1.0
        self.scale: tuple[float, float] | None = None
        self.record: SpanRecord | None = None
        n, width = self.state.u.shape
        self._canonical = self.window.cell.canonical
        near = np.zeros((n, width), dtype=bool)
        near[self.window.cell.heights, max(0, self.window.behind - 2) : self.window.behind + FEATURE_REACH + 1] = True
        self._near = np.flatnonzero(near[self._canonical].ravel())
        self._size = len(self._canonical) * width

    def pack(self) -> NDArray[np.float64]:
        """Lay the state out as one vector: u and a in canonical order, pantograph, applied force."""
        state = self.state
        return np.concatenate(
            [
                state.u[self._canonical].ravel(),
                state.a[self._canonical].ravel(),
                state.z,
                state.z_dot,
                [state.applied_force],
            ]
        )

    def unpack(self, vector: NDArray[np.float64]) -> None:
        """Write a packed vector back into the state; elastic forces and tensions follow from it."""
        state, size = self.state, self._size
        for array, at in ((state.u, 0), (state.a, size)):
            array[self._canonical] = vector[at : at + size].reshape(-1, array.shape[1])
        at = 2 * size
        for array in (state.z, state.z_dot):
            array[...] = vector[at : at + array.size].reshape(array.shape)
            at += array.size
        state.applied_force = float(vector[at])
        self.window.settle(state)

    def static_start(self) -> NDArray[np.float64]:
        """Packed state of the line and pantograph pressing at rest."""
        self.state, self.gain = self.window.static_start()
        return self.pack()

    def near_start(self, start: WarmStart) -> NDArray[np.float64] | None:
        """Packed state of a neighbouring design; None when its window is another one."""
        if len(start.state) != len(self.pack()):
            return None
        self.scale, self.gain = start.scale, start.gain
        x = start.state.copy()
        if self.case.applied_force_N is not None:
            x[-1] = self.case.applied_force_N
        return x

    def apply(self, x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Map a packed state; returns it mapped, and the features of its change."""
        self.unpack(x)
        self.record = self.window.march(self.state)
        mean = float(self.record.force.mean())
        self.window.shift(self.state, settled=False)
        target = self.case.mean_force_N
        if target is not None:
            self.state.applied_force += (target - mean) / self.gain
        mapped = self.pack()
        if self.scale is None:
            self.scale = float(np.abs(self.state.u).max()), float(np.abs(self.state.a).max())
        change = mapped - x
        m = len(self.state.z)
        feature = np.concatenate(
            [
                change[self._near] / self.scale[0],
                change[self._size + self._near] / self.scale[1],
                change[-1 - 2 * m : -1 - m] / self.scale[0],
                change[-1:] / x[-1],
            ]
        )
        return mapped, feature / np.sqrt(len(self._near))

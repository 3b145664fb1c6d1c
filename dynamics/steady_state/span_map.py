"""The span-to-span map of one design, and its state laid out as one vector."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.cell import VerticalCell, vertical_cell
from dynamics.results.warm_start import SecantBasis, WarmStart
from dynamics.spec.case import CaseSpec
from dynamics.spec.status import Status
from dynamics.steady_state.anderson import Acceleration
from dynamics.steady_state.transient import MEAN_FORCE_TOLERANCE
from dynamics.travelling_window.state import SpanRecord
from dynamics.travelling_window.window import TravellingWindow

__all__ = ["PLAIN_SPANS", "SpanMap", "iterate"]

FEATURE_REACH = 3
PLAIN_SPANS = 2
# A search that has not come closer by this factor within so many spans does not end within any number that is allowed.
STALLED_SPANS, STALLED_FACTOR = 60, 0.7


class SpanMap:
    """The span-to-span map of one design: march a span, move the window on, correct the applied forces."""

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
        for column in {self.window.behind + int(at) for at in self.window.operators.contact.column[:, 0]}:
            near[self.window.cell.heights, max(0, column - 2) : column + FEATURE_REACH + 1] = True
        self._near = np.flatnonzero(near[self._canonical].ravel())
        self._size = len(self._canonical) * width

    @property
    def layout(self) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """How a state is packed: rows in their order, places of the features, numbers of one array."""
        return self._canonical, self._near, self._size

    def pack(self) -> NDArray[np.float64]:
        """Lay the state out as one vector: u and a in canonical order, controllers, pantographs, applied forces."""
        state = self.state
        return np.concatenate(
            [
                state.u[self._canonical].ravel(),
                state.a[self._canonical].ravel(),
                state.control.ravel(),
                state.z.ravel(),
                state.z_dot.ravel(),
                state.applied_forces,
            ]
        )

    def unpack(self, vector: NDArray[np.float64]) -> None:
        """Write a packed vector back into the state; elastic forces and tensions follow from it."""
        state, size = self.state, self._size
        for array, at in ((state.u, 0), (state.a, size)):
            array[self._canonical] = vector[at : at + size].reshape(-1, array.shape[1])
        at = 2 * size
        for array in (state.control, state.z, state.z_dot, state.applied_forces):
            array[...] = vector[at : at + array.size].reshape(array.shape)
            at += array.size
        self.window.settle(state)

    def static_start(self) -> NDArray[np.float64]:
        """Packed state of the line and pantographs pressing at rest."""
        self.state, self.gain = self.window.static_start()
        return self.pack()

    def near_start(self, start: WarmStart) -> NDArray[np.float64] | None:
        """Packed state of a neighbouring design; None when its window is another one."""
        if len(start.state) != len(self.pack()):
            return None
        self.scale, self.gain = start.scale, start.gain
        x = start.state.copy()
        given = self.window.given_forces
        if given is not None:
            x[-len(given) :] = given
        return x

    def basis_of(self, start: WarmStart) -> SecantBasis | None:
        """Secant pairs of a neighbouring start; None where its pantographs stand elsewhere, so that features differ."""
        state = self.state
        controls = len(state.control) if state.control.size else 0
        count = 2 * len(self._near) + state.z.size + len(state.applied_forces) + controls
        return start.basis if start.basis is not None and start.basis.feature.shape[1] == count else None

    def apply(self, x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Map a packed state; returns it mapped, and the features of its change."""
        self.unpack(x)
        self.record = self.window.march(self.state)
        means = self.record.forces.mean(axis=1)
        self.window.shift(self.state, settled=False)
        target = self.case.mean_force_N
        if target is not None and not self.holds_mean:
            self.state.applied_forces += (target - means) / self.gain
        mapped = self.pack()
        if self.scale is None:
            self.scale = float(np.abs(self.state.u).max()), float(np.abs(self.state.a).max())
        change = mapped - x
        m, count = self.state.z.size, len(means)
        feature = np.concatenate(
            [
                change[self._near] / self.scale[0],
                change[self._size + self._near] / self.scale[1],
                change[-count - 2 * m : -count - m] / self.scale[0],
                change[-count:] / x[-count:],
            ]
        )
        feature = np.append(feature, self._control_change(change) / np.abs(x[-count:]).max())
        return mapped, feature / np.sqrt(len(self._near))

    @property
    def holds_mean(self) -> bool:
        """Whether a controller holds the mean force, so that the applied force stays as at rest."""
        control = self.case.pantograph.control
        return control is not None and control.holds_mean

    def _control_change(self, change: NDArray[np.float64]) -> NDArray[np.float64]:
        """Change of every control force [N]; none without controllers."""
        memory, first = self.state.control, 2 * self._size
        own = change[first : first + memory.size].reshape(memory.shape)
        return own[:, len(self.window.control.output) + 4] if memory.size else np.zeros(0)


def iterate(
    span_map: SpanMap,
    x: NDArray[np.float64],
    plain: int,
    basis: SecantBasis | None,
    memory: Acceleration | None = None,
) -> tuple[NDArray[np.float64], float, int, Status]:
    """Repeat the map until its change is below tolerance, or has stalled above it.

    Returns state, residual, repetitions and status.
    """
    settings, target = span_map.case.periodic, span_map.case.mean_force_N
    most = span_map.case.catenary.periods(settings.max_spans)
    memory = Acceleration(basis, plain) if memory is None else memory
    residual, closest = np.inf, [np.inf]
    for spans in range(1, most + 1):
        mapped, feature = span_map.apply(x)
        assert span_map.record is not None
        residual = float(np.linalg.norm(feature))
        if span_map.record.ran_away or not np.isfinite(residual):
            return x, residual, spans, Status.DIVERGED
        held = target is None or np.abs(span_map.record.forces.mean(axis=1) - target).max() < 0.5 * MEAN_FORCE_TOLERANCE
        if spans > plain + 1 and residual < settings.tolerance and held:
            return mapped, residual, spans, Status.OK
        closest.append(min(closest[-1], residual))
        if spans > STALLED_SPANS and closest[-1] > STALLED_FACTOR * closest[-1 - STALLED_SPANS]:
            return x, residual, spans, Status.NOT_PERIODIC
        x = memory.propose(mapped, feature)
    return x, residual, most, Status.NOT_PERIODIC

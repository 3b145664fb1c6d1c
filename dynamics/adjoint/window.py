"""The window of multipliers: the march's own operators, its columns mirrored, travelling from right to left."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from dynamics.adjoint.kernel import march_span_back
from dynamics.adjoint.layout import AdjointState, Frozen, Lifted, Multipliers
from dynamics.linear_algebra.row_widths import row_lanes
from dynamics.linear_algebra.vector_rows import Rows
from dynamics.travelling_window.arrays import aligned
from dynamics.travelling_window.layout import Inputs, Panto
from dynamics.travelling_window.state import SpanRecord
from dynamics.travelling_window.window import TravellingWindow

__all__ = ["NOTHING_LIFTED", "AdjointWindow"]

NOTHING_LIFTED = Lifted(0, 0, 0)
# change of a multiplier, relative to the largest cause, that ends the sweeps of a step
SWEEP_TOLERANCE = 1.0e-7


class AdjointWindow:
    """Marches multipliers backwards over a period that was marched.

    Parameters
    ----------
    window : TravellingWindow
        The window of the march; its operators are shared, its memory is worked in.
    record : SpanRecord
        The period, with its whole motion.

    Attributes
    ----------
    behind : int
        Spans left of the pantograph's, from which it comes in time turned round.
    common : tuple of slice
        Spans that both windows hold, as this one and as the march numbers them.
    sponge : float array (2, column)
        As the march's, mirrored.
    mp, sp : float array (mass,)
        mu of the pantograph, and what stands for its elastic force.
    """

    def __init__(self, window: TravellingWindow, record: SpanRecord) -> None:
        self.window, self.behind = window, window.ahead
        scalars = window.constants.scalars
        self.sponge = cast("Rows", np.ascontiguousarray(scalars.sponge[:, ::-1]))
        self._constants = window.constants._replace(span=self.behind, scalars=scalars._replace(sponge=self.sponge))
        shape, number = (window.cell.n_dof, window.spans + 1), window.scratch.w.dtype
        self._rows = [aligned(shape, number) for _ in range(3)]
        self.mp, self.sp = np.zeros((2, len(window.panto[1])))
        left = min(window.behind, self.behind)
        right = window.spans - 1 - max(window.behind, self.behind)
        here, there = (slice(at - left, at + right + 1) for at in (self.behind, window.behind))
        self.common = here, there
        active = record.motion.squeeze + window.droppers.at_rest > 0.0
        self._slack = np.zeros(active.shape, bool)
        self._slack[:, :, here] = active[:, :, there]
        self._in_contact = record.force > 0.0

    @property
    def a(self) -> Rows:
        """(2/dt) times the momentum of mu (dof, column)."""
        return self._rows[1]

    @property
    def s(self) -> Rows:
        """What stands for the elastic force, -nu (dof, column)."""
        return self._rows[2]

    def march(self, cause: NDArray[np.float64], lifted: Lifted = NOTHING_LIFTED, *, whole: bool = False) -> Multipliers:
        """March one period backwards; ``whole`` keeps all multipliers."""
        window, steps, (n, width) = self.window, len(cause), self._rows[0].shape
        kept, number = steps if whole else 0, window.scratch.w.dtype
        out = Multipliers(
            np.zeros(steps),
            aligned((n * kept, width), number).reshape(n, kept, width),
            np.zeros((steps, len(self.mp))),
            np.zeros((kept, len(window.droppers.dof), window.spans)),
        )
        tolerance = SWEEP_TOLERANCE * max(float(np.abs(cause).max()), window.dt if lifted.step else 0.0)
        march_span_back(
            row_lanes(width, number.name),
            AdjointState(self._rows[0], self.a, self.s, self.mp, self.sp),
            window.scratch,
            window.marched_operators,
            Inputs(
                window.operators.contact,
                Panto(*window.panto, np.zeros(1), window.pantograph.rolls, None, *window.strips),
                window.droppers,
                self._constants,
            ),
            (Frozen(self._in_contact, self._slack, cause, lifted, n, tolerance), out),
        )
        return out

    def shift(self) -> None:
        """Move the window back by one span: the last one is dropped, one at rest joins on the left."""
        window, w = self.window, self.window.scratch.w
        ni, S, M, n = window.cell.n_interface, window.spans, window.cell.mass, window.cell.n_dof
        scale = 2.0 / window.dt
        # momentum of what is dropped must not stay with the support that now closes the window
        dropped = M.interface_right @ w[:ni, S - 1] + M.own[:ni, ni:] @ w[ni:n, S - 1]
        velocity = w[:ni, 0].astype(np.float64)
        for x in (self.a, self.s):
            x[:, 1:] = x[:, :-1].copy()
            x[:, 0] = 0.0
            x[ni:, S] = 0.0
        self.a[:ni, S] -= scale * dropped
        v, first = np.zeros(n), np.zeros(ni)  # what joins is at rest in height, and moves along on the track
        for dofs in window.cell.along:
            v[dofs] = velocity[dofs[0]]
            first[dofs[dofs < ni]] = velocity[dofs[0]]
        self.a[:ni, 0] = scale * (M.interface_right @ v[:ni] + M.own[:ni, ni:] @ v[ni:])
        self.a[ni:, 0] = scale * (M.own[ni:] @ v + M.next[ni:] @ first)
        self.a[:ni, 1] += scale * (M.interface_left @ first + M.next[ni:].T @ v[ni:])
        self.a[window.cell.tensions, 0] = 0.0

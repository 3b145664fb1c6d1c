"""A window of single spans that passes a whole period of spans which differ a little from one another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from catenary.linearised.contact_wire import running_height
from dynamics.linear_algebra.predicted_loads import Recurring, Unlike, unlike_of
from dynamics.travelling_window.cell_rows import row_lists
from dynamics.travelling_window.layout import Contact, Droppers, Inputs
from dynamics.travelling_window.setup import slack_limit
from dynamics.travelling_window.state import SpanRecord, WindowState
from dynamics.travelling_window.unlike.spans import ABSENT, UnlikeSpans
from dynamics.travelling_window.window import TravellingWindow

__all__ = ["UnlikeWindow"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class UnlikeWindow(TravellingWindow):
    """Marches a pantograph over the spans of a period one by one, with what each has other than the cell.

    Parameters
    ----------
    like : TravellingWindow
        As long, of the line as designed.
    period : UnlikeSpans

    Attributes
    ----------
    first : int
        Span of the period with which a passage begins.
    passed : list of SpanRecord
        One a span of the period, of the last passage, with the forces of all droppers.
    """

    def __init__(self, like: TravellingWindow, period: UnlikeSpans) -> None:
        cell = like.cell
        super().__init__(like.case, cell, like.behind, like.ahead, "double", like.operators)
        self.period, self.keeps_every_dropper = period, True
        # the first passage from the state of equal spans goes over a defect as soon as it can
        change = np.abs(period.force - cell.equilibrium.dropper_spring_force[:, None]).max(axis=0)
        self.first = int(change.argmax() - 1) % period.spans
        self.passed: list[SpanRecord] = []
        self._memory = np.zeros((3, cell.n_dof, self.spans + 1))
        self._phase = self.first
        self._contacts = [self._contact(t) for t in range(period.spans)]
        self._hung = [self._droppers(t) for t in range(period.spans)]
        self._loads = [self._unlike(t) for t in range(period.spans)]

    def kinds(self, phase: int) -> Ints:
        """Span of the period that stands in each column while the pantograph passes the span ``phase``."""
        return (phase + np.arange(self.spans + 1) - self.behind) % self.period.spans

    def _contact(self, phase: int) -> Contact:
        own, length = self.operators.contact, self.cell.equilibrium.spec.period
        at = length * (phase + np.arange(self.steps + 1) / self.steps)
        return own._replace(height=running_height(self.period.equilibrium, at % (length * self.period.spans))[None, :])

    def _droppers(self, phase: int) -> Droppers:
        kind, own = self.kinds(phase)[:-1], self.droppers
        force = np.ascontiguousarray(self.period.force[:, kind])
        stiffness = np.ascontiguousarray(self.period.dropper_stiffness[:, kind])
        # a dropper that is missing never carries anything: loose by far, with nothing of its stiffness and damping left
        missing = force == ABSENT
        given_up = np.where(missing, 1.0, own.given_up)
        beta = np.where(missing, self.case.catenary.damping.beta, own.beta)
        at_rest = given_up * np.maximum(0.0, -force)
        limit = slack_limit(force, stiffness, beta).astype(self._number)
        changed = {"limit": limit, "beta": beta, "given_up": given_up, "at_rest": at_rest}
        return own._replace(force=force, stiffness=stiffness, **changed)

    def _unlike(self, phase: int) -> Unlike:
        """Loads of all columns while the pantograph passes the span ``phase``."""
        span, row, column, mass, stiffness = self.period.terms
        size, scalars = self.cell.n_dof + self.cell.n_interface, self.constants.scalars
        read, place = np.unique(span * size + column, return_inverse=True)
        loaded, at = np.unique(span * size + row, return_inverse=True)
        heavy, stiff = np.flatnonzero(mass), np.flatnonzero(stiffness)
        masses = at[heavy], place[heavy], mass[heavy]
        rows = row_lists(len(loaded), masses, (at[stiff], len(read) + place[stiff], stiffness[stiff]))
        factors = scalars.gamma, scalars.kappa, 2.0 / self.dt
        source, target = (self._recurring(phase, *np.divmod(found, size)) for found in (read, loaded))
        return unlike_of(source, target, (rows.start, rows.column, rows.value), self.period.spans, factors)

    def _recurring(self, phase: int, span: Ints, dof: Ints) -> Recurring:
        """Columns of dofs of the period's spans; one of the interface at a span's end stands in the next column."""
        n, spans = self.cell.n_dof, self.period.spans
        first = (span - phase + self.behind) % spans
        return Recurring(dof % n, first + dof // n, -(-(self.spans - first) // spans))

    def _inputs(self, state: WindowState) -> Inputs:
        contact, droppers = self._contacts[self._phase], self._hung[self._phase]
        return Inputs(contact, self._pressing(state), droppers, self.constants, self._loads[self._phase])

    def march(self, state: WindowState, *, whole: bool = False) -> SpanRecord:
        """March over the whole period, from the span `first` on; `passed` has what each span's passage recorded.

        What is returned has their forces, heights and uplifts, in the order of the stations.
        """
        passed, spans = {}, self.period.spans
        for t in range(spans):
            passed[self._phase] = self._march_one(state)
            if t < spans - 1:
                self.shift(state)
        self.passed = [passed[k] for k in range(spans)]
        joined = {
            name: np.concatenate([getattr(own, name) for own in self.passed], axis=axis)
            for name, axis in (("forces", 1), ("heights", 1), ("uplift", 0))
        }
        return replace(self.passed[0], **joined)

    def _march_one(self, state: WindowState) -> SpanRecord:
        """March over one span of the period."""
        unlike = self._loads[self._phase]
        place, number = np.nonzero(np.arange(unlike.rate.shape[1]) < unlike.read.columns[:, None])
        dof, column = unlike.read.dof[place], unlike.read.first[place] + unlike.stride * number
        for kept, own in zip((unlike.rate, unlike.before, unlike.velocity), self._memory, strict=True):
            kept[place, number] = own[dof, column]
        record = super().march(state)
        for kept, own in zip((unlike.rate, unlike.before, unlike.velocity), self._memory, strict=True):
            own[:] = 0.0
            own[dof, column] = kept[place, number]
        return record

    def begin(self) -> None:
        """Stand before the span `first` again."""
        self._phase, self.droppers = self.first, self._hung[self.first]

    def shift(self, state: WindowState, *, settled: bool = True) -> None:
        """Move the window on by one span, with what is remembered."""
        self._memory[:, :, :-1] = self._memory[:, :, 1:]
        self._memory[:, :, -1] = 0.0
        self._phase = (self._phase + 1) % self.period.spans
        self.droppers = self._hung[self._phase]
        super().shift(state, settled=settled)

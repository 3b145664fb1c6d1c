"""The map of a period of spans that differ a little, marched span by span in a window of single spans."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.linearised.static_checks import SLACK_FORCE
from dynamics.spec.case import CaseSpec
from dynamics.steady_state.span_map import SpanMap
from dynamics.travelling_window.state import SpanRecord
from dynamics.travelling_window.unlike.spans import unlike_spans
from dynamics.travelling_window.unlike.window import UnlikeWindow

__all__ = ["LineAsDesigned", "PeriodMap"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LineAsDesigned:
    """Steady state of the line whose spans are equal, in a long window and in the one of a period with defects.

    Attributes
    ----------
    map : SpanMap
        Of one span, in the window in which differences are marched.
    state : float array
        Its steady state, packed.
    long, short : SpanRecord
        One passage of the steady state in the long window and in the other, forces of all droppers kept.
    behind : int
        Spans of the long window behind the pantograph's.
    applied_N : tuple of float
        Applied forces that hold the mean in both [N].
    """

    map: SpanMap
    state: Floats
    long: SpanRecord
    short: SpanRecord
    behind: int
    applied_N: tuple[float, float]


class PeriodMap(SpanMap):
    """Passes a whole period, span by span, and corrects the applied force by the mean over all.

    Raises
    ------
    ValueError
        If the spans of the period do not have the mesh of the line as designed.
    """

    window: UnlikeWindow

    def __init__(self, case: CaseSpec, designed: LineAsDesigned, eq: Equilibrium) -> None:
        one, own = designed.map, designed.map.window
        scalars = own.constants.scalars
        period = unlike_spans(eq, own.cell, (scalars.gamma, scalars.kappa))
        if period is None:
            raise ValueError("the spans of the period must have the elements of the line as designed")
        self.case, self.window, self.state = case, UnlikeWindow(own, period), own.rest()
        self.gain, self.scale, self.record = one.gain, one.scale, None
        self._canonical, self._near, self._size = one.layout
        self._designed = designed

    def static_start(self) -> Floats:
        """Packed state of the line as designed, from which a search begins."""
        return self._designed.state

    def unpack(self, vector: Floats) -> None:
        """Write a packed vector back into the state; what loads remember stays as the last passage left it."""
        self.window.begin()
        super().unpack(vector)

    def record_of_periods(self) -> tuple[SpanRecord, int]:
        """The last passage as a window of whole periods records it, and how many of them are behind the pantograph's.

        Added is what the line as designed has in its long window and not in this one; a contact that is lost and a
        dropper that is slack stay so.
        """
        assert self.record is not None
        long, short, spans = self._designed.long, self._designed.short, self.window.period.spans
        forces = self.record.forces + np.tile(long.forces - short.forces, spans)
        record = replace(
            self.record,
            forces=np.where(self.record.forces > 0.0, np.maximum(forces, 0.0), 0.0),
            heights=self.record.heights + np.tile(long.heights - short.heights, spans),
            dropper_force=self._dropper_forces(),
            slack_steps=self._slack_steps(),
        )
        uplift, behind = self._uplifts()
        return replace(record, uplift=uplift, strip_forces=record.forces[:, None]), behind

    def _more(self, long: Floats, short: Floats) -> Floats:
        """What columns (last axis) have in the long window and not in this one."""
        first, columns = self._designed.behind - self.window.behind, short.shape[-1]
        return np.asarray(long[..., first : first + columns] - short)

    def _dropper_forces(self) -> Floats:
        """Forces of all droppers of the period (step, dropper) [N] while the pantograph passes it."""
        more = self._more(self._designed.long.every_dropper, self._designed.short.every_dropper)
        (number, span), found = self.window.period.present, []
        for t, passed in enumerate(self.window.passed):
            column = span - t + self.window.behind
            force = passed.every_dropper[:, number, column]
            found.append(np.maximum(np.where(force > SLACK_FORCE, force + more[:, number, column], force), 0.0))
        return np.concatenate(found)

    def _slack_steps(self) -> NDArray[np.int64]:
        """Steps that each dropper of the period ends slack while the window travels over it (dropper, 1)."""
        number, span = self.window.period.present
        steps = np.zeros((len(number), 1), np.int64)
        for t, passed in enumerate(self.window.passed):
            kind = self.window.kinds(t)[:-1]
            steps[:, 0] += (passed.slack_steps[number] * (kind == span[:, None])).sum(axis=1)
        return steps

    def _uplifts(self) -> tuple[Floats, int]:
        """Rise of the contact wire at the supports of whole periods (step, support, period) [m], and those behind."""
        window, spans = self.window, self.window.period.spans
        before = -(-window.behind // spans)
        periods = before + 1 + -(-(window.ahead + spans) // spans)
        more, steps = self._more(self._designed.long.uplift, self._designed.short.uplift)[:, 0], window.steps
        found = np.zeros((spans * steps, spans * periods))
        for t, passed in enumerate(window.passed):
            first = before * spans + t - window.behind
            found[t * steps : (t + 1) * steps, first : first + window.spans + 1] = passed.uplift[:, 0] + more
        return np.moveaxis(found.reshape(-1, periods, spans), 1, 2), before

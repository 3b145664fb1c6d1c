"""Time that each dropper is slack while a train passes it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.geometry import line_layout
from catenary.linearised.static_checks import SLACK_FORCE
from dynamics.results.histories import Histories
from dynamics.spec.case import CaseSpec
from dynamics.travelling_window.state import SpanRecord

__all__ = ["slack_time_of_line", "slack_time_of_records"]


def slack_time_of_records(case: CaseSpec, eq: Equilibrium, records: Sequence[SpanRecord]) -> NDArray[np.float64]:
    """Mean time [s] that each dropper is slack, by passages of a window, float array (dropper,).

    What its cells hold at one moment a dropper goes through while the window travels from far behind it to far ahead.
    NaN for a dropper that hangs loose at rest: no passage slackens it.
    """
    steps = np.array([record.slack_steps.sum(axis=1) for record in records], dtype=np.float64)
    return np.where(eq.dropper_gap > 0.0, np.nan, case.time_step * steps.mean(axis=0))


def slack_time_of_line(case: CaseSpec, eq: Equilibrium, kept: Histories) -> NDArray[np.float64]:
    """Mean time [s] that each dropper of the evaluated spans is slack during the whole run, float array (dropper,).

    The equilibrium is that of the line's period, or of a whole line by stations.
    NaN for a dropper of a span that is not among them, where several
    spans repeat, and for one that hangs loose at rest.
    """
    line, settings = eq.spec, case.open_line
    layout = line_layout(line, settings.spans) if line.section is None else eq.mesh.layout
    first, last = line.station(settings.first_evaluated - 1), line.station(settings.last_evaluated)
    x, kind = np.array(layout.dropper_x), np.array(layout.dropper_kind)
    time = case.time_step * (kept.dropper_force <= SLACK_FORCE).sum(axis=0)
    counted = (x > first) & (x < last) & (eq.dropper_gap[kind] == 0.0)
    found = np.full(len(line.dropper_positions), np.nan)
    for k in np.unique(kind[counted]):
        found[k] = time[counted & (kind == k)].mean()
    return found

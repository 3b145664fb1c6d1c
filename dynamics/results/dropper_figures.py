"""What each dropper goes through while a train passes: how long it is slack, and its largest force."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catenary.form_finding.equilibrium import Equilibrium
from catenary.layout.geometry import line_layout
from catenary.linearised.static_checks import SLACK_FORCE
from dynamics.results.histories import Histories
from dynamics.spec.case import CaseSpec
from dynamics.travelling_window.state import SpanRecord

__all__ = ["DropperPeaks", "largest_force_of_line", "slack_time_of_line", "slack_time_of_records"]

Floats = NDArray[np.float64]


class DropperPeaks(NamedTuple):
    """Largest force of each dropper while a train passes.

    Attributes
    ----------
    force : float array (dropper,)
        [N]; none where nobody saw all of a passage, NaN for a dropper of a span that does not count.
    error : float array (dropper,)
        Its estimated numerical error [N]; none where it is not known.
    below_hz : float
        Frequency up to which the operator has harmonics of the forces; not a number for a march.
    """

    force: Floats = np.zeros(0)
    error: Floats = np.zeros(0)
    below_hz: float = np.nan


def slack_time_of_records(case: CaseSpec, eq: Equilibrium, records: Sequence[SpanRecord]) -> NDArray[np.float64]:
    """Mean time [s] that each dropper is slack, by passages of a window, float array (dropper,).

    What its cells hold at one moment a dropper goes through while the window travels from far behind it to far ahead.
    NaN for a dropper that hangs loose at rest: no passage slackens it.
    """
    steps = np.array([record.slack_steps.sum(axis=1) for record in records], dtype=np.float64)
    return np.where(eq.dropper_gap > 0.0, np.nan, case.time_step * steps.mean(axis=0))


def slack_time_of_line(case: CaseSpec, eq: Equilibrium, kept: Histories) -> Floats:
    """Mean time [s] that each dropper of the evaluated spans is slack during the whole run, float array (dropper,).

    The equilibrium is that of the line's period, or of a whole line by stations.
    NaN for a dropper of a span that is not among them, where several
    spans repeat, and for one that hangs loose at rest.
    """
    kind, counted = _evaluated(case, eq)
    time = case.time_step * (kept.dropper_force <= SLACK_FORCE).sum(axis=0)
    counted = counted & (eq.dropper_gap[kind] == 0.0)
    found = np.full(len(eq.spec.dropper_positions), np.nan)
    for k in np.unique(kind[counted]):
        found[k] = time[counted & (kind == k)].mean()
    return found


def largest_force_of_line(case: CaseSpec, eq: Equilibrium, kept: Histories) -> Floats:
    """Largest force [N] of each dropper of the evaluated spans during the whole run, float array (dropper,).

    NaN for a dropper of a span that is not among them, where several spans repeat.
    """
    kind, counted = _evaluated(case, eq)
    found = np.full(len(eq.spec.dropper_positions), np.nan)
    np.fmax.at(found, kind[counted], kept.dropper_force[:, counted].max(axis=0, initial=0.0))
    return found


def _evaluated(case: CaseSpec, eq: Equilibrium) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Which dropper of the period each of an open line is, and whether its span is evaluated (dropper of the line,)."""
    line, settings = eq.spec, case.open_line
    layout = line_layout(line, settings.spans) if line.section is None else eq.mesh.layout
    first, last = line.station(settings.first_evaluated - 1), line.station(settings.last_evaluated)
    x = np.array(layout.dropper_x)
    return np.array(layout.dropper_kind, dtype=np.int64), (x > first) & (x < last)

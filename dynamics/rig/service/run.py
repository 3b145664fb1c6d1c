"""Results of a test: its journal as a labelled file, and figures of the blocks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from dynamics.contact_force.measured_force import SETTLING_PERIODS
from dynamics.contact_force.statistics import filter_force
from dynamics.results.dataset import write_histories
from dynamics.rig.service.journal import COLUMNS
from dynamics.spec.case import SignalSpec

__all__ = [
    "SPANS_AVERAGED",
    "Blocks",
    "Columns",
    "Course",
    "blocks_of",
    "course_of",
    "steps_before_the_stop",
    "write_run",
]

SPANS_AVERAGED = 10
# a force below it counts as zero [N]
NO_CONTACT = 1.0
Columns = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Blocks:
    """A test span by span, up to the first step on the way to the safe height.

    Attributes
    ----------
    x : float array (step,)
        Stations from the support [m].
    force : float array (span, step)
        Filtered contact force of every whole span [N].
    change : float array (span,)
        RMS change of the raw force from the span before [N]; the first is that from nothing.
    averaged : int
        Last spans that count as steady.
    """

    x: NDArray[np.float64]
    force: NDArray[np.float64]
    change: NDArray[np.float64]
    averaged: int

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean of the last spans, (step,) [N]."""
        return self.force[-self.averaged :].mean(axis=0)


def blocks_of(columns: Columns, steps_per_span: int, span: float, dt: float, signal: SignalSpec) -> Blocks | None:
    """Cut a test into its spans, clear of what the filter does at its end; None where not one is whole."""
    count = steps_before_the_stop(columns)
    spans = (count - round(SETTLING_PERIODS / (signal.cutoff_hz * dt))) // steps_per_span
    if spans < 1:
        return None
    uncut, shape = columns["force"][:count], (spans, steps_per_span)
    filtered = filter_force(uncut, dt, signal, periodic=False).whole[: spans * steps_per_span].reshape(shape)
    by_span = uncut[: spans * steps_per_span].reshape(shape)
    change = np.sqrt(np.mean(np.diff(by_span, axis=0, prepend=0.0 * by_span[:1]) ** 2, axis=1))
    x = np.arange(steps_per_span, dtype=np.float64) * (span / steps_per_span)
    return Blocks(x, filtered, change, min(SPANS_AVERAGED, spans))


@dataclass(frozen=True)
class Course:
    """Unfiltered force of a whole test, up to the first step on the way to the safe height.

    Attributes
    ----------
    largest_N, largest_at_s : float
        Largest force [N] and when [s].
    lost_s : float
        Time without contact [s].
    lost_from_s, lost_to_s : float, optional
        First and last moment without contact [s]; None where contact was never lost.
    """

    largest_N: float
    largest_at_s: float
    lost_s: float
    lost_from_s: float | None
    lost_to_s: float | None


def course_of(columns: Columns, dt: float) -> Course | None:
    """Filter of the force; None without a filter."""
    force = columns["force"][: steps_before_the_stop(columns)]
    if not len(force):
        return None
    top, lost = int(np.argmax(force)), np.flatnonzero(force < NO_CONTACT)
    ends = (float(dt * lost[0]), float(dt * lost[-1])) if len(lost) else (None, None)
    return Course(float(force[top]), dt * top, dt * len(lost), *ends)


def steps_before_the_stop(columns: Columns) -> int:
    """Steps of a test before its way to the safe height."""
    stopping = np.flatnonzero(columns["mark"].astype(np.int64) & 2)
    return int(stopping[0]) if stopping.size else len(columns["force"])


def write_run(path: Path, columns: Columns, config: BaseModel, about: dict[str, str | float]) -> None:
    """Write the columns of a journal with time and position, as a file that a comparison reads.

    ``about`` has dt_s and speed_m_per_s, and whatever else the file shall say of itself.
    """
    time = columns["step"] * float(about["dt_s"])
    histories = {
        "time": (time, "s", "time of the test, step by step"),
        "position": (time * float(about["speed_m_per_s"]), "m", "position along the track, a support at 0"),
        **{name: (columns[name], unit, text) for name, (unit, text) in COLUMNS.items()},
    }
    write_histories(path, histories, config, about)

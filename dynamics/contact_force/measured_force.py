"""A contact force from elsewhere, measured or of another program, treated as this program's own.

Sampled at any instants, it is brought to even steps, filtered uncut like every other force, cut to whole spans clear of
the filter's ends, and laid over one span.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.errors import InputError
from dynamics.contact_force.statistics import ForceStatistics, filter_force, force_statistics
from dynamics.spec.case import SignalSpec

__all__ = ["FoldedRecord", "ForceRecord", "best_offset", "fold_record", "record_problems"]

STATIONS = 401
# periods of the cut-off that the filter's ends are felt, samples a period that a record must have
SETTLING_PERIODS = 5.0
SAMPLES_PER_PERIOD = 4.0
# a gap is bridged by a straight line up to this many steps, or this part of the cut-off's period
GAP_STEPS, GAP_PERIODS = 5.0, 1.0


@dataclass(frozen=True)
class ForceRecord:
    """Contact force over time and place, as it was sampled.

    Attributes
    ----------
    name : str
        What it is called in sentences.
    time, position, force : float array (sample,)
        [s], [m] along the track, [N]; time and position increase.
    """

    name: str
    time: NDArray[np.float64]
    position: NDArray[np.float64]
    force: NDArray[np.float64]

    @property
    def step(self) -> float:
        """Usual step between samples [s], their median."""
        return float(np.median(np.diff(self.time)))

    @property
    def speed(self) -> float:
        """Mean speed [m/s]."""
        return float((self.position[-1] - self.position[0]) / (self.time[-1] - self.time[0]))


@dataclass(frozen=True)
class FoldedRecord:
    """A record laid over one span.

    Attributes
    ----------
    x : float array (station,)
        Stations from support to support [m].
    mean, low, high : float array (station,)
        Mean, lowest and highest filtered force of all spans at each station [N].
    spans : int
        Whole spans that count.
    offset : float
        Position of a support in the record [m].
    time, position : (float, float)
        Begin and end of these spans in the record [s], [m].
    statistics : ForceStatistics
        Of all samples of these spans.
    """

    x: NDArray[np.float64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    spans: int
    offset: float
    time: tuple[float, float]
    position: tuple[float, float]
    statistics: ForceStatistics


def record_problems(record: ForceRecord, span: float, signal: SignalSpec) -> list[str]:
    """List what keeps a record from being filtered and cut into spans of ``span`` [m]; empty when nothing does."""
    found = []
    step, gaps = record.step, np.diff(record.time)
    coarsest = 1.0 / (SAMPLES_PER_PERIOD * signal.cutoff_hz)
    if step > coarsest:
        found.append(
            f"{record.name} must be sampled every {1e3 * coarsest:g} ms or finer to be filtered at "
            f"{signal.cutoff_hz:g} Hz: its usual step is {1e3 * step:.3g} ms"
        )
    widest, at = float(gaps.max()), int(gaps.argmax())
    if widest > max(GAP_STEPS * step, GAP_PERIODS / signal.cutoff_hz):
        found.append(
            f"{record.name} must have no gap longer than {1e3 * GAP_PERIODS / signal.cutoff_hz:g} ms: one of "
            f"{1e3 * widest:.3g} ms follows sample {at + 1}, at {record.position[at]:.6g} m; give the parts one by one"
        )
    edge = 2.0 * SETTLING_PERIODS / signal.cutoff_hz * record.speed
    length = float(record.position[-1] - record.position[0])
    if length < span + edge:
        found.append(
            f"{record.name} must cover at least one span of {span:g} m and {edge:.3g} m for the filter's ends: it "
            f"covers {length:.4g} m"
        )
    return found


def fold_record(
    record: ForceRecord, span: float, signal: SignalSpec, offset: float = 0.0, last_spans: int | None = None
) -> FoldedRecord:
    """Filter a record and lay its whole spans over one another.

    Parameters
    ----------
    record : ForceRecord
        Record without `record_problems`.
    span : float
        Span length [m].
    signal : SignalSpec
        Filter, as for the forces that it is compared with.
    offset : float
        Position of any support in the record [m].
    last_spans : int or None
        So many whole spans count, the last ones; without it all.

    Raises
    ------
    InputError
        If no span from support to support is clear of the filter's ends.
    """
    steps = int((record.time[-1] - record.time[0]) / record.step) + 1
    time = record.time[0] + record.step * np.arange(steps)
    raw, position = (np.interp(time, record.time, y) for y in (record.force, record.position))
    filtered = filter_force(raw, record.step, signal, periodic=False)
    settled = SETTLING_PERIODS / signal.cutoff_hz
    clear = (time >= time[0] + settled) & (time <= time[-1] - settled)
    place = (position - offset) / span
    first, last = int(np.ceil(place[clear][0] - 1e-9)), int(np.floor(place[clear][-1] + 1e-9))
    if last <= first:
        raise InputError(
            [
                f"{record.name} must hold a whole span from support to support, {settled:g} s clear of its ends: it "
                f"runs from {position[0]:.6g} to {position[-1]:.6g} m, with a support at {offset:g} m, then every "
                f"{span:g} m"
            ]
        )
    first = first if last_spans is None else max(first, last - last_spans)
    inside = (place >= first) & (place < last)
    ends = (offset + span * first, offset + span * last)
    x = np.linspace(0.0, span, STATIONS)
    spans = np.array([np.interp(offset + span * k + x, position, filtered.whole) for k in range(first, last)])
    bands = type(filtered)(filtered.whole[inside], filtered.low[inside], filtered.high[inside])
    return FoldedRecord(
        x=x,
        mean=spans.mean(axis=0),
        low=spans.min(axis=0),
        high=spans.max(axis=0),
        spans=last - first,
        offset=offset,
        time=(float(np.interp(ends[0], position, time)), float(np.interp(ends[1], position, time))),
        position=ends,
        statistics=force_statistics(raw[inside], bands),
    )


def best_offset(folded: FoldedRecord, x: NDArray[np.float64], force: NDArray[np.float64]) -> float:
    """Position of a support [m] at which a record agrees best with a force ``force`` [N] at stations ``x`` [m].

    Best is the largest circular correlation over one span, to the nearest of the record's stations.
    """
    own = folded.mean[:-1] - folded.mean[:-1].mean()
    other = np.interp(folded.x[:-1], x, force)
    other = other - other.mean()
    correlation = np.fft.irfft(np.fft.rfft(own) * np.conj(np.fft.rfft(other)), len(own))
    return folded.offset + float(folded.x[int(np.argmax(correlation))])

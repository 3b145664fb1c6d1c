"""Signals derived from a contact force in addition to its statistics: histogram, spectrum, running RMS, contact losses.

Histogram and losses are those of the evaluated spans, as the statistics are; so is the spectrum. The running RMS covers
the whole record. A periodic solution is one period of an endless record: windows close over its ends, a loss that
crosses them is one, and its spectrum has lines at the harmonics of the span-passing frequency.

Notation: dt time step [s], N samples a span, x_k force less its mean [N], P one-sided spectral density [N^2/Hz].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.results.force_history import ForceHistory
from dynamics.results.losses import ContactLosses, contact_losses

__all__ = ["ForceSignals", "Histogram", "RunningRms", "Spectrum", "force_histogram", "force_signals"]

BIN_WIDTH = 5.0  # N
# windows of the running RMS: a quarter of a span shows where in the span the force moves, a span how it settles
RMS_SPANS = (0.25, 1.0)
# segments of whole spans put the span-passing frequency and its multiples on bins
SEGMENT_SPANS = 4
OVERLAP = 0.5


@dataclass(frozen=True)
class Histogram:
    """Distribution of the filtered contact force over the evaluated spans.

    Attributes
    ----------
    edges : float array (bin + 1,)
        Whole multiples of the bin width [N], the same for all pantographs.
    density : float array (bin, pantograph)
        Share of time over bin width [1/N]; integrates to 1.
    """

    edges: NDArray[np.float64]
    density: NDArray[np.float64]


@dataclass(frozen=True)
class Spectrum:
    """One-sided power spectral density of the raw contact force, its mean taken out, over the evaluated spans.

    Attributes
    ----------
    frequency : float array (frequency,)
        [Hz].
    density : float array (frequency, pantograph)
        [N^2/Hz]; its sum times ``resolution`` is the variance.
    resolution : float
        Distance between frequencies [Hz].
    segment_s : float
        Length of a segment [s]; of the period where there are lines.
    lines : bool
        True for a periodic solution: each value is the power of one harmonic over ``resolution``. False: Welch's
        estimate with a Hann window and segments that overlap by half.
    """

    frequency: NDArray[np.float64]
    density: NDArray[np.float64]
    resolution: float
    segment_s: float
    lines: bool

    @property
    def method(self) -> str:
        """How it was found, in words."""
        if self.lines:
            return f"harmonics of one period of {self.segment_s:.4g} s, power over {self.resolution:.4g} Hz"
        return (
            f"Welch, Hann window, segments of {self.segment_s:.4g} s that overlap by half, mean taken out of each, "
            f"resolution {self.resolution:.4g} Hz"
        )


@dataclass(frozen=True)
class RunningRms:
    """Root mean square of the filtered force less its mean over the evaluated spans, in a centred window.

    Attributes
    ----------
    window_m : float array (rms_window,)
        Length of each window along the track [m].
    value : float array (time, pantograph, rms_window)
        [N]; NaN where the window reaches over an end of the record.
    """

    window_m: NDArray[np.float64]
    value: NDArray[np.float64]


@dataclass(frozen=True)
class ForceSignals:
    """Signals of one run's contact forces; ``losses`` has one entry per pantograph."""

    histogram: Histogram
    spectrum: Spectrum
    running_rms: RunningRms
    losses: tuple[ContactLosses, ...]


def force_signals(history: ForceHistory) -> ForceSignals:
    """Form the signals of every pantograph."""
    return ForceSignals(
        histogram=force_histogram(history.evaluated(history.filtered)),
        spectrum=_spectrum(history),
        running_rms=_running_rms(history),
        losses=contact_losses(history),
    )


def force_histogram(forces: tuple[NDArray[np.float64], ...], width: float = BIN_WIDTH) -> Histogram:
    """Histogram of one force [N] per pantograph in bins of ``width`` [N], whose edges are whole multiples of it."""
    low = np.floor(min(float(f.min()) for f in forces) / width)
    high = np.floor(max(float(f.max()) for f in forces) / width) + 1.0
    edges = width * np.arange(low, high + 1.0)
    density = [np.histogram(f, edges)[0] / (f.size * width) for f in forces]
    return Histogram(edges, np.stack(density, axis=1))


def _spectrum(history: ForceHistory) -> Spectrum:
    """Spectral density of the raw force of every pantograph."""
    forces, dt = history.evaluated(history.raw), history.time_step
    if history.periodic:
        return _line_spectrum(np.stack(forces, axis=1), dt)
    from scipy.signal import welch

    length = min(SEGMENT_SPANS * history.steps_per_period, *(f.size for f in forces))
    settings = {"window": "hann", "nperseg": length, "noverlap": int(OVERLAP * length), "detrend": "constant"}
    found = [welch(f, fs=1.0 / dt, scaling="density", **settings) for f in forces]
    frequency = np.asarray(found[0][0], dtype=np.float64)
    density = np.stack([np.asarray(p, dtype=np.float64) for _, p in found], axis=1)
    return Spectrum(frequency, density, 1.0 / (length * dt), length * dt, lines=False)


def _line_spectrum(force: NDArray[np.float64], dt: float) -> Spectrum:
    """Power of the harmonics of one period over their distance; the mean has none."""
    n = force.shape[0]
    power = 2.0 * np.abs(np.fft.rfft(force, axis=0) / n) ** 2
    if n % 2 == 0:
        power[-1] *= 0.5  # the harmonic at half the sampling frequency is its own mirror image
    power[0] = 0.0
    frequency = np.asarray(np.fft.rfftfreq(n, dt), dtype=np.float64)
    return Spectrum(frequency, power * (n * dt), 1.0 / (n * dt), n * dt, lines=True)


def _running_rms(history: ForceHistory) -> RunningRms:
    """RMS of every pantograph's filtered force in every window."""
    n = history.steps_per_period
    means = np.array([f.mean() for f in history.evaluated(history.filtered)])
    square = (history.filtered - means) ** 2
    value = np.stack([_mean_in_window(square, round(s * n), history.periodic) for s in RMS_SPANS], axis=-1)
    return RunningRms(np.array(RMS_SPANS) * n * history.time_step * history.speed, np.sqrt(value))


def _mean_in_window(values: NDArray[np.float64], width: int, periodic: bool) -> NDArray[np.float64]:
    """Mean over ``width`` samples about each sample (time, pantograph); NaN where the window reaches over an end."""
    total, before = values.shape[0], (width - 1) // 2
    if periodic:
        padded = np.take(values, np.arange(-before, total + width - 1 - before), axis=0, mode="wrap")
    else:
        padded = values
    found = np.full(values.shape, np.nan)
    if padded.shape[0] < width:
        return found
    running = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(padded, axis=0)])
    # rounding of a long sum is below (1e-5 N)^2, but may leave a square below zero
    mean = np.maximum((running[width:] - running[:-width]) / width, 0.0)
    at = 0 if periodic else before
    found[at : at + mean.shape[0]] = mean
    return found

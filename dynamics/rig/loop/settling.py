"""Settling of a test: the criterion, the time at which it is met, and the prediction by the spectral radius.

Everything is seen in the loop's own band, up to the highest harmonic of the height; without one, below 0.45 / dt.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.contact_force.filters import periodic_gain
from dynamics.rig.loop.emulation import SPANS_AVERAGED, LoopRun
from dynamics.rig.loop.harmonics import highest_frequency
from dynamics.rig.loop.model import PeriodicModel
from dynamics.rig.loop.spec import LoopSettings
from dynamics.rig.loop.steady import LoopSteadyState

__all__ = ["CURVE_N", "SIGMA_PERCENT", "Settling", "own_band", "settling"]

SIGMA_PERCENT = 0.5  # of the periodic state's standard deviation
CURVE_N = 1.0  # RMS over a span
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settling:
    """Approach of a test to its steady state.

    Attributes
    ----------
    error : float array (span,)
        RMS difference of every span's force from the periodic state [N].
    curve : float array (window,)
        The same of the mean of ten spans, the first window being spans 1 to 10 [N].
    sigma : float array (window,)
        Difference of that mean's standard deviation from the periodic state's [%].
    met_after : float or None
        Time after which every mean of ten spans is within 0.5 % and 1 N [s]; None where the last one is not.
    predicted : float or None
        Time at which it is met at the latest if the error of the first ten whole spans behind the ramp falls by the
        spectral radius from span to span [s]; None where the radius is not below 1 or the test ends before them.
        What falls faster than the slowest part of the error makes a test be done sooner.
    factor : float or None
        Factor from span to span that the errors behind the ramp show, as a line through their logarithms, as long
        as they are above a hundredth of a newton [-].
    """

    error: Array
    curve: Array
    sigma: Array
    met_after: float | None
    predicted: float | None
    factor: float | None


def own_band(model: PeriodicModel, loop: LoopSettings) -> float:
    """Highest frequency of the loop's height [Hz]."""
    count = loop.height_harmonics
    return highest_frequency(count, model.steps, model.dt) if count else 0.45 / model.dt


def settling(
    model: PeriodicModel, loop: LoopSettings, record: LoopRun, steady: LoopSteadyState, radius: float
) -> Settling:
    """Compare every span of a test, and every mean of ten, with the periodic state.

    ``radius`` is the spectral radius of the loop with these settings, slack included.
    """
    N, passage = model.steps, model.steps * model.dt
    spans = len(record.force) // N
    frequency = np.asarray(np.fft.rfftfreq(N, model.dt), dtype=np.float64)
    gain = periodic_gain(frequency, model.dt, own_band(model, loop), "butterworth")

    def kept(force: Array) -> Array:
        return np.fft.irfft(np.fft.rfft(force, axis=-1) * gain, N, axis=-1)

    reference = kept(steady.contact_force)
    force = kept(record.force[: spans * N].reshape(spans, N))
    error = _rms(force - reference)
    total = np.cumsum(np.vstack([np.zeros((1, N)), force]), axis=0)
    mean = (total[SPANS_AVERAGED:] - total[:-SPANS_AVERAGED]) / SPANS_AVERAGED
    curve = _rms(mean - reference)
    sigma = 100.0 * (mean.std(axis=1) / reference.std() - 1.0)
    outside = np.flatnonzero((np.abs(sigma) > SIGMA_PERCENT) | (curve > CURVE_N))
    first = int(outside[-1]) + 1 if outside.size else 0
    begin = int(np.ceil(loop.ramp_s / passage))
    met = (first + SPANS_AVERAGED) * passage if first < len(curve) else None
    more = _predicted(curve[begin:], sigma[begin:], radius)
    return Settling(
        error=error,
        curve=curve,
        sigma=sigma,
        met_after=met,
        predicted=None if more is None else (begin + SPANS_AVERAGED + more) * passage,
        factor=_factor(error[begin:]),
    )


def _rms(difference: Array) -> Array:
    return np.sqrt(np.mean(difference**2, axis=-1))


def _predicted(curve: Array, sigma: Array, radius: float) -> int | None:
    """Windows after the first one behind the ramp in which its error falls as far as it must."""
    if not radius < 1.0 or not curve.size:
        return None
    excess = max(float(curve[0]) / CURVE_N, abs(float(sigma[0])) / SIGMA_PERCENT, 1.0)
    return int(np.ceil(np.log(excess) / -np.log(radius)))


def _factor(error: Array) -> float | None:
    """Factor from span to span by a line through the logarithms."""
    above = np.flatnonzero(error < 0.01)
    count = int(above[0]) if above.size else len(error)
    if count < 2 * SPANS_AVERAGED:
        return None
    tail = np.log(error[count // 2 : count])
    return float(np.exp(np.polyfit(np.arange(len(tail)), tail, 1)[0]))

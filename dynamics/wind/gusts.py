"""Records of gusts at stations of a line: spectrum of von Karman or Kaimal, coherence of Davenport, seeded.

Legend: f frequency [Hz]; U mean speed, sigma = intensity x U; L length scale; S spectrum, one-sided, its integral is
sigma^2. Between stations d apart the amplitudes at f are correlated by exp(-decay f d / U), as those of a process that
forgets evenly along the line: each station follows from the one before, and no matrix is factored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catenary.spec.surroundings.wind import TurbulenceSpec

__all__ = ["GustRecord", "coherence", "gust_record", "spectrum"]

Array = NDArray[np.float64]
LONGER = 2.0  # a record is cut out of one so many times as long, which repeats


@dataclass(frozen=True)
class GustRecord:
    """Gusts along the wind at stations of a line.

    Attributes
    ----------
    step : float
        Between samples [s].
    stations : float array (station,)
        [m].
    speed : float array (time, station)
        Beyond the mean speed [m/s].
    """

    step: float
    stations: Array
    speed: Array


def spectrum(turbulence: TurbulenceSpec, mean_speed: float, f: Array) -> Array:
    """Spectrum of gusts along the wind at frequencies f [Hz], one-sided [m2/s].

    von Karman: 4 L/U sigma^2 / (1 + 70.8 (f L/U)^2)^(5/6); Kaimal, as Eurocode 1 has it: 6.8 L/U sigma^2 /
    (1 + 10.2 f L/U)^(5/3).
    """
    scale, variance = turbulence.length_scale / mean_speed, (turbulence.intensity * mean_speed) ** 2
    if turbulence.spectrum == "kaimal":
        return 6.8 * scale * variance / (1.0 + 10.2 * f * scale) ** (5.0 / 3.0)
    return 4.0 * scale * variance / (1.0 + 70.8 * (f * scale) ** 2) ** (5.0 / 6.0)


def coherence(turbulence: TurbulenceSpec, mean_speed: float, f: Array, distance: float) -> Array:
    """Correlation of the amplitudes at f of two stations a distance [m] apart (Davenport, its root)."""
    return np.exp(-turbulence.decay * f * distance / mean_speed)


def gust_record(turbulence: TurbulenceSpec, mean_speed: float, stations: Array, duration: float) -> GustRecord:
    """Make a record at stations in their order along the line [m], of a duration [s]; a seed gives the same again."""
    step, rng = turbulence.step, np.random.default_rng(turbulence.seed)
    samples = int(np.ceil(duration / step)) + 2
    whole = int(2 ** np.ceil(np.log2(LONGER * samples)))
    f = np.arange(1, whole // 2) / (whole * step)
    amplitude = 0.5 * whole * np.sqrt(spectrum(turbulence, mean_speed, f) / (whole * step))
    drawn = rng.standard_normal((len(stations), len(f), 2)) @ np.array([1.0, 1.0j])
    for k in range(1, len(stations)):
        kept = coherence(turbulence, mean_speed, f, float(stations[k] - stations[k - 1]))
        drawn[k] = kept * drawn[k - 1] + np.sqrt(1.0 - kept**2) * drawn[k]
    lines = np.zeros((len(stations), whole // 2 + 1), dtype=np.complex128)
    lines[:, 1 : whole // 2] = amplitude * drawn
    return GustRecord(step, stations, np.ascontiguousarray(np.fft.irfft(lines, whole, axis=1)[:, :samples].T))

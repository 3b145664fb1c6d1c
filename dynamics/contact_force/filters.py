"""Low-pass and band filters of contact forces, zero phase.

Butterworth of order 4 run forward and backward: its gain is |H|^2 = 1 / (1 + (tan(pi f dt) / tan(pi fc dt))^8), so
-6 dB at the cut-off. A periodic record has its harmonics multiplied by that gain; a record in time is filtered uncut.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["filter_periodic", "filter_record", "periodic_gain"]

Kind = Literal["butterworth", "brick_wall"]
ORDER = 4


def periodic_gain(frequency: NDArray[np.float64], dt: float, cutoff: float, kind: Kind) -> NDArray[np.float64]:
    """Gain at each frequency [Hz] of the zero-phase low-pass filter sampled with step ``dt`` [s]."""
    if kind == "brick_wall":
        return (frequency <= cutoff).astype(float)
    warped = np.tan(np.pi * np.minimum(frequency * dt, 0.4999)) / np.tan(np.pi * cutoff * dt)
    return 1.0 / (1.0 + warped ** (2 * ORDER))


def filter_periodic(
    signal: NDArray[np.float64], dt: float, low: float, high: float, kind: Kind = "butterworth"
) -> NDArray[np.float64]:
    """Keep the band ``low`` to ``high`` [Hz] of one period of a periodic signal; ``low`` = 0 keeps the mean."""
    harmonics = np.fft.rfft(signal)
    frequency = np.asarray(np.fft.rfftfreq(len(signal), dt), dtype=np.float64)
    gain = periodic_gain(frequency, dt, high, kind)
    if low > 0.0:
        gain = gain - periodic_gain(frequency, dt, low, kind) * gain
    return np.fft.irfft(harmonics * gain, len(signal))


def filter_record(
    signal: NDArray[np.float64], dt: float, low: float, high: float, kind: Kind = "butterworth"
) -> NDArray[np.float64]:
    """Keep the band ``low`` to ``high`` [Hz] of a long record; cut the window to be evaluated afterwards."""
    if kind == "brick_wall":
        return filter_periodic(signal, dt, low, high, kind)
    from scipy.signal import butter, sosfiltfilt  # slow to load, and not needed for periods

    def low_pass(x: NDArray[np.float64], cutoff: float) -> NDArray[np.float64]:
        return np.asarray(sosfiltfilt(butter(ORDER, cutoff, fs=1.0 / dt, output="sos"), x))

    kept = low_pass(signal, high)
    return kept - low_pass(kept, low) if low > 0.0 else kept

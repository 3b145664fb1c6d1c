"""Harmonic filters of one period (Gil et al., eqs 4-8): which harmonics of a span's passage are kept.

The filter W of eq. 6 is the projection on the first harmonics, the mean counting as one: W = Q Q^T with the orthonormal
columns of Q. With an even number of steps the highest harmonic a period can hold (Nyquist) stands alone and is not
doubled, which eq. 5 leaves out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["harmonic_basis", "harmonic_filter", "harmonics_up_to", "highest_frequency", "largest_count"]


def largest_count(steps: int) -> int:
    """Number of harmonics that a period of ``steps`` samples can hold, the mean included."""
    return steps // 2 + 1


def highest_frequency(count: int, steps: int, dt: float) -> float:
    """Highest frequency [Hz] of ``count`` harmonics of a period of ``steps`` samples of ``dt`` [s]."""
    return (count - 1) / (steps * dt)


def harmonics_up_to(frequency: float, steps: int, dt: float) -> int:
    """Number of harmonics, the mean included, that do not exceed a frequency [Hz]."""
    return min(int(np.floor(frequency * steps * dt + 1e-9)) + 1, largest_count(steps))


def harmonic_basis(count: int, steps: int) -> NDArray[np.float64]:
    """Orthonormal harmonics as columns, (step, 2 count - 1): mean, then cosine and sine by rising frequency.

    At the full count of an even period the Nyquist harmonic has a cosine only: (step, step).
    """
    n = np.arange(steps)
    columns = [np.full(steps, 1.0 / np.sqrt(steps))]
    for m in range(1, count):
        angle = 2.0 * np.pi * m * n / steps
        if 2 * m == steps:
            columns.append(np.cos(angle) / np.sqrt(steps))
        else:
            columns += [np.cos(angle) * np.sqrt(2.0 / steps), np.sin(angle) * np.sqrt(2.0 / steps)]
    return np.stack(columns, axis=1)


def harmonic_filter(count: int, steps: int) -> NDArray[np.float64]:
    """Matrix W (step, step) that keeps the first ``count`` harmonics of a period (eq. 6)."""
    basis = harmonic_basis(count, steps)
    return basis @ basis.T

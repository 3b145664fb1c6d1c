"""Harmonics of the contact force, of whose squares the variance is the sum.

Over a period L of the line the filtered force is, with x the pantograph's distance from the first support,

    F(x) = F_mean + sqrt2 sum_k (a_k cos(2 pi k x / L) - b_k sin(2 pi k x / L)),      sigma^2 = sum_k (a_k^2 + b_k^2).

They change smoothly with a design where sigma, which is never below zero, has a valley next to every one of its wells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["force_harmonics"]

# frequencies that are kept, of the filter's cut-off
BEYOND = 1.5


def force_harmonics(force: NDArray[np.float64], place: float, length: float, cutoff: float) -> NDArray[np.float64]:
    """Harmonics (a, then b) [N] of one period of a force that repeats, up to 1.5 times the filter's cut-off.

    They are scaled for their squares to sum up to the variance exactly.

    Parameters
    ----------
    force : float array (time,)
        Filtered, in even steps [N].
    place : float
        Of the first of them, from the first support, as a share of the period [-].
    length : float
        Duration of the period [s].
    cutoff : float
        Of the filter [Hz].
    """
    k = np.arange(1, min(int(np.ceil(BEYOND * cutoff * length)), (len(force) - 1) // 2) + 1)
    c = np.fft.rfft(force - force.mean())[k] / len(force) * np.exp(-2j * np.pi * k * place)
    both = np.concatenate([c.real, c.imag])
    size = float(np.linalg.norm(both))
    return both * (float(force.std()) / size if size else 0.0)
